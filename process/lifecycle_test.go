//go:build unix

package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// The tests of this file are named after the entries of conformance.md §6. P-26 is
// that of G-10; the command line has its part of P-24 and P-32.

const one = `{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}`

// constant is the definition of the vector of process.md §2.4.
func constant(t testing.TB) process.Definition {
	program := strings.NewReplacer("organism:test", "organism:one", `"Test"`, `"One"`).Replace(cells(one))
	return process.Definition{Name: "demo", Manifest: manifest(t, program), MaxGenerations: 2}
}

func (w workshop) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w workshop) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	must(w.t, err)
	return string(text)
}

func (w workshop) write(name, text string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
	must(w.t, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// put lays an object out.
func (w workshop) put(place string, v canon.Value) algal.Digest {
	w.t.Helper()
	w.write(object(place, v.Digest()), v.String())
	return v.Digest()
}

func object(place string, d algal.Digest) string { return place + "/" + d.Hex() + ".json" }

// moveHead points a process to a record of any kind.
func (w workshop) moveHead(name string, record algal.Digest) {
	w.t.Helper()
	w.write("processes/"+name+"/head.json", `{"contract":"algal.process-head.v1","name":"`+name+`","record":"`+string(record)+`"}`)
}

// forge makes a record that follows the head with the given members, honestly
// digested, and moves the head to it.
func (w workshop) forge(name string, members ...canon.Member) algal.Digest {
	w.t.Helper()
	head := w.head(name)
	d := w.put("values", head.Record.Value().With(members...))
	w.moveHead(name, d)
	return d
}

func text(s string) canon.Value { return canon.String(s) }

// waiting is a workshop in which a worker waits for a message.
func waiting(t testing.TB, allowed ...check.Kind) workshop {
	t.Helper()
	w := newWorkshop(t, allowed...)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	w.mustTick("p", "suspended")
	return w
}

func TestP1(t *testing.T) {
	w := newWorkshop(t)
	s, err := w.processes().Create(t.Context(), constant(t))
	must(t, err)
	// The vectors of process.md §2.3, §2.4.
	const ready = "sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28"
	if s.Digest != ready || s.Record.Status != chain.Ready || s.Record.Generation != 0 {
		t.Errorf("created %s", s.Value())
	}
	want := `{"contract":"algal.process-head.v1","name":"demo","record":"` + ready + `"}`
	if got := w.read("processes/demo/head.json"); got != want {
		t.Errorf("head %s, want %s", got, want)
	}
	var entries []string
	list, err := os.ReadDir(w.path("processes/demo"))
	must(t, err)
	for _, e := range list {
		entries = append(entries, e.Name())
	}
	if !slices.Equal(entries, []string{"head.json"}) {
		t.Errorf("the directory holds %q", entries)
	}
	s, err = w.tick("demo")
	if err != nil || s.Digest != "sha256:04be9760b20539ec2d26c5451219f6e657feaadc4ae8429259ca28dc3174a7d4" {
		t.Errorf("ticked to %v, %v", s, err)
	}
}

func TestP2(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	w.unchanged("creating again", func() {
		_, err := w.processes().Create(t.Context(), constant(t))
		refused(t, "create", err, algal.IOFailed, "process name already exists")
	})
}

// creationMarker is the marker of the creation of constant.
const creationMarker = `{"contract":"algal.process-creation.v1","name":"demo","record":"sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28"}`

func TestP3(t *testing.T) {
	w := newWorkshop(t)
	w.write("processes/demo/.creating.json", creationMarker)
	w.write("processes/demo/.tmp-left", "")
	w.write("processes/demo/head.json.4711-0123456789abcdef.tmp", "")
	w.createWith(constant(t))
	w.mustTick("demo", "complete")
}

func TestP4(t *testing.T) {
	const retained = "process name is retained by a completed or interrupted creation"
	for name, c := range map[string]struct {
		files map[string]string
		text  string
	}{
		"no marker":              {map[string]string{"x": ""}, retained},
		"another record":         {map[string]string{".creating.json": strings.Replace(creationMarker, "4c", "4d", 1)}, retained},
		"another name":           {map[string]string{".creating.json": strings.Replace(creationMarker, "demo", "dema", 1)}, retained},
		"one member more":        {map[string]string{".creating.json": strings.Replace(creationMarker, "{", `{"a":1,`, 1)}, retained},
		"damaged marker":         {map[string]string{".creating.json": "{"}, retained},
		"a foreign file":         {map[string]string{".creating.json": creationMarker, "notes": ""}, "interrupted process creation contains foreign entries"},
		"a journal":              {map[string]string{".creating.json": creationMarker, "journals/x": ""}, "interrupted process creation contains foreign entries"},
		"owners that is no file": {map[string]string{".creating.json": creationMarker, "owners": ""}, "interrupted process creation contains foreign entries"},
	} {
		w := newWorkshop(t, check.CreationInterrupted, check.CustodyUnknownLock)
		for file, content := range c.files {
			if file != "journals/x" || name == "a journal" {
				w.write("processes/demo/"+file, content)
			}
		}
		w.write(".process-creation/.tmp-000000000000000000000000000000000000000000000000", "")
		before := tree(t, w.path("processes"))
		_, err := w.processes().Create(t.Context(), constant(t))
		refused(t, name, err, algal.IOFailed, c.text)
		if after := tree(t, w.path("processes")); len(after) != len(before) {
			t.Errorf("%s: %v, before %v", name, after, before)
		}
		if name == "a journal" {
			must(t, os.RemoveAll(w.path("processes/demo/journals"))) // a headless process with journals is damage
		}
	}
}

func TestP5(t *testing.T) {
	w := newWorkshop(t, check.CreationInterrupted)
	w.createWith(constant(t))
	w.write("processes/late/.creating.json", creationMarker)
	w.unchanged("listing", func() {
		_, err := w.processes().List()
		refused(t, "list", err, algal.StoreMiss, "process head missing")
	})
	_, err := w.schedule()
	refused(t, "schedule", err, algal.StoreMiss, "process head missing")
	if s := w.head("demo"); s.Record.Status == chain.Ready {
		t.Error("the process before the fault was not advanced")
	}
}

func TestP6(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"../escape", "Upper", "", strings.Repeat("x", 65), "a/b", "1", "."} {
		d := constant(t)
		d.Name = name
		_, err := w.processes().Create(t.Context(), d)
		for what, err := range map[string]error{"create": err, "tick": second(w.tick(name)), "inspect": second(w.processes().Inspect(name))} {
			if algal.CodeOf(err) != algal.ParseFailed {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
	if _, err := os.Lstat(w.root); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestP7(t *testing.T) {
	w := newWorkshop(t)
	program := manifest(t, cells(`{"id":"in","kind":"input","outputs":{"v":"text"}},`+one))
	for args, want := range map[string]algal.Code{
		`{"in":{"v":"x"}}`: "", `{"in":{}}`: "", `{}`: "",
		`{"other":{"v":"x"}}`: algal.InputMissing, `{"in":{"w":"x"}}`: algal.InputMissing, `{"c":{"v":1}}`: algal.InputMissing, `{"c":{}}`: algal.InputMissing,
		`{"in":{"v":1}}`: algal.TypeMismatch, `{"in":1}`: algal.ParseFailed, `{"In":{}}`: algal.ParseFailed, `[]`: algal.ParseFailed,
	} {
		name := fmt.Sprintf("p%d", len(args)*len(args)%97)
		_, err := w.processes().Create(t.Context(), process.Definition{Name: name, Manifest: program, Args: parse(t, args), MaxGenerations: 1})
		if algal.CodeOf(err) != want && !(want == "" && algal.AsError(err).Message == "process name already exists") {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestP8(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	w.mustTick("demo", "complete")
	h := w.head("demo").History
	if len(h.Records) != 3 {
		t.Fatalf("%d records", len(h.Records))
	}
	intent, outcome := h.Records[1], h.Records[2]
	if intent.Status != chain.Uncertain || intent.Generation != 1 || intent.Cause != "start" || intent.Previous != h.Digests[0] || intent.Receipt != "" {
		t.Errorf("intent %s", intent.Value())
	}
	if outcome.Generation != 1 || outcome.Previous != h.Digests[1] || outcome.Cause != "start" || outcome.Receipt == "" {
		t.Errorf("outcome %s", outcome.Value())
	}
}

func TestP9(t *testing.T) {
	w := waiting(t)
	first := w.head("p").Record
	again := w.mustTick("p", "suspended")
	h := w.head("p").History
	intent := h.Records[3]
	if intent.Cause != "manual" || intent.Receipt != first.Receipt || !slices.Equal(intent.Wake, first.Wake) {
		t.Errorf("intent %s", intent.Value())
	}
	if again.Record.Receipt != first.Receipt || again.Record.Generation != 2 {
		t.Errorf("suspended again as %s, first as %s", again.Value(), first.Value())
	}
	if lines := w.effects(); len(lines) != 1 {
		t.Errorf("the recorded prefix had effects again: %q", lines)
	}
}

func TestP10(t *testing.T) {
	w := waiting(t)
	before := w.head("p").Digest
	w.unchanged("an idle pass", func() { w.advanced() })
	if after := w.head("p").Digest; after != before || len(w.effects()) != 1 {
		t.Errorf("head %s, before %s; effects %q", after, before, w.effects())
	}
}

func TestP11(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"a", "b", "c"} {
		w.createWith(w.sleeper("sleeper-"+name, w.box(name)))
		w.mustTick("sleeper-"+name, "suspended")
	}
	w.send(w.found("b"), "1", "wake up")
	s := w.advanced("sleeper-b")[0]
	if s.Record.Cause != w.found("b").Receive.String() || s.Record.Status != chain.Complete {
		t.Errorf("advanced to %s", s.Value())
	}
	w.advanced()
}

func TestP12(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	w.createWith(process.Definition{Name: "bad", Manifest: manifest(t, cells(`{"id":"ask","kind":"agent","prompt":"?","output":{"kind":"text"}}`)), MaxGenerations: 2})
	w.mustTick("demo", "complete")
	w.mustTick("bad", "failed")
	for _, name := range []string{"demo", "bad"} {
		_, err := w.tick(name)
		refused(t, name, err, algal.IOFailed, "process is terminal")
	}
	w.advanced()
}

// uncertain is a workshop with a process whose dispatch was interrupted. The tool
// that was called has had its effect.
func uncertain(t *testing.T) workshop {
	t.Helper()
	w := newWorkshop(t, check.ProcessUncertain)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	if !startHelper(t, "die", w.root, "start", fmt.Sprint(stepOf(t, w, "start", opEffect)), "after").end() {
		t.Fatal("the helper process was not killed")
	}
	return w
}

func TestP13(t *testing.T) {
	w := uncertain(t)
	_, err := w.tick("p")
	refused(t, "tick", err, algal.IOFailed, "process dispatch is uncertain; reconcile before any further execution")
	w.advanced()
	w.uncertain("p")
}

func TestP14(t *testing.T) {
	w := newWorkshop(t)
	d := w.sleeper("p", w.box("inbox"))
	d.MaxGenerations = 1
	w.createWith(d)
	w.mustTick("p", "suspended")
	w.send(w.found("inbox"), "1", "too late")
	_, err := w.tick("p")
	refused(t, "tick", err, algal.BudgetExhausted, "process generation budget exhausted")
	w.advanced()
}

func TestP15(t *testing.T) {
	w := waiting(t)
	must(t, w.mailboxes().Revoke(t.Context(), w.found("inbox").Receive.String()))
	_, err := w.schedule()
	refused(t, "schedule", err, algal.CapabilityDenied, "capability is not active")
	if s := w.head("p"); s.Record.Generation != 1 || s.Record.Status != chain.Suspended {
		t.Errorf("head %s", s.Value())
	}
}

func TestP16(t *testing.T) {
	w := uncertain(t)
	w.uncertain("p")
	for range 2 {
		if _, err := w.tick("p"); algal.CodeOf(err) != algal.IOFailed {
			t.Errorf("tick: %v", err)
		}
		w.advanced()
	}
	if lines := w.effects(); len(lines) != 1 {
		t.Errorf("effects %q", lines)
	}
}

func TestP17(t *testing.T) {
	w := waiting(t)
	w.send(w.found("inbox"), "1", "hello")
	honest := w.head("p").Digest
	w.forge("p", canon.M("args", canon.Object()))
	_, err := w.tick("p")
	refused(t, "tick", err, algal.ReceiptMismatch, "process definition changed")
	_, err = w.schedule()
	refused(t, "schedule", err, algal.ReceiptMismatch, "process definition changed")
	w.stillPending("inbox", 1)
	w.moveHead("p", honest)
}

// stillPending fails the test unless a mailbox has so many messages waiting.
func (w workshop) stillPending(box string, n int) {
	w.t.Helper()
	i, err := w.mailboxes().Inspect(box)
	if err != nil || i.Pending != n {
		w.t.Errorf("%s: %d messages wait, %v, want %d", box, i.Pending, err, n)
	}
}

func TestP18AndP19(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	honest := w.head("demo").Digest
	for name, m := range map[string]canon.Member{
		"status is no text": canon.M("status", canon.Int(1)), "generation 65": canon.M("generation", canon.Int(65)), "unknown key": canon.M("extra", canon.Int(1)),
		"previous null": canon.M("previous", canon.Null()), "receipt null": canon.M("receipt", canon.Null()), "cause null": canon.M("cause", canon.Null()),
	} {
		w.forge("demo", m)
		for what, err := range map[string]error{"inspect": second(w.processes().Inspect("demo")), "tick": second(w.tick("demo")), "schedule": second(w.schedule())} {
			if code := algal.CodeOf(err); code != algal.ParseFailed && code != algal.ReceiptMismatch && code != algal.TypeMismatch {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		w.moveHead("demo", honest)
	}
}

func TestP20(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"left", "right"} {
		d := constant(t)
		d.Name = name
		w.createWith(d)
	}
	left := w.head("left").Digest
	w.moveHead("left", w.head("right").Digest)
	_, err := w.processes().Inspect("left")
	refused(t, "inspect", err, algal.ReceiptMismatch, "process name mismatch")
	w.moveHead("left", left)
}

func TestP21(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	record := object("values", w.head("demo").Digest)
	honest := w.read(record)
	w.write(record, strings.Replace(honest, `"maxGenerations":2`, `"maxGenerations":3`, 1))
	_, err := w.processes().Inspect("demo")
	refused(t, "inspect", err, algal.ReceiptMismatch, "process CAS digest mismatch")
	w.write(record, honest)
}

// fetcher is a transport that delivers a manifest and counts how often it is asked.
type fetcher struct {
	normal canon.Value
	asked  int
}

func (f *fetcher) Fetch(_ algal.Digest, into cas.Store) (bool, error) {
	f.asked++
	_, err := into.PutManifest(f.normal)
	return true, err
}

func TestP22(t *testing.T) {
	w := newWorkshop(t)
	embedded := manifest(t, child(one))
	hub := &fetcher{normal: embedded.Normal()}
	w.host.Transports = map[string]organism.Transport{"hub": hub}
	program := cells(`{"id":"v","kind":"const","outputs":{"x":{"type":"json","value":1}}},`+embeds(t, "organism", child(one), `,"via":"hub"`), "v.x o.item")
	w.create("p", program)
	w.mustTick("p", "complete")
	file := object("manifests", embedded.Digest())
	held := w.read(file)
	must(t, os.Remove(w.path(file)))
	before := hub.asked
	if before == 0 {
		t.Error("the transport was not needed to create the process")
	}
	if _, err := w.processes().Verify(t.Context(), "p"); algal.CodeOf(err) != algal.StoreMiss || hub.asked != before {
		t.Errorf("verify: %v; the transport was asked %d times", err, hub.asked-before)
	}
	w.write(file, held)
}

func TestP23(t *testing.T) {
	w := waiting(t)
	w.mustTick("p", "suspended")
	for _, tool := range w.host.Tools {
		tool.Call = nil
	}
	v, err := w.processes().Verify(t.Context(), "p")
	must(t, err)
	want := `{"digest":"` + string(w.head("p").Digest) + `","generations":2,"ok":true,"receipts":2}`
	if got := v.Value().String(); got != want {
		t.Errorf("verified as %s, want %s", got, want)
	}
}

func TestP24(t *testing.T) {
	w := newWorkshop(t)
	w.command("exit 1")
	w.create("p", cells(`{"id":"ask","kind":"agent","prompt":"?","output":{"kind":"text"}}`))
	if s := w.mustTick("p", "failed"); s.Record.Receipt == "" || len(s.Record.Wake) > 0 {
		t.Errorf("failed as %s", s.Value())
	}
}

// command gives the host a command for its executor.
func (w workshop) command(line string) {
	w.t.Helper()
	e, err := command.New(line, command.Options{})
	must(w.t, err)
	w.host.Executors = []runtime.Executor{e}
}

// gate is a program that needs an answer to go on.
var gate = cells(`{"id":"approve","kind":"gate","prompt":"Approve?","output":{"kind":"choice","labels":["yes","no"]}}`)

// TestP25: an answer that is not ready suspends the run; no message wakes it, and a
// manual tick goes on (golden scenario exit-75).
func TestP25(t *testing.T) {
	w := newWorkshop(t)
	w.command("cat >/dev/null; exit 75")
	w.create("p", gate)
	if s := w.mustTick("p", "suspended"); len(s.Record.Wake) != 0 {
		t.Errorf("waits on %q", s.Record.Wake)
	}
	w.unchanged("an idle pass", func() { w.advanced() })
	w.command(`cat >/dev/null; echo '"yes"'`)
	w.mustTick("p", "complete")
}

// TestP26: a bad guard after a live write is the program's failure, not the
// dispatch's.
func TestP26(t *testing.T) {
	w := newWorkshop(t)
	program := strings.Replace(cells(`{"id":"begin","kind":"tool","tool":"begin"},{"id":"go","kind":"fn","fn":"echo.v1"}`, "begin.out go.value"),
		`"port":"value"}}`, `"port":"value"},"guard":{"expr":{"contract":"algal.expr.v1","program":1}}}`, 1)
	w.create("p", program)
	s := w.mustTick("p", "failed")
	receipt := parse(t, w.read(object("runs", s.Record.Receipt)))
	if !receipt.Get("failure").Get("code").IsText("GUARD_INVALID") || len(w.effects()) != 1 {
		t.Errorf("failure %s, effects %q", receipt.Get("failure"), w.effects())
	}
}

func TestP27(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	honest := w.head("demo").Digest
	record, previous := w.head("demo").Record.Value(), honest
	for range 129 {
		previous = w.put("values", record.With(canon.M("cause", text("start")), canon.M("generation", canon.Int(1)),
			canon.M("previous", text(string(previous))), canon.M("status", text("uncertain"))))
	}
	w.moveHead("demo", previous)
	_, err := w.processes().Inspect("demo")
	refused(t, "inspect", err, algal.ReceiptMismatch, "process history bound exceeded")
	w.moveHead("demo", honest)
}

func TestP28(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	for i := range process.MaxProcesses - 1 {
		must(t, os.Mkdir(w.path(fmt.Sprintf("processes/p%d", i)), 0o700))
	}
	d := constant(t)
	d.Name = "late"
	_, err := w.processes().Create(t.Context(), d)
	refused(t, "create", err, algal.BudgetExhausted, "process count exhausted")
	w.write("processes/q/.creating.json", "")
	_, err = w.processes().List()
	refused(t, "list", err, algal.BudgetExhausted, "process count exceeded")
	for i := range process.MaxProcesses - 1 {
		must(t, os.Remove(w.path(fmt.Sprintf("processes/p%d", i))))
	}
	must(t, os.RemoveAll(w.path("processes/q")))
}

// TestP29: a receipt of another run of the same program verifies alone and does not
// continue this one.
func TestP29(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	other := w.copied(t)
	other.host.Tools["begin"].Call = func(context.Context, runtime.ToolCall) (canon.Value, error) {
		return canon.Object(canon.M("out", text("something else"))), nil
	}
	var receipts [2]algal.Digest
	for i, side := range []workshop{w, other} {
		side.mustTick("p", "suspended")
		side.send(side.found("inbox"), "1", "hello")
		receipts[i] = side.advanced("p")[0].Record.Receipt
	}
	honest := w.head("p").Digest
	w.put("runs", parse(t, other.read(object("runs", receipts[1]))))
	w.forge("p", canon.M("receipt", text(string(receipts[1]))))
	_, err := w.processes().Inspect("p")
	refused(t, "inspect", err, algal.ReceiptMismatch, "process continuation changed completed effects")
	_, err = w.processes().Export(t.Context(), "p", workerTools())
	refused(t, "export", err, algal.ReceiptMismatch, "process continuation changed completed effects")
	w.moveHead("p", honest)
	must(t, os.Remove(w.path(object("runs", receipts[1]))))
}

// TestP30: what a replayed prefix has written is not written again, and the live
// tail sees what is there now.
func TestP30(t *testing.T) {
	w := newWorkshop(t)
	look := child(`{"id":"look","kind":"slot","name":"memo","mode":"read"}`)
	_, err := w.host.Store.PutManifest(manifest(t, look).Normal())
	must(t, err)
	w.createWith(process.Definition{
		Name: "p",
		Manifest: manifest(t, cells(
			`{"id":"in","kind":"input","outputs":{"receive":{"type":"cap","capability":"mailbox-receive"}}},`+
				`{"id":"v","kind":"const","outputs":{"x":{"type":"json","value":"old"}}},{"id":"keep","kind":"slot","name":"memo","mode":"write"},`+
				`{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"},`+embeds(t, "organism", look, ""),
			"v.x keep.data", "in.receive wait.mailbox", "wait.message o.item")),
		Args:           w.sleeper("p", w.box("inbox")).Args,
		MaxGenerations: 4,
	})
	w.mustTick("p", "suspended")
	must(t, w.host.Store.SetSlot("memo", text("new")))
	w.send(w.found("inbox"), "1", "go on")
	s := w.advanced("p")[0]
	receipt := parse(t, w.read(object("runs", s.Record.Receipt)))
	if got := receipt.Get("cells").Get("o/look").Get("outputs").Get("data"); s.Record.Status != chain.Complete || !got.IsText("new") {
		t.Errorf("%s, the tail saw %s", s.Value(), got)
	}
	if v, err := w.host.Store.Slot("memo"); err != nil || !v.IsText("new") {
		t.Errorf("the slot is %s, %v", v, err)
	}
	if _, err := w.processes().Verify(t.Context(), "p"); err != nil {
		t.Errorf("verify: %v", err)
	}
}

func TestP31(t *testing.T) {
	w := waiting(t)
	w.send(w.found("inbox"), "1", "hello")
	honest := w.head("p")
	receipt := parse(t, w.read(object("runs", honest.Record.Receipt)))
	receipt = receipt.With(canon.M("work", receipt.Get("work").With(canon.M("units", canon.Int(1)))))
	receipt = receipt.With(canon.M("digest", text(string(receipt.DigestWithout("digest")))))
	forged := w.put("runs", receipt)
	w.forge("p", canon.M("receipt", text(string(forged))))
	for what, err := range map[string]error{"tick": second(w.tick("p")), "schedule": second(w.schedule())} {
		refused(t, what, err, algal.ReceiptMismatch, "process checkpoint does not replay")
	}
	w.stillPending("inbox", 1)
	w.moveHead("p", honest.Digest)
	must(t, os.Remove(w.path(object("runs", forged))))
}

func TestP32(t *testing.T) {
	w := newWorkshop(t)
	const line = `cat >/dev/null; echo '"hi"'`
	w.command(line)
	w.create("p", cells(`{"id":"ask","kind":"agent","prompt":"?","output":{"kind":"text"}}`))
	s := w.mustTick("p", "complete")
	effect := parse(t, w.read(object("runs", s.Record.Receipt))).Get("effects").At(0)
	id := "cmd:" + string(canon.Object(canon.M("command", text(line)), canon.M("options", canon.Object())).Digest())
	configuration := canon.Object(canon.M("argv", canon.Array(text("sh"), text("-c"), text(line))), canon.M("cwd", canon.Null()),
		canon.M("kind", text("command")), canon.M("timeoutMs", canon.Int(120_000))).Digest()
	if !effect.Get("executor").IsText(id) || !effect.Get("configurationDigest").IsText(string(configuration)) || effect.Get("retryable").Bool() || !effect.Get("retryable").Exists() {
		t.Errorf("effect %s, want executor %s, configuration %s", effect, id, configuration)
	}
}

func TestP33(t *testing.T) {
	w := newWorkshop(t)
	out, in := w.box("outbox"), w.box("inbox")
	for _, name := range []string{"alpha", "beta"} {
		w.createWith(w.worker(name, out, in))
		w.mustTick(name, "suspended")
	}
	w.stillPending("outbox", 2) // keys are scoped to the process
	w.send(in, "1", "for one of you")
	w.advanced("alpha")
	w.advanced()
	if s := w.head("beta"); s.Record.Status != chain.Suspended || s.Record.Generation != 1 {
		t.Errorf("beta is %s", s.Value())
	}
}

// TestTickOfNobody: a name without a head is refused before anything is made
// (process.md §8.1 step 2).
func TestTickOfNobody(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	w.unchanged("ticking nobody", func() {
		_, err := w.tick("nobody")
		refused(t, "tick", err, algal.StoreMiss, "process head missing")
		_, err = w.processes().Recover(t.Context(), "nobody", "sha256:"+algal.Digest(strings.Repeat("0", 64)))
		refused(t, "recover", err, algal.StoreMiss, "process head missing")
	})
}

// TestScheduleOrder: one pass in the order of names; a message wakes who comes after
// its sender, and the bound counts who advanced (process.md §11.2).
func TestScheduleOrder(t *testing.T) {
	w := newWorkshop(t)
	out, in := w.box("outbox"), w.box("inbox")
	w.createWith(w.sleeper("a-before", out))
	w.createWith(w.worker("b-sender", out, in))
	w.createWith(w.sleeper("c-after", out))
	w.mustTick("a-before", "suspended")
	w.mustTick("c-after", "suspended")
	w.advanced("b-sender", "c-after")
	w.send(in, "1", "x")
	w.send(out, "2", "y")
	list, err := w.processes().Schedule(t.Context(), process.Pass{MaxTicks: 1})
	if err != nil || len(list) != 1 || list[0].Record.Name != "a-before" {
		t.Errorf("one tick advanced %v, %v", list, err)
	}
	w.advanced("b-sender")
	for _, n := range []int{0, -1, 1025} {
		_, err := w.processes().Schedule(t.Context(), process.Pass{MaxTicks: n})
		refused(t, "schedule", err, algal.ParseFailed, "maxTicks must be an integer in [1, 1024]")
	}
}

// TestScheduleStops between two dispatches, and tells what it advanced.
func TestScheduleStops(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"a", "b", "c"} {
		d := constant(t)
		d.Name = name
		w.createWith(d)
	}
	var told []string
	list, err := w.processes().Schedule(t.Context(), process.Pass{
		MaxTicks: 8,
		Advanced: func(s *process.Snapshot) { told = append(told, s.Record.Name) },
		Stop:     func() bool { return len(told) == 2 },
	})
	if err != nil || len(list) != 2 || !slices.Equal(told, []string{"a", "b"}) {
		t.Errorf("advanced %d, told %q, %v", len(list), told, err)
	}
}

// stepOf returns the number of the first step of an operation of a kind, on a copy.
func stepOf(t testing.TB, w workshop, operation string, op durable.Op) int {
	t.Helper()
	at := slices.IndexFunc(stepsOf(t, w, operation), func(s durable.Step) bool { return s.Op == op })
	if at < 0 {
		t.Fatalf("%s has no step %s", operation, op)
	}
	return at
}

// TestL13: of two ticks at once the second is refused; meanwhile the process reads
// as uncertain, and the tool runs once.
func TestL13(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	call := w.host.Tools["begin"].Call
	w.host.Tools["begin"].Call = func(ctx context.Context, c runtime.ToolCall) (canon.Value, error) {
		w.uncertain("p")
		for what, err := range map[string]error{
			"tick": second(w.tick("p")), "recover": second(w.processes().Recover(ctx, "p", w.head("p").Digest)),
		} {
			refused(t, what, err, algal.IOFailed, "host lease is held by another live operation")
		}
		w.advanced()
		return call(ctx, c)
	}
	w.mustTick("p", "suspended")
	if lines := w.effects(); len(lines) != 1 {
		t.Errorf("effects %q", lines)
	}
}
