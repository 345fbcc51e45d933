package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// ledger is a journal in memory that notes what is asked of it.
type ledger struct {
	log      []string
	bindings []runtime.Binding
	receipts []canon.Value
	poisoned error

	unhealthy   error
	begin       func(n int, b runtime.Binding) (token string, completed canon.Value, err error) // or nil
	completeErr error
}

func (l *ledger) Err() error { return l.unhealthy }

func (l *ledger) Begin(b runtime.Binding) (string, canon.Value, error) {
	n := len(l.bindings)
	l.bindings = append(l.bindings, b)
	l.log = append(l.log, "begin "+b.Executor)
	if l.begin != nil {
		return l.begin(n, b)
	}
	return fmt.Sprintf("t%d", n), canon.Value{}, nil
}

func (l *ledger) Complete(token string, receipt canon.Value) error {
	l.log = append(l.log, "complete "+token)
	l.receipts = append(l.receipts, receipt)
	return l.completeErr
}

func (l *ledger) Poison(cause error) {
	l.log = append(l.log, "poison")
	l.poisoned = cause
}

// journaledWorld is a host with a journal over an executor that first calls a write
// tool and then answers, and a read tool cell.
func journaledWorld(t *testing.T, l *ledger) (text string, f *fake, host runtime.Host) {
	t.Helper()
	const signature = `{"inputs":{},"outputs":{"o":"json"},"effect":"%s","cost":0,"maxOutputBytes":64}`
	f = answering(`{"inputs":{},"tool":"w"}`, `"x"`)
	f.Configuration = canon.String("executor").Digest()
	f.call = func(context.Context) { l.log = append(l.log, "execute") }
	note := func(name string) *runtime.HostTool {
		h := tool(t, fmt.Sprintf(signature, map[string]string{"w": "write", "r": "read"}[name]), reply{output: `{"o":1}`}, nil)
		call := h.Call
		h.Call = func(ctx context.Context, c runtime.ToolCall) (canon.Value, error) {
			l.log = append(l.log, "call "+name)
			return call(ctx, c)
		}
		return h
	}
	host = runtime.Host{
		Store: cas.NewMemory(), Executors: []runtime.Executor{f}, Journal: l, Process: "worker",
		Tools: map[string]*runtime.HostTool{"w": note("w"), "r": note("r")},
	}
	return document(`{"id":"a",`+textAgent+`,"tools":["w"]},{"id":"r","kind":"tool","tool":"r"},`+echo("h"), edges("a.out h.value "+onFail)), f, host
}

var journaledOrder = []string{
	"begin fake", "execute", "complete t0", "begin tool:w", "call w", "complete t1",
	"begin fake", "execute", "complete t2", "begin tool:r", "call r", "complete t3",
}

// TestJournalOrder holds run.md §10.4: each live effect is presented before it
// happens and stored before the run goes on; conformance J-22.
func TestJournalOrder(t *testing.T) {
	l := &ledger{}
	text, _, host := journaledWorld(t, l)
	receipt := run(t, text, `{}`, host)
	if diff := cmp.Diff(journaledOrder, l.log); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	effects := receipt.Get("effects")
	for i, b := range l.bindings {
		effect := effects.At(i)
		if !canon.Equal(l.receipts[i], effect) || !effect.Get("requestDigest").IsText(string(b.RequestDigest)) {
			t.Errorf("effect %d: %s was stored for %s, the receipt has %s", i, l.receipts[i], b.RequestDigest, effect)
		}
		request := canon.M("requestDigest", canon.String(string(b.RequestDigest)))
		key := parse(t, `{"contract":"algal.process-effect.v1","process":"worker"}`).With(request).Digest()
		want := runtime.Binding{RequestDigest: b.RequestDigest, IdempotencyKey: key}
		switch b.Executor {
		case "fake":
			want.Executor, want.ConfigurationDigest = "fake", canon.String("executor").Digest()
		case "tool:w":
			want.Executor, want.ConfigurationDigest = "tool:w", canon.String("tool").Digest()
		case "tool:r":
			want.Executor, want.ConfigurationDigest, want.Read = "tool:r", canon.String("tool").Digest(), true
		}
		if diff := cmp.Diff(want, b); diff != "" {
			t.Errorf("binding %d (-want +got)\n%s", i, diff)
		}
	}
	plain := host
	plain.Journal, plain.Store = nil, cas.NewMemory()
	plain.Executors = []runtime.Executor{answering(`{"inputs":{},"tool":"w"}`, `"x"`)}
	if again := run(t, text, `{}`, plain); !canon.Equal(again, receipt) {
		t.Errorf("without a journal the receipt is\n%s, with one\n%s", again, receipt)
	}
}

// TestJournalReuse: completed receipts stand in for live effects.
func TestJournalReuse(t *testing.T) {
	l := &ledger{}
	text, _, host := journaledWorld(t, l)
	first := run(t, text, `{}`, host)
	recovered := &ledger{}
	recovered.begin = func(n int, b runtime.Binding) (string, canon.Value, error) {
		if n < 3 {
			return "", l.receipts[n], nil
		}
		return "live", canon.Value{}, nil
	}
	text, f, host := journaledWorld(t, recovered)
	second := run(t, text, `{}`, host)
	want := []string{"begin fake", "begin tool:w", "begin fake", "begin tool:r", "call r", "complete live"}
	if diff := cmp.Diff(want, recovered.log); diff != "" || len(f.asked) != 0 {
		t.Errorf("%d live requests (-want +got)\n%s", len(f.asked), diff)
	}
	if !canon.Equal(first, second) {
		t.Errorf("recovered\n%s, first\n%s", second, first)
	}
}

// TestJournalFaults: every failure of the seam poisons the journal and leaves the
// run as a throw; no fail edge of the program runs.
func TestJournalFaults(t *testing.T) {
	lost := algal.Errorf(algal.IOFailed, "the disk is full")
	uncertain := &algal.Error{Code: algal.EffectFailed, Message: "lost", Uncertain: true}
	first := func(token string, completed canon.Value, err error) func(int, runtime.Binding) (string, canon.Value, error) {
		return func(int, runtime.Binding) (string, canon.Value, error) { return token, completed, err }
	}
	effect := parse(t, `{"executor":"fake","output":"x","requestDigest":"`+string(canon.Null().Digest())+`"}`)
	for _, c := range []struct {
		name   string
		change func(l *ledger, f *fake, host *runtime.Host)
		code   algal.Code
		text   string
		log    string
	}{
		{"begin fails", func(l *ledger, _ *fake, _ *runtime.Host) { l.begin = first("", canon.Value{}, lost) },
			algal.IOFailed, "the disk is full", "begin fake, poison"},
		{"neither", func(l *ledger, _ *fake, _ *runtime.Host) { l.begin = first("", canon.Value{}, nil) },
			algal.ReceiptMismatch, "journal must return exactly one intent or receipt", "begin fake, poison"},
		{"both", func(l *ledger, _ *fake, _ *runtime.Host) { l.begin = first("t", effect, nil) },
			algal.ReceiptMismatch, "journal must return exactly one intent or receipt", "begin fake, poison"},
		{"another request", func(l *ledger, _ *fake, _ *runtime.Host) { l.begin = first("", effect, nil) },
			algal.ReceiptMismatch, "journal returned another request's receipt", "begin fake, poison"},
		{"complete fails", func(l *ledger, _ *fake, _ *runtime.Host) { l.completeErr = lost },
			algal.IOFailed, "the disk is full", "begin fake, execute, complete t0, poison"},
		{"uncertain executor", func(_ *ledger, f *fake, _ *runtime.Host) { f.answers = []reply{{err: uncertain}} },
			algal.EffectFailed, "lost", "begin fake, execute, poison"},
		{"uncertain tool", func(l *ledger, _ *fake, host *runtime.Host) {
			host.Tools["w"].Call = func(context.Context, runtime.ToolCall) (canon.Value, error) { return canon.Value{}, uncertain }
		}, algal.EffectFailed, "lost", "begin fake, execute, complete t0, begin tool:w, poison"},
		{"an executor without configuration", func(_ *ledger, f *fake, _ *runtime.Host) { f.Configuration = "" },
			algal.ParseFailed, "journal executor configuration must be a sha256:<64 lowercase hex> digest", "poison"},
		{"a tool without configuration", func(_ *ledger, _ *fake, host *runtime.Host) { host.Tools["w"].Configuration = "" }, // J-12
			algal.ParseFailed, "journal tool configuration must be a sha256:<64 lowercase hex> digest", "begin fake, execute, complete t0, poison"},
		{"an exceeded deadline", func(l *ledger, f *fake, host *runtime.Host) { // J-25
			var w clock
			host.Deadline = w.deadline
			f.call = func(context.Context) { l.log = append(l.log, "execute"); w.pass() }
		}, algal.BudgetExhausted, `cell "a" effect exceeded maxEffectMs 9`, "begin fake, execute, poison"},
	} {
		l := &ledger{}
		text, f, host := journaledWorld(t, l)
		c.change(l, f, &host)
		text = strings.Replace(text, `"tools":["w"]`, `"tools":["w"],"budget":{"maxEffectMs":9}`, 1)
		receipt, err := start(t, text, `{}`, host)
		if receipt.Exists() {
			t.Errorf("%s: receipt %s", c.name, receipt)
		}
		refused(t, c.name, err, c.code, c.text)
		if got := strings.Join(l.log, ", "); got != c.log {
			t.Errorf("%s: %s, want %s", c.name, got, c.log)
		}
		if l.poisoned == nil || l.poisoned.Error() != c.text {
			t.Errorf("%s: poisoned with %v", c.name, l.poisoned)
		}
	}
}

// TestJournalNested: a fault inside a child leaves every enclosing level.
func TestJournalNested(t *testing.T) {
	l := &ledger{completeErr: algal.Errorf(algal.IOFailed, "the disk is full")}
	_, _, host := journaledWorld(t, l)
	child := embed(t, host.Store, document(`{"id":"a",`+textAgent+`}`, "", `"interface":{"inputs":{},"outputs":{"y":{"cell":"a","port":"out"}}}`))
	text := document(`{"id":"o","kind":"organism",`+child+`},`+echo("h")+","+literal("b", "1"), edges("o.y h.value "+onFail))
	receipt, err := start(t, text, `{}`, host)
	refused(t, "nested", err, algal.IOFailed, "the disk is full")
	if receipt.Exists() {
		t.Errorf("receipt %s", receipt)
	}
}

// TestJournalSettled: a failure that is certain, a suspension and a failure of the
// bound are results like any other (J-26, J-27).
func TestJournalSettled(t *testing.T) {
	for name, err := range map[string]error{
		"failed":    algal.Errorf(algal.EffectFailed, "no"),
		"bound":     algal.Errorf(algal.BudgetExhausted, "too much"),
		"suspended": algal.Errorf(algal.EffectSuspended, "later"),
	} {
		l := &ledger{}
		text, f, host := journaledWorld(t, l)
		f.answers = []reply{{err: err}}
		receipt := run(t, text, `{}`, host)
		if l.poisoned != nil || len(l.receipts) == 0 || !canon.Equal(l.receipts[0], receipt.Get("effects").At(0)) {
			t.Errorf("%s: %v, poisoned with %v", name, l.log, l.poisoned)
		}
	}
	l := &ledger{}
	text, _, host := journaledWorld(t, l)
	host.Deadline = (&clock{expired: true}).deadline
	text = strings.Replace(text, `"tools":["w"]`, `"tools":["w"],"budget":{"maxEffectMs":9}`, 1)
	run(t, text, `{}`, host)
	if got := strings.Join(l.log, ", "); got != "begin fake, complete t0, begin tool:r, call r, complete t1" {
		t.Errorf("a deadline that passed before dispatch: %s", got)
	}
}

// TestNotJournalled: what is answered from a record, and what nobody answers, does
// not go through the journal; an unhealthy one refuses the run.
func TestNotJournalled(t *testing.T) {
	l := &ledger{}
	text, _, host := journaledWorld(t, l)
	recorded := run(t, text, `{}`, host)
	var effects, tools []canon.Value
	for _, e := range recorded.Get("effects").Elements() {
		if runtime.IsToolEffect(e) {
			tools = append(tools, e)
		}
		effects = append(effects, e)
	}
	again := &ledger{}
	host.Journal = again
	result, err := runtime.Run(t.Context(), manifest(t, text), canon.Object(), host, &runtime.Replay{Effects: effects, Tools: tools})
	if err != nil || !canon.Equal(result.Receipt(), recorded) || len(again.log) != 0 {
		t.Errorf("replayed: %v, journal %v", err, again.log)
	}

	unbound := &ledger{}
	host.Journal, host.Executors = unbound, nil
	run(t, document(`{"id":"a",`+textAgent+`}`, ""), `{}`, host)
	if len(unbound.log) != 0 {
		t.Errorf("unbound: %v", unbound.log)
	}

	host.Journal = &ledger{unhealthy: algal.Errorf(algal.IOFailed, "poisoned before")}
	_, err = start(t, text, `{}`, host)
	refused(t, "unhealthy", err, algal.IOFailed, "poisoned before")
}

// TestJournalConfiguration: without a configuration of its own an executor is bound
// by its memo identity, if that is a digest.
func TestJournalConfiguration(t *testing.T) {
	l := &ledger{}
	text, f, host := journaledWorld(t, l)
	f.Configuration, f.Identity = "", string(canon.String("identity").Digest())
	run(t, text, `{}`, host)
	if got := l.bindings[0].ConfigurationDigest; got != canon.String("identity").Digest() {
		t.Errorf("bound %s", got)
	}
}
