package crash

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// dispatch lets the owner begin and waits until its second call hangs.
func (c *incident) dispatch(ctx context.Context) (err error) {
	create := c.inStore("process", "create", worker, c.file(programFile))
	if _, err := c.asks(ctx, c.owner, c.owner.name+" creates the process", create); err != nil {
		return err
	}
	if c.process, err = c.owner.Start(ctx, c.inStore("process", "tick", worker, "--journal")...); err != nil {
		return err
	}
	err = c.place().Reached(ctx, c.process)
	if ctx.Err() != nil {
		return err
	}
	return c.holds(err == nil, c.owner.name+" hangs in the second call of its dispatch", "%v", err)
}

// observe lets the other runtime look at the process in the middle of the call.
func (c *incident) observe(ctx context.Context) error {
	line := c.other.name + " reads it as uncertain while the call hangs"
	snapshot, err := c.asks(ctx, c.other, line, c.inspection())
	if err != nil {
		return err
	}
	status := snapshot.Get("process").Get("status")
	if err := c.holds(status.IsText("uncertain"), line, "the status %s", status); err != nil {
		return err
	}
	if c.intent, err = canon.AsDigest(snapshot.Get("digest"), "snapshot digest"); err != nil {
		return c.holds(false, line, "%v", err)
	}
	c.found.intent = canon.String(string(c.intent))
	if err := c.atIntent("the head on disk is the intent"); err != nil {
		return err
	}
	if c.calls, err = c.place().Calls(); err != nil {
		return err
	}
	return c.holds(len(c.calls) == 2, "two calls were made", "%d", len(c.calls))
}

// exclude lets the other runtime try to recover while the owner lives.
func (c *incident) exclude(ctx context.Context) error {
	c.marker = c.readMarker()
	if err := c.holds(c.marker != "", "the owner's marker lies beside the head", "none"); err != nil {
		return err
	}
	err := c.refuses(ctx, c.other, c.other.name+" is refused a recovery while the owner lives", heldElse, c.recovery(c.intent, toolsFile))
	now := c.readMarker()
	c.found.liveOwnerExcluded = canon.Bool(err == nil && now == c.marker)
	if err != nil {
		return err
	}
	return c.holds(now == c.marker, "the owner's marker is the same byte for byte", "%q in place of %q", now, c.marker)
}

// kill kills the owner with its process group, then lets the adapter answer again.
func (c *incident) kill(ctx context.Context) error {
	ended, err := c.process.Kill()
	c.process = nil
	if ctx.Err() != nil {
		return algal.Errorf(algal.BudgetExhausted, "interrupted")
	}
	if err == nil {
		c.found.killedSignal = canon.String(unix.SignalName(ended.Signal))
	}
	if err := c.holds(err == nil, c.owner.name+" dies by SIGKILL", "%v", err); err != nil {
		return err
	}
	if err := c.atIntent("the head is the same after the kill"); err != nil {
		return err
	}
	return c.place().Unblock()
}

// pass lets the other runtime schedule: nothing is done again by itself.
func (c *incident) pass(ctx context.Context) error {
	line := "a schedule by " + c.other.name + " retries nothing"
	passed, err := c.asks(ctx, c.other, line, c.inStore("process", "schedule"))
	if err != nil {
		return err
	}
	ticks := passed.Get("ticks")
	if err := c.holds(canon.Equal(ticks, canon.Int(0)), line, "%s ticks", ticks); err != nil {
		return err
	}
	return c.noFurtherCall("the schedule made no call")
}

// wrongIntent is the digest of no record.
var wrongIntent = canon.DigestText("wrong-intent")

// mistake lets the other runtime recover an intent that is not the process's.
func (c *incident) mistake(ctx context.Context) error {
	err := c.refuses(ctx, c.other, c.other.name+" is refused to recover another intent", anything, c.recovery(wrongIntent, toolsFile))
	c.found.wrongIntentBlocked = canon.Bool(err == nil)
	return err
}

// noFurtherCall asserts that no call was made since the crash.
func (c *incident) noFurtherCall(line string) error {
	calls, err := c.place().Calls()
	if err != nil {
		return err
	}
	return c.holds(len(calls) == len(c.calls), line, "%d calls in place of %d", len(calls), len(c.calls))
}
