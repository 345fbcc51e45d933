//go:build unix

package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/durable"
)

// fault is a step that fails with an error of the system, in its place or after it
// was done.
type fault struct {
	death
	err  error
	done bool
}

// faults are those of an operation: a full disk in the place of every step within
// the store, a broken one where a name has appeared or gone all the same.
func faults(steps []durable.Step) (list []fault) {
	for at, s := range steps {
		if !strings.HasPrefix(s.Path, "$/") {
			continue
		}
		d := death{at, "in", s}
		switch s.Op {
		case durable.OpFileSync, durable.OpDirSync:
			list = append(list, fault{d, syscall.EIO, true})
		case durable.OpWriteTemp, durable.OpMkdir, opEffect:
			list = append(list, fault{d, syscall.ENOSPC, false})
		default:
			list = append(list, fault{d, syscall.ENOSPC, false}, fault{d, syscall.EIO, true})
		}
	}
	return list
}

// TestFailingSteps lets every step of an operation fail. The operation says so, the
// old head stays or the new one is whole, and what process.md §12 says may happen
// next is what happens. A step that fails inside a tool is the program's failure.
func TestFailingSteps(t *testing.T) {
	for _, operation := range []string{"create", "start", "wake"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			base := newWorkshop(t)
			operations[operation].prepare(base)
			want := base.copied(t)
			must(t, operations[operation].do(want))
			m := &matrix{t, operation, base, want, map[string]int{}}
			list := faults(stepsOf(t, base, operation))
			for _, f := range list {
				w := base.copied(t)
				m.fail(w, f)
				if t.Failed() {
					t.Fatalf("%s, done %v", f, f.done)
				}
				must(t, os.RemoveAll(filepath.Dir(w.root)))
			}
			if len(list) < 40 {
				t.Errorf("only %d failures", len(list))
			}
			t.Logf("%d failures: %v", len(list), m.ends)
		})
	}
}

// fail runs the operation with a fault and looks at what it leaves.
func (m *matrix) fail(w workshop, f fault) {
	m.Helper()
	steps := 0
	err := operations[m.operation].do(workshopAt(m.T, w.root, func(s durable.Step, do func() error) error {
		n := steps
		steps++
		if n != f.at {
			return unsynced(s, do)
		}
		if f.done {
			_ = unsynced(s, do)
		}
		return f.err
	}))
	w.t = m.T
	m.noTemps(w, f)
	if err == nil { // the step was one of a tool
		m.ends["failed program"]++
		m.checkFailed(w, f)
		return
	}
	var errno syscall.Errno
	if algal.CodeOf(err) != algal.IOFailed || !errors.As(err, &errno) || errno != f.err || strings.Contains(err.Error(), w.root) {
		m.Errorf("%s reported as %s %v", f, algal.CodeOf(err), err)
	}
	m.check(w)
}

// noTemps: an operation that failed takes its temporary files away, if it can.
func (m *matrix) noTemps(w workshop, f fault) {
	m.Helper()
	for name := range tree(m, w.root) {
		if durable.IsTemp(filepath.Base(name)) && f.step.Op != durable.OpUnlinkTemp {
			m.Errorf("left %s", name)
		}
	}
}

// checkFailed: the failure of a tool is in the receipt of a settled dispatch, and
// what the tool left is as after a kill. A receive that finds nothing says so even
// if it cannot give up its lock (mailbox.md §6 step 6).
func (m *matrix) checkFailed(w workshop, f fault) {
	m.Helper()
	s, want := w.head("p"), m.want.head("p")
	receipt := parse(m, w.read(object("runs", s.Record.Receipt)))
	code := algal.Code(receipt.Get("failure").Get("code").Text())
	failed := s.Record.Status == chain.Failed && s.Record.Generation == want.Record.Generation && (code == algal.IOFailed || code == algal.ToolFailed)
	unlocking := f.step.Op == durable.OpUnlinkLock || f.step.Op == durable.OpDirSync
	if !failed && !(unlocking && s.Digest == want.Digest && s.Record.Status == chain.Suspended) {
		m.Errorf("the process is at %s, failure %s", s.Value(), receipt.Get("failure"))
	}
	if _, err := w.processes().Verify(m.Context(), "p"); err != nil {
		m.Errorf("verify: %v", err)
	}
	checktest.Now(m, w.root, checktest.Allow(check.MailboxLocked, check.MailboxInterrupted), checktest.Tools(workerTools()))
	m.reconcile(w)
	m.checkMessages(w)
	m.receiveAll(w)
	checktest.Now(m, w.root, checktest.Tools(workerTools()))
}
