package crash

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
)

// reconfigure lets the other runtime recover with a tool that is declared otherwise.
func (c *incident) reconfigure(ctx context.Context) error {
	err := c.refuses(ctx, c.other, c.other.name+" is refused to recover with another configuration", anything, c.recovery(c.intent, changedToolsFile))
	c.found.configurationBlocked = canon.Bool(err == nil)
	if err != nil {
		return err
	}
	if err := c.atIntent("the head is still the intent"); err != nil {
		return err
	}
	return c.noFurtherCall("the refused recoveries made no call")
}

// recover lets the other runtime carry the intent to its outcome.
func (c *incident) recover(ctx context.Context) error {
	line := c.other.name + " recovers the intent"
	snapshot, err := c.asks(ctx, c.other, line, c.recovery(c.intent, toolsFile))
	if err != nil {
		return err
	}
	record := snapshot.Get("process")
	c.found.head, c.found.receipt, c.found.generation = snapshot.Get("digest"), record.Get("receipt"), record.Get("generation")
	c.found.recovered = record.Get("status").IsText("complete") &&
		canon.Equal(record.Get("generation"), canon.Int(1)) && record.Get("previous").IsText(string(c.intent))
	if err := c.holds(c.found.recovered, line+": complete, generation 1, after the intent", "%s", record); err != nil {
		return err
	}
	return c.countCalls()
}

// countCalls asserts which calls there were: the settled write was not repeated, and
// the read was, with the key that it had.
func (c *incident) countCalls() (err error) {
	if c.calls, err = c.place().Calls(); err != nil {
		return err
	}
	prefixes, pending := split(c.calls)
	c.found.completedWrites, c.found.readCalls = canon.Int(len(prefixes)), canon.Int(len(pending))
	if err := c.holds(len(prefixes) == 1, "the settled write was called once", "%d calls", len(prefixes)); err != nil {
		return err
	}
	if err := c.holds(len(pending) == 2, "the read was called twice", "%d calls", len(pending)); err != nil {
		return err
	}
	first, second := pending[0].IdempotencyKey, pending[1].IdempotencyKey
	return c.holds(first == second, "both calls of the read had one idempotency key", "%s and %s", first, second)
}

// split returns the calls of the two tools.
func split(calls []adapter.Call) (prefixes, pending []adapter.Call) {
	for _, call := range calls {
		if call.Stage == adapter.Prefix {
			prefixes = append(prefixes, call)
		} else {
			pending = append(pending, call)
		}
	}
	return prefixes, pending
}

// verify lets both runtimes verify the history that they left together.
func (c *incident) verify(ctx context.Context) error {
	verified := 0
	for _, a := range []actor{c.owner, c.other} {
		line := a.name + " verifies one generation and its receipt"
		report, err := c.asks(ctx, a, line, c.inStore("process", "verify", worker))
		if err != nil {
			return err
		}
		good := report.Get("ok").Bool() && canon.Equal(report.Get("generations"), canon.Int(1)) &&
			canon.Equal(report.Get("receipts"), canon.Int(1)) && canon.Equal(report.Get("digest"), c.found.head)
		if err := c.holds(good, line, "%s", report); err != nil {
			return err
		}
		verified++
	}
	c.found.offlineRuntimes = canon.Int(verified)
	calls, err := c.place().Calls()
	if err != nil {
		return err
	}
	c.found.offlineCalls = canon.Int(len(calls) - len(c.calls))
	return c.noFurtherCall("the verifications made no call")
}

// inspectJournal reads what the journal of the dispatch says on disk.
func (c *incident) inspectJournal(context.Context) error {
	for ordinal, attempt := range []int{0, 1} {
		line := fmt.Sprintf("the journal has effect %d as completed in attempt %d", ordinal, attempt)
		effect, err := c.readEffect(ordinal)
		if err != nil {
			return c.holds(false, line, "%v", err)
		}
		good := effect.Get("state").IsText("completed") && canon.Equal(effect.Get("attempt"), canon.Int(attempt))
		if err := c.holds(good, line, "%s in attempt %s", effect.Get("state"), effect.Get("attempt")); err != nil {
			return err
		}
	}
	line := "the recovery that was refused for its configuration and the good one consumed an attempt each"
	attempts, err := documents(c.journalFile("recoveries"))
	if err != nil {
		return c.holds(false, line, "%v", err)
	}
	c.found.recoveryAttempts = canon.Int(len(attempts))
	return c.holds(len(attempts) == 2, line, "%d attempts", len(attempts))
}

// inspectOwners looks for the marker of the owner that was killed.
func (c *incident) inspectOwners(context.Context) error {
	line := "the marker of the killed owner is archived, and no other"
	archived, err := documents(c.processFile("owners"))
	if err != nil {
		return c.holds(false, line, "%v", err)
	}
	c.found.archivedOwners = canon.Int(len(archived))
	good := len(archived) == 1 && archived[0].String() == c.marker
	return c.holds(good, line, "%s", canon.Array(archived...))
}

// refuse lets both runtimes try to recover past a write of which nobody knows.
func (c *incident) refuse(ctx context.Context) error {
	for _, a := range []actor{c.owner, c.other} {
		err := c.refuses(ctx, a, a.name+" is refused to recover past a write of which nobody knows", unknownDone, c.recovery(c.intent, toolsFile))
		c.found.unknownWriteBlocked = canon.Bool(err == nil)
		if err != nil {
			return err
		}
		if err := c.atIntent("the head is still the intent after " + a.name); err != nil {
			return err
		}
	}
	calls, err := c.place().Calls()
	if err != nil {
		return err
	}
	prefixes, pending := split(calls)
	c.found.completedWrites, c.found.pendingWriteCalls = canon.Int(len(prefixes)), canon.Int(len(pending))
	c.found.replayCalls = canon.Int(len(calls) - len(c.calls))
	if err := c.holds(len(prefixes) == 1 && len(pending) == 1, "each write was called once", "%d and %d calls", len(prefixes), len(pending)); err != nil {
		return err
	}
	line := c.owner.name + " reads it as uncertain after all"
	snapshot, err := c.asks(ctx, c.owner, line, c.inspection())
	if err != nil {
		return err
	}
	c.found.status = snapshot.Get("process").Get("status")
	return c.holds(c.found.status.IsText("uncertain"), line, "the status %s", c.found.status)
}
