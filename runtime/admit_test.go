package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// nested is a value of the given depth: arrays around an empty one.
func nested(depth int) string {
	return strings.Repeat("[", depth+1) + strings.Repeat("]", depth+1)
}

// TestAdmitArgs holds run.md §2. The walk meets depth and bytes in document order.
func TestAdmitArgs(t *testing.T) {
	long := func(n int) string { return `{"s":{"v":"` + strings.Repeat("x", n-len(`{"s":{"v":""}}`)) + `"}}` }
	const depth, bytes = "JSON depth exceeds 64", "run argument bytes"
	for _, c := range []struct {
		name, args string
		code       algal.Code
		text       string
	}{
		{"empty", `{}`, "", ""},
		{"a list", `[]`, algal.ParseFailed, "run arguments must be an object"},
		{"null", `null`, algal.ParseFailed, "run arguments must be an object"},
		{"depth 64", `{"s":{"v":` + nested(62) + `}}`, "", ""},
		{"depth 65", `{"s":{"v":` + nested(63) + `}}`, algal.BudgetExhausted, depth},
		{"as long as may be", long(1_048_576), "", ""},
		{"one more", long(1_048_577), algal.BudgetExhausted, bytes},
		{"deep before long", `{"a":{"v":` + nested(63) + `},"b":` + long(1_048_577) + `}`, algal.BudgetExhausted, depth},
		{"long before deep", `{"b":` + long(1_048_577) + `,"a":{"v":` + nested(63) + `}}`, algal.BudgetExhausted, bytes},
		{"a cell that is no object", `{"s":5}`, algal.ParseFailed, "input cell arguments must be an object"},
		{"bounds first", `{"s":5,"t":{"v":` + nested(63) + `}}`, algal.BudgetExhausted, depth},
	} {
		v := parse(t, c.args)
		got, err := runtime.AdmitArgs(v)
		if c.code == "" {
			if err != nil || !canon.Equal(got, v) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		refused(t, c.name, err, c.code, c.text)
		if got.Exists() {
			t.Errorf("%s: gives a value", c.name)
		}
	}
	if got, err := runtime.AdmitArgs(canon.Value{}); err != nil || got.String() != "{}" {
		t.Errorf("absent: %s, %v", got, err)
	}
}

// TestAdmissionOrder holds §1.1: of several faults the first of the section is told,
// and nothing has run.
func TestAdmissionOrder(t *testing.T) {
	const reserved = "agent.context.local.v1"
	text := document(`{"id":"f","kind":"fn","fn":"nope.v1"},{"id":"p","kind":"tool","tool":"probe"}`, "")
	other := tool(t, `{"inputs":{},"outputs":{},"effect":"read","cost":1,"maxOutputBytes":9}`, reply{}, nil)
	faults := []struct {
		name string
		add  func(h *runtime.Host, args *string)
		code algal.Code
		text string
	}{
		{"function", func(h *runtime.Host, _ *string) {
			h.Functions = organism.Registry{reserved: organism.Builtins()["echo.v1"]}
		},
			algal.CapabilityDenied, "local context tool name is reserved by the runtime"},
		{"tool", func(h *runtime.Host, _ *string) { h.Tools[reserved] = other }, algal.CapabilityDenied, "local context tool signature is reserved by the runtime"},
		{"args", func(_ *runtime.Host, args *string) { *args = `[]` }, algal.ParseFailed, "run arguments must be an object"},
		{"process", func(h *runtime.Host, _ *string) { h.Process = "Worker" }, algal.ParseFailed, "process name must be a lowercase kebab-case id"},
		{"journal", func(h *runtime.Host, _ *string) {
			h.Journal = &ledger{unhealthy: algal.Errorf(algal.IOFailed, "poisoned")}
		}, algal.IOFailed, "poisoned"},
		{"graph", func(*runtime.Host, *string) {}, algal.FnUnknown, `cell "f" references unknown fn "nope.v1"`},
	}
	for i, first := range faults {
		for _, second := range faults[i:] {
			var calls []runtime.ToolCall
			host, args := probe(t, ``, &calls), `{}`
			second.add(&host, &args)
			first.add(&host, &args)
			_, err := start(t, text, args, host)
			refused(t, first.name+" and "+second.name, err, first.code, first.text)
			if len(calls) != 0 {
				t.Errorf("%s: a tool was called", first.name)
			}
		}
	}
	store := cas.NewMemory()
	if _, err := runtime.Run(t.Context(), manifest(t, document(literal("c", "1"), "")), canon.Value{}, runtime.Host{Store: store, Process: strings.Repeat("p", 65)}, nil); algal.CodeOf(err) != algal.ParseFailed {
		t.Errorf("a long process name: %v", err)
	}
}

// admitted is a receipt with every member there is.
const admitted = `{"args":{"s":{"v":1}},"cells":{"a":{"effectDigest":"$D","failure":{"code":"STUCK","message":"m"},"items":0,"outputs":{},"rounds":2,"shadowOut":null,
"slot":{"mode":"read","name":"s"},"status":"committed","toolCalls":[],"via":"hub","work":1}},"contract":"algal.run.v1","digest":"$D",
"effects":[{"cached":true,"configurationDigest":"$D","error":{"code":"EFFECT_SUSPENDED","message":"m"},"executor":"x","requestDigest":"$D","retryable":false,
"usage":{"model":"m","tokensIn":0,"tokensOut":1},"wake":["cap:w:$D"]},{"executor":"x","output":null,"requestDigest":"$D"}],
"events":[{"digest":"$D","kind":"run.end","outcome":"failed","path":"p","seq":0}],"failure":{"code":"STUCK","message":"m","path":"p"},"manifestDigest":"$D",
"manifestKey":"organism:k","outcome":"failed","runtime":{"name":"algal","version":"9"},"work":{"agentCalls":0,"steps":1,"units":9007199254740991}}`

// receiptFault is one thing wrong with a receipt: a path and what is put there, ""
// for nothing.
type receiptFault struct{ path, value, text string }

func receiptFaults() []receiptFault {
	const digest = " must be a sha256:<64 lowercase hex> digest"
	long := func(n int) string { return text(n + 2) } // a string of n characters
	textual := func(what string, n int) string {
		return fmt.Sprintf("%s must be a string of at most %d characters", what, n)
	}
	integer := func(what string) string { return what + " must be an integer in [0, 9007199254740991]" }
	return []receiptFault{
		{"args", `{"s":{"v":` + nested(62) + `}}`, "receipt structural bounds exceeded"},
		{"extra", `1`, `receipt has unknown key "extra"`},
		{"contract", `"algal.run.v2"`, `expected contract "algal.run.v1"`},
		{"runtime", `null`, "receipt.runtime must be an object"},
		{"runtime.extra", `1`, `receipt.runtime has unknown key "extra"`},
		{"runtime.name", `"other"`, "unknown receipt runtime"},
		{"runtime.version", long(129), textual("receipt.runtime.version", 128)},
		{"digest", `"x"`, "receipt.digest" + digest},
		{"manifestDigest", ``, "receipt.manifestDigest" + digest},
		{"manifestKey", long(257), textual("receipt.manifestKey", 256)},
		{"args", `[]`, "receipt.args must be an object"},
		{"args", `{"s":{"v":` + long(1_048_570) + `}}`, "receipt args too large"},
		{"args", `{"s":1}`, "receipt.args.s must be an object"},
		{"outcome", `"done"`, "unknown receipt outcome"},
		{"work", `1`, "receipt.work must be an object"},
		{"work.extra", `1`, `receipt.work has unknown key "extra"`},
		{"work.steps", `-1`, integer("receipt.work.steps")},
		{"work.agentCalls", `1.5`, integer("receipt.work.agentCalls")},
		{"work.units", `9007199254740992`, integer("receipt.work.units")},
		{"failure", `1`, "receipt.failure must be an object"},
		{"failure.extra", `1`, `receipt.failure has unknown key "extra"`},
		{"failure.code", `"OTHER"`, "receipt.failure.code is unknown"},
		{"failure.message", `1`, textual("receipt.failure.message", 67_108_864)},
		{"failure.path", long(4097), textual("receipt.failure.path", 4096)},
		{"cells", `[]`, "receipt.cells must be an object"},
		{"cells.a", `1`, "receipt cell must be an object"},
		{"cells.a.extra", `1`, `receipt cell has unknown key "extra"`},
		{"cells.a.status", `"stuck"`, "unknown receipt cell status"},
		{"cells.a.work", `null`, integer("receipt cell.work")},
		{"cells.a.outputs", `[]`, "receipt cell.outputs must be an object"},
		{"cells.a.failure.path", `"p"`, `receipt cell.failure has unknown key "path"`},
		{"cells.a.failure.code", `"OTHER"`, "receipt cell.failure.code is unknown"},
		{"cells.a.effectDigest", `null`, "receipt cell.effectDigest" + digest},
		{"cells.a.toolCalls", `{}`, "receipt cell.toolCalls must be an array"},
		{"cells.a.rounds", `-1`, integer("receipt cell.rounds")},
		{"cells.a.items", `"1"`, integer("receipt cell.items")},
		{"cells.a.via", long(129), textual("receipt cell.via", 128)},
		{"cells.a.slot.extra", `1`, `receipt cell.slot has unknown key "extra"`},
		{"cells.a.slot.name", long(129), textual("receipt cell.slot.name", 128)},
		{"cells.a.slot.mode", `"append"`, "unknown slot mode"},
		{"effects", `{}`, "receipt.effects must be an array"},
		{"effects.0.extra", `1`, `effect receipt has unknown key "extra"`},
		{"effects.0.requestDigest", ``, "effect receipt.requestDigest" + digest},
		{"effects.0.executor", long(257), textual("effect receipt.executor", 256)},
		{"effects.0.output", `1`, "effect receipt: exactly one of output or error is required"},
		{"effects.0.error", ``, "effect receipt: exactly one of output or error is required"},
		{"effects.0.error.extra", `1`, `effect receipt.error has unknown key "extra"`},
		{"effects.0.error.message", long(2049), textual("effect receipt.error.message", 2048)},
		{"effects.0.error.code", `"OTHER"`, "effect receipt.error.code is unknown"},
		{"effects.0.usage.extra", `1`, `effect receipt.usage has unknown key "extra"`},
		{"effects.0.usage.model", long(129), textual("effect receipt.usage.model", 128)},
		{"effects.0.usage.tokensIn", `0.5`, integer("effect receipt.usage.tokensIn")},
		{"effects.0.retryable", `true`, "effect receipt.retryable must be false"},
		{"effects.0.cached", `false`, "effect receipt.cached must be true"},
		{"effects.0.wake", `[]`, "wake capabilities must contain 1..16 handles"},
		{"effects.0.configurationDigest", `1`, "effect receipt.configurationDigest" + digest},
		{"events", `{}`, "receipt.events must be an array"},
		{"events.0.extra", `1`, `receipt event has unknown key "extra"`},
		{"events.0.seq", `-1`, integer("receipt event.seq")},
		{"events.0.kind", `"cell.start"`, "unknown receipt event kind"},
		{"events.0.path", long(4097), textual("receipt event.path", 4096)},
		{"events.0.digest", `"x"`, "receipt event.digest" + digest},
		{"events.0.outcome", long(33), textual("receipt event.outcome", 32)},
	}
}

// put sets what a dotted path names to the value of a JSON text, or removes it.
func put(t *testing.T, v canon.Value, path, value string) canon.Value {
	t.Helper()
	key, rest, deeper := strings.Cut(path, ".")
	if v.Is(canon.KindArray) {
		elements := []canon.Value{put(t, v.At(0), rest, value)} // only the first element is ever named
		for i := 1; i < v.Len(); i++ {
			elements = append(elements, v.At(i))
		}
		return canon.Array(elements...)
	}
	switch {
	case deeper:
		return v.With(canon.M(key, put(t, v.Get(key), rest, value)))
	case value == "":
		return v.Without(key)
	}
	return v.With(canon.M(key, parse(t, value)))
}

// TestParseReceipt holds §12: each fault alone, then any two, of which the earlier
// is told.
func TestParseReceipt(t *testing.T) {
	good := parse(t, strings.ReplaceAll(admitted, "$D", string(canon.Null().Digest())))
	if err := runtime.ParseReceipt(good); err != nil {
		t.Fatal(err)
	}
	faults, pairs := receiptFaults(), 0
	for i, first := range faults {
		one := put(t, good, first.path, first.value)
		refused(t, first.path, runtime.ParseReceipt(one), algal.ParseFailed, first.text)
		for _, second := range faults[i+1:] {
			if strings.HasPrefix(first.path+".", second.path+".") || strings.HasPrefix(second.path+".", first.path+".") ||
				first.text == second.text || len(first.value)+len(second.value) > 100_000 {
				continue // one hides or heals the other
			}
			refused(t, first.path+" and "+second.path, runtime.ParseReceipt(put(t, one, second.path, second.value)), algal.ParseFailed, first.text)
			pairs++
		}
	}
	t.Logf("%d faults, %d pairs", len(faults), pairs)
}

// TestReceiptCounts: the counts of §12 are inclusive.
func TestReceiptCounts(t *testing.T) {
	good := parse(t, strings.ReplaceAll(admitted, "$D", string(canon.Null().Digest())))
	repeat := func(v canon.Value, n int) canon.Value {
		list := make([]canon.Value, n)
		for i := range list {
			list[i] = v
		}
		return canon.Array(list...)
	}
	cells := func(n int) canon.Value {
		members, skipped := make([]canon.Member, n), parse(t, `{"status":"skipped","work":0}`)
		for i := range members {
			members[i] = canon.M(fmt.Sprintf("c%07d", i), skipped)
		}
		return canon.Object(members...)
	}
	for _, c := range []struct {
		key  string
		most int
		make func(n int) canon.Value
		text string
	}{
		{"cells", 65_536, cells, "too many receipt cells"},
		{"effects", 16_448, func(n int) canon.Value { return repeat(good.Get("effects").At(1), n) }, "too many receipt effects"},
		{"events", 4096, func(n int) canon.Value { return repeat(good.Get("events").At(0), n) }, "too many receipt events"},
	} {
		if err := runtime.ParseReceipt(good.With(canon.M(c.key, c.make(c.most)))); err != nil {
			t.Errorf("%d %s: %v", c.most, c.key, err)
		}
		refused(t, c.key, runtime.ParseReceipt(good.With(canon.M(c.key, c.make(c.most+1)))), algal.ParseFailed, c.text)
	}
	refused(t, "wake of a failure", runtime.ParseReceipt(put(t, good, "effects.0.error.code", `"STUCK"`)), algal.ParseFailed, "effect receipt.wake requires EFFECT_SUSPENDED")
	skipped := canon.M(strings.Repeat("p", 4097), parse(t, `{"status":"skipped","work":0}`))
	refused(t, "a long path", runtime.ParseReceipt(good.With(canon.M("cells", canon.Object(skipped)))), algal.ParseFailed, "receipt cell path must be a string of at most 4096 characters")
	refused(t, "a list", runtime.ParseReceipt(canon.Array()), algal.ParseFailed, "receipt must be an object")
	for _, outcome := range []string{"complete", "failed", "stuck", "suspended"} {
		if err := runtime.ParseReceipt(put(t, good, "outcome", `"`+outcome+`"`)); err != nil {
			t.Errorf("outcome %s: %v", outcome, err)
		}
	}
	for _, status := range []string{"committed", "skipped", "failed", "suspended"} {
		if err := runtime.ParseReceipt(put(t, good, "cells.a.status", `"`+status+`"`)); err != nil {
			t.Errorf("status %s: %v", status, err)
		}
	}
	for _, optional := range []string{"failure", "cells.a.outputs", "cells.a.failure", "cells.a.slot", "effects.0.usage", "effects.0.wake", "effects.0.cached", "events.0.path", "failure.path"} {
		if err := runtime.ParseReceipt(put(t, good, optional, "")); err != nil {
			t.Errorf("without %s: %v", optional, err)
		}
	}
}
