package process

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/export"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/verify"
)

// Verified is the verdict on a process that verifies; one that does not is an
// error.
type Verified struct {
	Head        algal.Digest
	Status      chain.Status // of the head
	Generations int          // of the head; an outstanding intent counts
	Receipts    int          // outcome records
}

// Value returns the verdict as commands print it.
func (v Verified) Value() canon.Value {
	return canon.Object(
		canon.M("digest", canon.String(string(v.Head))),
		canon.M("generations", canon.Int(v.Generations)),
		canon.M("ok", canon.Bool(true)),
		canon.M("receipts", canon.Int(v.Receipts)),
	)
}

// Verify replays the whole history of a process (process.md §10). Nothing is
// called and nothing is written: recorded effects answer, and writes go to an
// overlay.
func (s *Supervisor) Verify(ctx context.Context, name string) (Verified, error) {
	snapshot, err := s.Inspect(name)
	if err != nil {
		return Verified{}, err
	}
	m, err := s.objects.manifest(snapshot.Record.ManifestDigest)
	if err != nil {
		return Verified{}, err
	}
	host := s.host
	host.Transports = nil
	verifier := func() (*replay.Verifier, error) { return replay.NewVerifier(m, host) }
	if err := verify.ReplayAll(ctx, verifier, snapshot.History); err != nil {
		return Verified{}, err
	}
	r := snapshot.Record
	return Verified{snapshot.Digest, r.Status, r.Generation, len(snapshot.History.Outcomes)}, nil
}

// Export captures the evidence of a process at its current head (evidence.md §5).
// A process that advances meanwhile is exported as it was.
//
// tools are the signatures that the program may name. Nothing else of the host
// counts but its store.
func (s *Supervisor) Export(ctx context.Context, name string, tools map[string]*organism.Tool) (*export.Document, error) {
	snapshot, err := s.Inspect(name)
	if err != nil {
		return nil, err
	}
	return export.Process(ctx, snapshot.Digest, snapshot.Record.Value(), s.host.Store, tools)
}

// Checkpoint returns the receipt from which an inspected process would continue,
// absent when it has none: that of the head, for an uncertain head of the
// generation before.
func (s *Snapshot) Checkpoint() canon.Value {
	if n := len(s.History.Outcomes); n > 0 {
		return s.History.Outcomes[n-1].Value
	}
	return canon.Value{}
}
