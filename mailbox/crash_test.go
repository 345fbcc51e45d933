//go:build unix

package mailbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

// childDie does an operation and is killed at a step of it, as a machine dies: at
// once, running nothing more.
func childDie(words []string) error {
	root, when := words[0], words[3]
	number, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	at, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	die := func(now bool) {
		if now {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal has arrived
		}
	}
	steps := 0
	hook := func(s durable.Step, do func() error) error {
		n := steps
		steps++
		die(n == at && when == "before")
		err := do()
		die(n == at && when == "after")
		return err
	}
	return mailboxtest.Operations()[number].Do(openStore(root, hook).Service())
}

// stepsOf returns the steps of an undisturbed operation as the contract writes
// them, "" for the syncs of directories above the mailboxes: no name changes there.
func stepsOf(t *testing.T, op mailboxtest.Operation) (steps []string) {
	t.Helper()
	root := used(t)
	op.Prepare(t, openStore(root, unsynced))
	hook := func(s durable.Step, do func() error) error {
		line := ""
		if s.Op != durable.OpDirSync || strings.HasPrefix(s.Path, root+"/") && s.Path != root+"/mailboxes" {
			line = strings.ReplaceAll(s.String(), root, "$S")
		}
		steps = append(steps, line)
		return unsynced(s, do)
	}
	must(t, op.Do(openStore(root, hook).Service()))
	op.After(t, openStore(root, unsynced), true)
	return steps
}

// TestKilledAtEveryStep kills a process after each step of every operation, and
// before those that follow work which is no step: the making of a temporary file.
// Whatever was left, what mailbox.md says may happen next is what happens.
func TestKilledAtEveryStep(t *testing.T) {
	for number, op := range mailboxtest.Operations() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			killed := 0
			for at, step := range stepsOf(t, op) {
				if step == "" {
					continue
				}
				whens := []string{"after"}
				if strings.HasPrefix(step, string(durable.OpWriteTemp)) || at == 0 {
					whens = append(whens, "before")
				}
				for _, when := range whens {
					root := used(t)
					op.Prepare(t, openStore(root, unsynced))
					if !startChild(t, "die", root, fmt.Sprint(number), fmt.Sprint(at), when).end() {
						t.Fatalf("%s step %d, %s: not killed", when, at, step)
					}
					op.After(t, openStore(root, unsynced), false)
					if t.Failed() {
						t.Fatalf("killed %s step %d, %s", when, at, step)
					}
					killed++
				}
			}
			if killed < 8 {
				t.Errorf("killed only %d times", killed)
			}
			t.Logf("killed %d times", killed)
		})
	}
}

// TestFailingSteps lets each step of every operation fail with an error of the
// system, in its place and after it was done. Nothing is acknowledged, what was
// there stays, and the next operation finds what mailbox.md says.
func TestFailingSteps(t *testing.T) {
	t.Parallel()
	n := 0
	for _, op := range mailboxtest.Operations() {
		for at, step := range stepsOf(t, op) {
			if step == "" {
				continue
			}
			for _, failure := range []struct {
				err  error
				done bool
			}{{syscall.ENOSPC, false}, {syscall.EIO, true}} {
				failStep(t, op, at, step, failure.err, failure.done)
				n++
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d failures injected", n)
	}
	t.Logf("%d failures injected", n)
}

func failStep(t *testing.T, op mailboxtest.Operation, at int, step string, failure error, done bool) {
	t.Helper()
	root := used(t)
	op.Prepare(t, openStore(root, unsynced))
	steps := 0
	s := openStore(root, func(s durable.Step, do func() error) error {
		n := steps
		steps++
		if n != at {
			return unsynced(s, do)
		}
		if done {
			_ = do()
		}
		return failure
	})
	err := op.Do(s.Service())
	var errno syscall.Errno
	if algal.CodeOf(err) != algal.IOFailed || !errors.As(err, &errno) || strings.Contains(err.Error(), root) {
		t.Fatalf("%s: failure at step %d, %s, reported as %v", op.Name, at, step, err)
	}
	if !strings.HasPrefix(step, string(durable.OpUnlinkTemp)) {
		noTemps(t, root)
	}
	op.After(t, openStore(root, unsynced), false)
	if t.Failed() {
		t.Fatalf("%s: failure at step %d, %s, done %v", op.Name, at, step, done)
	}
}

func noTemps(t *testing.T, root string) {
	t.Helper()
	for line := range strings.Lines(tree(t, root)) {
		name, _, _ := strings.Cut(line, " ")
		if durable.IsTemp(filepath.Base(name)) {
			t.Errorf("temporary file left: %s", name)
		}
	}
}
