package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/cas"
)

// DefaultTimeout bounds the exchanges of transports from a configuration file.
const DefaultTimeout = 15 * time.Second

const maxTimeout = 600 * time.Second

// HTTP is a transport that gets bundles from a web server (bundle.md §4.3). It
// follows redirects and takes proxies from the environment, both as net/http does
// by default.
type HTTP struct {
	ctx         context.Context // of the host: the compiler that calls Fetch has none
	label, base string          // base ends in a slash
	timeout     time.Duration
	client      http.Client
	maxBytes    int // bundle.MaxBytes; tests lower it
}

// NewHTTP returns the transport of the URLs below base. The timeout, 1 ms to
// 600 s, covers a whole exchange, the reading of the answer included. When ctx
// ends, so does every exchange, with BUDGET_EXHAUSTED.
func NewHTTP(ctx context.Context, base string, timeout time.Duration) (*HTTP, error) {
	if timeout < time.Millisecond || timeout > maxTimeout {
		return nil, algal.Errorf(algal.ParseFailed, "transport timeout must be 1–%d milliseconds", maxTimeout.Milliseconds())
	}
	h := &HTTP{ctx: ctx, label: labelOf(base), base: base, timeout: timeout, maxBytes: bundle.MaxBytes}
	if !strings.HasSuffix(base, "/") {
		h.base += "/"
	}
	return h, nil
}

// Fetch installs the bundle rooted at root. It reports false when the server
// answers 404. An answer of more than 67,108,864 bytes is refused with
// BUDGET_EXHAUSTED, before it is read when the server declares its length.
func (h *HTTP) Fetch(root algal.Digest, into cas.Store) (bool, error) {
	target := h.base + bundle.FileName(root)
	text, found, err := h.get(target)
	if err != nil || !found {
		return false, err
	}
	if err := install(text, h.label, target, root, into); err != nil {
		return false, err
	}
	return true, nil
}

// get returns the body of the answer, or that the server has none.
func (h *HTTP) get(target string) (text string, found bool, err error) {
	ctx, cancel := context.WithTimeoutCause(h.ctx, h.timeout, fmt.Errorf("no answer within %v", h.timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return "", false, h.unreachable(ctx, err)
	}
	response, err := h.client.Do(request)
	if err != nil {
		return "", false, h.unreachable(ctx, err)
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status == http.StatusNotFound:
		return "", false, nil
	case status < 200 || status > 299:
		return "", false, algal.Errorf(algal.IOFailed, "%s: HTTP %d for %s", h.label, status, target)
	case response.ContentLength > int64(h.maxBytes):
		return "", false, algal.Errorf(algal.BudgetExhausted, "%s: bundle exceeds %d bytes", h.label, h.maxBytes)
	}
	text, err = h.read(ctx, response.Body)
	return text, err == nil, err
}

// unreachable words the failure of an exchange that came to no response.
func (h *HTTP) unreachable(ctx context.Context, err error) error {
	if h.ctx.Err() != nil {
		return h.cancelled()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	// The label says already which URL was asked.
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return algal.Errorf(algal.IOFailed, "%s: %v", h.label, err)
}

// read takes in a body. The bound is on what is read, whatever was declared and
// however it was compressed.
func (h *HTTP) read(ctx context.Context, body io.Reader) (string, error) {
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(body, int64(h.maxBytes)+1))
	switch {
	case n > int64(h.maxBytes):
		return "", algal.Errorf(algal.BudgetExhausted, "%s exceeds %d bytes", h.label, h.maxBytes)
	case err != nil && ctx.Err() != nil:
		return "", h.cancelled()
	case err != nil:
		return "", algal.Errorf(algal.IOFailed, "%s: response body unavailable", h.label)
	}
	return text.String(), nil
}

func (h *HTTP) cancelled() error {
	return algal.Errorf(algal.BudgetExhausted, "%s cancelled", h.label)
}
