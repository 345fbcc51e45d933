package journaltest

import (
	"errors"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// recovery is §7: what has settled is answered, an unsettled read is repeated with
// the next attempt, and what follows is live.
func recovery(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	ask, look, save := binding("ask", false), binding("tool:look", true), binding("tool:save", false)
	j := fresh(t, e, 2)
	answer := settle(t, j, ask)
	begin(t, j, look)
	holds(t, e, "ask.", "tool:look")

	j = recovering(t, e)
	if j.Attempts() != 1 {
		t.Errorf("%d attempts were spent", j.Attempts())
	}
	recorded(t, j, ask, answer)
	begin(t, j, look)
	holds(t, e, "ask.", "tool:look+")

	j = recovering(t, e)
	recorded(t, j, ask, answer)
	found := settle(t, j, look)
	holds(t, e, "ask.", "tool:look++.")
	saved := settle(t, j, save)
	must(t, j.Finish())

	j = reopen(t, e)
	recorded(t, j, ask, answer)
	recorded(t, j, look, found)
	recorded(t, j, save, saved)
	must(t, j.Finish())
	describes(t, e, j)
}

// refusal fails the test unless err is a refusal that says so.
func refusal(t testing.TB, what string, err error, want journal.Refusal) {
	t.Helper()
	var got *journal.Refusal
	if !errors.As(err, &got) {
		t.Errorf("%s: %v is no refusal", what, err)
		return
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// changedHost is J-11 for each member of a binding: the refusal says what was
// recorded, what the run presented, and that the attempt is gone.
func changedHost(t *testing.T, open func(*testing.T) journal.Engine) {
	other := canon.DigestText("other")
	for name, change := range map[string]func(b *runtime.Binding){
		"request":       func(b *runtime.Binding) { b.RequestDigest = other },
		"executor":      func(b *runtime.Binding) { b.Executor = "other" },
		"configuration": func(b *runtime.Binding) { b.ConfigurationDigest = other },
		"key":           func(b *runtime.Binding) { b.IdempotencyKey = other },
		"policy":        func(b *runtime.Binding) { b.Read = false },
	} {
		for _, settled := range []bool{true, false} {
			e := open(t)
			ask, look := binding("ask", false), binding("tool:look", true)
			j := fresh(t, e, 2)
			answer := settle(t, j, ask)
			token := begin(t, j, look)
			if settled {
				must(t, j.Complete(token, receipt(look, canon.Null())))
			}
			before := states(j)
			j = recovering(t, e)
			recorded(t, j, ask, answer)
			changed := look
			change(&changed)
			_, _, err := j.Begin(changed)
			const message = "journal request/configuration/order changed"
			Refused(t, name, err, algal.ReceiptMismatch, message)
			refusal(t, name, err, journal.Refusal{
				Err: algal.Errorf(algal.ReceiptMismatch, message), Ordinal: 1, Recorded: look, Configured: changed, Consumed: true,
			})
			poisoned(t, j, message)
			holds(t, e, before...)
		}
	}
}

// blocked is J-9: an unsettled effect that is no read stops a recovery before an
// attempt is spent, and an unsettled one of any kind is repeated by a recovery only.
func blocked(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	ask, save := binding("ask", false), binding("tool:save", false)
	j := fresh(t, e, 2)
	settle(t, j, ask)
	begin(t, j, save)
	for range 2 {
		j = reopen(t, e)
		err := j.Recover()
		const message = "effect 1 has unknown completion; adapter reconciliation is required"
		Refused(t, "recover", err, algal.IOFailed, message)
		refusal(t, "recover", err, journal.Refusal{Err: algal.Errorf(algal.IOFailed, message), Ordinal: 1, Recorded: save})
		poisoned(t, j, message)
		if n := reopen(t, e).Attempts(); n != 0 {
			t.Errorf("%d attempts were spent", n)
		}
	}
	for _, b := range []runtime.Binding{save, binding("tool:look", true)} {
		e := open(t)
		begin(t, fresh(t, e, 2), b)
		j := reopen(t, e)
		_, _, err := j.Begin(b)
		Refused(t, b.Executor, err, algal.IOFailed, "unsettled effect cannot be repeated")
		refusal(t, b.Executor, err, journal.Refusal{
			Err: algal.Errorf(algal.IOFailed, "unsettled effect cannot be repeated"), Recorded: b, Configured: b,
		})
		holds(t, e, b.Executor)
	}
}

// recoveryBudget is J-10, and that a journal recovers once per opening.
func recoveryBudget(t *testing.T, open func(*testing.T) journal.Engine) {
	for _, budget := range []int{1, 2, 8} {
		e := open(t)
		fresh(t, e, budget)
		for n := range budget {
			j := recovering(t, e)
			Refused(t, "recover again", j.Recover(), algal.ReceiptMismatch, "journal recovery has already begun")
			if got := reopen(t, e).Attempts(); got != n+1 {
				t.Errorf("%d attempts were spent, want %d", got, n+1)
			}
		}
		err := reopen(t, e).Recover()
		const message = "process recovery budget exhausted"
		Refused(t, "recover once more", err, algal.BudgetExhausted, message)
		refusal(t, "recover once more", err, journal.Refusal{Err: algal.Errorf(algal.BudgetExhausted, message), Ordinal: -1})
		names, err := e.Scan(place+"/recoveries", budget, func(string) bool { return true })
		if len(names) != budget || err != nil {
			t.Errorf("recoveries %v, %v", names, err)
		}
	}
	e := &faulty{Engine: open(t), left: -1}
	fresh(t, e, 2)
	j := reopen(t, e)
	e.left = 0
	Refused(t, "an attempt that cannot be written", j.Recover(), algal.IOFailed, "the disk is gone")
	poisoned(t, j, "the disk is gone")
	if n := reopen(t, e.Engine).Attempts(); n != 0 {
		t.Errorf("%d attempts were spent", n)
	}
}

// finish is §5.5.
func finish(t *testing.T, open func(*testing.T) journal.Engine) {
	const message = "journal prefix was not fully consumed/settled"
	e := open(t)
	ask, look := binding("ask", false), binding("tool:look", true)
	j := fresh(t, e, 2)
	must(t, j.Finish())
	answer := settle(t, j, ask)
	token := begin(t, j, look)
	Refused(t, "an effect is active", j.Finish(), algal.ReceiptMismatch, message)
	must(t, j.Complete(token, receipt(look, canon.Null())))
	must(t, j.Finish())

	j = recovering(t, e)
	recorded(t, j, ask, answer)
	err := j.Finish()
	Refused(t, "an effect was not met", err, algal.ReceiptMismatch, message)
	refusal(t, "an effect was not met", err, journal.Refusal{
		Err: algal.Errorf(algal.ReceiptMismatch, message), Ordinal: 1, Recorded: look, Consumed: true,
	})
	must(t, j.Err()) // asking is no mutation
}
