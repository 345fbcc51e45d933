package chat

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/algal-vm/algal"
)

const (
	maxHeadBytes   = 65_536
	maxErrorBytes  = 16_384
	maxErrorReadMs = 2_000
)

// transport returns the transport of one attempt. It opens one connection, follows
// and repeats nothing, and neither decompresses nor remembers (§2).
func (e *Executor) transport(ctx context.Context) *http.Transport {
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy: e.proxy,
		// net/http detaches a dial from its request, in the hope of another one. Here
		// there is none: the connection ends with the attempt, also in the middle of a
		// handshake.
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := e.dial(ctx, network, address)
			if err == nil {
				context.AfterFunc(ctx, func() { conn.Close() })
			}
			return conn, err
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: e.roots},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeadBytes,
		Protocols:              http1,
	}
}

// proxyFor takes a proxy from the environment for https alone.
func proxyFor(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// dial opens a connection. localhost is a fixed pair of addresses, whatever a
// resolver would say.
func (e *Executor) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host != "localhost" {
		return e.dialer.DialContext(ctx, network, address)
	}
	conn, err := e.dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		conn, err = e.dialer.DialContext(ctx, network, net.JoinHostPort("::1", port))
	}
	return conn, err
}

// exchange sends one request and returns the body of a complete 2xx answer (§7).
func (e *Executor) exchange(ctx context.Context, body []byte, key secret, n *notice) (string, *failure) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sent atomic.Bool
	request := e.newRequest(body, key).WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	}))
	response, err := e.transport(ctx).RoundTrip(request)
	if err != nil {
		return "", unanswered(ctx, sent.Load())
	}
	defer response.Body.Close()
	n.add("status", strconv.Itoa(response.StatusCode))
	n.add("x-request-id", response.Header.Get("X-Request-Id"))
	if failed := judgeStatus(response.StatusCode); failed != nil {
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
			wait := retryAfter(response.Header, time.Now())
			e.hold.set(time.Now().Add(wait))
			n.add("next-request-in", wait.String())
		}
		if e.config.Notify != nil {
			defer time.AfterFunc(maxErrorReadMs*time.Millisecond, cancel).Stop()
			n.addError(response.Body)
		}
		return "", failed
	}
	return e.receive(ctx, response)
}

func (e *Executor) newRequest(body []byte, key secret) *http.Request {
	header := http.Header{
		"Accept":          {"application/json"},
		"Accept-Encoding": {"identity"},
		"Content-Type":    {"application/json"},
		"User-Agent":      {"algal"},
	}
	if key != "" {
		header["Authorization"] = []string{"Bearer " + string(key)}
	}
	return &http.Request{
		Method:        http.MethodPost,
		URL:           e.endpoint,
		Host:          e.endpoint.Host,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Close:         true,
	}
}

// unanswered is the failure of a request without a complete response head.
func unanswered(ctx context.Context, sent bool) *failure {
	code := algal.EffectFailed
	if ctx.Err() != nil {
		code = algal.BudgetExhausted
	}
	if !sent {
		return repeatable(code, "could not be reached; nothing was sent")
	}
	return uncertain(code, "request transport failed; external completion uncertain")
}

// judgeStatus is the failure that a status is, nil for 2xx.
func judgeStatus(status int) *failure {
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status >= 300 && status <= 399:
		return final(algal.EffectFailed, "redirects are forbidden")
	}
	failed := repeatable(algal.EffectFailed, "returned HTTP "+strconv.Itoa(status)+"; response body withheld")
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
	default:
		failed.final = status >= 400 && status <= 499
	}
	return failed
}

// receive reads the body of a 2xx answer.
func (e *Executor) receive(ctx context.Context, response *http.Response) (string, *failure) {
	limit := int64(e.config.MaxResponseBytes)
	if response.ContentLength > limit {
		return "", uncertain(algal.BudgetExhausted, "response exceeds byte limit")
	}
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(response.Body, limit+1))
	switch {
	case n > limit, err != nil && ctx.Err() != nil:
		return "", uncertain(algal.BudgetExhausted, "response cancelled or exceeded byte limit; external completion uncertain")
	case err != nil:
		return "", uncertain(algal.EffectFailed, "response transport failed; external completion uncertain")
	}
	return text.String(), nil
}
