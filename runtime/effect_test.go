package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// named is an executor of the given kinds that answers with its own id.
func named(id string, wildcard bool, kinds ...runtime.EffectKind) *fake {
	f := answering(`"` + id + `"`)
	f.Description = runtime.Description{ID: id, Kinds: kinds, Wildcard: wildcard, Retryable: true}
	return f
}

// TestSelection holds run.md §8.5: who answers a request. The agent accepts any
// text; a gate is of a kind that only some executors admit.
func TestSelection(t *testing.T) {
	const agent, gate = runtime.EffectAgent, runtime.EffectGate
	for _, c := range []struct {
		name, cell, route string
		executors         []*fake
		want              string // the id, "" for unbound
	}{
		{"none", textAgent, ``, nil, ``},
		{"first that admits", textAgent, ``, []*fake{named("a", false, gate), named("b", false, agent), named("c", false, agent)}, `b`},
		{"undeclared kinds admit an agent", textAgent, ``, []*fake{named("a", false)}, `a`},
		{"undeclared kinds admit no gate", yesGate, ``, []*fake{named("a", false)}, ``},
		{"a wildcard is nothing special unrouted", textAgent, ``, []*fake{named("a", false, agent), named("w", true, agent)}, `a`},
		{"provider by id", textAgent, `{"provider":"b"}`, []*fake{named("a", true, agent), named("b", false, agent)}, `b`},
		{"provider by prefixed id", textAgent, `{"provider":"b"}`, []*fake{named("a", true, agent), named("provider:b", false, agent)}, `provider:b`},
		{"preset by id", textAgent, `{"preset":"p"}`, []*fake{named("p", false, agent)}, `p`},
		{"preset by prefixed id", textAgent, `{"preset":"p"}`, []*fake{named("preset:p", false, agent)}, `preset:p`},
		{"a provider is no preset", textAgent, `{"preset":"p"}`, []*fake{named("provider:p", false, agent)}, ``},
		{"the first of both", textAgent, `{"preset":"p","provider":"b"}`, []*fake{named("p", false, agent), named("b", false, agent)}, `p`},
		{"no wildcard", textAgent, `{"provider":"x"}`, []*fake{named("a", false, agent)}, ``},
		{"wildcard", textAgent, `{"provider":"x"}`, []*fake{named("a", false, agent), named("w", true, agent), named("v", true, agent)}, `w`},
		{"wildcard that admits", textAgent, `{"provider":"x"}`, []*fake{named("w", true, gate), named("v", true, agent)}, `v`},
		{"wanted, but not admitting", textAgent, `{"provider":"b"}`, []*fake{named("b", false, gate), named("w", true, agent)}, ``},
		{"a model selects nothing", textAgent, `{"model":"b"}`, []*fake{named("a", false, agent), named("b", false, agent)}, `a`},
		{"an empty route asks for nothing", textAgent, `{}`, []*fake{named("a", false, agent)}, `a`},
	} {
		route := ""
		if c.route != "" {
			route = `,"route":` + c.route
		}
		host := runtime.Host{}
		for _, e := range c.executors {
			host.Executors = append(host.Executors, e)
		}
		receipt := run(t, document(`{"id":"a",`+c.cell+route+`}`, ""), `{}`, host)
		if c.want != "" {
			same(t, c.name, receipt.Get("effects").At(0).Get("executor"), `"`+c.want+`"`)
			continue
		}
		failed(t, c.name, receipt, algal.EffectUnbound, "no host-admitted executor for this request", "a")
		digest := receipt.Get("effects").At(0).Get("requestDigest").Text()
		same(t, c.name, receipt.Get("effects"), `[{"error":{"code":"EFFECT_UNBOUND","message":"no host-admitted executor for this request"},
			"executor":"unbound","requestDigest":"`+digest+`","retryable":false}]`)
		same(t, c.name+" counts", receipt.Get("work").Get("agentCalls"), `1`)
	}
}

// TestUnboundIsNotRetried: an unbound attempt is an ordinary one that cannot be
// retried.
func TestUnboundIsNotRetried(t *testing.T) {
	receipt := run(t, document(`{"id":"a",`+textAgent+`,"retry":{"attempts":3}}`, ""), `{}`, runtime.Host{})
	same(t, "work", receipt.Get("work"), `{"agentCalls":1,"steps":1,"units":622}`)
}

// TestAttempts holds §8.4: what ends the attempts and which error stays.
func TestAttempts(t *testing.T) {
	fail := func(code algal.Code) reply { return reply{err: algal.Errorf(code, "no %s", code)} }
	unsure := reply{err: &algal.Error{Code: algal.EffectFailed, Message: "lost", Uncertain: true}}
	final := reply{output: `1`, metadata: runtime.Metadata{NotRetryable: true}}
	good := reply{output: `"yes"`}
	miss := reply{output: `"maybe"`}
	for _, c := range []struct {
		name     string
		attempts int
		replies  []reply
		calls    int
		want     string // the failure, "" when the cell commits
	}{
		{"at once", 3, []reply{good}, 1, ``},
		{"after an error", 3, []reply{fail(algal.EffectFailed), good}, 2, ``},
		{"after a miss", 3, []reply{miss, good}, 2, ``},
		{"never", 3, []reply{fail(algal.EffectFailed), miss, fail(algal.ToolFailed)}, 3, `{"code":"TOOL_FAILED","message":"no TOOL_FAILED"}`},
		{"the last error stays", 2, []reply{fail(algal.EffectFailed), miss}, 2, `{"code":"EFFECT_UNPARSEABLE","message":"cell \"a\": output \"maybe\" is not a declared label"}`},
		{"uncertain", 3, []reply{unsure, good}, 1, `{"code":"EFFECT_FAILED","message":"lost"}`},
		{"not retryable by its metadata", 3, []reply{final, good}, 1, `{"code":"EFFECT_UNPARSEABLE","message":"cell \"a\": output 1 is not a declared label"}`},
		{"an exhausted bound is retried", 2, []reply{fail(algal.BudgetExhausted), good}, 2, ``},
		{"an answer with sorted members", 1, []reply{{output: `{"b":1,"a":2}`}}, 1, `{"code":"EFFECT_UNPARSEABLE","message":"cell \"a\": output {\"a\":2,\"b\":1} is not a declared label"}`},
	} {
		retry := ""
		if c.attempts > 1 {
			retry = fmt.Sprintf(`,"retry":{"attempts":%d}`, c.attempts)
		}
		f := replying(c.replies...)
		receipt := run(t, document(`{"id":"a",`+yesGate+retry+`}`, ""), `{}`, asks(f))
		same(t, c.name, cell(receipt, "a").Get("failure"), c.want)
		if len(f.asked) != c.calls || receipt.Get("effects").Len() != c.calls || receipt.Get("work").Get("agentCalls").Float() != float64(c.calls) {
			t.Errorf("%s: %d calls, %d effects, work %s; want %d", c.name, len(f.asked), receipt.Get("effects").Len(), receipt.Get("work"), c.calls)
		}
		if got, want := events(receipt), "start, "+strings.Repeat("effect a, ", c.calls); !strings.HasPrefix(got, want) || strings.HasPrefix(got, want+"effect") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestMaxAgentCallsEndsAttempts: the bound fails the cell at once, whatever the
// last error was.
func TestMaxAgentCallsEndsAttempts(t *testing.T) {
	text := document(`{"id":"a",`+yesGate+`,"retry":{"attempts":3}}`, "", `"budgets":{"maxAgentCalls":2}`)
	receipt := run(t, text, `{}`, asks(answering(`"maybe"`)))
	failed(t, "third attempt", receipt, algal.BudgetExhausted, "maxAgentCalls exhausted", "a")
	same(t, "work", receipt.Get("work").Get("agentCalls"), `2`)
}

const handleOne = `"cap:inbox:sha256:0000000000000000000000000000000000000000000000000000000000000001"`

// TestEffectReceipts holds §8.7 and §10.1: the members of an effect receipt, beside
// the request digest.
func TestEffectReceipts(t *testing.T) {
	wake := canon.Array(canon.String("x"))
	suspended := func(e ...string) error {
		return &algal.Error{Code: algal.EffectSuspended, Message: "later", Wake: e}
	}
	one := strings.Trim(handleOne, `"`)
	const later = `"error":{"code":"EFFECT_SUSPENDED","message":"later"},"executor":"fake","retryable":false`
	for _, c := range []struct {
		name         string
		notRetryable bool // of the executor
		reply        reply
		want         string
	}{
		{"output", false, reply{output: `"x"`}, `{"executor":"fake","output":"x"}`},
		{"null output", false, reply{output: `null`}, `{"executor":"fake","output":null}`},
		{"all metadata", false, reply{output: `"x"`, metadata: runtime.Metadata{
			Executor: "other", Usage: parse(t, `{"model":"m","tokensIn":1}`), Cached: true, NotRetryable: true, Configuration: canon.Null().Digest(),
		}}, `{"cached":true,"configurationDigest":"` + string(canon.Null().Digest()) + `","executor":"other","output":"x","retryable":false,"usage":{"model":"m","tokensIn":1}}`},
		{"an executor that cannot be retried", true, reply{output: `"x"`}, `{"executor":"fake","output":"x","retryable":false}`},
		{"error with metadata", false, reply{err: algal.Errorf(algal.EffectFailed, "no"), metadata: runtime.Metadata{Executor: "other", Usage: parse(t, `{"tokensOut":2}`)}},
			`{"error":{"code":"EFFECT_FAILED","message":"no"},"executor":"other","usage":{"tokensOut":2}}`},
		{"an error keeps no output", false, reply{output: `1`, err: algal.Errorf(algal.EffectFailed, "no")}, `{"error":{"code":"EFFECT_FAILED","message":"no"},"executor":"fake"}`},
		{"uncertain", false, reply{err: &algal.Error{Code: algal.EffectFailed, Message: "lost", Uncertain: true}},
			`{"error":{"code":"EFFECT_FAILED","message":"lost"},"executor":"fake","retryable":false}`},
		{"suspended", false, reply{err: suspended()}, `{` + later + `}`},
		{"suspended with handles", false, reply{err: suspended(one)}, `{` + later + `,"wake":[` + handleOne + `]}`},
		{"the metadata's handles come first", false, reply{err: suspended("not looked at"), metadata: runtime.Metadata{Wake: parse(t, `[`+handleOne+`]`)}}, `{` + later + `,"wake":[` + handleOne + `]}`},
		{"the order of handles is kept", false, reply{err: suspended("cap:z:"+one[len("cap:inbox:"):], one)},
			`{` + later + `,"wake":["cap:z:` + one[len("cap:inbox:"):] + `",` + handleOne + `]}`},
		{"a malformed list in the error", false, reply{err: suspended("x")}, `{` + later + `}`},
		{"a repeated handle in the error", false, reply{err: suspended(one, one)}, `{` + later + `}`},
		{"a malformed list in the metadata", false, reply{err: suspended(one), metadata: runtime.Metadata{Wake: wake}},
			`{"error":{"code":"TYPE_MISMATCH","message":"wake capabilities[0] is not a valid capability handle"},"executor":"fake"}`},
		{"handles without a suspension", false, reply{err: &algal.Error{Code: algal.EffectFailed, Message: "no", Wake: []string{one}}},
			`{"error":{"code":"EFFECT_FAILED","message":"no"},"executor":"fake"}`},
		{"handles with an output", false, reply{output: `"x"`, metadata: runtime.Metadata{Wake: parse(t, `[`+handleOne+`]`)}}, `{"executor":"fake","output":"x"}`},
	} {
		f := replying(c.reply)
		f.Retryable = !c.notRetryable
		receipt := run(t, document(`{"id":"a",`+textAgent+`}`, ""), `{}`, asks(f))
		got := receipt.Get("effects").At(0)
		if digest := got.Get("requestDigest"); !digest.IsText(string(f.asked[0].Digest)) {
			t.Errorf("%s: request %s, want %s", c.name, digest, f.asked[0].Digest)
		}
		same(t, c.name, got.Without("requestDigest"), c.want)
		if err := runtime.ParseEffect(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestSuspension holds §10.1: retry stops, nothing else runs, every enclosing cell
// has its own record, and no failure is set.
func TestSuspension(t *testing.T) {
	suspend := reply{err: algal.Errorf(algal.EffectSuspended, "later")}
	host := asks(replying(suspend))
	cells := `{"id":"a",` + yesGate + `,"retry":{"attempts":3}},` + echo("h") + "," + literal("later", "1")
	receipt := run(t, document(cells, edges("a.out h.value "+onFail)), `{}`, host)
	same(t, "cells", receipt.Get("cells"), `{"a":{"status":"suspended","work":622}}`)
	same(t, "outcome", receipt.Get("outcome"), `"suspended"`)
	same(t, "failure", receipt.Get("failure"), "")
	if got, want := events(receipt), "start, effect a, suspend a, end suspended"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRequest is the worked request of §8.2, and what is in a request besides.
func TestRequest(t *testing.T) {
	f := answering(`"x"`)
	run(t, document(`{"id":"a","kind":"agent","inputs":{},"prompt":"p","output":{"kind":"text"}}`, ""), `{}`, asks(f))
	if got := f.asked[0].Digest; got != "sha256:319ac48a61bf717fd492cd18e8ad1583b77ee141aeb1b040a8235047bf85dc68" {
		t.Errorf("request %s of %s", got, f.asked[0].Record)
	}
	// What does not change the question is not in it.
	g := answering(`"x"`)
	run(t, document(`{"id":"a","kind":"agent","inputs":{},"prompt":"p","output":{"kind":"text"},"retry":{"attempts":2},"tools":["echo.v1"],"budget":{"maxTurns":3,"maxEffectMs":5}}`, ""), `{}`, asks(g))
	if g.asked[0].Digest != f.asked[0].Digest {
		t.Errorf("request %s", g.asked[0].Record)
	}
	h := answering(`"yes"`)
	run(t, document(`{"id":"a",`+yesGate+`,"route":{"model":"m"},"budget":{"maxOutputBytes":9}}`, ""), `{}`, asks(h))
	q := h.asked[0]
	if q.CellID != "a" || q.Kind != runtime.EffectGate || q.Route != (runtime.Route{Model: "m"}) || q.MaxOutputBytes != 9 || len(q.Output.Labels) != 2 {
		t.Errorf("request %+v", q)
	}
	same(t, "record", q.Record, `{"budget":{"maxContextBytes":65536,"maxOutputBytes":9},"cellId":"a","context":{"inputs":{},"turn":0},"contract":"algal.effect.v1",
		"kind":"gate","output":{"kind":"choice","labels":["yes","no"]},"prompt":"","route":{"model":"m"}}`)
}
