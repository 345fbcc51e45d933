package runtime_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

const echoCall = `{"inputs":{"value":1},"tool":"echo.v1"}`

// TestTurns holds run.md §8.1: how many turns a cell has, and what is a tool call.
func TestTurns(t *testing.T) {
	const jsonAgent = `"kind":"agent","prompt":"","output":{"kind":"json","schema":{"type":"object"}}`
	tools := `,"tools":["echo.v1"]`
	classifier := `"kind":"classifier","prompt":"","output":{"kind":"choice","labels":["yes"]}`
	for _, c := range []struct {
		name, cell string
		answers    []string
		turns      int
		want       string // outputs, or the text of the failure
	}{
		{"eight turns with tools", textAgent + tools, []string{echoCall}, 8, `cell "a" produced no final output within maxTurns 8`},
		{"as many as declared", textAgent + tools + `,"budget":{"maxTurns":2}`, []string{echoCall}, 2, `cell "a" produced no final output within maxTurns 2`},
		{"the last turn may be final", textAgent + tools + `,"budget":{"maxTurns":2}`, []string{echoCall, `"x"`}, 2, `{"out":"x"}`},
		{"a classifier has tools", classifier + tools, []string{echoCall, `"yes"`}, 2, `{"out":"yes"}`},
		{"without tools it is an answer", jsonAgent, []string{echoCall}, 1, `{"out":` + echoCall + `}`},
		{"a tool outside the list", jsonAgent + tools, []string{`{"inputs":{},"tool":"inc.v1"}`}, 1, `{"out":{"inputs":{},"tool":"inc.v1"}}`},
		{"inputs that are no object", jsonAgent + tools, []string{`{"inputs":[],"tool":"echo.v1"}`}, 1, `{"out":{"inputs":[],"tool":"echo.v1"}}`},
		{"a tool that is no text", jsonAgent + tools, []string{`{"inputs":{},"tool":["echo.v1"]}`}, 1, `{"out":{"inputs":{},"tool":["echo.v1"]}}`},
		{"further members are ignored", textAgent + tools, []string{`{"because":"x","inputs":{"value":1},"tool":"echo.v1"}`, `"x"`}, 2, `{"out":"x"}`},
		{"the turns of a gate are one", yesGate, []string{echoCall}, 1, `cell "a": output {"inputs":{"value":1},"tool":"echo.v1"} is not a declared label`},
	} {
		f := answering(c.answers...)
		receipt := run(t, document(`{"id":"a",`+c.cell+`}`, ""), `{}`, asks(f))
		if len(f.asked) != c.turns {
			t.Errorf("%s: %d turns, want %d", c.name, len(f.asked), c.turns)
		}
		for i, q := range f.asked {
			same(t, c.name+": turn", q.Record.Get("context").Get("turn"), canon.Int(i).String())
			if log := q.Record.Get("context").Get("toolLog"); log.Len() != i {
				t.Errorf("%s: turn %d shows %d calls", c.name, i, log.Len())
			}
		}
		a := cell(receipt, "a")
		if strings.HasPrefix(c.want, "{") {
			same(t, c.name, a.Get("outputs"), c.want)
			same(t, c.name+": last request", a.Get("effectDigest"), `"`+string(f.asked[c.turns-1].Digest)+`"`)
			if a.Get("toolCalls").Len() != c.turns-1 {
				t.Errorf("%s: tool calls %s", c.name, a.Get("toolCalls"))
			}
		} else if got := a.Get("failure").Get("message").Text(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestShadow: a shadowed classifier gives the label it is told and keeps the
// answer where that differs.
func TestShadow(t *testing.T) {
	text := document(`{"id":"a","kind":"classifier","prompt":"","output":{"kind":"choice","labels":["yes","no"]},"shadow":{"take":"no"}}`, "")
	for answer, shadow := range map[string]string{`"yes"`: `"yes"`, `"no"`: ``} {
		a := cell(run(t, text, `{}`, asks(answering(answer))), "a")
		same(t, answer, a.Get("outputs"), `{"out":"no"}`)
		same(t, answer+": shadow", a.Get("shadowOut"), shadow)
	}
}

// TestOnMiss: an answer outside the labels becomes the declared one, if there is
// one, and the units are those of the answer.
func TestOnMiss(t *testing.T) {
	text := document(`{"id":"a","kind":"gate","prompt":"","output":{"kind":"choice","labels":["yes","no"],"onMiss":"no"}}`, "")
	for answer, want := range map[string]string{`"yes"`: `"yes"`, `"maybe"`: `"no"`, `[1]`: `"no"`} {
		a := cell(run(t, text, `{}`, asks(answering(answer))), "a")
		same(t, answer, a.Get("outputs").Get("out"), want)
		same(t, answer, a.Get("work"), canon.Int(622+len(answer)).String())
	}
}

// compacting is an agent whose log is decided about once it passes 90 bytes, which
// two calls do.
func compacting(more string) string {
	return document(`{"id":"a",`+textAgent+`,"tools":["echo.v1"],"compact":{"maxLogBytes":90`+more+`}}`, "")
}

// TestCompaction holds §8.6: the log is put to a decision, which is an effect of the
// cell like any other.
func TestCompaction(t *testing.T) {
	keep := func(scores string) string { return `{"answers":{` + scores + `}}` }
	f := answering(echoCall, `{"inputs":{"value":2},"tool":"echo.v1"}`, keep(`"keep_0":{"noul":0.4},"keep_1":{"noul":0.5}`), `"x"`)
	f.Retryable = false
	receipt := run(t, compacting(``), `{}`, asks(f))
	same(t, "outputs", cell(receipt, "a").Get("outputs"), `{"out":"x"}`)
	same(t, "the log that is left", cell(receipt, "a").Get("toolCalls"), `[{"fn":"echo.v1","inputs":{"value":2},"output":{"value":2}}]`)
	triage := f.asked[2]
	if triage.Kind != runtime.EffectDecide || triage.CellID != "a" {
		t.Errorf("triage %+v", triage)
	}
	same(t, "context", triage.Record.Get("context"), `{"inputs":{},"toolLog":[{"fn":"echo.v1","inputs":{"value":1},"output":{"value":1}},{"fn":"echo.v1","inputs":{"value":2},"output":{"value":2}}],"turn":2}`)
	same(t, "questions", triage.Record.Get("questions").Get("keep_0"),
		`{"instructions":"Retain context.toolLog[0] verbatim — the \"echo.v1\" call and its result. Is it still needed for the remaining task?","type":"noul"}`)
	same(t, "prompt", triage.Record.Get("prompt"),
		`"Tool-log triage for cell \"a\". The log exceeds 90B; for each indexed entry decide whether the call and its result must be preserved verbatim for the remaining work. Task: "`)
	effects := receipt.Get("effects")
	same(t, "an executor that cannot be retried", effects.At(1).Get("retryable"), `false`)
	same(t, "does not say so of a triage", effects.At(2).Get("retryable"), "")

	pinned := answering(echoCall, `{"inputs":{"value":2},"tool":"echo.v1"}`, keep(`"keep_0":{"noul":0}`), `"x"`)
	receipt = run(t, compacting(`,"keepRecent":1`), `{}`, asks(pinned))
	same(t, "the tail stays", cell(receipt, "a").Get("toolCalls"), `[{"fn":"echo.v1","inputs":{"value":2},"output":{"value":2}}]`)
	if n := pinned.asked[2].Record.Get("questions").Len(); n != 1 {
		t.Errorf("%d questions, want only about what may go", n)
	}

	routed := answering(echoCall, echoCall, keep(`"keep_0":{"noul":0},"keep_1":{"noul":0}`), `"x"`)
	run(t, compacting(`,"route":{"preset":"small"}`), `{}`, runtime.Host{Executors: []runtime.Executor{routed, named("preset:small", false, runtime.EffectAgent)}})
	if len(routed.asked) != 2 { // the triage went to the preset, which does not decide
		t.Errorf("%d requests", len(routed.asked))
	}
}

// TestCompactionFaults: a triage is tried once, and its fault is the cell's.
func TestCompactionFaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		triage  reply
		outcome string
		code    algal.Code
		message string
	}{
		{"no answer", reply{output: `{"answers":{"keep_0":{"noul":1}}}`}, runtime.Failed, algal.EffectUnparseable, "missing required field"},
		{"an error", reply{err: algal.Errorf(algal.EffectFailed, "no")}, runtime.Failed, algal.EffectFailed, "no"},
		{"a suspension", reply{err: algal.Errorf(algal.EffectSuspended, "later")}, runtime.Suspended, "", ""},
	} {
		f := replying(reply{output: echoCall}, reply{output: echoCall}, c.triage, reply{output: `"x"`})
		text := strings.Replace(compacting(``), `"compact"`, `"retry":{"attempts":3},"compact"`, 1)
		receipt := run(t, text, `{}`, asks(f))
		same(t, c.name, receipt.Get("outcome"), `"`+c.outcome+`"`)
		if c.code != "" {
			failed(t, c.name, receipt, c.code, c.message, "a")
		}
		if len(f.asked) != 3 {
			t.Errorf("%s: %d requests", c.name, len(f.asked))
		}
	}
}
