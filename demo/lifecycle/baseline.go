package lifecycle

import (
	"context"
	"slices"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// baseline is the third scene (demo.md §1.2, step 9): the same program without a
// process, which is run again from the start when the approval is there.
func (l *lifecycle) baseline(ctx context.Context) error {
	w := newWorld(l.Session, l.fixture, "baseline")
	w.aside = ", without a process"
	for _, a := range l.cast {
		if err := w.restart(ctx, a); err != nil {
			return err
		}
	}
	made, err := w.decisions()
	if err != nil {
		return err
	}
	l.restarted = canon.Int(made)
	return stage.Same(&w.Facts, "run from the start it takes 4 decisions", made, 4)
}

// restart does for an actor what its process did, in two runs.
func (w *world) restart(ctx context.Context, a *actor) error {
	boxes, err := w.createBoxes(ctx, a.home, a.name)
	if err != nil {
		return err
	}
	args, err := w.fixture.argsFor(w.Session, w.store, a.name, boxes)
	if err != nil {
		return err
	}
	if _, err := w.runs(ctx, a.home, a.name+"'s program is run and stops at the approval", args, "suspended", 1); err != nil {
		return err
	}
	if _, err := w.wake(ctx, a.name, a.decision, boxes.approvals); err != nil {
		return err
	}
	receipt, err := w.runs(ctx, a.home, a.name+"'s program is run again from the start and completes", args, "complete", 0)
	if err != nil {
		return err
	}
	line := "it came to the same as the process " + a.name
	if got := outcome(receipt); !canon.Equal(got, a.outcome) {
		return w.That(false, line, "%s where %s should be", got, a.outcome)
	}
	for _, m := range []struct {
		from box
		want []message
	}{{boxes.proposals, a.proposals}, {boxes.publications, a.publications}} {
		received, err := w.drain(ctx, a.home, m.from)
		if err != nil {
			return err
		}
		same := slices.EqualFunc(received, m.want, func(got, want message) bool { return canon.Equal(got.value, want.value) })
		if !same {
			return w.That(false, line, "%v in %s where %v should be", values(received), m.from.name, values(m.want))
		}
	}
	return w.That(true, line, "")
}

func values(list []message) canon.Value {
	var all []canon.Value
	for _, m := range list {
		all = append(all, m.value)
	}
	return canon.Array(all...)
}

// runs runs the program, asserts how it ended, and returns its receipt.
func (w *world) runs(ctx context.Context, p *stage.Program, line, args, outcome string, exit int) (canon.Value, error) {
	ended, err := w.Run(ctx, p, line, w.located([]string{
		"run", w.fixture.program, "--args", args, "--modules", w.fixture.dir, "--executor-cmd", w.executor,
	})...)
	if err != nil {
		return canon.Value{}, err
	}
	receipt, err := ended.Value()
	if err != nil {
		return canon.Value{}, w.That(false, line, "%s", qualification.Described(ended))
	}
	got := receipt.Get("outcome")
	return receipt, w.That(ended.Exit == exit && got.IsText(outcome), line, "%s with exit %d", got, ended.Exit)
}
