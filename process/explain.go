package process

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// Story is what became of a process, for people.
type Story struct {
	*Snapshot
	Generations []Generation // in order; none while it is ready
}

// Generation is one dispatch of a process.
type Generation struct {
	Number  int
	Cause   string
	Intent  algal.Digest
	Outcome algal.Digest // "" while it is not known
	Status  chain.Status // of the outcome; Uncertain while there is none
	Receipt algal.Digest // of the outcome
	Failure canon.Value  // {code, message, path?} of a failed program, or absent
	Effects []Effect     // what this dispatch did beyond its checkpoint, in order
	Wake    []string     // the handles on which it waits
	Journal *Journaled   // nil when it kept none
	Recover *Recovery    // of the current dispatch while it is uncertain
}

// Effect is one effect of a dispatch.
type Effect struct {
	Cell     string // the path of the cell, "" where it is not known
	Executor string
	Request  algal.Digest
	Outcome  EffectOutcome
	Error    *algal.Error // of one that failed or suspended
	Cached   bool
	Attempt  int // how often a recovery has repeated it, where a journal says so
}

// EffectOutcome says how an effect ended.
type EffectOutcome string

// The outcomes of effects. An unsettled one was called, and nobody knows more.
const (
	EffectAnswered  EffectOutcome = "answered"
	EffectFailed    EffectOutcome = "failed"
	EffectSuspended EffectOutcome = "suspended"
	EffectUnsettled EffectOutcome = "unsettled"
)

// Journaled is what the journal of a dispatch says.
type Journaled struct {
	Fault error // why it cannot be read; then the rest is zero

	Settled, Unsettled      int // effects
	Attempts, MaxRecoveries int
}

// Recovery says what recovering the current dispatch would do.
type Recovery struct {
	Refused error // why it would be refused, nil if it would not be
	Repeats int   // the ordinal of the read that would be called again, -1 for none
}

// Explain tells the story of a process generation by generation. It takes no
// custody and writes nothing; whether the owner of an uncertain dispatch is alive
// it does not say. A damaged journal is part of the story, a damaged history an
// error as for [Supervisor.Inspect].
func (s *Supervisor) Explain(ctx context.Context, name string) (*Story, error) {
	snapshot, err := s.Inspect(name)
	if err != nil {
		return nil, err
	}
	story := &Story{Snapshot: snapshot}
	h, outcomes := snapshot.History, snapshot.History.Outcomes
	var checkpoint canon.Value
	for i, r := range h.Records {
		if r.Status != chain.Uncertain {
			continue
		}
		g := Generation{Number: r.Generation, Cause: r.Cause, Intent: h.Digests[i], Status: r.Status}
		j, err := journal.Open(s.journals, journaled(g.Intent, r))
		g.Journal = summary(j, err)
		if i+1 < len(h.Records) {
			outcome := outcomes[0]
			outcomes = outcomes[1:]
			g.settled(h.Digests[i+1], outcome, checkpoint)
			checkpoint = outcome.Value
		} else {
			g.Recover = recovery(j, err)
			if err == nil {
				g.Effects = unsettledEffects(j, s.rehearse(ctx, r, checkpoint, j))
			}
		}
		story.Generations = append(story.Generations, g)
	}
	return story, nil
}

// settled tells a dispatch from its outcome.
func (g *Generation) settled(digest algal.Digest, outcome chain.Outcome, checkpoint canon.Value) {
	g.Outcome, g.Status, g.Receipt, g.Wake = digest, outcome.Status, outcome.Receipt, outcome.Wake
	g.Failure = outcome.Value.Get("failure")
	cells, prefix := replay.EffectPaths(outcome.Value), len(replay.Carried(checkpoint))
	for i, e := range outcome.Value.Get("effects").Elements() {
		if i >= prefix {
			effect := effectOf(e)
			effect.Cell = cells[i]
			g.Effects = append(g.Effects, effect)
		}
	}
}

func effectOf(receipt canon.Value) Effect {
	e := Effect{
		Executor: receipt.Get("executor").Text(),
		Request:  algal.Digest(receipt.Get("requestDigest").Text()),
		Outcome:  EffectAnswered,
		Cached:   receipt.Get("cached").Bool(),
	}
	if failed := receipt.Get("error"); failed.Exists() {
		e.Outcome = EffectFailed
		e.Error = &algal.Error{Code: algal.Code(failed.Get("code").Text()), Message: failed.Get("message").Text()}
		if runtime.IsSuspended(receipt) {
			e.Outcome = EffectSuspended
		}
	}
	return e
}
