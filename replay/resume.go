package replay

import (
	"context"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// Checkpoint admits a receipt from which a run may continue (run.md §14 steps 1
// and 2): it is one of m's, its digest is right, and it replays.
func Checkpoint(ctx context.Context, receipt canon.Value, m *organism.Manifest, host runtime.Host) error {
	if err := runtime.ParseReceipt(receipt); err != nil {
		return err
	}
	if recorded := receipt.Get("manifestDigest").Text(); recorded != string(m.Digest()) {
		return algal.Errorf(algal.DigestMismatch, "receipt records %s, supplied manifest hashes to %s", recorded, m.Digest())
	}
	if !runtime.CheckDigest(receipt) {
		return algal.Errorf(algal.DigestMismatch, "checkpoint receipt digest does not match its contents")
	}
	host.Transports = nil
	v, err := NewVerifier(m, host)
	if err != nil {
		return err
	}
	mismatches, err := v.Mismatches(ctx, receipt)
	if err == nil && len(mismatches) > 0 {
		err = algal.Errorf(algal.ReceiptMismatch, "checkpoint did not verify: %s", strings.Join(mismatches, "; "))
	}
	return err
}

// Resume continues a checkpoint: recorded effects are answered from the record,
// suspended ones and those beyond it go to the host (§14).
func Resume(ctx context.Context, receipt canon.Value, m *organism.Manifest, host runtime.Host) (*runtime.Result, error) {
	if err := Checkpoint(ctx, receipt, m, host); err != nil {
		return nil, err
	}
	return Continue(ctx, receipt, m, host)
}

// Continue is [Resume] for a receipt that [Checkpoint] has admitted.
func Continue(ctx context.Context, receipt canon.Value, m *organism.Manifest, host runtime.Host) (*runtime.Result, error) {
	return runtime.Run(ctx, m, receipt.Get("args"), host, resuming(receipt))
}
