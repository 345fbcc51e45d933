package chat_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

const (
	keyVariable = "ALGAL_TEST_CHAT_KEY"
	testKey     = "k-0123456789abcdef0123456789abcd" // 32 bytes
	model       = "local-model"
)

// server is a provider on the loopback interface. It answers requests in turn, the
// last reply for all that follow, and keeps what it was sent.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
	replies  []reply
}

type request struct {
	target string
	header http.Header
	body   canon.Value
	at     time.Time
}

type reply func(http.ResponseWriter, *http.Request)

func serve(t testing.TB, replies ...reply) *server {
	t.Helper()
	s := &server{replies: replies}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func serveTLS(t testing.TB, replies ...reply) *server {
	t.Helper()
	s := &server{replies: replies}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	body, _ := canon.Parse(string(text), canon.Limits{Depth: 128})
	s.mu.Lock()
	s.requests = append(s.requests, request{r.URL.RequestURI(), r.Header, body, time.Now()})
	answer := s.replies[min(len(s.requests), len(s.replies))-1]
	s.mu.Unlock()
	answer(w, r)
}

func (s *server) seen() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// status replies with a status, header fields NAME: VALUE and a body.
func status(code int, body string, fields ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, f := range fields {
			name, value, _ := strings.Cut(f, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// ok replies with a body of status 200.
func ok(body string) reply { return status(http.StatusOK, body) }

// completion is A(C) of §10.
func completion(content string) reply {
	return ok(`{"choices":[{"finish_reason":"stop","message":{"content":` + canon.String(content).String() +
		`}}],"model":"served","usage":{"completion_tokens":3,"prompt_tokens":12}}`)
}

// wire replies with bytes as they are and closes the connection. A text that ends
// in "…" keeps it open until the client goes away.
func wire(text string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		bytes, hang := strings.CutSuffix(text, "…")
		io.WriteString(conn, bytes)
		if hang {
			io.Copy(io.Discard, buffered)
		}
	}
}

// trial is one run of a program against the provider.
type trial struct {
	t        testing.TB
	server   *server
	executor *chat.Executor
	notices  []string
}

// against prepares an executor with the test's key. configure may be nil.
func against(t testing.TB, s *server, configure func(*chat.Config)) *trial {
	t.Helper()
	tr := &trial{t: t, server: s}
	config := chat.Config{
		ID:            chat.DefaultID,
		BaseURL:       s.URL + "/v1",
		Model:         model,
		CredentialEnv: keyVariable,
		TimeoutMs:     20_000,
		Notify:        func(line string) { tr.notices = append(tr.notices, line) },
	}
	if configure != nil {
		configure(&config)
	}
	e, err := chat.New(config)
	if err != nil {
		t.Fatal(err)
	}
	tr.executor = e
	return tr
}

// run runs a program and looks for the key in everything it leaves.
func (tr *trial) run(program canon.Value) canon.Value {
	tr.t.Helper()
	return tr.runWith(program, cas.NewMemory(), tr.executor)
}

func (tr *trial) runWith(program canon.Value, store cas.Store, executor runtime.Executor) canon.Value {
	tr.t.Helper()
	receipt := executortest.Run(tr.t, program, canon.Value{}, runtime.Host{Store: store, Executors: []runtime.Executor{executor}})
	tr.hidden(receipt.String())
	return receipt
}

// hidden fails when the key stands in a text or a notice.
func (tr *trial) hidden(texts ...string) {
	tr.t.Helper()
	for _, text := range append(texts, tr.notices...) {
		if strings.Contains(text, testKey) {
			tr.t.Errorf("the key is told: %s", text)
		}
	}
}

// agent is the program of §10 with further members of its cell.
func agent(members ...canon.Member) canon.Value { return executortest.Agent(members...) }

func attempts(n int) canon.Member {
	return canon.M("retry", canon.Object(canon.M("attempts", canon.Int(n))))
}

// effects returns what the effect receipts of a run say beside request, executor
// and configuration, which it checks.
func (tr *trial) effects(receipt canon.Value) []string {
	tr.t.Helper()
	var list []string
	for _, e := range receipt.Get("effects").Elements() {
		if got, want := e.Get("configurationDigest").Text(), string(tr.executor.Describe().Configuration); got != want {
			tr.t.Errorf("configurationDigest %s, want %s", got, want)
		}
		if !e.Get("executor").IsText(chat.DefaultID) {
			tr.t.Errorf("executor %s", e.Get("executor"))
		}
		list = append(list, e.Without("configurationDigest").Without("executor").Without("requestDigest").String())
	}
	return list
}

// want compares the effects of a run.
func (tr *trial) want(receipt canon.Value, effects ...string) {
	tr.t.Helper()
	if diff := cmp.Diff(effects, tr.effects(receipt)); diff != "" {
		tr.t.Error(diff)
	}
}

// usage is what A(C) tells, as a receipt holds it.
const usage = `,"usage":{"model":"served","tokensIn":12,"tokensOut":3}`

func output(v string) string { return `{"output":` + v + usage + `}` }

// class R: settled and repeatable. tail is usage or nothing.
func failedR(code, text, tail string) string {
	return `{"error":{"code":"` + code + `","message":` + canon.String("Chat Completions provider "+text).String() + `}` + tail + `}`
}

// classes N and U look alike in a receipt.
func failedN(code, text, tail string) string {
	return strings.TrimSuffix(failedR(code, text, `,"retryable":false`), "}") + tail + "}"
}

const (
	fail = "EFFECT_FAILED"
	bud  = "BUDGET_EXHAUSTED"
	unp  = "EFFECT_UNPARSEABLE"
)

// cellFailure returns the failure of the program's cell.
func cellFailure(receipt canon.Value) string {
	f := receipt.Get("failure")
	if !f.Exists() {
		return ""
	}
	return f.Get("code").Text() + " " + f.Get("message").Text()
}

// requests checks how many requests the provider saw.
func (tr *trial) requests(n int) {
	tr.t.Helper()
	if seen := tr.server.seen(); len(seen) != n {
		tr.t.Errorf("%d requests, want %d", len(seen), n)
	}
}

// tcp accepts connections and hands them to serve, one after the other.
func tcp(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l.Addr().String()
}

// readHead reads a request head and returns its lines.
func readHead(conn net.Conn) (lines []string, rest *bufio.Reader) {
	rest = bufio.NewReader(conn)
	for {
		line, err := rest.ReadString('\n')
		if err != nil || line == "\r\n" {
			return lines, rest
		}
		lines = append(lines, strings.TrimSuffix(line, "\r\n"))
	}
}

func describe(v any) string { return fmt.Sprintf("%v|%+v|%#v|%s|%q|%x|%d", v, v, v, v, v, v, v) }
