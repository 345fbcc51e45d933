package runtime_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// The tests here carry the numbers of the catalogue (conformance.md §9). What
// admission alone decides is tested in package organism; here it is that a run is
// refused, and nothing happens.

// verifies runs a receipt's program again with the recorded effects and wants the
// same receipt.
func verifies(t *testing.T, text string, receipt canon.Value) {
	t.Helper()
	r := &runtime.Replay{StrictTools: true}
	for _, e := range receipt.Get("effects").Elements() {
		if r.Effects = append(r.Effects, e); runtime.IsToolEffect(e) {
			r.Tools = append(r.Tools, e)
		}
	}
	result, err := runtime.Run(t.Context(), manifest(t, text), receipt.Get("args"), runtime.Host{Store: cas.NewMemory()}, r)
	if err != nil || !canon.Equal(result.Receipt(), receipt) {
		t.Errorf("does not verify: %v", err)
	}
}

func TestG6Arguments(t *testing.T) {
	for name, c := range map[string]struct{ args, text string }{
		"G-6/oversized": {`{"unused":{"v":` + text(1_048_576) + `}}`, "run argument bytes"},
		"G-6/map":       {`{"unused":[]}`, "input cell arguments must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			f := answering(`"x"`)
			_, err := start(t, document(`{"id":"a",`+textAgent+`}`, ""), c.args, asks(f))
			if err == nil || err.Error() != c.text || len(f.asked) != 0 {
				t.Errorf("%v after %d requests", err, len(f.asked))
			}
		})
	}
}

func TestG7UndeclaredToolArgument(t *testing.T) {
	text := document(`{"id":"a",`+textAgent+`,"tools":["pick.v1"]}`, "")
	receipt := run(t, text, `{}`, asks(answering(`{"inputs":{"field":"k","hidden":1,"record":{}},"tool":"pick.v1"}`)))
	failed(t, "G-7", receipt, algal.TypeMismatch, "tool pick.v1 received undeclared input hidden", "a")
	if n := receipt.Get("effects").Len(); n != 1 {
		t.Errorf("%d effects", n)
	}
	verifies(t, text, receipt)
}

func TestG8LargeTriage(t *testing.T) {
	text := document(`{"id":"a",`+textAgent+`,"tools":["echo.v1"],"compact":{"maxLogBytes":1},"budget":{"maxOutputBytes":60}}`, "")
	triage := `{"answers":{"keep_0":{"noul":1,"type":"` + strings.Repeat("x", 60) + `"}}}`
	receipt := run(t, text, `{}`, asks(answering(echoCall, triage)))
	failed(t, "G-8", receipt, algal.BudgetExhausted, "effect output 103B exceeds maxOutputBytes 60B", "a")
	if n := receipt.Get("effects").Len(); n != 2 {
		t.Errorf("%d effects", n)
	}
	verifies(t, text, receipt)
}

func TestG9ExpressionOutput(t *testing.T) {
	text := document(`{"id":"e","kind":"expr","inputs":{},"expr":`+program(`"text"`)+`,"output":{"kind":"json","schema":{"type":"number"}}}`, "")
	receipt := run(t, text, `{}`, runtime.Host{})
	failed(t, "G-9", receipt, algal.TypeMismatch, "expected number", "e")
	same(t, "G-9", cell(receipt, "e").Get("failure"), `{"code":"TYPE_MISMATCH","message":"expected number"}`)
	verifies(t, text, receipt)
}

func TestG10Guard(t *testing.T) {
	for _, guard := range []string{`1`, `["add","a",1]`} {
		text := document(literal("source", "1")+","+echo("target"), edges(`source.v target.value "guard":{"expr":`+program(guard)+`}`))
		receipt := run(t, text, `{}`, runtime.Host{})
		failure := receipt.Get("failure")
		if !failure.Get("code").IsText(string(algal.GuardInvalid)) || !failure.Get("path").IsText("target") {
			t.Errorf("G-10: %s", failure)
		}
		same(t, "G-10: source", cell(receipt, "source").Get("status"), `"committed"`)
		same(t, "G-10: target", cell(receipt, "target"), "")
		verifies(t, text, receipt)
	}
}

// TestG11GuardWork: a guard is evaluated once, when everything that its target
// waits for is settled, wherever the cells stand.
func TestG11GuardWork(t *testing.T) {
	const no = `"guard":{"expr":{"contract":"algal.expr.v1","program":false}}`
	target := `{"id":"target","kind":"fn","fn":"coalesce.v1"}`
	for _, cells := range []string{literal("source", "1") + "," + target, target + "," + literal("source", "1")} {
		text := document(cells, edges("source.v target.a "+no), `"budgets":{"maxWork":100}`)
		receipt := run(t, text, `{}`, runtime.Host{})
		failed(t, "G-11", receipt, algal.BudgetExhausted, "maxWork exhausted", "target")
		same(t, "G-11", receipt.Get("work"), `{"agentCalls":0,"steps":1,"units":101}`)
		same(t, "G-11: target", cell(receipt, "target"), "")
		verifies(t, text, receipt)
	}
	// The other producer is settled two sweeps later; the guard is burned once.
	late := document(target+","+echo("b")+","+echo("a")+","+literal("source", "1"),
		edges("source.v target.a "+no, "source.v a.value", "a.value b.value", "b.value target.b"))
	receipt := run(t, late, `{}`, runtime.Host{})
	same(t, "G-11: once", receipt.Get("work").Get("units"), `431`) // 100 + 110 + 110 + 110 + 1
	if got := events(receipt); got != "start, commit source, commit a, commit b, commit target, end complete" {
		t.Errorf("G-11: %s", got)
	}
}

func TestG14SpawnedCapability(t *testing.T) {
	child := strings.Replace(passing, `"outputs":{"v":"json"}`, `"outputs":{"v":{"type":"cap","capability":"inbox"}}`, 1)
	text := document(literal("m", child)+","+literal("args", `{"x":`+handleOne+`}`)+`,{"id":"o","kind":"spawn"}`, edges("m.v o.manifest", "args.v o.args"))
	receipt := run(t, text, `{}`, runtime.Host{})
	failed(t, "G-14", receipt, algal.TypeMismatch, "spawn cannot expose capability ports through json; use a typed organism cell", "o")
	same(t, "G-14: the child's input", cell(receipt, "o/in"), "")
	verifies(t, text, receipt)
}

// TestRefusedPrograms: what admission refuses gives no receipt and calls nothing.
func TestRefusedPrograms(t *testing.T) {
	const capability = `{"type":"cap","capability":"%"}`
	store := cas.NewMemory()
	child := embed(t, store, passing)
	closed := embed(t, store, document(literal("c", "1"), ""))
	kind := func(class string) string { return strings.Replace(capability, "%", class, 1) }
	first := `{"id":"first","kind":"tool","tool":"probe"},`
	for _, c := range []struct {
		id, text string
		code     algal.Code
		part     string
	}{
		{"G-2/duplicate", document(first+echo("e")+","+echo("e"), ""), algal.ManifestInvalid, "duplicate cell id"},
		{"G-2/cycle", document(first+echo("e"), edges("e.value e.value")), algal.GraphCycle, "cycle"},
		{"G-2/function", document(first+`{"id":"f","kind":"fn","fn":"nope.v1"}`, ""), algal.FnUnknown, "nope.v1"},
		{"G-2/assignment", document(first+literal("a", "1")+","+echo("e"), edges("a.v e.value", "a.v e.value")), algal.ManifestInvalid, "single-assignment"},
		{"G-3", document(first+literal("a", "1")+","+echo("e"), edges(`a.v e.value "guard":{"equals":"x"}`)), algal.GuardInvalid, "guard"},
		{"G-4", document(first+literal("a", "1")+`,{"id":"l","kind":"load"}`, edges("a.v l.ref")), algal.TypeMismatch, "cannot feed"},
		{"G-5", document(first+`{"id":"r","kind":"repeat","maxRounds":2,`+closed+`}`, ""), algal.InterfaceMismatch, "interface"},
		{"G-12", document(first+`{"id":"r","kind":"repeat","maxRounds":2,"carry":{"y":"z"},`+child+`}`, ""), algal.InterfaceMismatch, "carry"},
		{"G-13", document(first+echo("e"), "", `"interface":{"inputs":{},"outputs":{"y":{"cell":"none","port":"v"}}}`), algal.InterfaceMismatch, "targets missing port"},
		{"M-28", document(first+`{"id":"i","kind":"input","outputs":{"h":`+kind("mailbox-send")+`}},{"id":"receive","kind":"tool","tool":"receive"}`, edges("i.h receive.mailbox")),
			algal.TypeMismatch, "cannot feed"},
	} {
		t.Run(c.id, func(t *testing.T) {
			var calls []runtime.ToolCall
			host := probe(t, ``, &calls)
			host.Store = store
			host.Tools["receive"] = tool(t, `{"inputs":{"mailbox":`+kind("mailbox-receive")+`},"outputs":{},"effect":"write","cost":1,"maxOutputBytes":9}`, reply{}, nil)
			receipt, err := start(t, c.text, `{}`, host)
			if receipt.Exists() || algal.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.part) || len(calls) != 0 {
				t.Errorf("%v %v after %d calls, want %s %q", algal.CodeOf(err), err, len(calls), c.code, c.part)
			}
		})
	}
	t.Run("M-27", func(t *testing.T) {
		minting := document(`{"id":"c","kind":"const","outputs":{"h":{"type":"cap","capability":"mailbox-send","value":`+handleOne+`}}}`, "")
		if _, err := organism.ParseManifest(parse(t, minting)); err == nil || !strings.Contains(err.Error(), "cannot mint capability handles") {
			t.Errorf("%v", err)
		}
		// Nor can a program mint one in a run: the spawned manifest is parsed alike.
		spawn := document(literal("m", minting)+`,{"id":"o","kind":"spawn"}`, edges("m.v o.manifest"))
		failure := run(t, spawn, `{}`, runtime.Host{}).Get("failure")
		if !strings.Contains(failure.Get("message").Text(), "cannot mint capability handles") {
			t.Errorf("spawned: %s", failure)
		}
	})
}
