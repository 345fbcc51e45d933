package lifecycle

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
)

// shared owns the mailboxes of the twins.
const shared = "shared"

// twins is the second scene (demo.md §1.2, step 8): two processes with the same
// arguments are two all the same.
func (l *lifecycle) twins(ctx context.Context) error {
	w := newWorld(l.Session, l.fixture, "twins")
	boxes, err := w.createBoxes(ctx, w.A, shared)
	if err != nil {
		return err
	}
	args, err := l.fixture.argsFor(w.Session, w.store, shared, boxes)
	if err != nil {
		return err
	}
	list := []string{"twin-a", "twin-b"}
	starters := []*stage.Program{w.A, w.B}
	for i, name := range list {
		if err := w.create(ctx, starters[i], name, args); err != nil {
			return err
		}
		if _, err := w.suspend(ctx, starters[i], name, boxes); err != nil {
			return err
		}
	}
	l.twin.actors = canon.Int(len(w.keepers))
	if err := l.identical(ctx, w, list); err != nil {
		return err
	}
	if err := l.distinct(ctx, w, boxes.proposals); err != nil {
		return err
	}
	if _, err := w.wake(ctx, shared, approve, boxes.approvals); err != nil {
		return err
	}
	line := "one wake for both advances one of them"
	advanced, err := w.schedule(ctx, w.B, line)
	if err != nil {
		return err
	}
	l.twin.ticks = canon.Int(len(advanced))
	l.twin.crossRuntime = canon.Bool(w.handoffs > 0)
	add(&l.handoffs, w.handoffs)
	if err := stage.Same(&w.Facts, line, len(advanced), 1); err != nil {
		return err
	}
	return l.apart(ctx, w, list)
}

// identical asserts that the arguments that the twins have recorded are the same.
func (l *lifecycle) identical(ctx context.Context, w *world, list []string) error {
	line := "the twins have the same arguments"
	digests := map[algal.Digest]bool{}
	for _, name := range list {
		v, err := w.ask(ctx, w.A, line, "process", "inspect", name)
		if err != nil {
			return err
		}
		digests[v.Get("process").Get("args").Digest()] = true
	}
	l.twin.identical = canon.Bool(len(digests) == 1)
	return stage.Same(&w.Facts, line, len(digests), 1)
}

// distinct asserts that each of the twins has made a proposal of its own.
func (l *lifecycle) distinct(ctx context.Context, w *world, proposals box) error {
	received, err := w.drain(ctx, w.A, proposals)
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, m := range received {
		ids[m.id] = true
	}
	l.twin.proposals = canon.Int(len(ids))
	line := "the twins made 2 proposals, with different ids"
	return w.That(len(received) == 2 && len(ids) == 2, line, "%d with %d ids", len(received), len(ids))
}

// apart asserts where the wake has left the twins.
func (l *lifecycle) apart(ctx context.Context, w *world, list []string) error {
	standing := map[string]int{}
	var now []snapshot
	for _, name := range list {
		s, err := w.inspect(ctx, w.B, name)
		if err != nil {
			return err
		}
		standing[s.status]++
		now = append(now, s)
	}
	l.twin.completed, l.twin.suspended = canon.Int(standing["complete"]), canon.Int(standing["suspended"])
	if err := w.stands("twin-a is complete at generation 2", now[0], "complete", 2); err != nil {
		return err
	}
	if err := w.stands("twin-b still waits at generation 1", now[1], "suspended", 1); err != nil {
		return err
	}
	made, err := w.decisions()
	if err != nil {
		return err
	}
	l.twin.decisions = canon.Int(made)
	if err := stage.Same(&w.Facts, "the twins made 2 decisions in all", made, 2); err != nil {
		return err
	}
	for i, s := range now {
		if _, err := w.verifies(ctx, s.name, s.head, 2-i, w.B, w.A); err != nil {
			return err
		}
	}
	return nil
}
