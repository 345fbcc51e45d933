package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 100})
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// document is the text of a manifest. more are further members, such as budgets.
func document(cells, edges string, more ...string) string {
	return `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[` + cells + `],"edges":[` + edges + `]` + strings.Join(append([]string{""}, more...), ",") + `}`
}

func manifest(t testing.TB, text string) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// edges lists edges written as "from.port to.port", with further members behind
// them, such as on:"fail".
func edges(list ...string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		from, rest, _ := strings.Cut(e, " ")
		to, more, _ := strings.Cut(rest, " ")
		ref := func(s string) string {
			cell, port, _ := strings.Cut(s, ".")
			return `{"cell":"` + cell + `","port":"` + port + `"}`
		}
		if more != "" {
			more = "," + more
		}
		texts[i] = `{"from":` + ref(from) + `,"to":` + ref(to) + more + `}`
	}
	return strings.Join(texts, ",")
}

const onFail = `"on":"fail"`

// literal is a const cell with one json port v.
func literal(id, value string) string {
	return `{"id":"` + id + `","kind":"const","outputs":{"v":{"type":"json","value":` + value + `}}}`
}

// echo is a cell that passes on what it is given.
func echo(id string) string { return `{"id":"` + id + `","kind":"fn","fn":"echo.v1"}` }

// embed puts a manifest into a store and returns the member that names it.
func embed(t testing.TB, store cas.Store, text string) string {
	t.Helper()
	d, err := store.PutManifest(manifest(t, text).Normal())
	if err != nil {
		t.Fatal(err)
	}
	return `"manifest":"` + string(d) + `"`
}

// program is the text of an expression program.
func program(text string) string { return `{"contract":"algal.expr.v1","program":` + text + `}` }

// start runs a manifest text over the host, whose store is a new one where none is
// given.
func start(t testing.TB, text, args string, host runtime.Host) (canon.Value, error) {
	t.Helper()
	if host.Store == nil {
		host.Store = cas.NewMemory()
	}
	result, err := runtime.Run(t.Context(), manifest(t, text), parse(t, args), host, nil)
	if err != nil {
		return canon.Value{}, err
	}
	return result.Receipt(), nil
}

// run is start for a run that gives a receipt, which must be admitted.
func run(t testing.TB, text, args string, host runtime.Host) canon.Value {
	t.Helper()
	receipt, err := start(t, text, args, host)
	if err != nil {
		t.Fatal(err)
	}
	if err := runtime.ParseReceipt(receipt); err != nil {
		t.Errorf("receipt %s: %v", receipt, err)
	}
	if !runtime.CheckDigest(receipt) {
		t.Errorf("digest of %s", receipt)
	}
	return receipt
}

// same compares a value with a JSON text by canonical text; "" is the absent value.
func same(t testing.TB, what string, got canon.Value, want string) {
	t.Helper()
	if want == "" {
		if got.Exists() {
			t.Errorf("%s is %s, want none", what, got)
		}
		return
	}
	if w := parse(t, want); !canon.Equal(got, w) {
		t.Errorf("%s is\n%s, want\n%s", what, got, w)
	}
}

func cell(receipt canon.Value, path string) canon.Value { return receipt.Get("cells").Get(path) }

// events shows the log as "kind path" or "kind outcome", without sequence numbers
// and digests.
func events(receipt canon.Value) string {
	var lines []string
	for _, e := range receipt.Get("events").Elements() {
		line := e.Get("kind").Text()
		for _, key := range []string{"path", "outcome"} {
			if v := e.Get(key); v.Exists() {
				line += " " + v.Text()
			}
		}
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, "cell."), "run."))
	}
	return strings.Join(lines, ", ")
}

// refused wants an error of the given code and text.
func refused(t testing.TB, what string, err error, code algal.Code, text string) {
	t.Helper()
	if e := algal.AsError(err); e == nil || e.Code != code || e.Message != text {
		t.Errorf("%s: %v %v, want %s %s", what, algal.CodeOf(err), err, code, text)
	}
}

// failed wants a run to have failed with the given failure.
func failed(t testing.TB, what string, receipt canon.Value, code algal.Code, message, path string) {
	t.Helper()
	failure := receipt.Get("failure")
	if !receipt.Get("outcome").IsText(runtime.Failed) || !failure.Get("code").IsText(string(code)) || failure.Get("message").Text() != message || failure.Get("path").Text() != path {
		t.Errorf("%s: %s %s, want %s %s at %s", what, receipt.Get("outcome"), failure, code, message, path)
	}
}

// errPlain is an error without a code.
var errPlain = errors.New("the line is dead")

var everyKind = []runtime.EffectKind{
	runtime.EffectAgent, runtime.EffectClassifier, runtime.EffectGate, runtime.EffectDecide, runtime.EffectRecall,
}

// fake is an executor that gives one answer after the other, and then the last one
// again.
type fake struct {
	runtime.Description
	answers []reply
	asked   []*runtime.Request
	call    func(ctx context.Context) // or nil: what happens during a call
}

// reply is what an executor or a tool gives back.
type reply struct {
	output   string // JSON text, "" for none
	metadata runtime.Metadata
	err      error
}

// answering is a fake of every kind whose answers have the given outputs.
func answering(outputs ...string) *fake {
	f := &fake{Description: runtime.Description{ID: "fake", Kinds: everyKind, Retryable: true}}
	for _, o := range outputs {
		f.answers = append(f.answers, reply{output: o})
	}
	return f
}

// replying is a fake of every kind with the given answers.
func replying(replies ...reply) *fake {
	f := answering()
	f.answers = replies
	return f
}

func (f *fake) Describe() runtime.Description { return f.Description }

func (f *fake) Call(ctx context.Context, q *runtime.Request) (runtime.Answer, error) {
	f.asked = append(f.asked, q)
	if f.call != nil {
		f.call(ctx)
	}
	r := f.answers[min(len(f.asked), len(f.answers))-1]
	answer := runtime.Answer{Metadata: r.metadata}
	if r.output != "" {
		var err error
		if answer.Output, err = canon.Parse(r.output, canon.Limits{}); err != nil {
			return answer, err
		}
	}
	return answer, r.err
}

// asks is a host with executors.
func asks(executors ...runtime.Executor) runtime.Host { return runtime.Host{Executors: executors} }

// tool is a host tool with a signature and a call that gives one answer.
func tool(t testing.TB, signature string, r reply, calls *[]runtime.ToolCall) *runtime.HostTool {
	t.Helper()
	s, err := organism.ParseTool(parse(t, signature), "tool")
	if err != nil {
		t.Fatal(err)
	}
	return &runtime.HostTool{
		Signature:     s,
		Configuration: canon.String("tool").Digest(),
		Call: func(_ context.Context, call runtime.ToolCall) (canon.Value, error) {
			if calls != nil {
				*calls = append(*calls, call)
			}
			if r.err != nil || r.output == "" {
				return canon.Value{}, r.err
			}
			return canon.Parse(r.output, canon.Limits{})
		},
	}
}

// probe is a host with a tool "probe" that notes what it is given. ports are its
// input ports.
func probe(t testing.TB, ports string, calls *[]runtime.ToolCall) runtime.Host {
	t.Helper()
	signature := `{"inputs":{` + ports + `},"outputs":{},"effect":"read","cost":0,"maxOutputBytes":2}`
	return runtime.Host{Tools: map[string]*runtime.HostTool{"probe": tool(t, signature, reply{output: `{}`}, calls)}}
}
