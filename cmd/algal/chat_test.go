package main

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestChat runs a program against a server of the form of chat completions. The key
// reaches the server and stands nowhere else; the memo spares the second request;
// the receipt verifies with the server gone.
func TestChat(t *testing.T) {
	const key = "0123456789abcdef0123456789abcdef"
	t.Setenv("ALGAL_TEST_CHAT_KEY", key)
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key ||
			!strings.Contains(string(body), `"max_completion_tokens":`) || !strings.Contains(string(body), `"temperature":0.5`) {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"{\"value\":\"yes\"}"}}],"model":"served","usage":{"completion_tokens":3,"prompt_tokens":12}}`)
	}))
	dir := writeAsk(t)
	args := []string{
		"run", "ask.json", "--base-url", server.URL + "/v1", "--model", "m", "--credential-env", "ALGAL_TEST_CHAT_KEY",
		"--token-field", "max_completion_tokens", "--temperature", "0.5", "--executor-timeout-ms", "60000", "--max-response-bytes", "4096",
		"--cache-effects", "--write", "--dir", "store",
	}
	first := invoke(t, dir, args...)
	server.Close()
	second := invoke(t, dir, args...)
	for _, r := range []ran{first, second} {
		if r.Exit != exitDone || !strings.Contains(r.Stdout, `"output":"yes"`) ||
			!strings.Contains(r.Stdout, `"usage":{"model":"served","tokensIn":12,"tokensOut":3}`) {
			t.Errorf("%+v", r)
		}
		if !strings.HasPrefix(r.Stderr, "chat completions: "+server.URL+"/v1/chat/completions, model m, format json_schema, key from ALGAL_TEST_CHAT_KEY\n") {
			t.Errorf("standard error: %s", r.Stderr)
		}
		if strings.Contains(r.Stdout+r.Stderr, key) {
			t.Error("the key is on a stream")
		}
	}
	if requests.Load() != 1 || strings.Contains(first.Stdout, `"cached"`) || !strings.Contains(second.Stdout, `"cached":true`) {
		t.Errorf("%d requests, second run: %s", requests.Load(), second.Stdout)
	}
	write(t, filepath.Join(dir, "receipt.json"), first.Stdout)
	if r := invoke(t, dir, "verify", "receipt.json", "--dir", "store"); r.Exit != exitDone {
		t.Errorf("verify: %+v", r)
	}
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		if strings.Contains(read(t, filepath.Join(dir, name)), key) {
			t.Errorf("the key is in %s", name)
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Errorf("%d files looked at, %v", files, err)
	}
}
