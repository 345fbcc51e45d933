package replay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// program admits a manifest of the given cells and edges.
func program(t testing.TB, cells, edges string) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(goldenrun.ParseText(t, "program",
		`{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[`+cells+`],"edges":[`+edges+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// edge is an edge between two ports written as cell.port.
func edge(from, to string) string {
	ref := func(s string) string {
		cell, port, _ := strings.Cut(s, ".")
		return `{"cell":"` + cell + `","port":"` + port + `"}`
	}
	return `{"from":` + ref(from) + `,"to":` + ref(to) + `}`
}

// receiptOf runs a program to its receipt.
func receiptOf(t testing.TB, m *organism.Manifest, args string, host runtime.Host) canon.Value {
	t.Helper()
	result, err := runtime.Run(t.Context(), m, goldenrun.ParseText(t, "args", args), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Receipt()
}

func redigest(receipt canon.Value) canon.Value {
	return receipt.With(canon.M("digest", canon.String(string(receipt.DigestWithout("digest")))))
}

// TestLiveResume resumes the suspended golden runs and expects the recorded
// receipts byte for byte.
func TestLiveResume(t *testing.T) {
	n := 0
	for _, c := range goldenrun.Receipts(t) {
		resume := c.Record.Get("resume")
		if !resume.Exists() {
			continue
		}
		n++
		w, host := newWorld(t, &c, caseFile(t, c.Name))
		host.Executors = nil
		for _, e := range resume.Get("executors").Elements() {
			host.Executors = append(host.Executors, w.executor(&c, e))
		}
		m, err := organism.ParseManifest(c.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		want := goldenrun.Parse(t, "receipts/"+c.Name+"/resumed.receipt.json")
		result, err := replay.Resume(t.Context(), c.Receipt, m, host)
		if err != nil || result.Receipt().String() != want.String() {
			t.Errorf("%s: %s", c.Name, difference(result, err, want))
			continue
		}
		for _, entry := range w.asked {
			if answered(c.Receipt, entry.Get("digest")) {
				t.Errorf("%s: a live executor was asked again what the checkpoint answers: %s", c.Name, entry)
			}
		}
		report, err := verify(t, &c, result.Receipt())
		if err != nil || !canon.Equal(report.Value().Without("digest").Without("outcome"), resume.Get("verify")) {
			t.Errorf("%s: resumed: %s, %v", c.Name, report.Value(), err)
		}
	}
	if n != 2 {
		t.Fatalf("%d resumed cases, want 2", n)
	}
}

// answered reports whether a receipt holds a settled effect of a request.
func answered(receipt, request canon.Value) bool {
	for _, e := range receipt.Get("effects").Elements() {
		if canon.Equal(e.Get("requestDigest"), request) && !runtime.IsSuspended(e) {
			return true
		}
	}
	return false
}

// TestResumeSettled resumes runs that have nothing left to do, without executors:
// the receipt is the same again.
func TestResumeSettled(t *testing.T) {
	n := 0
	for _, c := range goldenrun.Receipts(t) {
		if c.Record.Get("outcome").IsText(runtime.Suspended) || !c.Receipt.Exists() || c.Transports != nil {
			continue
		}
		m, err := organism.ParseManifest(c.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		host := runtime.Host{Store: newStore(t, &c), Tools: c.Signatures(t)}
		result, err := replay.Resume(t.Context(), c.Receipt, m, host)
		if err != nil || result.Receipt().String() != c.Receipt.String() {
			t.Errorf("%s: %s", c.Name, difference(result, err, c.Receipt))
		}
		n++
	}
	if n == 0 {
		t.Fatal("no receipts")
	}
	t.Logf("%d settled runs resume to the same receipt", n)
}

func TestResumeRefusals(t *testing.T) {
	m := program(t, `{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`, "")
	other := program(t, `{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":2}}}`, "")
	receipt := receiptOf(t, m, `{}`, runtime.Host{Store: cas.NewMemory()})
	work := canon.M("work", goldenrun.ParseText(t, "work", `{"agentCalls":0,"steps":9,"units":100}`))
	stale := receipt.With(canon.M("outcome", canon.String("failed")))
	for _, c := range []struct {
		name    string
		receipt canon.Value
		program *organism.Manifest
		code    algal.Code
		text    string
	}{
		{"not a receipt", canon.Object(), m, algal.ParseFailed, `expected contract "algal.run.v1"`},
		{"another program", receipt, other, algal.DigestMismatch,
			"receipt records " + string(m.Digest()) + ", supplied manifest hashes to " + string(other.Digest())},
		{"another program comes before the digest", stale, other, algal.DigestMismatch,
			"receipt records " + string(m.Digest()) + ", supplied manifest hashes to " + string(other.Digest())},
		{"stale digest", stale, m, algal.DigestMismatch, "checkpoint receipt digest does not match its contents"},
		{"does not replay", redigest(receipt.With(work)), m, algal.ReceiptMismatch, "checkpoint did not verify: work.steps: 9 vs 1"},
		{"two mismatches", redigest(receipt.With(work, canon.M("outcome", canon.String("failed")))), m, algal.ReceiptMismatch,
			"checkpoint did not verify: outcome: failed vs complete; work.steps: 9 vs 1"},
	} {
		host := runtime.Host{Store: cas.NewMemory(), Executors: []runtime.Executor{forbidden{t}}}
		result, err := replay.Resume(t.Context(), c.receipt, c.program, host)
		if result != nil || algal.CodeOf(err) != c.code || err.Error() != c.text {
			t.Errorf("%s: %v %v, want %s %s", c.name, algal.CodeOf(err), err, c.code, c.text)
		}
	}
}

// forbidden is an executor that nothing may reach.
type forbidden struct{ t *testing.T }

func (f forbidden) Describe() runtime.Description {
	return runtime.Description{ID: "forbidden", Kinds: everyKind, Wildcard: true}
}

func (f forbidden) Call(context.Context, *runtime.Request) (runtime.Answer, error) {
	f.t.Error("a live executor was called")
	return runtime.Answer{}, algal.Errorf(algal.EffectFailed, "forbidden")
}

// waiting is a program that writes a slot, reads two others, of which one is not
// there, calls a tool and waits for a gate. Behind the gate it spawns a child that
// reads the slot written before.
func waiting(t *testing.T) *organism.Manifest {
	const child = `{"contract":"algal.organism.v1","key":"organism:c","name":"c","cells":[{"id":"tail","kind":"slot","name":"s","mode":"read"}],"edges":[]}`
	return program(t,
		`{"id":"go","kind":"const","outputs":{"v":{"type":"json","value":"mine"}}},
		{"id":"write","kind":"slot","name":"s","mode":"write"},
		{"id":"read","kind":"slot","name":"r","mode":"read"},
		{"id":"none","kind":"slot","name":"absent","mode":"read"},
		{"id":"caught","kind":"fn","fn":"echo.v1"},
		{"id":"tool","kind":"tool","tool":"count"},
		{"id":"gate","kind":"gate","inputs":{"v":"json"},"prompt":"","output":{"kind":"choice","labels":["y"]}},
		{"id":"late","kind":"expr","inputs":{"v":"json"},"expr":{"contract":"algal.expr.v1","program":["quote",`+child+`]},
			"output":{"kind":"json","schema":{"type":"object"}}},
		{"id":"child","kind":"spawn"}`,
		strings.Join([]string{
			edge("go.v", "write.data"), edge("tool.n", "gate.v"), edge("gate.out", "late.v"), edge("late.out", "child.manifest"),
			strings.TrimSuffix(edge("none.data", "caught.value"), "}") + `,"on":"fail"}`,
		}, ","))
}

// TestResumePrefix is P-30: what the checkpoint settled is not done again, and
// the live tail sees the world as it is.
func TestResumePrefix(t *testing.T) {
	store, calls := cas.NewMemory(), 0
	set := func(name, value string) {
		if err := store.SetSlot(name, canon.String(value)); err != nil {
			t.Fatal(err)
		}
	}
	set("r", "before")
	signature, err := organism.ParseTool(goldenrun.ParseText(t, "tool", `{"inputs":{},"outputs":{"n":"json"},"effect":"write","cost":1,"maxOutputBytes":16}`), "tool")
	if err != nil {
		t.Fatal(err)
	}
	host := runtime.Host{Store: store, Tools: map[string]*runtime.HostTool{"count": {
		Signature: signature,
		Call: func(context.Context, runtime.ToolCall) (canon.Value, error) {
			calls++
			return canon.Object(canon.M("n", canon.Int(calls))), nil
		},
	}}}
	var log asked
	suspend := &command{line: "exit 75", id: "hold", options: canon.Object(), expire: new(func()), asked: &log}
	host.Executors = []runtime.Executor{suspend}
	m := waiting(t)
	checkpoint := receiptOf(t, m, `{}`, host)
	if !checkpoint.Get("outcome").IsText(runtime.Suspended) {
		t.Fatalf("checkpoint %s", checkpoint)
	}

	again, err := replay.Resume(t.Context(), checkpoint, m, host)
	if err != nil || again.Receipt().String() != checkpoint.String() {
		t.Fatalf("still suspended: %s", difference(again, err, checkpoint))
	}

	set("s", "theirs")
	set("r", "after")
	set("absent", "now there")
	host.Executors = []runtime.Executor{newScripted("late", goldenrun.ParseText(t, "responses", `{"gate":"y"}`), &log)}
	foreign := redigest(checkpoint.With(canon.M("runtime", goldenrun.ParseText(t, "stamp", `{"name":"algal","version":"9"}`))))
	result, err := replay.Resume(t.Context(), foreign, m, host)
	if err != nil {
		t.Fatal(err)
	}
	receipt := result.Receipt()
	cells := receipt.Get("cells")
	for path, want := range map[string]string{
		"write": `{"data":"mine"}`, "read": `{"data":"before"}`, "child/tail": `{"data":"theirs"}`, "tool": `{"n":1}`,
		"caught": `{"value":{"code":"INPUT_MISSING","message":"slot cell \"none\": slot \"absent\" is empty and declares no default"}}`,
	} {
		if got := cells.Get(path).Get("outputs").String(); got != want {
			t.Errorf("cell %s: %s, want %s", path, got, want)
		}
	}
	if v, _ := store.Slot("s"); !v.IsText("theirs") {
		t.Errorf("slot s holds %s: the write of the prefix was repeated", v)
	}
	if calls != 1 {
		t.Errorf("the tool was called %d times", calls)
	}
	if !canon.Equal(receipt.Get("runtime"), runtime.Stamp()) {
		t.Errorf("stamp %s", receipt.Get("runtime"))
	}
	report, err := replay.Verify(t.Context(), receipt, m, host)
	if err != nil || !report.OK {
		t.Errorf("%s, %v", report.Value(), err)
	}
}
