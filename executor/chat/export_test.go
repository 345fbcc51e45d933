package chat

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/algal-vm/algal/runtime"
)

// Constants that the specification gives by digest.
const (
	SystemPrompt = systemPrompt
	DecidePrompt = decidePrompt
)

// Trust makes the executor trust the roots of a test server, and no others.
func (e *Executor) Trust(roots *x509.CertPool) { e.roots = roots }

// ProxyBy makes the executor take a proxy. Whatever the test's environment says, a
// request over http must not get one.
func (e *Executor) ProxyBy(proxy *url.URL) {
	e.proxy = func(r *http.Request) (*url.URL, error) {
		if direct, err := proxyFor(r); r.URL.Scheme != "https" {
			return direct, err
		}
		return proxy, nil
	}
}

// NoNames makes every look-up of a name fail without asking anybody.
func (e *Executor) NoNames() {
	e.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no resolver in tests")
	}}
}

// Watch returns where connections are tried, in order.
func (e *Executor) Watch() *[]string {
	tried := new([]string)
	e.dialer.Control = func(_, address string, _ syscall.RawConn) error {
		*tried = append(*tried, address)
		return nil
	}
	return tried
}

// Body returns the body of a request.
func (e *Executor) Body(q *runtime.Request) string { return e.config.body(q).String() }

// Functions under test by themselves.
var (
	ParseEndpoint = parseEndpoint
	RetryAfter    = retryAfter
	Unfence       = unfence
	IsClosed      = isClosed
	ProxyFor      = proxyFor
)

// Secret is the type of the key.
type Secret = secret
