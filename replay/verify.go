package replay

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// Report is the verdict on a receipt (run.md §13.2). Outcome and Digest are those
// of the re-execution.
type Report struct {
	OK         bool
	Outcome    string
	Digest     algal.Digest
	Mismatches []string
}

// Value returns the report as a record.
func (r Report) Value() canon.Value {
	mismatches := make([]canon.Value, len(r.Mismatches))
	for i, m := range r.Mismatches {
		mismatches[i] = canon.String(m)
	}
	return canon.Object(
		canon.M("digest", canon.String(string(r.Digest))),
		canon.M("mismatches", canon.Array(mismatches...)),
		canon.M("ok", canon.Bool(r.OK)),
		canon.M("outcome", canon.String(r.Outcome)),
	)
}

// Verifier replays receipts of one program. It may be used by any number of
// goroutines.
type Verifier struct {
	prepared *runtime.Prepared
	graph    *organism.Graph
	store    cas.Store
}

// NewVerifier compiles a program for verification. Of the host only the store,
// the functions, the tool signatures and the transports count.
func NewVerifier(m *organism.Manifest, host runtime.Host) (*Verifier, error) {
	p, err := runtime.Prepare(offline(host))
	if err != nil {
		return nil, err
	}
	graph, err := p.Compile(m)
	if err != nil {
		return nil, err
	}
	return &Verifier{p, graph, host.Store}, nil
}

// offline keeps of a host what cannot act.
func offline(host runtime.Host) runtime.Host {
	return runtime.Host{Store: host.Store, Functions: host.Functions, Tools: host.Tools, Transports: host.Transports}
}

// Verify replays a receipt that [runtime.ParseReceipt] has admitted. A receipt of
// another program is reported, not refused.
func (v *Verifier) Verify(ctx context.Context, receipt canon.Value) (Report, error) {
	if report, other := otherProgram(receipt, v.graph.Manifest); other {
		return report, nil
	}
	result, err := v.run(ctx, receipt)
	if err != nil {
		return Report{}, err
	}
	digest := result.Body.Digest()
	mismatches := Diff(receipt, result.Body)
	if recorded := receipt.Get("digest").Text(); len(mismatches) == 0 && (recorded != string(digest) || !sameBody(receipt, result.Body)) {
		mismatches = append(mismatches, fmt.Sprintf("receipt digests differ: %s vs %s", recorded, digest))
	}
	return Report{len(mismatches) == 0, result.Outcome, digest, mismatches}, nil
}

// Mismatches is [Verifier.Verify] for a receipt whose digest is known to be that
// of its contents: where the re-execution agrees nothing has to be hashed.
func (v *Verifier) Mismatches(ctx context.Context, receipt canon.Value) ([]string, error) {
	if report, other := otherProgram(receipt, v.graph.Manifest); other {
		return report.Mismatches, nil
	}
	result, err := v.run(ctx, receipt)
	if err != nil {
		return nil, err
	}
	if sameBody(receipt, result.Body) {
		return nil, nil
	}
	if mismatches := Diff(receipt, result.Body); len(mismatches) > 0 {
		return mismatches, nil
	}
	return []string{fmt.Sprintf("receipt digests differ: %s vs %s", receipt.Get("digest").Text(), result.Body.Digest())}, nil
}

// otherProgram reports a receipt that is not one of m's.
func otherProgram(receipt canon.Value, m *organism.Manifest) (Report, bool) {
	recorded, supplied := receipt.Get("manifestDigest").Text(), m.Digest()
	if recorded == string(supplied) {
		return Report{}, false
	}
	return Report{
		Outcome:    receipt.Get("outcome").Text(),
		Digest:     algal.Digest(receipt.Get("digest").Text()),
		Mismatches: []string{fmt.Sprintf("manifestDigest: receipt records %s, supplied manifest hashes to %s", recorded, supplied)},
	}, true
}

func (v *Verifier) run(ctx context.Context, receipt canon.Value) (*runtime.Result, error) {
	args, err := runtime.AdmitArgs(receipt.Get("args"))
	if err != nil {
		return nil, err
	}
	return v.replay(ctx, args, verifying(receipt))
}

func (v *Verifier) replay(ctx context.Context, args canon.Value, recorded *runtime.Replay) (*runtime.Result, error) {
	return v.prepared.Over(cas.NewOverlay(v.store)).Run(ctx, v.graph, args, recorded)
}

func sameBody(receipt, body canon.Value) bool { return canon.Equal(receipt.Without("digest"), body) }

// Verify admits a receipt and verifies it against a manifest.
func Verify(ctx context.Context, receipt canon.Value, m *organism.Manifest, host runtime.Host) (Report, error) {
	if err := runtime.ParseReceipt(receipt); err != nil {
		return Report{}, err
	}
	if report, other := otherProgram(receipt, m); other {
		return report, nil
	}
	v, err := NewVerifier(m, host)
	if err != nil {
		return Report{}, err
	}
	return v.Verify(ctx, receipt)
}
