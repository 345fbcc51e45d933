package runtime

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Work charges (run.md §5), in units.
const (
	activationWork = 100 // every activation
	attemptWork    = 500 // every provider attempt, besides the bytes of its context
)

// run is the state that all levels of one run share (§3).
type run struct {
	*Prepared
	ctx     context.Context
	replay  *replaying
	budgets organism.Budgets // those of the root manifest

	steps, agentCalls, units int

	cells     map[string]*record
	effects   []canon.Value
	events    []canon.Value
	failure   *failure
	suspended bool
	fatal     error // leaves the run as a throw: the journal's, or an interruption
}

// failure is the run-level failure.
type failure struct {
	err  *algal.Error
	path string
}

// fail sets the run failure unless there is one.
func (r *run) fail(err *algal.Error, path string) {
	if r.failure == nil {
		r.failure = &failure{err, path}
	}
}

// abort ends the run without a receipt.
func (r *run) abort(err error) *algal.Error {
	if r.fatal == nil {
		r.fatal = err
	}
	return algal.AsError(err)
}

// interrupted aborts the run when the host has cancelled it.
func (r *run) interrupted() bool {
	if r.fatal == nil && r.ctx.Err() != nil {
		r.abort(&algal.Error{Code: algal.BudgetExhausted, Message: "run interrupted", Uncertain: true})
	}
	return r.fatal != nil
}

// overWork reports whether the work budget is exceeded.
func (r *run) overWork() *algal.Error {
	if r.units <= r.budgets.MaxWork {
		return nil
	}
	return algal.Errorf(algal.BudgetExhausted, "maxWork exhausted")
}

// maxEvents is the length at which the event log is cut without a sign (§3.1).
const maxEvents = 4096

type event struct {
	kind, path, outcome string
	digest              algal.Digest
}

func (r *run) event(e event) {
	if len(r.events) >= maxEvents {
		return
	}
	members := make([]canon.Member, 0, 4)
	if e.digest != "" {
		members = append(members, canon.M("digest", canon.String(string(e.digest))))
	}
	members = append(members, canon.M("kind", canon.String(e.kind)))
	if e.outcome != "" {
		members = append(members, canon.M("outcome", canon.String(e.outcome)))
	}
	if e.path != "" {
		members = append(members, canon.M("path", canon.String(e.path)))
	}
	members = append(members, canon.M("seq", canon.Int(len(r.events))))
	r.events = append(r.events, canon.Object(members...))
}
