package journal

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/runtime"
)

// Refusal says why a dispatch cannot be recovered as things are. It wraps the
// error of the contract with what an operator needs besides.
type Refusal struct {
	Err *algal.Error

	// Ordinal is that of the effect that stands in the way, -1 when none does.
	Ordinal int
	// Recorded is what the journal holds of that effect, Configured what the run
	// presented in its place, zero when nothing was.
	Recorded, Configured runtime.Binding
	// Consumed says whether a recovery attempt was spent.
	Consumed bool
}

func (r *Refusal) Error() string { return r.Err.Message }

// Unwrap returns the error of the contract.
func (r *Refusal) Unwrap() error { return r.Err }

func (j *Journal) refuse(ordinal int, configured runtime.Binding, err *algal.Error) error {
	return &Refusal{err, ordinal, j.entries[ordinal].Binding, configured, j.recovering}
}

// Recover begins a recovery, once per open journal (journal.md §7 step 6). It
// spends a recovery attempt when nothing is in its way, see [Journal.Blocked], and
// none otherwise.
func (j *Journal) Recover() error { return j.mutate(j.startRecovery) }

func (j *Journal) startRecovery() error {
	if j.recovering {
		return mismatch("journal recovery has already begun")
	}
	if err := j.Blocked(); err != nil {
		return err
	}
	name := j.place.recovery(j.attempts + 1)
	if err := j.engine.Write(name, attemptValue(j.header.Intent, j.attempts+1), maxSmallBytes); err != nil {
		return in(name, err)
	}
	j.attempts++
	j.recovering = true
	return nil
}

// Blocked returns what would refuse a recovery before it began, a [*Refusal]: an
// unsettled effect that is no read is IO_FAILED, a spent budget BUDGET_EXHAUSTED.
func (j *Journal) Blocked() error {
	for i, e := range j.entries {
		if !e.Completed() && !e.Read {
			return j.refuse(i, runtime.Binding{}, algal.Errorf(algal.IOFailed,
				"effect %d has unknown completion; adapter reconciliation is required", i))
		}
	}
	if j.attempts >= j.header.MaxRecoveries {
		return &Refusal{Err: algal.Errorf(algal.BudgetExhausted, "process recovery budget exhausted"), Ordinal: -1}
	}
	return nil
}
