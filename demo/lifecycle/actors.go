package lifecycle

import (
	"context"
	"strconv"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// actor is one of the two processes of the first scene.
type actor struct {
	name        string
	home, other *stage.Program // who starts it, and who takes it over
	decision    string         // that it will be woken with
	published   int            // the publications that come of it
	ending      string         // the same in words

	boxes         boxes
	args          string // path
	waiting, done snapshot
	outcome       canon.Value // what it came to, see outcome

	proposals, publications []message
	verified                int // receipts
}

func newActors(s *qualification.Session) []*actor {
	return []*actor{
		{name: "alpha", home: s.A, other: s.B, decision: approve, published: 1, ending: "alpha published what was approved, once"},
		{name: "beta", home: s.B, other: s.A, decision: deny, published: 0, ending: "beta, which was denied, published nothing"},
	}
}

// actors is the first scene (demo.md §1.2, steps 1 to 7): two processes wait, each is
// woken by a decision of its own, and what they did is examined.
func (l *lifecycle) actors(ctx context.Context) error {
	w := newWorld(l.Session, l.fixture, "actors")
	l.cast = newActors(l.Session)
	alpha, beta := l.cast[0], l.cast[1]
	for _, a := range l.cast {
		if err := w.start(ctx, a); err != nil {
			return err
		}
	}
	l.process.actors = canon.Int(len(w.keepers))
	made, err := w.decisions()
	if err != nil {
		return err
	}
	l.process.decisions = canon.Int(made)
	if err := stage.Same(&w.Facts, "2 decisions were made, one for each", made, 2); err != nil {
		return err
	}
	if err := l.idle(ctx, w, w.B, "while both wait a schedule advances nothing"); err != nil {
		return err
	}
	if err := w.unmoved(ctx, alpha, "alpha's head is as it was before the schedule"); err != nil {
		return err
	}
	if err := l.awaken(ctx, w, alpha); err != nil {
		return err
	}
	if err := w.unmoved(ctx, beta, "beta's head is as it was before alpha's wake"); err != nil {
		return err
	}
	if err := l.awaken(ctx, w, beta); err != nil {
		return err
	}
	after, err := w.decisions()
	if err != nil {
		return err
	}
	l.process.resumed = canon.Int(after - made)
	if err := stage.Same(&w.Facts, "still 2 decisions: nobody made one again when it went on", after, made); err != nil {
		return err
	}
	if err := l.idle(ctx, w, w.B, "when both are complete a schedule advances nothing"); err != nil {
		return err
	}
	for _, a := range l.cast {
		if err := w.examine(ctx, a); err != nil {
			return err
		}
		if err := l.verify(ctx, w, a); err != nil {
			return err
		}
	}
	add(&l.handoffs, w.handoffs)
	return nil
}

// start brings an actor to where it waits (step 1).
func (w *world) start(ctx context.Context, a *actor) (err error) {
	if a.boxes, err = w.createBoxes(ctx, a.home, a.name); err != nil {
		return err
	}
	if a.args, err = w.fixture.argsFor(w.Session, w.store, a.name, a.boxes); err != nil {
		return err
	}
	if err := w.create(ctx, a.home, a.name, a.args); err != nil {
		return err
	}
	if a.waiting, err = w.suspend(ctx, a.home, a.name, a.boxes); err != nil {
		return err
	}
	_, err = w.drained(ctx, a.home, "nothing is published for "+a.name+" yet", a.boxes.publications, 0)
	return err
}

// idle is a schedule that has nothing to do (steps 3 and 6).
func (l *lifecycle) idle(ctx context.Context, w *world, p *stage.Program, line string) error {
	before, err := w.decisions()
	if err != nil {
		return err
	}
	advanced, err := w.schedule(ctx, p, line)
	if err != nil {
		return err
	}
	after, err := w.decisions()
	if err != nil {
		return err
	}
	add(&l.process.idleTicks, len(advanced))
	add(&l.process.idleDecisions, after-before)
	if err := stage.Same(&w.Facts, line, len(advanced), 0); err != nil {
		return err
	}
	return stage.Same(&w.Facts, "a schedule that advances nothing decides nothing", after-before, 0)
}

// unmoved asserts that an actor that waits is where it was.
func (w *world) unmoved(ctx context.Context, a *actor, line string) error {
	now, err := w.inspect(ctx, a.other, a.name)
	if err != nil {
		return err
	}
	return stage.Same(&w.Facts, line, now.head, a.waiting.head)
}

// awaken delivers an actor's decision, and the other runtime carries it on (steps 4
// and 5).
func (l *lifecycle) awaken(ctx context.Context, w *world, a *actor) error {
	suppressed, err := w.wake(ctx, a.name, a.decision, a.boxes.approvals)
	if err != nil {
		return err
	}
	add(&l.process.suppressed, suppressed)
	line := "a schedule then advances " + a.name + " and nobody else"
	advanced, err := w.schedule(ctx, a.other, line)
	if err != nil {
		return err
	}
	return w.That(len(advanced) == 1 && advanced[0].name == a.name, line, "advanced: %v", names(advanced))
}

func names(list []snapshot) (names []string) {
	for _, s := range list {
		names = append(names, s.name)
	}
	return names
}

// examine looks at what became of an actor, but for its verification (step 7).
func (w *world) examine(ctx context.Context, a *actor) (err error) {
	if a.done, err = w.inspect(ctx, a.other, a.name); err != nil {
		return err
	}
	if err := w.stands(a.name+" is complete at generation 2", a.done, "complete", 2); err != nil {
		return err
	}
	before, err := w.receipt(a.waiting.receipt)
	if err != nil {
		return err
	}
	after, err := w.receipt(a.done.receipt)
	if err != nil {
		return err
	}
	for _, cell := range []string{recommender, "propose"} {
		was, is := before.Get("cells").Get(cell), after.Get("cells").Get(cell)
		same := was.Exists() && canon.Equal(was, is)
		if err := w.That(same, a.name+"'s cell "+cell+" is in both receipts, and the same", "%s and then %s", was, is); err != nil {
			return err
		}
	}
	a.outcome = outcome(after)
	if a.proposals, err = w.drained(ctx, a.other, a.name+" proposed once", a.boxes.proposals, 1); err != nil {
		return err
	}
	if a.publications, err = w.drained(ctx, a.other, a.ending, a.boxes.publications, a.published); err != nil {
		return err
	}
	_, err = w.drained(ctx, a.other, a.name+"'s second delivery of the wake left no message", a.boxes.approvals, 0)
	return err
}

// verify verifies an actor's history with each runtime (step 7), the one that ended
// it first.
func (l *lifecycle) verify(ctx context.Context, w *world, a *actor) error {
	before, err := w.decisions()
	if err != nil {
		return err
	}
	if a.verified, err = w.verifies(ctx, a.name, a.done.head, 2, a.other, a.home); err != nil {
		return err
	}
	add(&l.process.verified, a.verified)
	after, err := w.decisions()
	if err != nil {
		return err
	}
	add(&l.process.verifying, after-before)
	return stage.Same(&w.Facts, "the verification decided nothing", after-before, 0)
}

// verifies asserts that a process verifies with the given head and number of
// receipts in each of the runtimes, each of which is asked once. It returns how many
// receipts were verified.
func (w *world) verifies(ctx context.Context, name, head string, receipts int, by ...*stage.Program) (int, error) {
	asked := map[*stage.Program]bool{}
	verified := 0
	for _, p := range by {
		if asked[p] {
			continue
		}
		asked[p] = true
		line := name + " verifies offline, with all its receipts: " + strconv.Itoa(receipts)
		v, err := w.ask(ctx, p, line, "process", "verify", name)
		if err != nil {
			return 0, err
		}
		verified = count(v.Get("receipts"))
		holds := v.Get("ok").Bool() && verified == receipts && v.Get("digest").IsText(head)
		if err := w.That(holds, line, "%s where the head is %s", v, head); err != nil {
			return 0, err
		}
	}
	return verified, nil
}

// outcome is what two runs with the same decisions have in common: the values of the
// cells that hold no handle and no id of a message.
func outcome(receipt canon.Value) canon.Value {
	cells := receipt.Get("cells")
	return canon.Object(
		canon.M(recommender, cells.Get(recommender).Get("outputs")),
		canon.M("authorize", cells.Get("authorize").Get("outputs")),
	)
}
