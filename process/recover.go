package process

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/journal"
)

// Recover carries an interrupted dispatch to its outcome (journal.md §7). The
// process must be uncertain and intent its head: the caller has seen it and knows
// that its owner is gone. The program runs again; what the journal holds as settled
// is answered from there, an unsettled read is repeated, and the outcome is the one
// that the dispatch would have had.
//
// What cannot be recovered is refused with a [*journal.Refusal] where an effect or
// the budget stands in the way. An attempt is spent once nothing is, before
// anything runs; an error after that leaves the process uncertain.
func (s *Supervisor) Recover(ctx context.Context, name string, intent algal.Digest) (snapshot *Snapshot, err error) {
	if err := s.known(name); err != nil {
		return nil, err
	}
	release, err := s.custody.Process(ctx, name)
	if err != nil {
		return nil, err
	}
	defer releasing(release, &err)
	current, err := s.Inspect(name)
	if err != nil {
		return nil, err
	}
	if current.Digest != intent || current.Record.Status != chain.Uncertain {
		return nil, algal.Errorf(algal.ReceiptMismatch, "recovery requires the exact current uncertain intent")
	}
	d := &dispatch{Supervisor: s, current: current, intent: current.Record.Value()}
	if err := d.readmit(ctx); err != nil {
		return nil, err
	}
	return d.execute(ctx)
}

// readmit does for a recovery what admit and begin do for a new dispatch (steps 3
// to 6). It publishes nothing but the recovery attempt.
func (d *dispatch) readmit(ctx context.Context) (err error) {
	if err := d.load(false); err != nil {
		return err
	}
	if err := journal.Admit(d.graph, d.host.Functions); err != nil {
		return err
	}
	if err := d.verifyCheckpoint(ctx, "recovery checkpoint does not replay"); err != nil {
		return err
	}
	if d.journal, err = journal.Open(d.journals, journaled(d.current.Digest, d.current.Record)); err != nil {
		return err
	}
	return d.journal.Recover()
}

// journaled names the dispatch of an intent.
func journaled(intent algal.Digest, r *chain.Record) journal.Dispatch {
	return journal.Dispatch{Process: r.Name, Intent: intent, Manifest: r.ManifestDigest}
}

// Describe returns the journal of the latest dispatch of a process, whether it has
// an outcome or not, as commands print it (journal.md §8). It takes no custody and
// writes nothing. A process without a dispatch and a dispatch without a journal are
// IO_FAILED.
func (s *Supervisor) Describe(name string) (canon.Value, error) {
	snapshot, err := s.Inspect(name)
	if err != nil {
		return canon.Value{}, err
	}
	h := snapshot.History
	for i := len(h.Records) - 1; i >= 0; i-- {
		if h.Records[i].Status != chain.Uncertain {
			continue
		}
		j, err := journal.Open(s.journals, journaled(h.Digests[i], h.Records[i]))
		if err != nil {
			return canon.Value{}, err
		}
		return j.Value(), nil
	}
	return canon.Value{}, algal.Errorf(algal.IOFailed, "process has no dispatch intent")
}
