package export

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

// Reader reads a history from a store and replays it: [chain.Validate] with the
// reader, then [Reader.Replay], look up all that the verification of a process
// needs (evidence.md §5). Over a store that notes its lookups they tell what that
// is.
type Reader struct{ cas.Store }

// Record reads a record of the chain; it is a value of the store. One that is not
// there is STORE_MISS.
func (r Reader) Record(d algal.Digest) (canon.Value, error) {
	v, err := r.Value(d)
	if err == nil && !v.Exists() {
		err = missing("values")
	}
	return v, err
}

// Receipt reads a receipt and checks its own digest, as a chain demands. One that is
// not there is STORE_MISS.
func (r Reader) Receipt(d algal.Digest) (canon.Value, error) {
	v, err := r.Store.Receipt(d)
	switch {
	case err != nil:
		return canon.Value{}, err
	case !v.Exists():
		return canon.Value{}, missing("runs")
	case !runtime.CheckDigest(v):
		return canon.Value{}, algal.Errorf(algal.DigestMismatch, "evidence receipt digest mismatch")
	}
	return v, nil
}

// Replay compiles the program of a history and replays every outcome (evidence.md
// §4 steps 1 and 4). An error of the replay is a [*chain.Fault].
func (r Reader) Replay(ctx context.Context, tools map[string]*organism.Tool, history *chain.History) error {
	normal, err := r.Manifest(history.Last().ManifestDigest)
	if err != nil {
		return err
	}
	if !normal.Exists() {
		return missing("manifests")
	}
	m, err := organism.ParseManifest(normal)
	if err != nil {
		return err
	}
	verifier, err := verify.Compile(m, tools, r.Store)
	if err != nil {
		return err
	}
	return verify.ReplayAll(ctx, verifier, history)
}

func missing(place string) error {
	return algal.Errorf(algal.StoreMiss, "missing process %s object", place)
}
