//go:build unix

package process_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/runtime"
)

// The cases of provider-chat.md §10 that have a journal in them.

// provider is a chat provider on the loopback interface that counts its requests.
func provider(t *testing.T, answer http.HandlerFunc) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func completes(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"value\":\"yes\"}"}}]}`)
}

func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

const chatKey = "ALGAL_TEST_PROCESS_CHAT_KEY"

// chat lets a model at a URL answer.
func (d *desk) chat(url, model string) {
	d.t.Helper()
	e, err := chat.New(chat.Config{ID: chat.DefaultID, BaseURL: url + "/v1", Model: model, CredentialEnv: chatKey, TimeoutMs: 20_000})
	must(d.t, err)
	d.host.Executors = []runtime.Executor{e}
}

var asks = cells(`{"id":"a","kind":"agent","prompt":"?","output":{"kind":"text"}}`)

func TestChat19(t *testing.T) {
	t.Setenv(chatKey, "k-0123456789abcdef")
	d := newDesk(t)
	silent := httptest.NewServer(nil)
	silent.Close()
	d.chat(silent.URL, "model")
	d.create("p", asks)
	s, err := d.journaledTick("p")
	if err != nil || s.Record.Status != "failed" {
		t.Fatalf("%+v, %v", s, err)
	}
	d.holds("p", chat.DefaultID+".")
	receipt := d.journalOf("p").Effects()[0].Receipt
	if text := receipt.Get("error").Get("message").Text(); !strings.HasSuffix(text, " could not be reached; nothing was sent") {
		t.Errorf("recorded %s", receipt)
	}
}

func TestChat23(t *testing.T) {
	t.Setenv(chatKey, "k-0123456789abcdef")
	d := newDesk(t)
	url, requests := provider(t, hangsUp)
	d.chat(url, "model")
	d.create("p", asks)
	_, err := d.journaledTick("p")
	if e := algal.AsError(err); e == nil || !e.Uncertain || !strings.HasSuffix(e.Message, " request transport failed; external completion uncertain") {
		t.Fatalf("tick: %v", err)
	}
	d.holds("p", chat.DefaultID)
	d.uncertain("p")
	d.unchanged("a refused recovery", func() {
		_, err := d.recover("p")
		refused(t, "recover", err, algal.IOFailed, "effect 0 has unknown completion; adapter reconciliation is required")
	})
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestChat31(t *testing.T) {
	t.Setenv(chatKey, "k-0123456789abcdef")
	d := newDesk(t)
	url, requests := provider(t, completes)
	d.chat(url, "model")
	d.create("p", asks)
	d.hook = failingDir("runs")
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.holds("p", chat.DefaultID+".")
	d.chat(url, "other")
	_, err = d.recover("p")
	refused(t, "another model", err, algal.ReceiptMismatch, "journal request/configuration/order changed")
	t.Setenv(chatKey, "another-0123456789abcdef")
	d.chat(url, "model")
	s, err := d.recover("p")
	d.completes("p", s, err)
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}
