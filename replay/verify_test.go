package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// set returns v with what a dotted path names replaced by a JSON text, or removed
// where that is empty.
func set(t testing.TB, v canon.Value, path, text string) canon.Value {
	t.Helper()
	var steps []canon.Value
	at := v
	for step := range strings.SplitSeq(path, ".") {
		if at.Is(canon.KindArray) {
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				t.Fatal(err)
			}
			steps, at = append(steps, canon.Int(i)), at.At(i)
			continue
		}
		steps, at = append(steps, canon.String(step)), at.Get(step)
	}
	e := canon.Object()
	if text != "" {
		e = canon.Object(canon.M("value", goldenrun.ParseText(t, path, text)))
	}
	return edit(v, canon.Array(steps...), 0, e)
}

// described is a receipt with every member that a comparison looks at.
const described = `{"args":{},"contract":"algal.run.v1","outcome":"failed","manifestKey":"organism:k",
"cells":{"10":{"status":"skipped","work":0},"9":{"status":"committed","work":1,"outputs":{"v":1},"rounds":2,"items":3,"via":"hub",
	"shadowOut":"s","toolCalls":[{"fn":"f"}],"slot":{"mode":"read","name":"n"},"effectDigest":"e"},"b":{"status":"failed","work":5,"failure":{"code":"STUCK","message":"m"}}},
"effects":[{"requestDigest":"r","output":1,"executor":"x","usage":{"tokensIn":1}},{"requestDigest":"q","error":{"code":"STUCK","message":"m"},"executor":"y"}],
"events":[{"seq":0,"kind":"run.start"}],"failure":{"code":"STUCK","message":"m","path":"b"},"work":{"agentCalls":1,"steps":2,"units":3}}`

// TestMismatchTexts is V-9: every text of run.md §13.3, items 1 to 7.
func TestMismatchTexts(t *testing.T) {
	base := goldenrun.ParseText(t, "described", described)
	for _, c := range []struct {
		path, value string
		want        []string
	}{
		{"outcome", `"complete"`, []string{"outcome: complete vs failed"}},
		{"cells.10", "", []string{"cells: 9,b vs 10,9,b"}},
		{"cells.A", `{"status":"skipped","work":0}`, []string{"cells: 10,9,A,b vs 10,9,b"}},
		{"cells.b.status", `"suspended"`, []string{"cell b: status suspended vs failed"}},
		{"cells.9.outputs", `{"v":2}`, []string{"cell 9: outputs differ"}},
		{"cells.9.outputs", "", []string{"cell 9: outputs differ"}},
		{"cells.b.outputs", `{}`, nil}, // absent outputs are empty ones
		{"cells.9.work", `7`, []string{"cell 9: work 7 vs 1"}},
		{"cells.9.rounds", "", []string{"cell 9: rounds undefined vs 2"}},
		{"cells.9.items", `9`, []string{"cell 9: items 9 vs 3"}},
		{"cells.b.items", `4`, []string{"cell b: items 4 vs undefined"}},
		{"cells.b.failure.message", `"n"`, []string{"cell b: failure differs"}},
		{"cells.9.toolCalls", "", []string{"cell 9: toolCalls differ"}},
		{"cells.9.toolCalls", `null`, []string{"cell 9: toolCalls differ"}},
		{"cells.10.toolCalls", `null`, nil}, // absent is null
		{"cells.9.shadowOut", `"t"`, []string{"cell 9: shadowOut differs"}},
		{"cells.9.via", "", []string{"cell 9: via local vs hub"}},
		{"cells.10.via", `"hub"`, []string{"cell 10: via hub vs local"}},
		{"cells.9.slot.mode", `"write"`, []string{"cell 9: slot differs"}},
		{"cells.9.effectDigest", `"f"`, nil}, // left to the digests
		{"effects.1", "", []string{"effects: 1 vs 2"}},
		{"effects.0.requestDigest", `"z"`, []string{"effect 0: requestDigest differs"}},
		{"effects.0.output", `2`, []string{"effect 0: output differs"}},
		{"effects.1.error.message", `"n"`, []string{"effect 1: error differs"}},
		{"effects.1.executor", `"z"`, []string{"effect 1: executor z vs y"}},
		{"effects.0.usage.tokensIn", `2`, []string{"effect 0: usage differs"}},
		{"effects.0.cached", `true`, nil}, // left to the digests
		{"events.0.seq", `1`, []string{"events: event logs differ"}},
		{"work.steps", `9`, []string{"work.steps: 9 vs 2"}},
		{"work.agentCalls", `9`, []string{"work.agentCalls: 9 vs 1"}},
		{"work.units", `1e21`, []string{"work.units: 1e+21 vs 3"}},
		{"failure", "", []string{"failure presence differs"}},
		{"failure.code", `"FN_FAILED"`, []string{"failure.code: FN_FAILED vs STUCK"}},
		{"failure.message", `"n"`, nil}, // left to the digests
		{"manifestKey", `"organism:l"`, nil},
	} {
		if diff := cmp.Diff(c.want, replay.Diff(set(t, base, c.path, c.value), base)); diff != "" {
			t.Errorf("%s = %s (-want +got)\n%s", c.path, c.value, diff)
		}
	}
	// All at once, in the order of the section.
	other := base
	for _, e := range [][2]string{
		{"outcome", `"complete"`}, {"cells.10", ""}, {"cells.9.status", `"skipped"`}, {"cells.9.outputs", `{}`}, {"cells.9.work", `0`},
		{"cells.9.rounds", `1`}, {"cells.9.items", `1`}, {"cells.9.failure", `{}`}, {"cells.9.toolCalls", `[]`}, {"cells.9.shadowOut", `0`},
		{"cells.9.via", ""}, {"cells.9.slot", `{}`}, {"cells.b.work", `0`}, {"effects.0", `{"requestDigest":"a","error":{},"executor":"b","usage":{}}`},
		{"effects.1.executor", `"c"`}, {"events", `[]`}, {"work", `{"agentCalls":0,"steps":0,"units":0}`}, {"failure", ""},
	} {
		other = set(t, other, e[0], e[1])
	}
	want := []string{
		"outcome: complete vs failed", "cells: 9,b vs 10,9,b",
		"cell 9: status skipped vs committed", "cell 9: outputs differ", "cell 9: work 0 vs 1", "cell 9: rounds 1 vs 2", "cell 9: items 1 vs 3",
		"cell 9: failure differs", "cell 9: toolCalls differ", "cell 9: shadowOut differs", "cell 9: via local vs hub", "cell 9: slot differs", "cell b: work 0 vs 5",
		"effect 0: requestDigest differs", "effect 0: output differs", "effect 0: error differs", "effect 0: executor b vs x", "effect 0: usage differs",
		"effect 1: executor c vs y", "events: event logs differ", "work.steps: 0 vs 2", "work.agentCalls: 0 vs 1", "work.units: 0 vs 3", "failure presence differs",
	}
	if diff := cmp.Diff(want, replay.Diff(other, base)); diff != "" {
		t.Errorf("all at once (-want +got)\n%s", diff)
	}
}

// routed is a program whose gate chooses between two ways.
func routed(t testing.TB) *organism.Manifest {
	guard := func(e, label string) string {
		return strings.TrimSuffix(e, "}") + `,"guard":{"equals":"` + label + `"}}`
	}
	return program(t,
		`{"id":"gate","kind":"gate","inputs":{},"prompt":"","output":{"kind":"choice","labels":["left","right"]}},
		{"id":"left","kind":"fn","fn":"echo.v1"},{"id":"right","kind":"fn","fn":"echo.v1"}`,
		guard(edge("gate.out", "left.value"), "left")+","+guard(edge("gate.out", "right.value"), "right"))
}

func responding(t testing.TB, text string) runtime.Host {
	var log asked
	return runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{newScripted("scripted", goldenrun.ParseText(t, "responses", text), &log)}}
}

// TestVerification holds the entries V-1 to V-5 and V-8 of the catalogue.
func TestVerification(t *testing.T) {
	m, store := routed(t), runtime.Host{Store: cas.NewMemory()}
	check := func(t *testing.T, receipt canon.Value, m *organism.Manifest, want ...string) {
		t.Helper()
		report, err := replay.Verify(t.Context(), receipt, m, store)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, report.Mismatches); diff != "" || report.OK != (len(want) == 0) {
			t.Errorf("report %s (-want +got)\n%s", report.Value(), diff)
		}
	}
	left := receiptOf(t, m, `{}`, responding(t, `{"gate":"left"}`))
	t.Run("V-1", func(t *testing.T) { check(t, left, m) })
	t.Run("V-2", func(t *testing.T) {
		check(t, redigest(set(t, left, "cells.left.outputs.value", `"x"`)), m, "cell left: outputs differ")
	})
	t.Run("V-3", func(t *testing.T) {
		other := program(t, `{"id":"x","kind":"tool","tool":"absent"}`, "") // would not even compile
		check(t, left, other, "manifestDigest: receipt records "+string(m.Digest())+", supplied manifest hashes to "+string(other.Digest()))
	})
	t.Run("V-4", func(t *testing.T) {
		right := receiptOf(t, m, `{}`, responding(t, `{"gate":"right"}`))
		check(t, right, m)
		for receipt, skipped := range map[*canon.Value]string{&left: "right", &right: "left"} {
			if status := receipt.Get("cells").Get(skipped).Get("status"); !status.IsText("skipped") {
				t.Errorf("cell %s is %s", skipped, status)
			}
		}
	})
	t.Run("V-5", func(t *testing.T) {
		failed := receiptOf(t, m, `{}`, responding(t, `{}`))
		var w world
		suspended := receiptOf(t, m, `{}`, runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{newCommand("exit 75", "", canon.Value{}, &w)}})
		for receipt, want := range map[*canon.Value]string{&failed: runtime.Failed, &suspended: runtime.Suspended} {
			if !receipt.Get("outcome").IsText(want) {
				t.Errorf("outcome %s, want %s", receipt.Get("outcome"), want)
			}
			check(t, *receipt, m)
		}
	})
	t.Run("V-8", func(t *testing.T) {
		if got := left.Get("digest").Text(); got != string(left.Without("digest").Digest()) {
			t.Errorf("digest %s of %s", got, left)
		}
		stale := left.With(canon.M("digest", canon.String(string(m.Digest()))))
		check(t, stale, m, "receipt digests differ: "+string(m.Digest())+" vs "+left.Get("digest").Text())
	})
}

// TestVerifyRunsNothing: tools are there for their signatures only (conformance
// P-23), transports are used as in any compilation.
func TestVerifyRunsNothing(t *testing.T) {
	calls := 0
	host := runtime.Host{Store: cas.NewMemory(), Tools: map[string]*runtime.HostTool{"t.read": {
		Signature: readSignature,
		Call: func(context.Context, runtime.ToolCall) (canon.Value, error) {
			calls++
			return canon.Object(canon.M("r", canon.Int(calls))), nil
		},
	}}}
	m := program(t, `{"id":"t","kind":"tool","tool":"t.read"},{"id":"q","kind":"const","outputs":{"v":{"type":"json","value":0}}}`, edge("q.v", "t.q"))
	receipt := receiptOf(t, m, `{}`, host)
	host.Executors = []runtime.Executor{forbidden{t}}
	report, err := replay.Verify(t.Context(), receipt, m, host)
	if err != nil || !report.OK || calls != 1 {
		t.Errorf("%s, %v after %d calls", report.Value(), err, calls)
	}
	without := redigest(set(t, receipt, "effects.0", ""))
	report, err = replay.Verify(t.Context(), without, m, host)
	if err != nil || report.OK || calls != 1 {
		t.Errorf("without the effect: %s, %v after %d calls", report.Value(), err, calls)
	}
	if _, err := replay.Verify(t.Context(), receipt, m, runtime.Host{Store: cas.NewMemory()}); algal.CodeOf(err) != algal.ToolUnknown {
		t.Errorf("without the signature: %v", err)
	}
}

// TestUnreplayable: an honest receipt does not verify where the live store failed
// in a way that does not recur (run.md §13.3).
func TestUnreplayable(t *testing.T) {
	m := program(t, `{"id":"r","kind":"slot","name":"s","mode":"read"}`, "")
	broken := damage(cas.NewMemory(), goldenrun.ParseText(t, "files", `{"slots/s.json":{"text":"oops"}}`))
	receipt := receiptOf(t, m, `{}`, runtime.Host{Store: broken})
	report, err := replay.Verify(t.Context(), receipt, m, runtime.Host{Store: broken})
	want := []string{"cell r: failure differs", "failure.code: PARSE_FAILED vs INPUT_MISSING"}
	if diff := cmp.Diff(want, report.Mismatches); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestVerifier: one verifier serves many receipts, and knows those of another
// program. What ends the replay is an error, not a verdict.
func TestVerifier(t *testing.T) {
	m := routed(t)
	v, err := replay.NewVerifier(m, runtime.Host{Store: cas.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{`{"gate":"left"}`, `{"gate":"right"}`} {
		receipt := receiptOf(t, m, `{}`, responding(t, answer))
		if report, err := v.Verify(t.Context(), receipt); err != nil || !report.OK {
			t.Errorf("%s: %s, %v", answer, report.Value(), err)
		}
		if mismatches, err := v.Mismatches(t.Context(), receipt); err != nil || len(mismatches) > 0 {
			t.Errorf("%s: %v, %v", answer, mismatches, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		report, err := v.Verify(ctx, receipt)
		if err == nil || report.OK {
			t.Errorf("interrupted: %s", report.Value())
		}
		if mismatches, err := v.Mismatches(ctx, receipt); err == nil {
			t.Errorf("interrupted: %v", mismatches)
		}
	}
	other := receiptOf(t, program(t, `{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`, ""), `{}`, runtime.Host{Store: cas.NewMemory()})
	report, err := v.Verify(t.Context(), other)
	mismatches, _ := v.Mismatches(t.Context(), other)
	want := []string{"manifestDigest: receipt records " + other.Get("manifestDigest").Text() + ", supplied manifest hashes to " + string(m.Digest())}
	if err != nil || report.OK || cmp.Diff(want, report.Mismatches) != "" || cmp.Diff(want, mismatches) != "" || !other.Get("digest").IsText(string(report.Digest)) || report.Outcome != runtime.Complete {
		t.Errorf("%s, %v, %v", report.Value(), mismatches, err)
	}
}
