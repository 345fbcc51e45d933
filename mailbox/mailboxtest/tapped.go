package mailboxtest

import (
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

// tapped is an engine whose calls go through a hook, which may leave them out.
type tapped struct {
	engine mailbox.Engine
	tap    func(call string, do func() error) error
}

func (e tapped) Guard(names ...string) error {
	return e.tap("guard", func() error { return e.engine.Guard(names...) })
}

func (e tapped) Read(name string) (text string, found bool, err error) {
	err = e.tap("read", func() (err error) { text, found, err = e.engine.Read(name); return err })
	return text, found, err
}

func (e tapped) Retain(name string, judge func(string) error) (found bool, err error) {
	err = e.tap("retain", func() (err error) { found, err = e.engine.Retain(name, judge); return err })
	return found, err
}

func (e tapped) Create(name, text string) (fresh bool, err error) {
	err = e.tap("create", func() (err error) { fresh, err = e.engine.Create(name, text); return err })
	return fresh, err
}

func (e tapped) Replace(name, text string) error {
	return e.tap("replace", func() error { return e.engine.Replace(name, text) })
}

func (e tapped) Remove(name string) error {
	return e.tap("remove", func() error { return e.engine.Remove(name) })
}

func (e tapped) Directory(name string) (is bool, err error) {
	err = e.tap("directory", func() (err error) { is, err = e.engine.Directory(name); return err })
	return is, err
}

func (e tapped) Ensure(name string) error {
	return e.tap("ensure", func() error { return e.engine.Ensure(name) })
}

func (e tapped) Scan(dir string, bound int, visit func(string, fs.FileMode) error) error {
	return e.tap("scan", func() error { return e.engine.Scan(dir, bound, visit) })
}

func (e tapped) Lock(name string) (taken bool, err error) {
	err = e.tap("lock", func() (err error) { taken, err = e.engine.Lock(name); return err })
	return taken, err
}

func (e tapped) Unlock(name string) error {
	return e.tap("unlock", func() error { return e.engine.Unlock(name) })
}

func (e tapped) Locked(name string) (locked bool, err error) {
	err = e.tap("locked", func() (err error) { locked, err = e.engine.Locked(name); return err })
	return locked, err
}

// fault lets one call of an engine fail, in place of the call or after it.
type fault struct {
	at        int // number of the call
	after     bool
	err       error
	calls     int
	failed    string // the call, "" as long as none has failed
	published bool   // a record was or would have been written
}

func (f *fault) tap(call string, do func() error) error {
	n := f.calls
	f.calls++
	if f.failed == "" && (call == "create" || call == "replace") {
		f.published = true
	}
	if n != f.at {
		return do()
	}
	f.failed = call
	if f.after {
		_ = do() // the medium did it and then said that it had failed
	}
	return &durable.Fault{Kind: durable.System, Op: durable.Op(call), Err: f.err}
}

// writes tells the calls that do something, so that failing in their place is not
// the same as failing after them.
func writes(call string) bool {
	return slices.Contains([]string{"retain", "create", "replace", "remove", "ensure", "lock", "unlock"}, call)
}

// faults lets every call of every operation fail. The failure is reported, flagged
// if something may have been published, and leaves what [Operation.After] says.
func faults(t *testing.T, open func(*testing.T) Store) {
	n := 0
	for _, op := range Operations() {
		for at, call := range callsOf(t, open(t), op) {
			faultAt(t, open(t), op, &fault{at: at, err: syscall.ENOSPC})
			n++
			if writes(call) {
				faultAt(t, open(t), op, &fault{at: at, err: syscall.EIO, after: true})
				n++
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d faults injected", n)
	}
	t.Logf("%d faults injected", n)
}

// callsOf returns the calls that an operation makes when nothing goes wrong.
func callsOf(t *testing.T, s Store, op Operation) (calls []string) {
	t.Helper()
	op.Prepare(t, s)
	tap := func(call string, do func() error) error {
		calls = append(calls, call)
		return do()
	}
	must(t, op.Do(mailbox.New(tapped{s.Engine, tap}, s.Admit)))
	op.After(t, s, true)
	return calls
}

func faultAt(t *testing.T, s Store, op Operation, f *fault) {
	t.Helper()
	op.Prepare(t, s)
	err := op.Do(mailbox.New(tapped{s.Engine, f.tap}, s.Admit))
	what := op.Name + ": fault at " + f.failed
	e := Refused(t, what, err, algal.IOFailed, f.err.Error())
	if want := f.published && op.Locks; e.Uncertain != want {
		t.Errorf("%s, call %d: uncertain %v, want %v", what, f.at, e.Uncertain, want)
	}
	op.After(t, s, false)
	if t.Failed() {
		t.Fatalf("%s, call %d, after %v", what, f.at, f.after)
	}
}

// nested operations come between the calls of another that has the lock. On the
// same mailbox they are refused at once and change nothing, on others they work.
func nested(t *testing.T, open func(*testing.T) Store) {
	n := 0
	for _, op := range Operations() {
		if !op.Locks {
			continue
		}
		s := open(t)
		op.Prepare(t, s)
		b, other := boxOf(t, s, opBox), newBox(t, s, "other", 1024, 64)
		inside := false
		tap := func(call string, do func() error) error {
			locked, err := s.Engine.Locked(b.lock())
			must(t, err)
			if locked && !inside && call != "unlock" {
				inside = true
				b.mustBeLocked()
				other.mustSend(n, canon0)
				inside = false
				n++
			}
			return do()
		}
		must(t, op.Do(mailbox.New(tapped{s.Engine, tap}, s.Admit)))
		op.After(t, s, true)
	}
	if n < 30 {
		t.Errorf("only %d intrusions", n)
	}
	t.Logf("%d intrusions", n)
}
