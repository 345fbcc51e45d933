package process

import (
	"context"
	"errors"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// summary tells a journal in numbers, nil when there is none.
func summary(j *journal.Journal, err error) *Journaled {
	if errors.Is(err, journal.ErrNone) {
		return nil
	}
	if err != nil {
		return &Journaled{Fault: err}
	}
	told := &Journaled{Attempts: j.Attempts(), MaxRecoveries: j.Header().MaxRecoveries}
	for _, e := range j.Effects() {
		if e.Completed() {
			told.Settled++
		} else {
			told.Unsettled++
		}
	}
	return told
}

// recovery tells what recovering would do.
func recovery(j *journal.Journal, err error) *Recovery {
	if err != nil {
		return &Recovery{err, -1}
	}
	told := &Recovery{j.Blocked(), -1}
	for _, e := range j.Effects() {
		if !e.Completed() && e.Read {
			told.Repeats = e.Ordinal
		}
	}
	return told
}

// unsettledEffects tells the effects of a dispatch without an outcome.
func unsettledEffects(j *journal.Journal, cells []string) []Effect {
	effects := make([]Effect, len(j.Effects()))
	for i, recorded := range j.Effects() {
		e := Effect{Executor: recorded.Executor, Request: recorded.RequestDigest, Outcome: EffectUnsettled}
		if recorded.Completed() {
			e = effectOf(recorded.Receipt)
		}
		e.Cell, e.Attempt = cells[i], recorded.Attempt
		effects[i] = e
	}
	return effects
}

// rehearse finds the cells behind the effects of a journal. The program runs over
// an overlay, with nobody to answer but the record, up to where the record ends;
// nothing is called. A cell that it does not come to is "".
func (s *Supervisor) rehearse(ctx context.Context, intent *chain.Record, checkpoint canon.Value, j *journal.Journal) []string {
	effects := j.Effects()
	cells := make([]string, len(effects))
	prefix := replay.Carried(checkpoint)
	recorded := &runtime.Replay{Effects: prefix, StrictTools: true}
	for _, e := range effects {
		if e.Completed() {
			recorded.Effects = append(recorded.Effects, e.Receipt)
		}
	}
	for _, e := range recorded.Effects {
		if runtime.IsToolEffect(e) {
			recorded.Tools = append(recorded.Tools, e)
		}
	}
	m, err := s.objects.manifest(intent.ManifestDigest)
	if err != nil {
		return cells
	}
	host := runtime.Host{Store: cas.NewOverlay(s.host.Store), Functions: s.host.Functions, Tools: s.host.Tools, Process: intent.Name}
	result, err := runtime.Run(ctx, m, intent.Args, host, recorded)
	if err != nil {
		return cells
	}
	next := -len(prefix)
	for _, event := range result.Body.Get("events").Elements() {
		if !event.Get("kind").IsText("effect") {
			continue
		}
		if next >= 0 && next < len(cells) && event.Get("digest").IsText(string(effects[next].RequestDigest)) {
			cells[next] = event.Get("path").Text()
		}
		next++
	}
	return cells
}
