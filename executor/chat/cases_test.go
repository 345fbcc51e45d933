package chat_test

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// The tests are the fixture cases of provider-chat.md §10, by number. Case 23 and
// the journaled parts of 19 and 31 need a journal and are tested with it.

const yes = `{"value":"yes"}`

func TestMain(m *testing.M) {
	// One environment for all cases, so that they can run side by side.
	for name, value := range map[string]string{
		keyVariable:   testKey,
		"HTTP_PROXY":  "http://127.0.0.1:1",
		"HTTPS_PROXY": "http://127.0.0.1:1",
		"NO_PROXY":    "direct.example,provider.invalid",
	} {
		os.Setenv(name, value)
	}
	m.Run()
}

func TestCase01(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"plain":                       yes,
		"white space":                 "\n\t " + yes + " \r\n",
		"fence":                       "```\n" + yes + "\n```",
		"fence with a language":       "```json\n" + yes + "\n```",
		"fence with carriage returns": "```json\r\n" + yes + "\r\n```\r\n",
	}
	for name, content := range contents {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, completion(content)), nil)
			receipt := tr.run(agent())
			tr.want(receipt, output(`"yes"`))
			tr.requests(1)
			sent := tr.server.seen()[0]
			if roles := rolesOf(sent.body); roles != "system user" {
				t.Errorf("messages of %s", roles)
			}
			want := http.Header{
				"Accept":          {"application/json"},
				"Accept-Encoding": {"identity"},
				"Authorization":   {"Bearer " + testKey},
				"Connection":      {"close"},
				"Content-Type":    {"application/json"},
				"User-Agent":      {"algal"},
			}
			sent.header.Del("Content-Length")
			if diff := cmp.Diff(want, sent.header); diff != "" {
				t.Error(diff)
			}
			if sent.target != "/v1/chat/completions" {
				t.Errorf("target %s", sent.target)
			}
			if len(tr.notices) != 0 {
				t.Errorf("notices of a success: %q", tr.notices)
			}
		})
	}
}

func rolesOf(body canon.Value) string {
	var roles []string
	for _, m := range body.Get("messages").Elements() {
		roles = append(roles, m.Get("role").Text())
	}
	return strings.Join(roles, " ")
}

func TestCase02(t *testing.T) {
	t.Parallel()
	answer := func(choice, more string) reply {
		return ok(`{"choices":[{` + choice + `"message":{"content":"{\"value\":\"yes\"}"}}]` + more + `}`)
	}
	tokens := `,"usage":{"completion_tokens":3,"prompt_tokens":12}`
	cases := []struct {
		name string
		body reply
		want string
	}{
		{"nothing told", answer("", ""), `{"model":"local-model"}`},
		{"finish_reason null", answer(`"finish_reason":null,`, ""), `{"model":"local-model"}`},
		{"model no text", answer("", `,"model":7`), `{"model":"local-model"}`},
		{"usage a string", answer("", `,"model":"served","usage":"x"`), `{"model":"served"}`},
		{"other names", answer("", `,"model":"served","usage":{"input_tokens":5,"output_tokens":-1}`), `{"model":"served","tokensIn":5}`},
		{"null counts as absent", answer("", `,"model":"served","usage":{"prompt_tokens":null,"input_tokens":5}`), `{"model":"served","tokensIn":5}`},
		{"an unusable first name", answer("", `,"model":"served","usage":{"prompt_tokens":1.5,"input_tokens":5}`), `{"model":"served"}`},
		{"the largest count", answer("", `,"model":"served","usage":{"prompt_tokens":9007199254740991,"completion_tokens":9007199254740992}`), `{"model":"served","tokensIn":9007199254740991}`},
		{"model of 128 bytes", answer("", `,"model":"`+strings.Repeat("m", 128)+`"`), `{"model":"` + strings.Repeat("m", 128) + `"}`},
		{"model of 129 bytes", answer("", `,"model":"`+strings.Repeat("m", 129)+`"`+tokens), `{"tokensIn":12,"tokensOut":3}`},
		{"model with a line feed", answer("", `,"model":"a\nb"`+tokens), `{"tokensIn":12,"tokensOut":3}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := against(t, serve(t, c.body), nil)
			tr.want(tr.run(agent()), `{"output":"yes","usage":`+c.want+`}`)
		})
	}
}

// refusals runs one attempt against each content and expects the same effect.
func refusals(t *testing.T, want string, replies map[string]reply) {
	t.Helper()
	for name, r := range replies {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, r), nil)
			tr.want(tr.run(agent(attempts(2))), want, want) // class R: repeated
			tr.requests(2)
			if len(tr.notices) != 2 {
				t.Errorf("notices %q", tr.notices)
			}
		})
	}
}

func TestCase03(t *testing.T) {
	t.Parallel()
	refusals(t, failedR(unp, "structured output is invalid JSON", usage), map[string]reply{
		"prose around a fence": completion("Sure:\n```json\n" + yes + "\n```\nDone."),
		"bare text":            completion("yes"),
		"empty":                completion(""),
		"reasoning":            completion("<think>hm</think>" + yes),
		"two fences":           completion("```\n" + yes + "\n```\n```\n" + yes + "\n```"),
	})
}

func TestCase04(t *testing.T) {
	t.Parallel()
	message := func(m string) reply {
		return ok(`{"choices":[{"message":` + m + `}],"model":"served","usage":{"completion_tokens":3,"prompt_tokens":12}}`)
	}
	refusals(t, failedR(unp, "message content must be text", usage), map[string]reply{
		"null":          message(`{"content":null}`),
		"list of parts": message(`{"content":[{"type":"text","text":"{}"}]}`),
		"empty refusal": message(`{"content":null,"refusal":""}`),
		"tool calls":    message(`{"tool_calls":[]}`),
	})
	tr := against(t, serve(t, message(`{"content":null,"refusal":"no-can-do"}`)), nil)
	receipt := tr.run(agent())
	tr.want(receipt, failedR(unp, "refused the output", usage))
	if strings.Contains(receipt.String()+strings.Join(tr.notices, ""), "no-can-do") {
		t.Error("the refusal is told")
	}
}

func TestCase05(t *testing.T) {
	t.Parallel()
	reason := func(r string) reply {
		return ok(`{"choices":[{"finish_reason":` + r + `,"message":{"content":"{\"value\":\"yes\"}"}}],"model":"served","usage":{"completion_tokens":3,"prompt_tokens":12}}`)
	}
	refusals(t, failedR(unp, "did not complete the output", usage), map[string]reply{
		"length":         reason(`"length"`),
		"content_filter": reason(`"content_filter"`),
		"tool_calls":     reason(`"tool_calls"`),
		"a number":       reason(`5`),
	})
	tr := against(t, serve(t, reason(`"length"`)), nil)
	tr.run(agent())
	want := []string{"chat completions: cell a: EFFECT_UNPARSEABLE: Chat Completions provider did not complete the output (status 200, finish_reason length)"}
	if diff := cmp.Diff(want, tr.notices); diff != "" {
		t.Error(diff)
	}
}

func TestCase06(t *testing.T) {
	t.Parallel()
	refusals(t, failedR(unp, "structured output must contain only value", usage), map[string]reply{"two members": completion(`{"value":"yes","x":1}`)})
	refusals(t, failedR(unp, "structured output has no value", usage), map[string]reply{"none": completion(`{}`), "another": completion(`{"x":1}`)})
	refusals(t, failedR(unp, "structured output must be an object", usage), map[string]reply{"list": completion(`["yes"]`), "text": completion(`"yes"`)})
}

func TestCase07(t *testing.T) {
	t.Parallel()
	tr := against(t, serve(t, completion(`{"value":null}`)), nil)
	receipt := tr.run(agent())
	tr.want(receipt, output("null"))
	if got, want := cellFailure(receipt), `EFFECT_UNPARSEABLE cell "a": expected text output`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func outputContract(t testing.TB, text string) canon.Member {
	return canon.M("output", executortest.JSON(t, text))
}

func TestCase08(t *testing.T) {
	t.Parallel()
	tr := against(t, serve(t, completion(`{"value":"Y"}`)), nil)
	receipt := tr.run(agent(outputContract(t, `{"kind":"choice","labels":["y","n"]}`)))
	tr.want(receipt, output(`"Y"`))
	if got, want := cellFailure(receipt), `EFFECT_UNPARSEABLE cell "a": output "Y" is not a declared label`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	schema := tr.server.seen()[0].body.Get("response_format").Get("json_schema")
	if got := schema.Get("schema").Get("properties").Get("value").String(); got != `{"enum":["y","n"],"type":"string"}` || !schema.Get("strict").Bool() {
		t.Errorf("schema %s", schema)
	}
	receipt = tr.run(agent(outputContract(t, `{"kind":"choice","labels":["y","n"],"onMiss":"n"}`)))
	tr.want(receipt, output(`"Y"`))
	if got := receipt.Get("cells").Get("a").Get("outputs").String(); got != `{"out":"n"}` {
		t.Errorf("outputs %s", got)
	}
}

func TestCase09(t *testing.T) {
	t.Parallel()
	open := `{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}`
	closed := `{"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false}`
	for schema, strict := range map[string]bool{open: false, closed: true} {
		tr := against(t, serve(t, completion(`{"value":{}}`)), nil)
		receipt := tr.run(agent(outputContract(t, `{"kind":"json","schema":`+schema+`,"schemaVersion":3}`)))
		tr.want(receipt, output(`{}`))
		if got, want := cellFailure(receipt), "EFFECT_UNPARSEABLE missing required field"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		sent := tr.server.seen()[0].body.Get("response_format").Get("json_schema")
		if sent.Get("strict").Bool() != strict {
			t.Errorf("strict %s for %s", sent.Get("strict"), schema)
		}
		if got := sent.Get("schema").Get("properties").Get("value"); !canon.Equal(got, executortest.JSON(t, schema)) {
			t.Errorf("schema %s, want %s", got, schema)
		}
	}
}

func TestCase10(t *testing.T) {
	t.Parallel()
	anything := outputContract(t, `{"kind":"json","schema":{"type":"array"}}`)
	nested := func(depth int) string { return strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth) }
	tooDeep := failedR(unp, "structured output exceeds depth 48", usage)
	for depth, want := range map[int]string{48: output(nested(48)), 49: tooDeep, 2000: tooDeep} {
		tr := against(t, serve(t, completion(`{"value":`+nested(depth)+`}`)), nil)
		tr.want(tr.run(agent(anything)), want)
	}
	tr := against(t, serve(t, completion(`{"value":"12345678901234567890"}`)), nil)
	receipt := tr.run(agent(canon.M("budget", canon.Object(canon.M("maxOutputBytes", canon.Int(20))))))
	tr.want(receipt, output(`"12345678901234567890"`))
	if got, want := cellFailure(receipt), "BUDGET_EXHAUSTED effect output 22B exceeds maxOutputBytes 20B"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCase11(t *testing.T) {
	t.Parallel()
	call := completion(`{"value":{"tool":"pick.v1","inputs":{"record":{"x":"found"},"field":"x"}}}`)
	program := agent(canon.M("tools", executortest.JSON(t, `["pick.v1"]`)))
	tr := against(t, serve(t, call, completion(yes)), func(c *chat.Config) { c.ResponseFormat = chat.FormatObject })
	receipt := tr.run(program)
	tr.requests(2)
	if !receipt.Get("outcome").IsText("complete") {
		t.Error(receipt)
	}
	user := executortest.JSON(t, tr.server.seen()[1].body.Get("messages").At(1).Get("content").Text())
	if log := user.Get("context").Get("toolLog"); log.Len() != 1 || !log.At(0).Get("fn").IsText("pick.v1") {
		t.Errorf("context %s", user.Get("context"))
	}
	prepared, err := runtime.Prepare(runtime.Host{Store: cas.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	graph, err := prepared.Compile(executortest.Manifest(t, program))
	if err != nil {
		t.Fatal(err)
	}
	warning := "chat completions: warning: cell a of organism:a has tools; use --response-format json_object or prompt"
	for format, warned := range map[string]bool{chat.FormatObject: false, chat.FormatPrompt: false, chat.FormatSchema: true} {
		tr := against(t, tr.server, func(c *chat.Config) { c.ResponseFormat = format })
		want := []string{"chat completions: " + tr.server.URL + "/v1/chat/completions, model local-model, format " + format + ", key from " + keyVariable}
		if warned {
			want = append(want, warning)
		}
		if diff := cmp.Diff(want, tr.executor.Opening(graph)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCase12(t *testing.T) {
	t.Parallel()
	refusals(t, failedR(unp, "response must contain one choice", ""), map[string]reply{
		"an error with 200": ok(`{"error":{"code":"x"}}`),
		"no choice":         ok(`{"choices":[]}`),
		"two choices":       ok(`{"choices":[{},{}]}`),
		"no list":           ok(`{"choices":{}}`),
	})
	refusals(t, failedR(unp, "choice must be an object", ""), map[string]reply{"a number": ok(`{"choices":[1]}`)})
	refusals(t, failedR(unp, "message must be an object", ""), map[string]reply{"no message": ok(`{"choices":[{}]}`), "text": ok(`{"choices":[{"message":"yes"}]}`)})
	refusals(t, failedR(unp, "response must contain one choice", `,"usage":{"model":"local-model","tokensIn":1}`), map[string]reply{
		"with usage": ok(`{"usage":{"prompt_tokens":1}}`),
	})
}

func TestCase13(t *testing.T) {
	t.Parallel()
	body := `{"choices":[{"message":{"content":"{\"value\":\"yes\"}"}}]}`
	refusals(t, failedR(unp, "returned invalid JSON", ""), map[string]reply{
		"HTML":           status(200, "<html></html>", "Content-Type: text/html"),
		"event stream":   status(200, "data: "+body+"\n\n", "Content-Type: text/event-stream"),
		"BOM":            ok("\ufeff" + body),
		"invalid UTF-8":  ok(strings.Replace(body, "yes", "\xff", 1)),
		"lone surrogate": ok(`{"x":"\ud800"}`),
		"overflow":       ok(`{"x":1e400}`),
		"gzip":           status(200, "\x1f\x8b\x08\x00", "Content-Encoding: gzip"),
		"empty":          ok(""),
		"204":            status(204, ""),
		"depth 129":      ok(strings.Repeat("[", 129) + "1" + strings.Repeat("]", 129)),
	})
	refusals(t, failedR(unp, "response must be an object", ""), map[string]reply{
		"list":      ok(`[]`),
		"depth 128": ok(strings.Repeat("[", 128) + "1" + strings.Repeat("]", 128)),
	})
	// The content type is not looked at, and a coding that does nothing is no fault.
	tr := against(t, serve(t, status(200, body, "Content-Type: text/plain", "Content-Encoding: gzip")), nil)
	tr.want(tr.run(agent()), `{"output":"yes","usage":{"model":"local-model"}}`)
}

func TestCase14(t *testing.T) {
	t.Parallel()
	for _, code := range []int{302, 307, 304} {
		other := tcpCounter(t)
		tr := against(t, serve(t, status(code, "", "Location: http://"+other.address+"/")), nil)
		tr.want(tr.run(agent(attempts(3))), failedN(fail, "redirects are forbidden", ""))
		tr.requests(1)
		if n := other.count(); n != 0 {
			t.Errorf("%d connections to the other server", n)
		}
	}
}

func TestCase15(t *testing.T) {
	t.Parallel()
	body := `{"error":{"code":"bad_key","type":"` + testKey + `","message":"p ` + testKey + `"}}`
	for _, code := range []string{"400", "401", "404"} {
		tr := against(t, serve(t, status(atoi(code), body, "X-Request-Id: req-1")), nil)
		tr.want(tr.run(agent(attempts(3))), failedN(fail, "returned HTTP "+code+"; response body withheld", ""))
		tr.requests(1)
		want := []string{"chat completions: cell a: EFFECT_FAILED: Chat Completions provider returned HTTP " + code +
			"; response body withheld (status " + code + ", x-request-id req-1, error.code bad_key)"}
		if diff := cmp.Diff(want, tr.notices); diff != "" {
			t.Error(diff)
		}
	}
	// An error body that never ends costs a bounded time and is not shown.
	tr := against(t, serve(t, wire("HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n{…")), nil)
	began := time.Now()
	tr.want(tr.run(agent()), failedN(fail, "returned HTTP 400; response body withheld", ""))
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestCase16(t *testing.T) {
	t.Parallel()
	tr := against(t, serve(t, status(429, "", "Retry-After: 2"), completion(yes)), nil)
	receipt := tr.run(agent(attempts(2)))
	tr.want(receipt, failedR(fail, "returned HTTP 429; response body withheld", ""), output(`"yes"`))
	a, b := executortest.Effect(t, receipt, 0), executortest.Effect(t, receipt, 1)
	if !canon.Equal(a.Get("requestDigest"), b.Get("requestDigest")) {
		t.Error("two request digests")
	}
	if calls := receipt.Get("work").Get("agentCalls").Float(); calls != 2 {
		t.Errorf("agentCalls %v", calls)
	}
	seen := tr.server.seen()
	if len(seen) != 2 || seen[1].at.Sub(seen[0].at) < 2*time.Second {
		t.Errorf("%d requests, the second after %v", len(seen), seen[1].at.Sub(seen[0].at))
	}
	want := []string{"chat completions: cell a: EFFECT_FAILED: Chat Completions provider returned HTTP 429; response body withheld (status 429, next-request-in 2s)"}
	if diff := cmp.Diff(want, tr.notices); diff != "" {
		t.Error(diff)
	}
}

func TestCase17(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"429", "503"} {
		tr := against(t, serve(t, status(atoi(code), "", "Retry-After: 3600")), func(c *chat.Config) { c.TimeoutMs = 5_000 })
		began := time.Now()
		tr.want(tr.run(agent(attempts(3))),
			failedR(fail, "returned HTTP "+code+"; response body withheld", ""),
			failedN(bud, "request cancelled before dispatch", ""))
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("took %v", took)
		}
		tr.requests(1)
	}
}

func TestCase18(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"500", "502", "504", "408", "409", "425"} {
		tr := against(t, serve(t, status(atoi(code), "")), nil)
		want := failedR(fail, "returned HTTP "+code+"; response body withheld", "")
		receipt := tr.run(agent(attempts(3)))
		tr.want(receipt, want, want, want)
		tr.requests(3)
		if got := cellFailure(receipt); got != "EFFECT_FAILED Chat Completions provider returned HTTP "+code+"; response body withheld" {
			t.Error(got)
		}
	}
}

const unreachable = "could not be reached; nothing was sent"

func TestCase19(t *testing.T) {
	t.Parallel()
	want := failedR(fail, unreachable, "")
	check := func(t *testing.T, tr *trial) {
		t.Helper()
		tr.want(tr.run(agent(attempts(2))), want, want)
		if n := len(tr.server.seen()); n != 0 {
			t.Errorf("%d requests arrived", n)
		}
	}
	t.Run("nothing listens", func(t *testing.T) {
		s := serve(t, completion(yes))
		tr := against(t, s, nil)
		s.Close()
		check(t, tr)
	})
	t.Run("unknown name", func(t *testing.T) {
		tr := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.BaseURL = "https://provider.invalid/v1" })
		tr.executor.NoNames()
		check(t, tr)
	})
	t.Run("unknown root", func(t *testing.T) {
		tr := against(t, serveTLS(t, completion(yes)), nil)
		tr.executor.Trust(x509.NewCertPool())
		check(t, tr)
	})
	t.Run("other name in the certificate", func(t *testing.T) {
		s := serveTLS(t, completion(yes))
		tr := against(t, s, func(c *chat.Config) { c.BaseURL = strings.Replace(s.URL, "127.0.0.1", "localhost", 1) })
		tr.executor.Trust(rootsOf(s))
		check(t, tr)
	})
	t.Run("proxy says 403", func(t *testing.T) {
		heads := make(chan []string, 2)
		proxy := tcp(t, func(conn net.Conn) {
			lines, _ := readHead(conn)
			heads <- lines
			io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		})
		tr := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.BaseURL = "https://provider.invalid/v1" })
		tr.executor.ProxyBy(&url.URL{Scheme: "http", Host: proxy})
		check(t, tr)
		head := <-heads
		if head[0] != "CONNECT provider.invalid:443 HTTP/1.1" {
			t.Errorf("the proxy got %q", head)
		}
		tr.hidden(head...)
	})
	t.Run("TLS works otherwise", func(t *testing.T) {
		s := serveTLS(t, completion(yes))
		tr := against(t, s, nil)
		tr.executor.Trust(rootsOf(s))
		tr.want(tr.run(agent()), output(`"yes"`))
	})
}

func rootsOf(s *server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return roots
}

func TestCase20(t *testing.T) {
	t.Parallel()
	silent := tcp(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	tr := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.BaseURL, c.TimeoutMs = "https://"+silent, 200 })
	want := failedR(bud, unreachable, "")
	tr.want(tr.run(agent(attempts(2))), want, want)
}

const transportFailed = "request transport failed; external completion uncertain"

func TestCase21(t *testing.T) {
	t.Parallel()
	head := func(size int) string {
		start, end := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ", "\r\n\r\n"
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	for name, r := range map[string]reply{
		"closed":        wire(""),
		"garbage":       wire("nonsense\r\n\r\n"),
		"half a head":   wire("HTTP/1.1 200 OK\r\nContent-"),
		"too long":      wire(head(65_537) + "[]"),
		"endless":       wire("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)),
		"only 100s":     wire(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 3)),
		"another proto": wire("SSH-2.0-x\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, r), nil)
			tr.want(tr.run(agent(attempts(3))), failedN(fail, transportFailed, ""))
			tr.requests(1)
		})
	}
	// The longest head there may be.
	tr := against(t, serve(t, wire(head(65_536)+"[]")), nil)
	tr.want(tr.run(agent()), failedR(unp, "response must be an object", ""))
}

func TestCase22(t *testing.T) {
	t.Parallel()
	t.Run("later than the timeout", func(t *testing.T) {
		tr := against(t, serve(t, wire("…")), func(c *chat.Config) { c.TimeoutMs = 200 })
		tr.want(tr.run(agent(attempts(3))), failedN(bud, transportFailed, ""))
		tr.requests(1)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tr := against(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}), nil)
		answer, err := tr.executor.Call(ctx, textRequest())
		if !isUncertain(err, bud, transportFailed) || answer.NotRetryable {
			t.Errorf("%+v, %v", answer, err)
		}
	})
	t.Run("later than maxEffectMs", func(t *testing.T) {
		tr := against(t, serve(t, wire("…")), nil)
		receipt := tr.run(agent(attempts(3), canon.M("budget", canon.Object(canon.M("maxEffectMs", canon.Int(100))))))
		tr.want(receipt, `{"error":{"code":"BUDGET_EXHAUSTED","message":"cell \"a\" effect exceeded maxEffectMs 100"},"retryable":false}`)
	})
}

// textRequest is a request for a direct call.
func textRequest() *runtime.Request {
	return &runtime.Request{
		Record:         canon.Object(canon.M("output", canon.Object(canon.M("kind", canon.String("text"))))),
		CellID:         "a",
		Kind:           runtime.EffectAgent,
		MaxOutputBytes: 1000,
	}
}

func isUncertain(err error, code, text string) bool {
	e := algal.AsError(err)
	return e != nil && string(e.Code) == code && e.Message == "Chat Completions provider "+text && e.Uncertain
}

const bodyLost = "response cancelled or exceeded byte limit; external completion uncertain"

func TestCase24(t *testing.T) {
	t.Parallel()
	tr := against(t, serve(t, wire("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n0123456789…")), func(c *chat.Config) { c.TimeoutMs = 300 })
	tr.want(tr.run(agent(attempts(3))), failedN(bud, bodyLost, ""))
	tr.requests(1)
}

func TestCase25(t *testing.T) {
	t.Parallel()
	broken := failedN(fail, "response transport failed; external completion uncertain", "")
	for text, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n0123456789":                  broken,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n":  broken,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n0123456789\r\n": broken,
		"HTTP/1.0 200 OK\r\n\r\n{\"choices\":[":                                     failedR(unp, "returned invalid JSON", ""),
	} {
		tr := against(t, serve(t, wire(text)), nil)
		tr.want(tr.run(agent()), want)
	}
}

func TestCase26(t *testing.T) {
	t.Parallel()
	body := `{"choices":[{"message":{"content":"{\"value\":\"yes\"}"}}]}`
	limit := func(n int) func(*chat.Config) { return func(c *chat.Config) { c.MaxResponseBytes = n } }
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, body[:5])
		w.(http.Flusher).Flush()
		io.WriteString(w, body[5:])
	}
	accepted := `{"output":"yes","usage":{"model":"local-model"}}`
	cases := []struct {
		name  string
		reply reply
		limit int
		want  string
	}{
		{"declared", ok(body), len(body) - 1, failedN(bud, "response exceeds byte limit", "")},
		{"chunked", chunked, len(body) - 1, failedN(bud, bodyLost, "")},
		{"declared at the limit", ok(body), len(body), accepted},
		{"chunked at the limit", chunked, len(body), accepted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := against(t, serve(t, c.reply), limit(c.limit))
			tr.want(tr.run(agent(attempts(3))), c.want)
			tr.requests(1)
		})
	}
}

func TestCase27(t *testing.T) {
	unset := `{"error":{"code":"EFFECT_UNBOUND","message":"provider credential environment variable is not configured"},"retryable":false}`
	invalid := `{"error":{"code":"EFFECT_UNBOUND","message":"invalid provider credential configuration"},"retryable":false}`
	const variable = "ALGAL_TEST_CHAT_OTHER_KEY"
	check := func(name, want string) {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.CredentialEnv = variable })
			tr.want(tr.run(agent(attempts(3))), want)
			tr.requests(0)
		})
	}
	check("unset", unset)
	for name, key := range map[string]string{"empty": "", "line feed": "a\nb", "8193 bytes": strings.Repeat("k", 8193), "space": "a b", "not ASCII": "é"} {
		t.Setenv(variable, key)
		check(name, invalid)
	}
	t.Setenv(variable, strings.Repeat("k", 8192))
	check2 := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.CredentialEnv = variable })
	check2.want(check2.run(agent()), output(`"yes"`))
	t.Setenv("OPENAI_API_KEY", testKey)
	tr := against(t, serve(t, completion(yes)), func(c *chat.Config) { c.CredentialEnv = "" })
	tr.want(tr.run(agent()), output(`"yes"`))
	if got := tr.server.seen()[0].header.Values("Authorization"); got != nil {
		t.Errorf("Authorization %q", got)
	}
}

func TestCase28(t *testing.T) {
	escaped := strings.Replace(testKey, "k-", `\u006b\u002d`, 1)
	leak := failedN(fail, "response contains the credential", "")
	for name, body := range map[string]string{
		"plain":                      `{"id":"` + testKey + `","choices":[]}`,
		"escaped":                    `{"id":"` + escaped + `","choices":[]}`,
		"a member name":              `{"` + escaped + `":1,"usage":{"prompt_tokens":1}}`,
		"no JSON":                    `key ` + testKey,
		"content":                    `{"choices":[{"message":{"content":"{\"value\":\"` + testKey + `\"}"}}]}`,
		"content, escaped twice":     `{"choices":[{"message":{"content":"{\"value\":\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"}"}}]}`,
		"content with other members": `{"choices":[{"message":{"content":"[1,\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"]"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, ok(body)), nil)
			tr.want(tr.run(agent(attempts(3))), leak)
			tr.requests(1)
		})
	}
	t.Setenv("ALGAL_TEST_CHAT_SHORT_KEY", "served")
	tr := against(t, serve(t, completion(`{"value":"served"}`)), func(c *chat.Config) { c.CredentialEnv = "ALGAL_TEST_CHAT_SHORT_KEY" })
	tr.want(tr.run(agent()), output(`"served"`))
}

func TestCase29(t *testing.T) {
	t.Parallel()
	unbound := `{"error":{"code":"EFFECT_UNBOUND","message":"no host-admitted executor for this request"},"executor":"unbound","retryable":false}`
	gate := executortest.JSON(t, `{"contract":"algal.organism.v1","key":"organism:g","name":"g","cells":[{"id":"a","kind":"gate","prompt":"p","output":{"kind":"choice","labels":["y"]}}],"edges":[]}`)
	decide := executortest.JSON(t, `{"contract":"algal.organism.v1","key":"organism:d","name":"d","cells":[{"id":"a","kind":"decide","inputs":{},"questions":{"q":{"type":"noul","instructions":"i"}}}],"edges":[]}`)
	route := func(provider string) canon.Value {
		return agent(canon.M("route", canon.Object(canon.M("provider", canon.String(provider)))))
	}
	for name, program := range map[string]canon.Value{"gate": gate, "decide": decide, "route": route("openai")} {
		t.Run(name, func(t *testing.T) {
			tr := against(t, serve(t, completion(yes)), nil)
			got := executortest.Effect(t, tr.run(program), 0).Without("requestDigest").String()
			if got != unbound {
				t.Errorf("%s, want %s", got, unbound)
			}
			tr.requests(0)
		})
	}
	t.Run("decide", func(t *testing.T) {
		answers := `{"answers":{"q":{"noul":0.5}}}`
		tr := against(t, serve(t, completion(`{"value":`+answers+`}`)), func(c *chat.Config) { c.Decide = true })
		tr.want(tr.run(decide), output(answers))
		sent := tr.server.seen()[0].body
		user := executortest.JSON(t, sent.Get("messages").At(1).Get("content").Text())
		if got := user.Get("questions").String(); got != `{"q":{"instructions":"i","type":"noul"}}` {
			t.Errorf("questions %s", got)
		}
		if !sent.Get("messages").At(0).Get("content").IsText(chat.SystemPrompt + " " + chat.DecidePrompt) {
			t.Error("the system message does not explain questions")
		}
		if sent.Get("response_format").Get("json_schema").Get("strict").Bool() {
			t.Error("strict")
		}
	})
	t.Run("route default", func(t *testing.T) {
		tr := against(t, serve(t, completion(yes)), nil)
		tr.want(tr.run(route("default")), output(`"yes"`))
	})
	t.Run("direct call", func(t *testing.T) {
		tr := against(t, serve(t, completion(yes)), nil)
		q := textRequest()
		q.Kind = runtime.EffectGate
		answer, err := tr.executor.Call(t.Context(), q)
		if algal.CodeOf(err) != algal.EffectUnbound || err.Error() != `Chat Completions provider cannot serve effect kind "gate"` || !answer.NotRetryable {
			t.Errorf("%+v, %v", answer, err)
		}
		tr.requests(0)
	})
}

func TestCase30(t *testing.T) {
	t.Parallel()
	store := cas.NewMemory()
	first := against(t, serve(t, completion(yes)), nil)
	first.runWith(agent(), store, memo.Wrap(store, first.executor))
	again := first.runWith(agent(), store, memo.Wrap(store, first.executor))
	first.requests(1)
	want := `{"cached":true,"executor":"default","output":"yes"` + usage + `}`
	if got := executortest.Effect(t, again, 0).Without("requestDigest").String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	digest := algal.Digest(executortest.Effect(t, again, 0).Get("requestDigest").Text())
	kept, err := store.Effect(string(first.executor.Describe().Configuration), digest)
	if err != nil || !kept.Exists() {
		t.Errorf("no memo under the configuration digest: %v", err)
	}
	first.hidden(kept.String())
	other := against(t, first.server, func(c *chat.Config) { c.Model = "other" })
	other.runWith(agent(), store, memo.Wrap(store, other.executor))
	other.requests(2)
	refused := against(t, serve(t, completion("yes")), nil)
	for range 2 {
		refused.runWith(agent(), store, memo.Wrap(store, refused.executor))
	}
	refused.requests(2)
}

// TestCase31 shows what a journal would compare: another model is another
// configuration, another key is not.
func TestCase31(t *testing.T) {
	s := serve(t, completion(yes))
	base := against(t, s, nil).executor.Describe().Configuration
	if other := against(t, s, func(c *chat.Config) { c.Model = "other" }).executor.Describe().Configuration; other == base {
		t.Error("another model has the same configuration")
	}
	t.Setenv(keyVariable, "another-key-0123456789abcdef")
	if same := against(t, s, nil).executor.Describe().Configuration; same != base {
		t.Error("another key has another configuration")
	}
}

func TestCase32(t *testing.T) {
	t.Parallel()
	const policy = "provider URL must be HTTPS or loopback HTTP, without credentials, query, or fragment"
	for base, want := range map[string]string{
		"http://example.com/v1": policy,
		"http://127.0.0.2/v1":   policy,
		"https://u:p@h/v1":      policy,
		"https://h/v1?":         policy,
		"https://h/v1#":         policy,
		"not a URL":             "invalid provider base URL",
	} {
		_, err := chat.New(chat.Config{BaseURL: base, Model: model})
		if algal.CodeOf(err) != algal.ParseFailed || err.Error() != want {
			t.Errorf("%s: %v, want %s", base, err, want)
		}
	}
	s := serve(t, completion(yes))
	tr := against(t, s, func(c *chat.Config) { c.BaseURL = s.URL + "/v1//" })
	tr.run(agent())
	if got := s.seen()[0].target; got != "/v1/chat/completions" {
		t.Errorf("target %s", got)
	}
}
