package process

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

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
	ended := func() bool {
		return len(advanced) == p.MaxTicks || ctx.Err() != nil || p.Stop != nil && p.Stop()
	}
	for size := maxLooks; len(names) > 0 && !ended(); {
		dispatched, passed, err := s.advance(ctx, names[:min(size, len(names))], p.Options)
		if err != nil {
			return advanced, err
		}
		names, size = names[passed:], min(2*size, maxLooks)
		if dispatched == nil {
			continue
		}
		size = 1 // the program may have sent: what was seen of the others is old
		advanced = append(advanced, dispatched)
		if p.Advanced != nil {
			p.Advanced(dispatched)
		}
	}
	return advanced, nil
}

// maxLooks is how many processes are looked at before one may be dispatched.
const maxLooks = 256

// advance looks at some processes and dispatches the first that goes on, if any. It
// returns how many of them are done with.
func (s *Supervisor) advance(ctx context.Context, names []string, o Options) (dispatched *Snapshot, passed int, err error) {
	for i, seen := range s.looks(names) {
		if seen.err != nil {
			return nil, i, named(names[i], seen.err)
		}
		if !seen.mayRun {
			continue
		}
		dispatched, err := s.tick(ctx, names[i], automatic, o)
		if err != nil {
			return nil, i, named(names[i], err)
		}
		if dispatched != nil {
			return dispatched, i + 1, nil
		}
	}
	return nil, len(names), nil
}

// seen is what a look at a process told.
type seen struct {
	mayRun bool
	err    error
}

// looks looks at processes on all cores (§11.3). One look at a mailbox serves all of
// them.
func (s *Supervisor) looks(names []string) []seen {
	list := make([]seen, len(names))
	var idle sync.Map // by handle
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() error {
			snapshot, _, err := s.look(name)
			if err == nil {
				list[i].mayRun = s.mayRun(snapshot.Record, &idle)
			}
			list[i].err = err
			return nil
		})
	}
	group.Wait() // nothing fails: errors are reported by name
	return list
}

// mayRun is the look before custody: false only if there is surely nothing to do.
func (s *Supervisor) mayRun(r *chain.Record, idle *sync.Map) bool {
	switch {
	case r.Status == chain.Ready:
		return true
	case r.Status != chain.Suspended || r.Generation >= r.MaxGenerations:
		return false
	}
	return slices.ContainsFunc(r.Wake, func(handle string) bool {
		if !isReceiveHandle(handle) {
			return false
		}
		known, looked := idle.Load(handle)
		if !looked {
			known = s.mailboxes.Idle(handle)
			idle.Store(handle, known)
		}
		return known == false
	})
}
