package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/cas"
)

// serve starts a server on the loopback interface and returns its URL.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// dial returns a transport that waits long enough for any machine.
func dial(t *testing.T, base string) *HTTP {
	t.Helper()
	h, err := NewHTTP(t.Context(), base, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHTTPDelivers(t *testing.T) {
	document, root := program(t)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch name := bundle.FileName(root); {
		case r.Method != http.MethodGet:
			http.Error(w, "", http.StatusMethodNotAllowed)
		case r.URL.Path == "/b/"+name || r.URL.Path == "/"+name:
			fmt.Fprint(w, document)
		case r.URL.Path == "/moved/"+name:
			http.Redirect(w, r, "/b/"+name, http.StatusFound)
		case r.URL.Path == "/gone/"+name:
			http.Redirect(w, r, "/nowhere", http.StatusTemporaryRedirect)
		default:
			http.NotFound(w, r)
		}
	})
	for path, code := range map[string]algal.Code{
		"": "", "/": "", "/b": "", "/b/": "", "/moved": "", "/gone": absent, "/none": absent,
	} {
		fetch(t, dial(t, base+path), root, code, "")
	}
	fetch(t, dial(t, base), elsewhere, absent, "")
}

// TestHTTPRefuses has one answer a row; BASE and URL stand for the server's.
func TestHTTPRefuses(t *testing.T) {
	document, root := program(t)
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	const notJSON = `transport "BASE": URL is not JSON`
	type row struct {
		handle http.HandlerFunc
		root   algal.Digest
		code   algal.Code
		text   string
	}
	rows := map[string]row{
		"500":             {status(500), root, algal.IOFailed, `transport "BASE": HTTP 500 for URL`},
		"304":             {status(304), root, algal.IOFailed, `transport "BASE": HTTP 304 for URL`},
		"302 to nowhere":  {status(302), root, algal.IOFailed, `transport "BASE": HTTP 302 for URL`},
		"410":             {status(410), root, algal.IOFailed, `transport "BASE": HTTP 410 for URL`},
		"204":             {status(204), root, algal.ParseFailed, notJSON},
		"no JSON":         {body("<html>"), root, algal.ParseFailed, notJSON},
		"malformed UTF-8": {body("\"\xff\""), root, algal.ParseFailed, notJSON},
		"byte-order mark": {body("\uFEFF" + document), root, algal.ParseFailed, notJSON},
		"other root":      {body(document), elsewhere, algal.DigestMismatch, `transport "BASE": URL roots at ` + string(root) + ", not " + string(elsewhere)},
		"redirect loop": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			root, algal.IOFailed, `transport "BASE": stopped after 10 redirects`,
		},
		"declared oversize": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(bundle.MaxBytes+1))
			},
			root, algal.BudgetExhausted, `transport "BASE": bundle exceeds 67108864 bytes`,
		},
		"cut short": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(len(document)))
				io.WriteString(w, document[1:])
			},
			root, algal.IOFailed, `transport "BASE": response body unavailable`,
		},
	}
	for name, c := range faults(root) {
		rows[name] = row{body(c.text), root, c.code, c.error}
	}
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			base := serve(t, c.handle)
			text := strings.NewReplacer("BASE", base, "URL", base+"/"+bundle.FileName(c.root)).Replace(c.text)
			fetch(t, dial(t, base), c.root, c.code, text)
		})
	}
}

// TestHTTPByteBound lowers the bound to the size of the document and below.
func TestHTTPByteBound(t *testing.T) {
	document, root := program(t)
	var squeezed bytes.Buffer
	z := gzip.NewWriter(&squeezed)
	io.WriteString(z, document+strings.Repeat(" ", 1<<20))
	z.Close()
	declared := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, document) })
	streamed := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		io.WriteString(w, document)
	})
	compressed := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(squeezed.Bytes())
	})
	for _, c := range []struct {
		base  string
		bound int
		text  string
	}{
		{declared, len(document), ""},
		{declared, len(document) - 1, `transport "%s": bundle exceeds %d bytes`},
		{streamed, len(document), ""},
		{streamed, len(document) - 1, `transport "%s" exceeds %d bytes`},
		{compressed, len(document) + 1<<20, ""},
		{compressed, len(document) + 1<<20 - 1, `transport "%s" exceeds %d bytes`},
	} {
		h := dial(t, c.base)
		h.maxBytes = c.bound
		if c.text == "" {
			fetch(t, h, root, "", "")
		} else {
			fetch(t, h, root, algal.BudgetExhausted, fmt.Sprintf(c.text, c.base, c.bound))
		}
	}
}

// TestHTTPStreamsToTheBound meets the real bound with a body of undeclared length.
func TestHTTPStreamsToTheBound(t *testing.T) {
	_, root := program(t)
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range bundle.MaxBytes / len(chunk) {
			w.Write(chunk)
		}
		w.Write(chunk[:1])
	})
	fetch(t, dial(t, base), root, algal.BudgetExhausted, `transport "`+base+`" exceeds 67108864 bytes`)
}

func TestHTTPConnectionRefused(t *testing.T) {
	_, root := program(t)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // its port is free again
	found, err := dial(t, server.URL).Fetch(root, cas.NewMemory())
	prefix := `transport "` + server.URL + `": `
	if found || algal.CodeOf(err) != algal.IOFailed || !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("found %v, %s %v; want %s…", found, algal.CodeOf(err), err, prefix)
	}
	// A base that is no URL at all fails in the same way.
	fetch(t, dial(t, "http://[::1"), root, algal.IOFailed, `transport "http://[::1": missing ']' in host`)
}

func TestHTTPTimeoutBounds(t *testing.T) {
	const text = "transport timeout must be 1–600000 milliseconds"
	for timeout, ok := range map[time.Duration]bool{
		-time.Second: false, 0: false, time.Millisecond - 1: false, time.Millisecond: true,
		DefaultTimeout: true, 10 * time.Minute: true, 10*time.Minute + 1: false,
	} {
		h, err := NewHTTP(t.Context(), "http://localhost", timeout)
		if ok != (err == nil) || ok != (h != nil) || !ok && (algal.CodeOf(err) != algal.ParseFailed || err.Error() != text) {
			t.Errorf("%v: %v, %v", timeout, h, err)
		}
	}
}

// TestHTTPTimeout: the server never answers.
func TestHTTPTimeout(t *testing.T) {
	_, root := program(t)
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	h, err := NewHTTP(t.Context(), base, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	text := `transport "` + base + `": no answer within 5ms`
	fetch(t, h, root, algal.IOFailed, text)
	// Whatever part of the exchange the time ran out in, the text is the same.
	h.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, errors.New("lookup: i/o timeout")
	})
	fetch(t, h, root, algal.IOFailed, text)
}

// roundTrip is a client's way to the network in one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// reading is a body that tells when it is read.
type reading struct {
	io.ReadCloser
	read func()
}

func (b reading) Read(p []byte) (int, error) {
	b.read()
	return b.ReadCloser.Read(p)
}

// TestHTTPTimeoutInBody: the server stops in the middle of its answer, and the body
// is not read before the time is up.
func TestHTTPTimeoutInBody(t *testing.T) {
	document, root := program(t)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, document[:10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	h, err := NewHTTP(t.Context(), base, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	h.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		// The response itself takes whatever time the machine needs.
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		response, err := http.DefaultTransport.RoundTrip(r.Clone(ctx))
		if err != nil {
			cancel()
			return nil, err
		}
		response.Body = reading{response.Body, func() { <-r.Context().Done(); cancel() }}
		return response, nil
	})
	fetch(t, h, root, algal.BudgetExhausted, `transport "`+base+`" cancelled`)
}

// TestHTTPCancel: the end of the context ends an exchange, waiting or reading.
func TestHTTPCancel(t *testing.T) {
	document, root := program(t)
	for _, part := range []string{"", document[:10]} {
		ctx, cancel := context.WithCancel(t.Context())
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if part == "" {
				cancel()
			} else {
				io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		h, err := NewHTTP(ctx, base, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		h.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			response, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				response.Body = reading{response.Body, cancel}
			}
			return response, err
		})
		fetch(t, h, root, algal.BudgetExhausted, `transport "`+base+`" cancelled`)
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Error("the exchange ended by itself")
		}
		// So does the next one, at once.
		fetch(t, h, root, algal.BudgetExhausted, `transport "`+base+`" cancelled`)
	}
}
