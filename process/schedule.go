package process

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// MaxTicks bounds the processes that one call of Schedule advances.
const MaxTicks = 1024

// Pass says how a scheduling pass goes about it.
type Pass struct {
	Options      // of every dispatch
	MaxTicks int // 1 to MaxTicks
	// Stop ends the pass before the next dispatch when it reports true; nil never.
	Stop func() bool
	// Advanced is called with every process that was advanced; nil is fine. What was
	// advanced before an error stays advanced, and this is how it is told.
	Advanced func(*Snapshot)
}

// Schedule makes one pass over all processes in order of their names and
// dispatches those that are ready: never dispatched, or waiting for a message that
// has come (process.md §11.2). It returns the processes it advanced.
//
// A process that is not ready is passed over on a look that takes no custody and
// writes nothing (§11.3). The first error ends the pass.
func (s *Supervisor) Schedule(ctx context.Context, p Pass) ([]*Snapshot, error) {
	if _, err := canon.AsInt(canon.Int(p.MaxTicks), "maxTicks", 1, MaxTicks); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	var advanced []*Snapshot
	idle := map[string]bool{} // handles that were looked at since the last dispatch
	for _, name := range names {
		if len(advanced) == p.MaxTicks || ctx.Err() != nil || p.Stop != nil && p.Stop() {
			break
		}
		snapshot, _, err := s.look(name)
		if err != nil {
			return advanced, named(name, err)
		}
		if !s.mayRun(snapshot.Record, idle) {
			continue
		}
		after, err := s.tick(ctx, name, automatic, p.Options)
		if err != nil {
			return advanced, named(name, err)
		}
		if after == nil {
			continue
		}
		advanced = append(advanced, after)
		clear(idle) // the program may have sent
		if p.Advanced != nil {
			p.Advanced(after)
		}
	}
	return advanced, nil
}

// mayRun is the look before custody: false only if there is surely nothing to do.
func (s *Supervisor) mayRun(r *chain.Record, idle map[string]bool) bool {
	switch {
	case r.Status == chain.Ready:
		return true
	case r.Status != chain.Suspended || r.Generation >= r.MaxGenerations:
		return false
	}
	for _, handle := range r.Wake {
		if !isReceiveHandle(handle) {
			continue
		}
		known, looked := idle[handle]
		if !looked {
			known = s.mailboxes.Idle(handle)
			idle[handle] = known
		}
		if !known {
			return true
		}
	}
	return false
}
