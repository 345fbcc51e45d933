package laboratory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/process"
)

// How long a child may take to its barrier, and how often the laboratory looks.
const (
	untilBarrier = 10 * time.Second
	glance       = 10 * time.Millisecond
)

// crashCase is one case of a dispatch that is killed.
type crashCase struct {
	*laboratory
	mode    Mode
	dir     string
	token   string
	fixture *fixture // for reading

	intent  *process.Snapshot // the head at the kill
	journal canon.Value       // at the kill
	barrier canon.Value
}

// crash has a child dispatch a process and stand still inside its last effect, kills
// it there, has another child recover, and measures what came of it. It returns the
// case as the proof has it.
func (l *laboratory) crash(ctx context.Context, mode Mode) (canon.Value, error) {
	token := make([]byte, tokenBytes)
	rand.Read(token)
	c := &crashCase{laboratory: l, mode: mode, dir: l.root.Join(mode.dir()), token: hex.EncodeToString(token)}
	if err := c.kill(ctx); err != nil {
		return canon.Value{}, err
	}
	return c.recover(ctx)
}

// kill starts the child and kills it at its barrier. The child has ended when kill
// returns, whatever the error.
func (c *crashCase) kill(ctx context.Context) error {
	child, err := c.program.Start(ctx, "demo", "fixture-start", c.dir, "--mode", string(c.mode), "--token", c.token)
	if err != nil {
		return c.measured(err, false, c.stands(), "")
	}
	defer func() {
		child.Kill() // it may have ended
		child.Wait()
	}()
	if err := c.await(ctx, child); err != nil {
		return err
	}
	if err := c.atBarrier(); err != nil {
		return err
	}
	_, err = child.Kill()
	if ctx.Err() != nil {
		return interrupted()
	}
	if err := c.measured(err, true, "the dispatch was killed by SIGKILL inside a "+string(c.mode), ""); err != nil {
		return err
	}
	head, journal, err := c.state()
	same := err == nil && head.Digest == c.intent.Digest && canon.Equal(journal, c.journal)
	return c.measured(err, same, "the kill inside a "+string(c.mode)+" moved neither head nor journal", "another head or journal")
}

// await waits until the child says that it stands at its barrier.
func (c *crashCase) await(ctx context.Context, child *stage.Owned) error {
	late := time.NewTimer(untilBarrier)
	defer late.Stop()
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		var err error
		if c.barrier, err = hostdoc.Read(c.path(barrierFile), maxBarrier); err != nil || c.barrier.Exists() {
			return c.measured(err, true, c.stands(), "")
		}
		select {
		case <-look.C:
		case <-late.C:
			return c.facts.That(false, c.stands(), "no %s after %v", barrierFile, untilBarrier)
		case <-child.Done():
			if ctx.Err() != nil {
				return interrupted()
			}
			ended, err := child.Wait()
			if err != nil {
				return c.measured(err, false, c.stands(), "")
			}
			return c.facts.That(false, c.stands(), "that it ended by itself: %s", answered(ended).wrong)
		}
	}
}

// atBarrier asserts that it is our child that stands there, and that the store knows
// what it does not know: the first effect is settled, the second was begun.
func (c *crashCase) atBarrier() error {
	in := " inside the " + string(c.mode)
	key := algal.Digest(c.barrier.Get("idempotencyKey").Text())
	wanted, err := c.open(key)
	ours := canon.Equal(c.barrier, wanted)
	if err := c.measured(err, ours, "the barrier names the token, mode and definition of the child"+in, "%s", brief(c.barrier)); err != nil {
		return err
	}
	c.intent, c.journal, err = c.state()
	uncertain := err == nil && c.intent.Record.Status == chain.Uncertain
	if err := c.measured(err, uncertain, "the process"+in+" is uncertain", "another status"); err != nil {
		return err
	}
	effects := c.journal.Get("effects")
	return c.facts.That(begun(effects, key), "the journal"+in+": prefix completed, barrier started", "%s", brief(effects))
}

// begun reports whether the first of two effects is settled and the second is begun,
// under the given key.
func begun(effects canon.Value, key algal.Digest) bool {
	if effects.Len() != 2 {
		return false
	}
	prefix, pending := effects.At(0).Get("record"), effects.At(1).Get("record")
	return prefix.Get("state").IsText("completed") &&
		pending.Get("state").IsText("started") && pending.Get("idempotencyKey").IsText(string(key))
}

// open opens the fixture that the child made and returns what its barrier must say of
// an effect with the given key.
func (c *crashCase) open(key algal.Digest) (canon.Value, error) {
	r, err := root.Open(c.dir)
	if err != nil {
		return canon.Value{}, err
	}
	c.fixture = openFixture(r, c.files)
	d, err := c.fixture.readDefinition(c.token)
	if err != nil {
		return canon.Value{}, err
	}
	if d.mode != c.mode {
		return canon.Value{}, algal.Errorf(algal.ReceiptMismatch, "the fixture has mode %s", d.mode)
	}
	return (&barrier{c.fixture, d, true}).record(key), nil
}

// stands is the line of a child that has come to its barrier.
func (c *crashCase) stands() string { return "a child stands still inside a " + string(c.mode) }

func (c *crashCase) path(name string) string { return filepath.Join(c.dir, name) }

// state reads the head and the journal of the process.
func (c *crashCase) state() (*process.Snapshot, canon.Value, error) {
	supervisor := reader(c.fixture.store)
	head, err := supervisor.Inspect(crashProcess)
	if err != nil {
		return nil, canon.Value{}, err
	}
	journal, err := supervisor.Describe(crashProcess)
	return head, journal, err
}

// released asserts that the lease of the killed child was passed on and given back.
func (c *crashCase) released() error {
	state, err := custody.Inspect(c.fixture.place())
	return c.measured(err, state.Nonce == "" && len(state.Archived) == 1,
		"the lease of the child killed inside a "+string(c.mode)+" was passed on and given back", "marker %q, %d archived", state.Nonce, len(state.Archived))
}
