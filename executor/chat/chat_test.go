package chat_test

import (
	"encoding/json"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/executor/executortest"
	algalruntime "github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func newExecutor(t testing.TB, c chat.Config) *chat.Executor {
	t.Helper()
	e, err := chat.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPrompts covers the sizes and digests of §4.2 and §4.4.
func TestPrompts(t *testing.T) {
	s, both := chat.SystemPrompt, chat.SystemPrompt+" "+chat.DecidePrompt
	if got := canon.DigestText(s); len(s) != 552 || got != "sha256:c09274eb1d7de12cce38a4586aa7abde46a811f517a5210b07724312982e5820" {
		t.Errorf("S: %d bytes, %s", len(s), got)
	}
	if got := canon.DigestText(both); len(both) != 833 || got != "sha256:190872cae6a615f39f0f9b83bf2c08ef4849c5d41b696f2780dd979f2d6ac9f3" {
		t.Errorf("S and D: %d bytes, %s", len(both), got)
	}
}

// TestConfigurationDigest covers the computed vectors of §5.
func TestConfigurationDigest(t *testing.T) {
	local := chat.Config{BaseURL: "http://127.0.0.1:11434/v1", Model: "local-model"}
	own := local
	own.Decide, own.NoTemperature, own.TokenField = true, true, chat.MaxCompletionTokens
	cases := []struct {
		config chat.Config
		want   algal.Digest
	}{
		{local, "sha256:0847cb990157afe3292234c5b08c6b21fbcee1bdabe5dba48f795058c7db60b0"},
		{
			chat.Config{BaseURL: "https://provider.example/v1", Model: "local-model", CredentialEnv: "LLM_KEY", ResponseFormat: chat.FormatObject, TimeoutMs: 30_000},
			"sha256:5eb61ee2c9870e62c62c35d91fda0378b192f8cedfb3fd773279e377b14495e6",
		},
		{own, "sha256:004054e51060ec9359bb03b18f887cb745e6bc98fd5077401ef4c93b9c92d328"},
	}
	for _, c := range cases {
		d := newExecutor(t, c.config).Describe()
		if d.Configuration != c.want || d.Identity != string(c.want) || d.ID != "openai:"+string(c.want) {
			t.Errorf("%+v: %+v, want %s", c.config, d, c.want)
		}
	}
	// Defaults that are given count as not given; what differs is told.
	given := local
	given.ResponseFormat, given.TokenField, given.TimeoutMs, given.MaxResponseBytes = chat.FormatSchema, chat.MaxTokens, 120_000, 2_097_152
	if got := newExecutor(t, given).Describe().Configuration; got != cases[0].want {
		t.Errorf("given defaults: %s", got)
	}
	warm, silent := local, local
	warm.Temperature, silent.TokenField = 0.5, chat.None
	for c, more := range map[*chat.Config]string{&warm: `"temperature":0.5`, &silent: `"tokenField":null`} {
		want := executortest.JSON(t, `{"baseUrl":"http://127.0.0.1:11434/v1","credentialEnv":null,"kind":"openai","maxResponseBytes":2097152,"model":"local-model","responseFormat":"json_schema","timeoutMs":120000,`+more+`}`).Digest()
		if got := newExecutor(t, *c).Describe().Configuration; got != want {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
}

// worked is the request of run.md §8.2.
func worked(t testing.TB) *algalruntime.Request {
	record := executortest.JSON(t, `{"budget":{"maxContextBytes":65536,"maxOutputBytes":65536},"cellId":"a","context":{"inputs":{},"turn":0},"contract":"algal.effect.v1","kind":"agent","output":{"kind":"text"},"prompt":"p"}`)
	return &algalruntime.Request{Record: record, Digest: record.Digest(), CellID: "a", Kind: algalruntime.EffectAgent, MaxOutputBytes: 65_536}
}

// TestBody covers the computed bodies of §5 and the members of §4.1.
func TestBody(t *testing.T) {
	local := chat.Config{BaseURL: "http://127.0.0.1:11434/v1", Model: "local-model"}
	prompt := local
	prompt.ResponseFormat = chat.FormatPrompt
	cases := []struct {
		config chat.Config
		size   int
		digest algal.Digest
	}{
		{local, 991, "sha256:94cbc7930f22beee941a742f8e235c41ee248361f6de892ef982a85c98dabb2c"},
		{prompt, 775, "sha256:e9a5d1773bc86be9e85034242c4b7e7820452ba0a6067e5b45ed028065e43bb5"},
	}
	for _, c := range cases {
		body := newExecutor(t, c.config).Body(worked(t))
		if got := canon.DigestText(body); len(body) != c.size || got != c.digest {
			t.Errorf("%s: %d bytes, %s, want %d, %s", c.config.ResponseFormat, len(body), got, c.size, c.digest)
		}
	}
	members := func(change func(*chat.Config), outputBytes int) canon.Value {
		c, q := local, worked(t)
		change(&c)
		q.MaxOutputBytes = outputBytes
		body := executortest.JSON(t, newExecutor(t, c).Body(q))
		return body.Without("messages").Without("response_format").Without("model")
	}
	for _, c := range []struct {
		change func(*chat.Config)
		bytes  int
		want   string
	}{
		{func(*chat.Config) {}, 1, `{"max_tokens":65,"temperature":0}`},
		{func(*chat.Config) {}, 65_280, `{"max_tokens":16384,"temperature":0}`},
		{func(*chat.Config) {}, 65_276, `{"max_tokens":16383,"temperature":0}`},
		{func(c *chat.Config) { c.TokenField, c.Temperature = chat.MaxCompletionTokens, 1.5 }, 5, `{"max_completion_tokens":66,"temperature":1.5}`},
		{func(c *chat.Config) { c.TokenField, c.NoTemperature = chat.None, true }, 5, `{}`},
	} {
		if got := members(c.change, c.bytes).String(); got != c.want {
			t.Errorf("%d bytes: %s, want %s", c.bytes, got, c.want)
		}
	}
	object := local
	object.ResponseFormat = chat.FormatObject
	if got := executortest.JSON(t, newExecutor(t, object).Body(worked(t))).Get("response_format").String(); got != `{"type":"json_object"}` {
		t.Errorf("response_format %s", got)
	}
}

// TestWire reads the request as it stands on the wire: the headers of §4 and no
// other.
func TestWire(t *testing.T) {
	heads, bodies := make(chan []string, 1), make(chan string, 1)
	address := tcp(t, func(conn net.Conn) {
		head, rest := readHead(conn)
		body := make([]byte, 991)
		io.ReadFull(rest, body)
		heads <- head
		bodies <- string(body)
		answer := `{"choices":[{"message":{"content":"{\"value\":\"yes\"}"}}]}`
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"+answer)
	})
	e := newExecutor(t, chat.Config{BaseURL: "HTTP://LocalHost" + strings.TrimPrefix(address, "127.0.0.1"), Model: model, CredentialEnv: keyVariable})
	answer, err := e.Call(t.Context(), worked(t))
	if err != nil || !answer.Output.IsText("yes") {
		t.Fatalf("%+v, %v", answer, err)
	}
	head := <-heads
	slices.Sort(head[1:])
	want := []string{
		"POST /chat/completions HTTP/1.1",
		"Accept-Encoding: identity",
		"Accept: application/json",
		"Authorization: Bearer " + testKey,
		"Connection: close",
		"Content-Length: 991",
		"Content-Type: application/json",
		"Host: localhost" + strings.TrimPrefix(address, "127.0.0.1"),
		"User-Agent: algal",
	}
	if diff := cmp.Diff(want, head); diff != "" {
		t.Error(diff)
	}
	if body := <-bodies; body != e.Body(worked(t)) {
		t.Errorf("body %s", body)
	}
}

// TestLocalhostIPv6 finds a server that listens on [::1] alone.
func TestLocalhostIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Logf("no IPv6 loopback here: %v", err)
		return
	}
	s := &server{replies: []reply{completion(yes)}}
	s.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: s}}
	s.Start()
	defer s.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	tr := against(t, s, func(c *chat.Config) { c.BaseURL = "http://localhost:" + port })
	tr.executor.NoNames()
	tried := tr.executor.Watch()
	tr.want(tr.run(agent()), output(`"yes"`))
	if diff := cmp.Diff([]string{"127.0.0.1:" + port, "[::1]:" + port}, *tried); diff != "" {
		t.Error(diff)
	}
}

func TestRequestTooLarge(t *testing.T) {
	tr := against(t, serve(t, completion(yes)), nil)
	q := worked(t)
	q.Record = q.Record.With(canon.M("context", canon.String(strings.Repeat("x", 4_194_304))))
	answer, err := tr.executor.Call(t.Context(), q)
	if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "Chat Completions provider request exceeds byte limit" || !answer.NotRetryable {
		t.Errorf("%+v, %v", answer, err)
	}
	tr.requests(0)
}

func TestCancelledBeforeDispatch(t *testing.T) {
	tr := against(t, serve(t, completion(yes)), nil)
	ctx, cancel := contextOf(t)
	cancel()
	answer, err := tr.executor.Call(ctx, worked(t))
	e := algal.AsError(err)
	if e.Code != algal.BudgetExhausted || e.Message != "Chat Completions provider request cancelled before dispatch" || e.Uncertain || !answer.NotRetryable {
		t.Errorf("%+v, %v", answer, err)
	}
	tr.requests(0)
}

// TestCancelledWhileHeldBack cancels the wait that a server asked for.
func TestCancelledWhileHeldBack(t *testing.T) {
	ctx, cancel := contextOf(t)
	defer cancel()
	tr := against(t, serve(t, status(503, "", "Retry-After: 10")), nil)
	if _, err := tr.executor.Call(ctx, worked(t)); algal.CodeOf(err) != algal.EffectFailed {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	answer, err := tr.executor.Call(ctx, worked(t))
	if algal.CodeOf(err) != algal.BudgetExhausted || algal.AsError(err).Uncertain || !answer.NotRetryable {
		t.Errorf("%+v, %v", answer, err)
	}
	tr.requests(1)
}

func TestRefusedConfig(t *testing.T) {
	good := chat.Config{BaseURL: "https://h/v1", Model: "m"}
	cases := []struct {
		change func(*chat.Config)
		want   string
	}{
		{func(c *chat.Config) { c.ResponseFormat = "text" }, "response-format must be json_schema, json_object, or prompt"},
		{func(c *chat.Config) { c.TokenField = "tokens" }, "token-field must be max_tokens, max_completion_tokens, or none"},
		{func(c *chat.Config) { c.Temperature = 2.1 }, "temperature must be a number in [0, 2] or none"},
		{func(c *chat.Config) { c.Temperature = -0.1 }, "temperature must be a number in [0, 2] or none"},
		{func(c *chat.Config) { c.Temperature = math.NaN() }, "temperature must be a number in [0, 2] or none"},
		{func(c *chat.Config) { c.TimeoutMs = 600_001 }, "executor-timeout-ms must be an integer in [1, 600000]"},
		{func(c *chat.Config) { c.TimeoutMs = -1 }, "executor-timeout-ms must be an integer in [1, 600000]"},
		{func(c *chat.Config) { c.MaxResponseBytes = 16_777_217 }, "max-response-bytes must be an integer in [1, 16777216]"},
		{func(c *chat.Config) { c.CredentialEnv = "A-B" }, "invalid provider credential environment name"},
		{func(c *chat.Config) { c.CredentialEnv = strings.Repeat("A", 129) }, "invalid provider credential environment name"},
		{func(c *chat.Config) { c.Model = "" }, "invalid provider model identifier"},
		{func(c *chat.Config) { c.Model = strings.Repeat("é", 65) }, "invalid provider model identifier"},
		{func(c *chat.Config) { c.Model = "a\u0085" }, "invalid provider model identifier"},
		{func(c *chat.Config) { c.Model = "\xff" }, "invalid provider model identifier"},
		{func(c *chat.Config) { c.BaseURL = "" }, "invalid provider base URL"},
	}
	for _, c := range cases {
		config := good
		c.change(&config)
		if _, err := chat.New(config); algal.CodeOf(err) != algal.ParseFailed || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", config, err, c.want)
		}
	}
	good.Temperature, good.CredentialEnv, good.Model = 2, strings.Repeat("A", 128), strings.Repeat("é", 64)
	newExecutor(t, good)
}

func TestEndpoint(t *testing.T) {
	accepted := map[string]string{
		"https://h":                     "https://h/chat/completions",
		"https://h/":                    "https://h/chat/completions",
		"HTTPS://Provider.Example/V1":   "https://provider.example/V1/chat/completions",
		"https://h:65535/v1///":         "https://h:65535/v1/chat/completions",
		"https://1.2.3.4/":              "https://1.2.3.4/chat/completions",
		"https://[2001:DB8::1]:8443/v1": "https://[2001:db8::1]:8443/v1/chat/completions",
		"https://a_b-c.d/%7Ex/a%2Fb":    "https://a_b-c.d/%7Ex/a%2Fb/chat/completions",
		"http://localhost/":             "http://localhost/chat/completions",
		"http://LOCALHOST:80/v1":        "http://localhost:80/v1/chat/completions",
		"http://127.0.0.1:11434/v1":     "http://127.0.0.1:11434/v1/chat/completions",
		"http://[::1]:1/v1":             "http://[::1]:1/v1/chat/completions",
		"https://h//v1":                 "https://h//v1/chat/completions",
		"https://h/...":                 "https://h/.../chat/completions",
	}
	for base, want := range accepted {
		if got, err := chat.ParseEndpoint(base); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", base, got, err, want)
		}
	}
	const policy = "provider URL must be HTTPS or loopback HTTP, without credentials, query, or fragment"
	const invalid = "invalid provider base URL"
	refused := map[string]string{
		"ftp://h/":                               policy,
		"http://localhost.example/":              policy,
		"http://[0:0:0:0:0:0:0:1]/":              policy,
		"https://@h/":                            policy,
		"https://h?":                             policy,
		"https://h/#x":                           policy,
		"http://127.0.0.1@evil/":                 policy,
		"":                                       invalid,
		"h/v1":                                   invalid,
		"//h/v1":                                 invalid,
		"https:/h":                               invalid,
		"1https://h":                             invalid,
		"https://":                               invalid,
		"https:///v1":                            invalid,
		"https://h h/":                           invalid,
		"https://é/":                             invalid,
		`https://h\v1`:                           invalid,
		"https://h\n/":                           invalid,
		"https://h:/":                            invalid,
		"https://h:0/":                           invalid,
		"https://h:65536/":                       invalid,
		"https://h:080/":                         invalid,
		"https://h:8a/":                          invalid,
		"https://a..b/":                          invalid,
		"https://h./":                            invalid,
		"https://1.2.3/":                         invalid,
		"https://1.2.3.04/":                      invalid,
		"https://1.2.3.256/":                     invalid,
		"https://0x7f.1/":                        invalid,
		"https://a.0x1/":                         invalid,
		"https://[::1/":                          invalid,
		"https://[fe80::1%25eth0]/":              invalid,
		"https://[1.2.3.4]/":                     invalid,
		"https://::1/":                           invalid,
		"https://h/%":                            invalid,
		"https://h/%4":                           invalid,
		"https://h/%zz":                          invalid,
		"https://h%41/":                          invalid,
		"https://h/./x":                          invalid,
		"https://h/../x":                         invalid,
		"https://h/a/%2e":                        invalid,
		"https://h/a/.%2E":                       invalid,
		"https://h/" + strings.Repeat("x", 2039): invalid,
		"https://" + strings.Repeat("x", 64) + "/": invalid,
	}
	for base, want := range refused {
		if got, err := chat.ParseEndpoint(base); algal.CodeOf(err) != algal.ParseFailed || err.Error() != want || got != nil {
			t.Errorf("%.60s: %v, %v, want %s", base, got, err, want)
		}
	}
}

// TestEndpointSeesOneHost looks for texts in which net/url sees another host than
// the grammar did.
func TestEndpointSeesOneHost(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "1", ".", "/", "@", ":", "?", "#", "%2e", "%", "[", "]", "::1", "localhost", "127.0.0.1", "\\", "0x", "-"})
	rapid.Check(t, func(r *rapid.T) {
		scheme := rapid.SampledFrom([]string{"http", "https"}).Draw(r, "scheme")
		rest := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(r, "pieces"), "")
		u, err := chat.ParseEndpoint(scheme + "://" + rest)
		if err != nil {
			return
		}
		host, _, _ := strings.Cut(rest, "/")
		if u.Host != host || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Scheme != scheme {
			r.Fatalf("%s://%s: %#v", scheme, rest, u)
		}
		if scheme == "http" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1" {
			r.Fatalf("http to %s", u.Hostname())
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	cases := []struct {
		after, date string
		want        time.Duration
	}{
		{"", "", time.Second},
		{"soon", "", time.Second},
		{"-5", "", time.Second},
		{"1.5", "", time.Second},
		{"0", "", 0},
		{"7", "", 7 * time.Second},
		{"60", "", time.Minute},
		{"61", "", time.Minute},
		{"99999999999999999999", "", time.Minute},
		{at(9 * time.Second), "", 9 * time.Second},
		{at(-9 * time.Second), "", 0},
		{at(time.Hour), "", time.Minute},
		{at(time.Hour), at(time.Hour - 3*time.Second), 3 * time.Second},
		{at(4 * time.Second), "yesterday", 4 * time.Second},
	}
	for _, c := range cases {
		header := http.Header{}
		header.Set("Retry-After", c.after)
		header.Set("Date", c.date)
		if got := chat.RetryAfter(header, now); got != c.want {
			t.Errorf("%q at %q: %v, want %v", c.after, c.date, got, c.want)
		}
	}
}

func TestUnfence(t *testing.T) {
	cases := map[string]string{
		"```\nx\n```":                     "x\n",
		"```json\nx\ny\n```":              "x\ny\n",
		"```json\r\nx\r\n```":             "x\r\n",
		"```\n```":                        "",
		"```0123456789abcdef\nx\n```":     "x\n",
		"```0123456789abcdefg\nx\n```":    "```0123456789abcdefg\nx\n```",
		"```a b\nx\n```":                  "```a b\nx\n```",
		"```\nx```":                       "```\nx```",
		"```x```":                         "```x```",
		"```\nx\n```\ny\n```":             "```\nx\n```\ny\n```",
		"```\nx\n````":                    "```\nx\n````",
		"x":                               "x",
		"":                                "",
		"```":                             "```",
		"```\n":                           "```\n",
		"````\nx\n````":                   "````\nx\n````",
		"```\n x\n  ``` not a start\n```": " x\n  ``` not a start\n",
	}
	for text, want := range cases {
		if got := chat.Unfence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestIsClosed(t *testing.T) {
	cases := map[string]bool{
		`{"type":"string"}`:                                            true,
		`{"type":"string","minLength":1}`:                              false,
		`{"type":"integer","minimum":1,"title":"t","description":"d"}`: true,
		`{"enum":["a"]}`:                                               false,
		`1`:                                                            false,
		`{"type":"object"}`:                                            false,
		`{"type":"object","additionalProperties":false}`:               false,
		`{"type":"object","additionalProperties":false,"required":[]}`: true,
		`{"type":"object","additionalProperties":true,"required":[]}`:  false,
		`{"type":"object","additionalProperties":{},"required":[]}`:    false,
		`{"type":["object","null"],"required":[]}`:                     false,
		`{"type":"array"}`:                           false,
		`{"type":"array","items":{"type":"null"}}`:   true,
		`{"type":["array","null"]}`:                  false,
		`{"type":"array","items":{"type":"array"}}`:  false,
		`{"type":"string","items":{"type":"array"}}`: false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`:                         true,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`:   false,
		`{"type":"object","additionalProperties":false,"required":["a","a"],"properties":{"a":{"type":"string"},"b":{"type":"null"}}}`: false,
		`{"type":"object","additionalProperties":false,"required":["a","b"],"properties":{"a":{"type":"string"}}}`:                     false,
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"object"}}}`:                         false,
	}
	for schema, want := range cases {
		if got := chat.IsClosed(executortest.JSON(t, schema)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
}

// TestSecretPrints tries to print the key in every way.
func TestSecretPrints(t *testing.T) {
	key := chat.Secret(testKey)
	holder := struct{ Key chat.Secret }{key}
	encoded, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	text := describe(key) + describe(holder) + describe(&holder) + describe([]any{key}) + string(encoded)
	if strings.Contains(text, testKey) || strings.Contains(text, "6b2d") || !strings.Contains(text, "withheld") {
		t.Error(text)
	}
}

// TestProxyFromEnvironment reads the variables that TestMain sets.
func TestProxyFromEnvironment(t *testing.T) {
	for target, want := range map[string]string{
		"https://provider.example/v1": "http://127.0.0.1:1",
		"https://direct.example/v1":   "",
		"http://provider.example/v1":  "",
		"https://127.0.0.1/v1":        "",
	} {
		r, err := http.NewRequest(http.MethodPost, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		u, err := chat.ProxyFor(r)
		if u != nil {
			got = u.String()
		}
		if got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", target, got, err, want)
		}
	}
}

func TestOpening(t *testing.T) {
	os.Unsetenv("ALGAL_TEST_CHAT_UNSET")
	config := chat.Config{BaseURL: "https://h/v1/", Model: "m"}
	want := []string{"chat completions: https://h/v1/chat/completions, model m, format json_schema, no key"}
	if diff := cmp.Diff(want, newExecutor(t, config).Opening(nil)); diff != "" {
		t.Error(diff)
	}
	config.CredentialEnv = "ALGAL_TEST_CHAT_UNSET"
	want = []string{"chat completions: https://h/v1/chat/completions, model m, format json_schema, warning: the key's variable ALGAL_TEST_CHAT_UNSET is not set"}
	if diff := cmp.Diff(want, newExecutor(t, config).Opening(nil)); diff != "" {
		t.Error(diff)
	}
}

// TestNothingIsLeft ends attempts in the middle of a handshake, of a head and of a
// body: connections and goroutines end with them.
func TestNothingIsLeft(t *testing.T) {
	silent := tcp(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	for base, replies := range map[string][]reply{
		"https://" + silent: {completion(yes)},
		"":                  {wire("…"), wire("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[…"), completion(yes), status(500, "{")},
	} {
		tr := against(t, serve(t, replies...), func(c *chat.Config) {
			c.TimeoutMs = 100
			if base != "" {
				c.BaseURL = base
			}
		})
		for range replies {
			tr.executor.Call(t.Context(), worked(t))
		}
		tr.server.Close()
	}
	stacks := make([]byte, 1<<20)
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); runtime.Gosched() {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "net/http.(*persistConn)") && !strings.Contains(text, "net/http.(*Transport)") {
			return
		}
	}
	t.Fatalf("goroutines are left:\n%s", stacks)
}
