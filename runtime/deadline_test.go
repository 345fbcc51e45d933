package runtime_test

import (
	"context"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// clock is a host's deadline that passes when the test says so.
type clock struct {
	asked   []int  // the milliseconds asked for
	expired bool   // deadlines have passed when they begin
	pass    func() // lets the deadline under way pass
	open    int    // deadlines begun and not cancelled
}

func (c *clock) deadline(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	c.asked = append(c.asked, ms)
	c.open++
	ctx, cancel := context.WithCancel(ctx)
	c.pass = cancel
	if c.expired {
		cancel()
	}
	return ctx, func() { c.open--; cancel() }
}

// TestDeadlines holds run.md §10.2: what a passed deadline becomes, for an executor,
// a tool cell and an agent's tool call.
func TestDeadlines(t *testing.T) {
	const signature = `{"inputs":{},"outputs":{"o":"json"},"effect":"write","cost":0,"maxOutputBytes":64}`
	const call = `{"inputs":{},"tool":"t"}`
	agent := func(more string) string { return `{"id":"a",` + textAgent + more + `,"budget":{"maxEffectMs":200}}` }
	for _, c := range []struct {
		name, cell string
		passes     string // during the call of which this is the name
		expired    bool   // before the call
		answers    []string
		fails      bool // the call says that it failed
		message    string
	}{
		{"executor in time", agent(``), "", false, []string{`"x"`}, false, ""},
		{"executor too late", agent(`,"retry":{"attempts":2}`), "executor", false, []string{`"x"`}, true, `cell "a" effect exceeded maxEffectMs 200`},
		{"executor answers too late", agent(`,"retry":{"attempts":2}`), "executor", false, []string{`"x"`}, false, `cell "a" effect exceeded maxEffectMs 200`},
		{"before the executor", agent(``), "", true, []string{`"x"`}, false, `cell "a" effect exceeded maxEffectMs 200`},
		{"tool cell in time", `{"id":"a","kind":"tool","tool":"t","budget":{"maxEffectMs":200}}`, "", false, nil, false, ""},
		{"tool cell too late", `{"id":"a","kind":"tool","tool":"t","budget":{"maxEffectMs":200}}`, "tool", false, nil, false, `tool cell "a" exceeded maxEffectMs 200`},
		{"before the tool", `{"id":"a","kind":"tool","tool":"t","budget":{"maxEffectMs":200}}`, "", true, nil, false, `tool cell "a" exceeded maxEffectMs 200`},
		{"agent's tool too late", agent(`,"tools":["t"]`), "tool", false, []string{call, `"x"`}, true, `agent tool t exceeded maxEffectMs 200`},
	} {
		var w clock
		w.expired = c.expired
		called := 0
		during := func(name string) {
			called++
			if c.passes == name {
				w.pass()
			}
		}
		host := runtime.Host{Deadline: w.deadline, Tools: map[string]*runtime.HostTool{"t": tool(t, signature, reply{output: `{"o":1}`}, nil)}}
		tool := host.Tools["t"].Call
		host.Tools["t"].Call = func(ctx context.Context, call runtime.ToolCall) (canon.Value, error) {
			during("tool")
			if c.fails {
				return canon.Value{}, ctx.Err()
			}
			return tool(ctx, call)
		}
		f := answering(c.answers...)
		if c.fails && c.passes == "executor" {
			f = replying(reply{err: context.Canceled})
		}
		f.call = func(context.Context) { during("executor") }
		host.Executors = []runtime.Executor{f}
		receipt := run(t, document(c.cell, ""), `{}`, host)
		if w.open != 0 {
			t.Errorf("%s: %d deadlines were not released", c.name, w.open)
		}
		if len(w.asked) == 0 || w.asked[0] != 200 {
			t.Errorf("%s: asked for %v", c.name, w.asked)
		}
		if c.message == "" {
			same(t, c.name, receipt.Get("outcome"), `"complete"`)
			continue
		}
		failed(t, c.name, receipt, algal.BudgetExhausted, c.message, "a")
		last := receipt.Get("effects").At(receipt.Get("effects").Len() - 1)
		same(t, c.name, last.Get("error").Get("message"), canon.String(c.message).String())
		want := `false`
		if c.expired {
			want = "" // nothing was dispatched: the failure is settled
			if called != 0 {
				t.Errorf("%s: called all the same", c.name)
			}
		}
		same(t, c.name+": retryable", last.Get("retryable"), want)
	}
}

// TestNoDeadline: without a bound, or without a host that has clocks, nothing is
// asked for.
func TestNoDeadline(t *testing.T) {
	var w clock
	host := runtime.Host{Deadline: w.deadline, Executors: []runtime.Executor{answering(`"x"`)}}
	run(t, document(`{"id":"a",`+textAgent+`}`, ""), `{}`, host)
	if len(w.asked) != 0 {
		t.Errorf("asked for %v", w.asked)
	}
	host.Deadline = nil
	same(t, "no clocks", run(t, document(`{"id":"a",`+textAgent+`,"budget":{"maxEffectMs":1}}`, ""), `{}`, host).Get("outcome"), `"complete"`)
}

// TestInterruption: a run that the host cancels gives no receipt. Nobody knows what
// the call under way has done.
func TestInterruption(t *testing.T) {
	lost := &algal.Error{Code: algal.BudgetExhausted, Message: "cancelled", Uncertain: true}
	for _, c := range []struct {
		name  string
		retry string
		err   error
		calls int
	}{
		{"before it starts", ``, nil, 0},
		{"during a call that fails", `,"retry":{"attempts":3}`, context.Canceled, 1},
		{"during a call that succeeds", ``, nil, 1},
		{"during the last call, whose outcome is not known", ``, lost, 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		f := replying(reply{output: `"x"`, err: c.err})
		f.call = func(context.Context) { cancel() }
		if c.calls == 0 {
			cancel()
		}
		host := runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{f}}
		source := `{"id":"a",` + textAgent + c.retry + `}`
		if c.err != lost {
			source += "," + literal("b", "1")
		}
		result, err := runtime.Run(ctx, manifest(t, document(source, "")), canon.Value{}, host, nil)
		if result != nil || algal.CodeOf(err) != algal.BudgetExhausted || !algal.AsError(err).Uncertain || len(f.asked) != c.calls {
			t.Errorf("%s: %v after %d calls", c.name, err, len(f.asked))
		}
		cancel()
	}
}
