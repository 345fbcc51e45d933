//go:build unix

package process_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// The tests of this file are named after the entries of conformance.md §2.

// fifo puts a FIFO in the place of a file until restore is called.
func (w workshop) fifo(name string) (restore func()) {
	w.t.Helper()
	held := w.read(name)
	must(w.t, os.Remove(w.path(name)))
	must(w.t, syscall.Mkfifo(w.path(name), 0o600))
	return func() {
		w.t.Helper()
		if info, err := os.Lstat(w.path(name)); err != nil || info.Mode().Type() != os.ModeNamedPipe {
			w.t.Errorf("%s is no FIFO any more: %v", name, err)
		}
		must(w.t, os.Remove(w.path(name)))
		w.write(name, held)
	}
}

// TestF9: a claim that is a FIFO stops the receive, also that of a program; nothing
// is consumed.
func TestF9(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(w.sleeper("p", w.box("inbox")))
	w.mustTick("p", "suspended")
	w.send(w.found("inbox"), "1", "hello")
	claim := "mailboxes/inbox/messages/" + canon.DigestText("1").Hex() + ".json"
	restore := w.fifo(claim)
	w.unchangedBut("receiving", claim, func() {
		_, err := w.mailboxes().Receive(t.Context(), w.found("inbox").Receive.String())
		refused(t, "receive", err, algal.BudgetExhausted, "mailbox artifact file type or bytes")
	})
	restore()
	w.advanced("p")
	if s := w.head("p"); s.Record.Status != chain.Complete {
		t.Errorf("the process is %s", s.Value())
	}
}

// unchangedBut is unchanged where one file cannot be read.
func (w workshop) unchangedBut(what, name string, do func()) {
	w.t.Helper()
	aside := filepath.Join(w.t.TempDir(), "aside")
	snapshot := func() map[string]string {
		must(w.t, os.Rename(w.path(name), aside))
		defer func() { must(w.t, os.Rename(aside, w.path(name))) }()
		return tree(w.t, w.root)
	}
	before := snapshot()
	do()
	w.same(what, before, snapshot())
}

func (w workshop) same(what string, before, after map[string]string) {
	w.t.Helper()
	for name, content := range before {
		if after[name] != content {
			w.t.Errorf("%s changed %s", what, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			w.t.Errorf("%s made %s", what, name)
		}
	}
}

func TestF10(t *testing.T) {
	w := newWorkshop(t)
	w.box("inbox")
	restore := w.fifo("mailboxes/inbox/config.json")
	_, err := w.mailboxes().List()
	refused(t, "list", err, algal.BudgetExhausted, "mailbox artifact file type or bytes")
	restore()
}

func TestF11(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	record := object("values", w.head("demo").Digest)
	for _, name := range []string{"processes/demo/head.json", record} {
		restore := w.fifo(name)
		for what, err := range map[string]error{
			"inspect": second(w.processes().Inspect("demo")), "tick": second(w.tick("demo")), "schedule": second(w.schedule()), "list": second(w.processes().List()),
		} {
			refused(t, what, err, algal.BudgetExhausted, "process file type/byte bound exceeded")
		}
		restore()
	}
	held := w.read(record)
	must(t, os.Remove(w.path(record)))
	_, err := w.processes().Inspect("demo")
	refused(t, "inspect", err, algal.StoreMiss, "missing process values object")
	w.write(record, held)
}

// TestF12: a slot and a memo that are FIFOs are refused, in the words of the path
// guard, which comes first (store.md §4.1); what is absent is nothing. A process
// whose program meets one fails, and goes on to an outcome.
func TestF12(t *testing.T) {
	const guarded = "store symlinks and unexpected file types are not admitted"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := workshop{deskAt(t, filepath.Join(dir, "store"))} // not examined: what the live store refused does not replay (run.md §13.3)
	must(t, w.host.Store.SetSlot("memo", canon.Int(1)))
	restore := w.fifo("slots/memo.json")
	_, err = w.host.Store.Slot("memo")
	refused(t, "slot", err, algal.IOFailed, guarded)
	w.create("p", cells(`{"id":"look","kind":"slot","name":"memo","mode":"read"}`))
	s := w.mustTick("p", "failed")
	if failure := parse(t, w.read(object("runs", s.Record.Receipt))).Get("failure"); !failure.Get("message").IsText(guarded) {
		t.Errorf("failure %s", failure)
	}
	restore()
	if v, err := w.host.Store.Slot("other"); err != nil || v.Exists() {
		t.Errorf("absent slot: %s, %v", v, err)
	}
	request := canon.Int(1).Digest()
	must(t, w.host.Store.PutEffect("e", parse(t, `{"executor":"e","output":1,"requestDigest":"`+string(request)+`"}`)))
	files, err := os.ReadDir(w.path("effects"))
	must(t, err)
	restore = w.fifo("effects/" + files[0].Name())
	_, err = w.host.Store.Effect("e", request)
	refused(t, "memo", err, algal.IOFailed, guarded)
	restore()
	if v, err := w.host.Store.Effect("other", request); err != nil || v.Exists() {
		t.Errorf("absent memo: %s, %v", v, err)
	}
}

func TestF13(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(constant(t))
	must(t, os.Rename(w.path("processes"), w.path("real")))
	must(t, os.Symlink("real", w.path("processes")))
	late := constant(t)
	late.Name = "late"
	ctx := t.Context()
	p := w.processes()
	w.unchangedBehind("any command", "real", func() {
		for what, err := range map[string]error{
			"create": second(p.Create(ctx, late)), "inspect": second(p.Inspect("demo")), "tick": second(w.tick("demo")), "list": second(p.List()),
			"schedule": second(w.schedule()), "verify": second(p.Verify(ctx, "demo")), "export": second(p.Export(ctx, "demo", nil)),
			"recover": second(p.Recover(ctx, "demo", canon.Int(1).Digest())), "journal": second(p.Describe("demo")),
		} {
			refused(t, what, err, algal.IOFailed, "process symlinks are not admitted")
		}
	})
	must(t, os.Remove(w.path("processes")))
	must(t, os.Rename(w.path("real"), w.path("processes")))
}

func (w workshop) unchangedBehind(what, dir string, do func()) {
	w.t.Helper()
	before := tree(w.t, w.path(dir))
	do()
	w.same(what, before, tree(w.t, w.path(dir)))
}

func TestF14(t *testing.T) {
	d := constant(t)
	record := algal.Digest("sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28") // process.md §2.4
	for _, name := range []string{object("values", record), object("manifests", d.Manifest.Digest())} {
		w := newWorkshop(t)
		w.write("target", "precious")
		must(t, os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
		must(t, os.Symlink("../target", w.path(name)))
		if _, err := w.processes().Create(t.Context(), d); algal.CodeOf(err) != algal.IOFailed {
			t.Errorf("%s: create: %v", name, err)
		}
		if got := w.read("target"); got != "precious" {
			t.Errorf("%s: the target holds %q", name, got)
		}
		must(t, os.Remove(w.path(name)))
		w.createWith(d) // the interrupted creation goes on
		w.mustTick("demo", "complete")
	}
}
