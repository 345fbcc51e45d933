package verify

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// Report is the verdict on a document that verifies (evidence.md §4 step 6). There
// is no negative report: every refusal is an error.
type Report struct {
	Head        algal.Digest
	Evidence    algal.Digest
	Generations int // of the head; an outstanding intent counts
	Receipts    int // outcome records in the chain
	Status      chain.Status

	// History is the validated chain. It is not part of the report record.
	History *chain.History
}

// Value returns the report record.
func (r *Report) Value() canon.Value {
	return canon.Object(
		canon.M("digest", canon.String(string(r.Head))),
		canon.M("evidenceDigest", canon.String(string(r.Evidence))),
		canon.M("generations", canon.Int(r.Generations)),
		canon.M("ok", canon.Bool(true)),
		canon.M("receipts", canon.Int(r.Receipts)),
		canon.M("status", canon.String(string(r.Status))),
	)
}

// Verify replays the whole history (evidence.md §4). The error is a [*Refusal],
// or ctx's when that ends first.
func (e *Evidence) Verify(ctx context.Context) (*Report, error) {
	s := &source{Evidence: e}
	verifier, err := e.compile(s)
	if err != nil {
		return nil, refusal(StageCompile, err).at(e.Root)
	}
	history, err := chain.Validate(e.Head, e.records.Get(string(e.Head)), s)
	if err != nil {
		return nil, refusal(StageHistory, err)
	}
	if err := e.covered(history); err != nil {
		return nil, refusal(StageCoverage, err)
	}
	if err := ReplayAll(ctx, verifier, history); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, refusal(StageReplay, err)
	}
	if s.Tried() {
		return nil, refusal(StageDependencies, mismatch("process evidence attempted mutable source access"))
	}
	if s.undeclared.Load() {
		return nil, refusal(StageDependencies, mismatch("process evidence accessed an undeclared dependency"))
	}
	last := history.Last()
	return &Report{
		Head:        e.Head,
		Evidence:    e.Digest,
		Generations: last.Generation,
		Receipts:    len(history.Outcomes),
		Status:      last.Status,
		History:     history,
	}, nil
}

// Compile admits a root program as evidence.md §4 step 1 says: built-in functions,
// no transports, and of the tools their signatures. The reserved tool is not added
// for this; only a run adds it. The result makes the verifier of its receipts.
func Compile(m *organism.Manifest, tools map[string]*organism.Tool, store cas.Store) (func() (*replay.Verifier, error), error) {
	if _, err := compileRoot(m, tools, store); err != nil {
		return nil, err
	}
	return func() (*replay.Verifier, error) {
		host := runtime.Host{Store: store, Tools: make(map[string]*runtime.HostTool, len(tools))}
		for name, signature := range tools {
			host.Tools[name] = &runtime.HostTool{Signature: signature}
		}
		return replay.NewVerifier(m, host)
	}, nil
}

func compileRoot(m *organism.Manifest, tools map[string]*organism.Tool, store cas.Store) (*organism.Graph, error) {
	return organism.Compile(m, organism.Env{Functions: organism.Builtins(), Tools: tools, Store: store}, 0)
}

func (e *Evidence) compile(s *source) (func() (*replay.Verifier, error), error) {
	m, err := organism.ParseManifest(e.manifests.Get(string(e.Root)))
	if err != nil {
		return nil, err
	}
	return Compile(m, e.tools, s)
}

// covered checks that the receipts of the document are exactly those of the
// history (step 3).
func (e *Evidence) covered(h *chain.History) error {
	named := map[algal.Digest]bool{}
	for _, r := range h.Records {
		if r.Receipt != "" {
			named[r.Receipt] = true
		}
	}
	same := len(named) == e.receipts.Len()
	for d := range named {
		same = same && e.receipts.Get(string(d)).Exists()
	}
	if !same {
		return mismatch("process evidence receipts must exactly match the retained history")
	}
	return nil
}

// ReplayAll replays the outcomes of a history on all cores (process.md §10 step
// 3). Of several faults that of the earliest generation is reported, as a
// [*chain.Fault]. The verifier is made on first need: a program that was never
// dispatched is not run.
func ReplayAll(ctx context.Context, verifier func() (*replay.Verifier, error), h *chain.History) error {
	if len(h.Outcomes) == 0 {
		return nil
	}
	v, err := verifier()
	if err != nil {
		return err
	}
	faults := make([]error, len(h.Outcomes))
	var earliest atomic.Int64 // the first outcome known to be at fault: later ones need not run
	earliest.Store(int64(len(h.Outcomes)))
	inParallel(len(h.Outcomes), func(i int) {
		if int64(i) > earliest.Load() {
			return
		}
		outcome := h.Outcomes[i]
		mismatches, err := v.Mismatches(ctx, outcome.Value)
		if err == nil && len(mismatches) > 0 {
			err = chain.ReplayMismatch(outcome.Generation, strings.Join(mismatches, "; "))
		}
		if err == nil {
			return
		}
		faults[i] = &chain.Fault{Err: err, Generation: outcome.Generation, Digest: outcome.Receipt}
		for at := earliest.Load(); int64(i) < at && !earliest.CompareAndSwap(at, int64(i)); at = earliest.Load() {
		}
	})()
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}
