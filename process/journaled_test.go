//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
	"github.com/google/go-cmp/cmp"
)

// The tests of this file are named after the entries of conformance.md §7.

func TestJ1(t *testing.T) {
	d := newDesk(t)
	boxes := d.mailboxes()
	in, err := boxes.Create(t.Context(), "inbox", 4, 1000)
	must(t, err)
	out, err := boxes.Create(t.Context(), "outbox", 4, 1000)
	must(t, err)
	d.host.Tools = boxes.Tools()
	d.createWith(process.Definition{
		Name: "waiter",
		Manifest: manifest(t, cells(
			`{"id":"in","kind":"input","outputs":{"send":{"type":"cap","capability":"mailbox-send"},"receive":{"type":"cap","capability":"mailbox-receive"}}},`+
				`{"id":"word","kind":"const","outputs":{"v":{"type":"json","value":1}}},`+
				`{"id":"tell","kind":"tool","tool":"mailbox.send.v1"},{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"}`,
			"in.send tell.mailbox", "word.v tell.message", "in.receive wait.mailbox")),
		Args: canon.Object(canon.M("in", canon.Object(
			canon.M("receive", canon.String(in.Receive.String())), canon.M("send", canon.String(out.Send.String()))))),
		MaxGenerations: 4,
	})
	s, err := d.journaledTick("waiter")
	must(t, err)
	if s.Record.Status != "suspended" {
		t.Fatalf("status %s", s.Record.Status)
	}
	v, err := d.processes().Describe("waiter")
	must(t, err)
	effects := v.Get("effects")
	if effects.Len() != 2 || v.Get("bytes").Float() == 0 || !v.Get("header").Get("maxRecoveries").Exists() {
		t.Fatalf("described as %s", v)
	}
	for i, want := range []struct{ executor, code string }{{"tool:mailbox.send.v1", ""}, {"tool:mailbox.receive.v1", "EFFECT_SUSPENDED"}} {
		record := effects.At(i).Get("record")
		if record.Digest() != algal.Digest(effects.At(i).Get("digest").Text()) || !record.Get("executor").IsText(want.executor) ||
			!record.Get("state").IsText("completed") || !record.Get("recovery").IsText("never") ||
			record.Get("receipt").Get("error").Get("code").Text() != want.code {
			t.Errorf("effect %d is %s", i, effects.At(i))
		}
	}
	// The second generation has a journal of its own, without the prefix (J-30).
	_, err = boxes.Send(t.Context(), in.Send.String(), canon.String("go"), canon.DigestText("key"))
	must(t, err)
	advanced, err := d.processes().Schedule(t.Context(), process.Pass{Options: process.Options{Journal: true, MaxRecoveries: 1}, MaxTicks: 1})
	if err != nil || len(advanced) != 1 {
		t.Fatalf("scheduled %v, %v", advanced, err)
	}
	d.completes("waiter", advanced[0], nil)
	d.holds("waiter", "tool:mailbox.receive.v1.")
	if got := d.journalOf("waiter").Header().MaxRecoveries; got != 1 {
		t.Errorf("a budget of %d recoveries", got)
	}
}

func TestJ2(t *testing.T) {
	d := newDesk(t)
	d.create("idle", cells(`{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`))
	d.unchanged("describe", func() {
		_, err := d.processes().Describe("idle")
		refused(t, "describe", err, algal.IOFailed, "process has no dispatch intent")
		_, err = d.processes().Describe("none")
		refused(t, "describe", err, algal.StoreMiss, "process head missing")
	})
}

// suspends is a program that answers once and then waits.
var suspends = cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"tool","tool":"gate"}`, "a.out b.in")

func later(runtime.ToolCall) (canon.Value, error) {
	return canon.Value{}, algal.Errorf(algal.EffectSuspended, "later")
}

func TestJ3(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("gate", "read", later)
	d.create("p", suspends)
	_, err := d.journaledTick("p")
	must(t, err)
	_, err = d.processes().Describe("p")
	must(t, err)
	_, err = d.processes().Tick(t.Context(), "p", process.Options{MaxRecoveries: 99}) // not looked at without a journal
	must(t, err)
	d.unchanged("describe", func() {
		_, err = d.processes().Describe("p")
		refused(t, "describe", err, algal.IOFailed, "dispatch has no recovery journal")
	})
	d.called("first", "gate", "gate")
}

// TestJ4: a tick that dies between the journal's header and the head is made again,
// with the same bounds.
func TestJ4(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("second", "read", answers("2"))
	d.create("p", twoTools)
	d.hook = failing("processes/p/head.json")
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "replace failed: the disk is gone")
	d.hook = nil
	d.called()
	if s := d.head("p"); s.Record.Status != "ready" {
		t.Fatalf("status %s", s.Record.Status)
	}
	d.unchanged("another budget", func() {
		_, err := d.processes().Tick(t.Context(), "p", process.Options{Journal: true, MaxRecoveries: 3})
		refused(t, "another budget", err, algal.DigestMismatch, "immutable host state conflicts")
	})
	for _, n := range []int{0, 9} {
		_, err := d.processes().Tick(t.Context(), "p", process.Options{Journal: true, MaxRecoveries: n})
		refused(t, "tick", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
		_, err = d.processes().Schedule(t.Context(), process.Pass{Options: process.Options{Journal: true, MaxRecoveries: n}, MaxTicks: 1})
		refused(t, "schedule", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
	}
	s, err := d.journaledTick("p")
	d.completes("p", s, err)
}

// failing lets the step fail that gives the file its name.
func failing(file string) durable.Hook {
	return func(s durable.Step, do func() error) error {
		if strings.HasSuffix(s.Target, "/"+file) {
			return errors.New("the disk is gone")
		}
		return unsynced(s, do)
	}
}

// failingDir is failing for every file of a directory.
func failingDir(dir string) durable.Hook {
	return func(s durable.Step, do func() error) error {
		if s.Target != "" && strings.HasSuffix(filepath.Dir(s.Target), "/"+dir) {
			return errors.New("the disk is gone")
		}
		return unsynced(s, do)
	}
}

// TestJ6: everything has settled and the outcome is lost. Recovery calls nothing and
// publishes what the dispatch would have.
func TestJ6(t *testing.T) {
	outcome := func(crash bool) *process.Snapshot {
		d := newDesk(t)
		d.scripted(`{"ask":"a","tell":["b","c"]}`)
		d.tool("second", "write", answers("1"))
		d.create("p", cells(`{"id":"ask","kind":"agent","prompt":"?","output":{"kind":"text"}},{"id":"a","kind":"tool","tool":"second"},`+
			`{"id":"tell","kind":"agent","inputs":{"x":"json"},"prompt":"!","output":{"kind":"text"}}`, "ask.out a.in", "a.out tell.x"))
		if !crash {
			s, err := d.journaledTick("p")
			d.completes("p", s, err)
			return s
		}
		d.hook = failingDir("runs")
		_, err := d.journaledTick("p")
		refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
		d.hook = nil
		d.called("second")
		d.uncertain("p")
		intent := d.head("p")
		d.host.Executors = []runtime.Executor{mute{d.host.Executors[0]}}
		s, err := d.recover("p")
		d.completes("p", s, err)
		d.called()
		if s.Record.Generation != 1 || s.Record.Previous != intent.Digest {
			t.Errorf("outcome %s", s.Value())
		}
		return s
	}
	if plain, recovered := outcome(false), outcome(true); plain.Digest != recovered.Digest {
		t.Errorf("recovered to %s, want %s", recovered.Value(), plain.Value())
	}
}

// mute is an executor that must not be called.
type mute struct{ runtime.Executor }

func (mute) Call(context.Context, *runtime.Request) (runtime.Answer, error) {
	return runtime.Answer{}, algal.Errorf(algal.Internal, "a settled effect was called")
}

func TestJ7(t *testing.T) {
	const exact = "recovery requires the exact current uncertain intent"
	d := newDesk(t)
	d.tool("first", "read", dies)
	d.tool("second", "read", answers("2"))
	d.create("p", twoTools)
	before := d.head("p").Digest
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	d.unchanged("recover of another intent", func() {
		for _, intent := range []algal.Digest{before, canon.DigestText("wrong-intent"), ""} {
			_, err := d.processes().Recover(t.Context(), "p", intent)
			refused(t, "another intent", err, algal.ReceiptMismatch, exact)
		}
	})
	intent := d.head("p").Digest
	release, err := process.Leases(d.files(), d.root).Process(t.Context(), "p")
	must(t, err)
	d.unchanged("recover beside a live owner", func() {
		_, err = d.processes().Recover(t.Context(), "p", intent)
		refused(t, "beside a live owner", err, algal.IOFailed, "host lease is held by another live operation")
	})
	must(t, release())
	d.called("first")
	d.tool("first", "read", answers("1"))
	s, err := d.recover("p")
	d.completes("p", s, err)
	d.unchanged("recover of a settled process", func() {
		for _, intent := range []algal.Digest{intent, s.Digest} {
			_, err := d.processes().Recover(t.Context(), "p", intent)
			refused(t, "settled", err, algal.ReceiptMismatch, exact)
		}
	})
	d.unchanged("recover of nothing", func() {
		_, err := d.processes().Recover(t.Context(), "none", intent)
		refused(t, "nothing", err, algal.StoreMiss, "process head missing")
	})

	d = newDesk(t)
	d.tool("first", "read", dies)
	d.tool("second", "read", answers("2"))
	d.create("p", twoTools)
	_, err = d.processes().Tick(t.Context(), "p", process.Options{})
	must(t, err) // without a journal it is an ordinary failure
	if s := d.head("p"); s.Record.Status != "failed" {
		t.Errorf("status %s", s.Record.Status)
	}
	d.create("q", twoTools)
	d.hook = failingDir("runs")
	_, err = d.processes().Tick(t.Context(), "q", process.Options{})
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.unchanged("recover without a journal", func() {
		_, err := d.recover("q")
		refused(t, "without a journal", err, algal.IOFailed, "dispatch has no recovery journal")
	})
}

// TestJ8: a read that nobody heard of again is repeated, under the same key.
func TestJ8(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("second", "read", dies)
	d.create("p", twoTools)
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	d.holds("p", "tool:first.", "tool:second")
	_, err = d.recover("p")
	refused(t, "recover", err, algal.ToolFailed, "the connection was lost")
	d.holds("p", "tool:first.", "tool:second+")
	d.tool("second", "read", answers("2"))
	s, err := d.recover("p")
	d.completes("p", s, err)
	d.holds("p", "tool:first.", "tool:second++.")
	d.called("first", "second", "second", "second")
	if d.keys[1] != d.keys[2] || d.keys[1] != d.keys[3] || d.keys[0] == d.keys[1] {
		t.Errorf("keys %v", d.keys)
	}
}

// TestJ9: a write and a provider call are never repeated, and no attempt is spent.
func TestJ9(t *testing.T) {
	const message = "effect 1 has unknown completion; adapter reconciliation is required"
	d := newDesk(t)
	d.tool("first", "read", answers("1"))
	d.tool("second", "write", dies)
	d.create("p", twoTools)
	d.create("q", cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"agent","inputs":{"x":"json"},"prompt":"?","output":{"kind":"text"}}`, "a.out b.x"))
	d.host.Executors = []runtime.Executor{described{runtime.Description{ID: "model", Configuration: canon.DigestText("model")}, func(*runtime.Request) (runtime.Answer, error) {
		return runtime.Answer{}, &algal.Error{Code: algal.EffectFailed, Message: "no answer", Uncertain: true}
	}}}
	for name, executor := range map[string]string{"p": "tool:second", "q": "model"} {
		_, err := d.journaledTick(name)
		if e := algal.AsError(err); e == nil || !e.Uncertain {
			t.Fatalf("%s: %v", name, err)
		}
		d.ledger = nil
		d.unchanged("a refused recovery", func() {
			for range 2 {
				_, err := d.recover(name)
				refused(t, name, err, algal.IOFailed, message)
				var r *journal.Refusal
				if !errors.As(err, &r) || r.Ordinal != 1 || r.Recorded.Executor != executor || r.Recorded.Read || r.Configured != (runtime.Binding{}) || r.Consumed {
					t.Errorf("%s: refusal %+v", name, r)
				}
			}
		})
		d.called()
		d.uncertain(name)
	}
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "process dispatch is uncertain; reconcile before any further execution")
	if advanced, err := d.processes().Schedule(t.Context(), process.Pass{MaxTicks: 9}); len(advanced) > 0 || err != nil {
		t.Errorf("scheduled %v, %v", advanced, err)
	}
	d.called()
}

// described is an executor from a function.
type described struct {
	runtime.Description
	call func(*runtime.Request) (runtime.Answer, error)
}

func (d described) Describe() runtime.Description { return d.Description }

func (d described) Call(_ context.Context, r *runtime.Request) (runtime.Answer, error) {
	return d.call(r)
}

func TestJ10(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "read", dies)
	d.tool("second", "read", answers("2"))
	d.create("p", twoTools)
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	for range 2 {
		_, err := d.recover("p")
		refused(t, "recover", err, algal.ToolFailed, "the connection was lost")
	}
	d.called("first", "first", "first")
	d.unchanged("a recovery beyond the budget", func() {
		_, err := d.recover("p")
		refused(t, "recover", err, algal.BudgetExhausted, "process recovery budget exhausted")
		var r *journal.Refusal
		if !errors.As(err, &r) || r.Ordinal != -1 || r.Consumed {
			t.Errorf("refusal %+v", r)
		}
	})
	d.called()
	if n := d.journalOf("p").Attempts(); n != 2 {
		t.Errorf("%d attempts were spent", n)
	}
}

// TestJ11: the host is another one than at the crash. The refusal says which effect,
// what was and what is; an attempt is spent, and the right host recovers.
func TestJ11(t *testing.T) {
	const message = "journal request/configuration/order changed"
	crash := func() *desk {
		d := newDesk(t)
		d.scripted(`{"b":"x"}`)
		d.tool("first", "write", answers("1"))
		d.tool("second", "read", answers("2"))
		d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"agent","inputs":{"x":"json"},"prompt":"?","output":{"kind":"text"}},{"id":"c","kind":"tool","tool":"second"}`,
			"a.out b.x", "b.out c.in"))
		d.hook = failingDir("runs")
		_, err := d.journaledTick("p")
		refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
		d.hook, d.ledger = nil, nil
		return d
	}
	for name, c := range map[string]struct {
		ordinal int
		change  func(d *desk)
		undo    func(d *desk)
	}{
		"tool configuration": {0, func(d *desk) { d.host.Tools["first"].Configuration = canon.DigestText("other") },
			func(d *desk) { d.host.Tools["first"].Configuration = canon.DigestText("first") }},
		"tool effect": {2, func(d *desk) { d.resign("second", `"read"`, `"write"`) }, func(d *desk) { d.resign("second", `"write"`, `"read"`) }},
		"responses":   {1, func(d *desk) { d.scripted(`{"b":"y"}`) }, func(d *desk) { d.scripted(`{"b":"x"}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			d := crash()
			intent := d.head("p").Digest
			c.change(d)
			_, err := d.recover("p")
			refused(t, "recover", err, algal.ReceiptMismatch, message)
			var r *journal.Refusal
			if !errors.As(err, &r) || r.Ordinal != c.ordinal || r.Recorded == r.Configured || !r.Consumed {
				t.Fatalf("refusal %+v", r)
			}
			if want := d.journalOf("p").Effects()[c.ordinal].Binding; r.Recorded != want {
				t.Errorf("recorded %+v, want %+v", r.Recorded, want)
			}
			if d.head("p").Digest != intent || d.journalOf("p").Attempts() != 1 {
				t.Errorf("head %s, %d attempts", d.head("p").Digest, d.journalOf("p").Attempts())
			}
			d.called()
			c.undo(d)
			s, err := d.recover("p")
			d.completes("p", s, err)
			d.called()
		})
	}
}

// resign replaces a part of the signature of a tool.
func (d *desk) resign(name, from, to string) {
	tool := d.host.Tools[name]
	text := tool.Signature.Normal().String()
	if !strings.Contains(text, from) {
		d.t.Fatalf("%s is not in %s", from, text)
	}
	signature, err := organism.ParseTool(parse(d.t, strings.Replace(text, from, to, 1)), name)
	must(d.t, err)
	tool.Signature = signature
}

func TestJ12(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("second", "read", answers("2")).Configuration = ""
	d.create("p", twoTools)
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.ParseFailed, "journal tool configuration must be a sha256:<64 lowercase hex> digest")
	d.called("first")
	d.holds("p", "tool:first.")
	d.uncertain("p")

	d.host.Executors = []runtime.Executor{described{runtime.Description{ID: "plain"}, nil}}
	d.create("q", cells(`{"id":"b","kind":"agent","prompt":"?","output":{"kind":"text"}}`))
	_, err = d.journaledTick("q")
	refused(t, "tick", err, algal.ParseFailed, "journal executor configuration must be a sha256:<64 lowercase hex> digest")
	d.holds("q")
	d.called()
}

func TestJ13(t *testing.T) {
	configuration := canon.DigestText("model")
	for name, c := range map[string]struct {
		metadata runtime.Metadata
		message  string
	}{
		"none":          {runtime.Metadata{}, ""},
		"alias":         {runtime.Metadata{Executor: "backend"}, ""},
		"the admitted":  {runtime.Metadata{Configuration: configuration}, ""},
		"not the bound": {runtime.Metadata{Configuration: canon.DigestText("other")}, "journal receipt configuration mismatch"},
	} {
		d := newDesk(t)
		d.host.Executors = []runtime.Executor{described{runtime.Description{ID: "model", Configuration: configuration}, func(*runtime.Request) (runtime.Answer, error) {
			return runtime.Answer{Output: canon.String("x"), Metadata: c.metadata}, nil
		}}}
		d.create("p", cells(`{"id":"b","kind":"agent","prompt":"?","output":{"kind":"text"}}`))
		s, err := d.journaledTick("p")
		if c.message == "" {
			d.completes("p", s, err)
			d.holds("p", "model.")
			continue
		}
		refused(t, name, err, algal.ReceiptMismatch, c.message)
		d.holds("p", "model")
	}
}

// TestJ15: the effect happened and its completion could not be written. The program
// does not see that, and nobody repeats a write.
func TestJ15(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("second", "write", answers("2"))
	d.create("p", handled)
	entries := 0
	d.hook = func(s durable.Step, do func() error) error {
		if strings.HasSuffix(s.Target, "/entries/000000.json") {
			if entries++; entries == 2 {
				return errors.New("the disk is gone")
			}
		}
		return unsynced(s, do)
	}
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "replace failed: the disk is gone")
	if !algal.AsError(err).Uncertain {
		t.Error("the failure is not uncertain")
	}
	d.hook = nil
	d.called("first")
	d.holds("p", "tool:first")
	_, err = d.recover("p")
	refused(t, "recover", err, algal.IOFailed, "effect 0 has unknown completion; adapter reconciliation is required")
	d.called()
}

// handled is a program that calls "first" and, if that fails, "second".
const handled = `{"contract":"algal.organism.v1","key":"organism:test","name":"Test",` +
	`"cells":[{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"tool","tool":"second"}],` +
	`"edges":[{"from":{"cell":"a","port":"out"},"on":"fail","to":{"cell":"b","port":"in"}}]}`

// TestRecoverCheckpoint: a recovery goes on only from a checkpoint that replays, and
// with programs that are there (§7 steps 3 and 4).
func TestRecoverCheckpoint(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("gate", "read", later)
	embedded := manifest(t, child(`{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`))
	hub := &fetcher{normal: embedded.Normal()}
	d.host.Transports = map[string]organism.Transport{"hub": hub}
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"tool","tool":"gate"},`+
		`{"id":"o","kind":"organism","via":"hub","manifest":"`+string(embedded.Digest())+`"}`, "a.out b.in", "a.out o.item"))
	_, err := d.journaledTick("p")
	must(t, err)
	d.tool("gate", "read", dies)
	_, err = d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	d.tool("gate", "read", answers("open"))
	d.ledger = nil

	d.resign("first", `"maxOutputBytes":262144`, `"maxOutputBytes":1`)
	d.unchanged("a recovery from a checkpoint that does not replay", func() {
		_, err := d.recover("p")
		refused(t, "checkpoint", err, algal.ReceiptMismatch, "recovery checkpoint does not replay")
	})
	d.resign("first", `"maxOutputBytes":1`, `"maxOutputBytes":262144`)

	file := filepath.Join("manifests", embedded.Digest().Hex()+".json")
	text, asked := d.get(file), hub.asked
	must(t, os.Remove(filepath.Join(d.root, file)))
	d.unchanged("a recovery without a child", func() {
		if _, err := d.recover("p"); algal.CodeOf(err) != algal.StoreMiss || hub.asked != asked {
			t.Errorf("recover: %v, the transport was asked %d times", err, hub.asked-asked)
		}
	})
	d.put(file, text)
	d.called()
	s, err := d.recover("p")
	d.completes("p", s, err)
	d.called("gate")
}

// TestRecoverUnmet: a run that does not come to what the journal holds is not the run
// that was interrupted, and has no outcome (§5.5).
func TestRecoverUnmet(t *testing.T) {
	const message = "journal prefix was not fully consumed/settled"
	d := newDesk(t)
	d.scripted(`{"b":"x"}`)
	d.tool("first", "write", answers("1"))
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"agent","inputs":{"x":"json"},"prompt":"?","output":{"kind":"text"}}`, "a.out b.x"))
	d.hook = failingDir("runs")
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook, d.ledger = nil, nil
	executors := d.host.Executors
	d.host.Executors = nil // who answers nothing presents nothing
	_, err = d.recover("p")
	refused(t, "recover", err, algal.ReceiptMismatch, message)
	var r *journal.Refusal
	if !errors.As(err, &r) || r.Ordinal != 1 || r.Recorded.Executor != "scripted" || r.Configured != (runtime.Binding{}) || !r.Consumed {
		t.Errorf("refusal %+v", r)
	}
	d.uncertain("p")
	d.host.Executors = executors
	s, err := d.recover("p")
	d.completes("p", s, err)
	d.called()
}

// TestMaxRecoveries: a budget out of bounds is refused before anything else is looked
// at.
func TestMaxRecoveries(t *testing.T) {
	d := newDesk(t)
	for _, n := range []int{-1, 0, 9} {
		o := process.Options{Journal: true, MaxRecoveries: n}
		_, err := d.processes().Tick(t.Context(), "none", o)
		refused(t, "tick", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
		_, err = d.processes().Schedule(t.Context(), process.Pass{Options: o, MaxTicks: 1})
		refused(t, "schedule", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
	}
}

// TestRecoverDamaged: a journal that is not sound is refused with the name of the
// file, before anything is spent, called or written (J-16 to J-18).
func TestRecoverDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(d *desk, place, record string) (at string)
		code   algal.Code // "" recovers all the same
	}{
		"header cut": {func(d *desk, place, _ string) string { return d.put(place+"/header.json", "{") }, algal.ParseFailed},
		"entry cut":  {func(d *desk, place, _ string) string { return d.put(place+"/entries/000001.json", "") }, algal.ParseFailed},
		"entry of another effect": {func(d *desk, place, _ string) string {
			return d.put(place+"/entries/000002.json", d.get(place+"/entries/000000.json"))
		}, algal.ReceiptMismatch},
		"record changed": {func(d *desk, _, record string) string {
			return d.put(record, strings.Replace(d.get(record), `"ordinal":0`, `"ordinal":1`, 1))
		}, algal.ReceiptMismatch},
		"record removed": {func(d *desk, _, record string) string {
			must(d.t, os.Remove(filepath.Join(d.root, record)))
			return record
		}, algal.ReceiptMismatch},
		"attempt invented": {func(d *desk, place, _ string) string { return d.put(place+"/recoveries/000001.json", "{}") }, algal.ReceiptMismatch},
		"foreign file":     {func(d *desk, place, _ string) string { return d.put(place+"/entries/notes.txt", "") }, algal.IOFailed},
		"link": {func(d *desk, place, _ string) string {
			journals := filepath.Join(d.root, filepath.Dir(place))
			must(d.t, os.Rename(journals, journals+".moved"))
			must(d.t, os.Symlink(filepath.Base(journals)+".moved", journals))
			return filepath.Dir(place)
		}, algal.IOFailed},
		"leftover": {func(d *desk, place, _ string) string {
			return d.put(place+"/entries/.tmp-"+strings.Repeat("0", 48), "half a rec")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			d := deskAt(t, filepath.Join(dir, "store"))
			d.tool("first", "write", answers("1"))
			d.tool("second", "read", dies)
			d.create("p", twoTools)
			_, err = d.journaledTick("p")
			refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
			d.called("first", "second")
			d.tool("second", "read", answers("2"))
			record := "values/" + d.journalOf("p").Effects()[0].Digest.Hex() + ".json"
			at := c.damage(d, "processes/p/journals/"+d.head("p").Digest.Hex(), record)
			if c.code == "" {
				s, err := d.recover("p")
				d.completes("p", s, err)
				return
			}
			d.unchanged("a refused recovery", func() {
				_, err := d.recover("p")
				var f *journal.Fault
				if algal.CodeOf(err) != c.code || !errors.As(err, &f) || f.Name != at {
					t.Errorf("recover: %s %v in %+v, want %s in %s", algal.CodeOf(err), err, f, c.code, at)
				}
			})
			d.called()
		})
	}
}

func (d *desk) get(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.root, name))
	must(d.t, err)
	return string(text)
}

// put writes a file of the store and returns its name.
func (d *desk) put(name, text string) string {
	d.t.Helper()
	must(d.t, os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o600))
	return name
}

// TestJ22: the order of events around the effects of an agent that calls tools.
func TestJ22(t *testing.T) {
	d := newDesk(t)
	var events []string
	note := func(event string) { events = append(events, event) }
	d.host.Executors = []runtime.Executor{described{runtime.Description{ID: "model", Configuration: canon.DigestText("model")}, func(q *runtime.Request) (runtime.Answer, error) {
		note("model answers")
		answer := parse(t, `{"tool":"second","inputs":{"in":1}}`)
		if q.Record.Get("context").Get("toolLog").Len() > 0 {
			answer = canon.String("done")
		}
		return runtime.Answer{Output: answer, Metadata: runtime.Metadata{Executor: "backend"}}, nil
	}}}
	d.tool("second", "read", func(runtime.ToolCall) (canon.Value, error) {
		note("second answers")
		return canon.Object(canon.M("out", canon.Int(1))), nil
	})
	d.create("p", cells(`{"id":"a","kind":"agent","prompt":"?","output":{"kind":"text"},"tools":["second"],"budget":{"maxTurns":4}}`))
	d.hook = func(s durable.Step, do func() error) error {
		if strings.HasSuffix(filepath.Dir(s.Target), "/entries") {
			note("entry " + filepath.Base(s.Target)[:6])
		}
		return unsynced(s, do)
	}
	s, err := d.journaledTick("p")
	d.hook = nil
	d.completes("p", s, err)
	want := []string{
		"entry 000000", "model answers", "entry 000000",
		"entry 000001", "second answers", "entry 000001",
		"entry 000002", "model answers", "entry 000002",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	d.holds("p", "model.", "tool:second.", "model.")
	for i, alias := range []string{"backend", "tool:second", "backend"} {
		if e := d.journalOf("p").Effects()[i]; !e.Receipt.Get("executor").IsText(alias) {
			t.Errorf("effect %d: %s", i, e.Receipt)
		}
	}
}

// TestJ23: a retry is an effect of its own, although its request is the same.
func TestJ23(t *testing.T) {
	d := newDesk(t)
	d.scripted(`{"a":[1,{"k":2}]}`)
	d.create("p", cells(`{"id":"a","kind":"agent","prompt":"?","output":{"kind":"json","schema":{"type":"object"}},"retry":{"attempts":2}}`))
	d.hook = failingDir("runs")
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.holds("p", "scripted.", "scripted.")
	effects := d.journalOf("p").Effects()
	if effects[0].RequestDigest != effects[1].RequestDigest {
		t.Error("the requests differ")
	}
	d.host.Executors = []runtime.Executor{mute{d.host.Executors[0]}}
	s, err := d.recover("p")
	d.completes("p", s, err)
	d.holds("p", "scripted.", "scripted.")
}

// TestJ24: the memo is not seen by the binding, and a hit is what is recorded.
func TestJ24(t *testing.T) {
	d := newDesk(t)
	d.scripted(`{"a":"x"}`)
	bound := d.host.Executors[0].Describe().Configuration
	program := cells(`{"id":"a","kind":"agent","prompt":"?","output":{"kind":"text"}}`)
	for _, c := range []struct {
		name   string
		cached bool
	}{{"miss", false}, {"hit", true}} {
		inner := d.host.Executors[0]
		if c.cached {
			inner = mute{inner}
		}
		host := d.host
		d.host.Executors = []runtime.Executor{memo.Wrap(d.store(), inner)}
		d.create(c.name, program)
		s, err := d.journaledTick(c.name)
		d.completes(c.name, s, err)
		e := d.journalOf(c.name).Effects()[0]
		if e.Executor != "scripted" || e.ConfigurationDigest != bound || e.Receipt.Get("cached").Bool() != c.cached || e.Receipt.Get("configurationDigest").Exists() {
			t.Errorf("%s: %s", c.name, e.Value())
		}
		d.host = host
	}
	// A miss that fails is no hit.
	d.scripted(`{}`)
	d.host.Executors = []runtime.Executor{memo.Wrap(d.store(), d.host.Executors[0])}
	d.create("failed", program)
	_, err := d.journaledTick("failed")
	must(t, err)
	if e := d.journalOf("failed").Effects()[0]; e.Receipt.Get("cached").Exists() || !e.Receipt.Get("error").Exists() {
		t.Errorf("failed: %s", e.Value())
	}
}

// limited is a program of one tool call that may take a millisecond.
var limited = cells(`{"id":"a","kind":"tool","tool":"first","budget":{"maxEffectMs":1}}`)

// TestJ25: the time of a call is over while it runs. Its late result is nothing.
func TestJ25(t *testing.T) {
	for _, effect := range []string{"read", "write"} {
		d := newDesk(t)
		var expire context.CancelFunc
		d.host.Deadline = func(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
			ctx, expire = context.WithCancel(ctx)
			return ctx, expire
		}
		d.tool("first", effect, func(runtime.ToolCall) (canon.Value, error) {
			expire()
			return answers("late")(runtime.ToolCall{})
		})
		d.create("p", limited)
		_, err := d.journaledTick("p")
		refused(t, effect, err, algal.BudgetExhausted, `tool cell "a" exceeded maxEffectMs 1`)
		if !algal.AsError(err).Uncertain {
			t.Error("the failure is not uncertain")
		}
		d.holds("p", "tool:first")
		d.tool("first", effect, answers("in time")) // nobody lets it expire
		d.ledger = nil
		s, err := d.recover("p")
		if effect == "read" {
			d.completes("p", s, err)
			d.called("first")
		} else {
			refused(t, "recover", err, algal.IOFailed, "effect 0 has unknown completion; adapter reconciliation is required")
			d.called()
		}
	}
}

// TestJ26: the time was over before the call. Nothing is called, and that is known.
func TestJ26(t *testing.T) {
	d := newDesk(t)
	d.host.Deadline = func(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}
	d.tool("first", "write", answers("1"))
	d.create("p", limited)
	s, err := d.journaledTick("p")
	if err != nil || s.Record.Status != "failed" {
		t.Fatalf("%+v, %v", s, err)
	}
	d.called()
	d.holds("p", "tool:first.")
}

// TestJ27: an adapter that says itself that it has done too much has finished.
func TestJ27(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", func(runtime.ToolCall) (canon.Value, error) {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "too much")
	})
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
	d.hook = failingDir("runs")
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.holds("p", "tool:first.")
	s, err := d.recover("p")
	if err != nil || s.Record.Status != "failed" {
		t.Fatalf("%+v, %v", s, err)
	}
	d.called("first")
}

// fileTools gives the desk the tools of a tools file in a directory.
func (d *desk) fileTools(text, dir string) {
	d.t.Helper()
	tools, err := hostfile.Parse(parse(d.t, text), dir)
	must(d.t, err)
	d.host.Tools = tools
}

func toolsFile(exec, effect string) string {
	return `{"first":{"signature":{"inputs":{},"outputs":{"out":"json"},"effect":"` + effect + `","cost":1,"maxOutputBytes":100},"exec":` + canon.String(exec).String() + `}}`
}

// TestJ28: a command of which nobody can say what it did.
func TestJ28(t *testing.T) {
	for name, c := range map[string]struct{ line, message string }{
		"signal":   {"cat >/dev/null; kill -9 $$", "executor terminated by signal; external completion uncertain"},
		"overflow": {"cat >/dev/null; head -c 200 /dev/zero", "executor response unavailable; external completion uncertain"},
	} {
		d := newDesk(t)
		d.fileTools(toolsFile("cmd:"+c.line, "write"), t.TempDir())
		d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
		_, err := d.journaledTick("p")
		if e := algal.AsError(err); e == nil || !e.Uncertain || e.Message != c.message {
			t.Errorf("%s: %v, want %s", name, err, c.message)
		}
		d.holds("p", "tool:first")
		_, err = d.recover("p")
		refused(t, name, err, algal.IOFailed, "effect 0 has unknown completion; adapter reconciliation is required")
	}
}

// TestJ30: what a checkpoint answers is not recorded again, and what a journal
// answers goes on from the checkpoint.
func TestJ30(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("gate", "read", later)
	d.create("p", suspends)
	s, err := d.journaledTick("p")
	if err != nil || s.Record.Status != "suspended" {
		t.Fatalf("%+v, %v", s, err)
	}
	d.holds("p", "tool:first.", "tool:gate.")
	d.called("first", "gate")
	d.tool("gate", "read", answers("open"))
	d.hook = failingDir("runs")
	_, err = d.journaledTick("p")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.holds("p", "tool:gate.")
	d.called("gate")
	s, err = d.recover("p")
	d.completes("p", s, err)
	d.called()
	if s.Record.Generation != 2 || s.Record.Cause != "manual" {
		t.Errorf("outcome %s", s.Value())
	}
}

// TestJ31: an output that is too large for its cell is recorded as it came, and then
// the cell fails.
func TestJ31(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers(strings.Repeat("x", 300)))
	d.resign("first", `"maxOutputBytes":262144`, `"maxOutputBytes":100`)
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
	s, err := d.journaledTick("p")
	if err != nil || s.Record.Status != "failed" {
		t.Fatalf("%+v, %v", s, err)
	}
	d.holds("p", "tool:first.")
	if got := d.journalOf("p").Effects()[0].Receipt.Get("output").Get("out").Text(); len(got) != 300 {
		t.Errorf("%d bytes are recorded", len(got))
	}
	_, err = d.processes().Verify(t.Context(), "p")
	must(t, err)
}

// TestJ32: what a tool returns is recorded as it was on return, whatever the tool
// does with its memory while the record is written.
func TestJ32(t *testing.T) {
	d := newDesk(t)
	elements := []canon.Value{canon.String("returned")}
	d.tool("first", "write", func(runtime.ToolCall) (canon.Value, error) {
		d.hook = func(s durable.Step, do func() error) error {
			elements[0] = canon.String("changed")
			return unsynced(s, do)
		}
		return canon.Object(canon.M("out", canon.Array(elements...))), nil
	})
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
	s, err := d.journaledTick("p")
	d.completes("p", s, err)
	if got := d.journalOf("p").Effects()[0].Receipt.Get("output").Get("out").At(0); !got.IsText("returned") {
		t.Errorf("%s is recorded", got)
	}
	if !elements[0].IsText("changed") {
		t.Error("the tool has changed nothing")
	}
}

// TestJ33: what is not recorded may not be in a program that is to be recovered, nor
// in one that it embeds.
func TestJ33(t *testing.T) {
	const (
		noSlots  = "journal recovery does not admit slots or dynamic spawn"
		builtins = "journal recovery requires unchanged built-in pure functions"
	)
	const slot = `{"id":"s","kind":"slot","name":"memo","mode":"read","default":1}`
	inner := child(slot)
	middle := child(embeds(t, "organism", inner, ""), "in.item o.item")
	root := func(cell string) string {
		return cells(`{"id":"l","kind":"const","outputs":{"v":{"type":"json","value":[1]}}},`+cell, "l.v o.item")
	}
	echo := organism.Registry{}
	for name, f := range organism.Builtins() {
		g := *f
		echo[name] = &g
	}
	fine := cells(`{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`)
	for name, c := range map[string]struct {
		program   string
		functions organism.Registry
		message   string
	}{
		"slot":            {program: cells(slot), message: noSlots},
		"spawn":           {program: cells(`{"id":"m","kind":"const","outputs":{"v":{"type":"json","value":{}}}},{"id":"s","kind":"spawn"}`, "m.v s.manifest"), message: noSlots},
		"organism":        {program: root(embeds(t, "organism", middle, "")), message: noSlots},
		"repeat":          {program: root(embeds(t, "repeat", middle, `,"maxRounds":2`)), message: noSlots},
		"each":            {program: root(embeds(t, "each", middle, `,"over":"item","maxItems":2`)), message: noSlots},
		"other functions": {program: fine, functions: echo, message: builtins},
		"no functions":    {program: fine, functions: organism.Registry{}, message: builtins},
		"the built-in":    {program: fine, functions: organism.Builtins()},
		"nothing of it":   {program: fine},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			for _, text := range []string{inner, middle} {
				_, err := d.store().PutManifest(manifest(t, text).Normal())
				must(t, err)
			}
			d.create("p", c.program)
			d.host.Functions = c.functions
			if c.message == "" {
				s, err := d.journaledTick("p")
				d.completes("p", s, err)
				return
			}
			d.unchanged("a refused dispatch", func() {
				_, err := d.journaledTick("p")
				refused(t, name, err, algal.CapabilityDenied, c.message)
			})
			_, err := d.processes().Tick(t.Context(), "p", process.Options{})
			must(t, err)
		})
	}
	// Again before a recovery.
	d := newDesk(t)
	d.tool("first", "read", dies)
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
	_, err := d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	d.host.Functions = echo
	d.unchanged("a refused recovery", func() {
		_, err := d.recover("p")
		refused(t, "recover", err, algal.CapabilityDenied, builtins)
	})
}

// child is a program to embed, which gives its item back.
func child(cell string, edges ...string) string {
	program := cells(`{"id":"in","kind":"input","outputs":{"item":"json"}},`+cell, edges...)
	return strings.Replace(program, `"cells"`, `"interface":{"inputs":{"item":{"cell":"in","port":"item"}},"outputs":{"item":{"cell":"in","port":"item"}}},"cells"`, 1)
}

// embeds is a cell "o" that embeds a program.
func embeds(t testing.TB, kind, program, more string) string {
	t.Helper()
	return `{"id":"o","kind":"` + kind + `","manifest":"` + string(manifest(t, program).Digest()) + `"` + more + `}`
}

// TestJ34: the key of a tool call is scoped to the process.
func TestJ34(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	for _, name := range []string{"left", "right"} {
		d.create(name, cells(`{"id":"a","kind":"tool","tool":"first"}`))
		s, err := d.journaledTick(name)
		d.completes(name, s, err)
		e := d.journalOf(name).Effects()[0]
		want := canon.Object(canon.M("contract", canon.String("algal.process-effect.v1")), canon.M("process", canon.String(name)),
			canon.M("requestDigest", canon.String(string(e.RequestDigest)))).Digest()
		if got := d.keys[len(d.keys)-1]; got != want || e.IdempotencyKey != want {
			t.Errorf("%s: key %s, recorded %s, want %s", name, got, e.IdempotencyKey, want)
		}
	}
}

// TestJ35: an output that the journal holds and the receipt of the process does not,
// since it stands there several times.
func TestJ35(t *testing.T) {
	list := func(n int) func(runtime.ToolCall) (canon.Value, error) {
		return func(runtime.ToolCall) (canon.Value, error) {
			elements := make([]canon.Value, n)
			for i := range elements {
				elements[i] = canon.Int(0)
			}
			return canon.Object(canon.M("out", canon.Array(elements...))), nil
		}
	}
	for _, c := range []struct {
		elements  int
		message   string // "" completes
		uncertain bool
		entry     string
	}{
		{49_900, "", false, "tool:first."},
		{75_000, "process JSON depth/count exceeded", false, "tool:first."},
		{100_001, "host state structure bound exceeded", true, "tool:first"},
	} {
		d := newDesk(t)
		d.tool("first", "write", list(c.elements))
		d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
		s, err := d.journaledTick("p")
		if c.message == "" {
			d.completes("p", s, err)
			continue
		}
		refused(t, "tick", err, algal.BudgetExhausted, c.message)
		if algal.AsError(err).Uncertain != c.uncertain {
			t.Errorf("%d elements: uncertain is not %v", c.elements, c.uncertain)
		}
		d.holds("p", c.entry)
		d.uncertain("p")
		d.ledger = nil
		_, err = d.recover("p")
		if c.uncertain {
			refused(t, "recover", err, algal.IOFailed, "effect 0 has unknown completion; adapter reconciliation is required")
		} else {
			refused(t, "recover", err, algal.BudgetExhausted, c.message)
		}
		d.called()
	}
}

// TestJ38: what a tools file says is bound with the real path of its directory and
// the data of scripted tools.
func TestJ38(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	lay := func(dir, name, text string) string {
		dir = filepath.Join(base, dir)
		must(t, os.MkdirAll(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return dir
	}
	const data = `{"{}":{"out":1}}`
	home, moved, edited := lay("home", "data.json", data), lay("moved", "data.json", data), lay("edited", "data.json", data)
	link := filepath.Join(base, "link")
	must(t, os.Symlink(home, link))
	file := toolsFile("scripted:data.json", "read")
	for name, c := range map[string]struct {
		file, dir string
		prepare   func()
		recovers  bool
	}{
		"the same":               {file: file, dir: home, recovers: true},
		"through a link":         {file: file, dir: link, recovers: true},
		"another spelling":       {file: strings.Replace(file, `"inputs":{},`, ` "inputs" : {} , `, 1), dir: home, recovers: true},
		"moved":                  {file: file, dir: moved},
		"signature":              {file: strings.Replace(file, `"cost":1`, `"cost":2`, 1), dir: home},
		"signature as an object": {file: strings.Replace(file, `"out":"json"`, `"out":{"type":"json"}`, 1), dir: home},
		"another file":           {file: strings.Replace(file, "data.json", "./data.json", 1), dir: home},
		"data edited":            {file: file, dir: edited, prepare: func() { lay("edited", "data.json", `{"{}":{"out":2}}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			at := home
			if c.prepare != nil {
				at = c.dir
			}
			d.fileTools(file, at)
			d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"}`))
			d.hook = failingDir("runs")
			_, err := d.journaledTick("p")
			refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
			d.hook = nil
			if c.prepare != nil {
				c.prepare()
			}
			d.fileTools(c.file, c.dir)
			s, err := d.recover("p")
			if c.recovers {
				d.completes("p", s, err)
			} else {
				refused(t, name, err, algal.ReceiptMismatch, "journal request/configuration/order changed")
			}
		})
	}
}
