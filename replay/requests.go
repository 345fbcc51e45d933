package replay

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// Requests returns by their digests the requests that a recorded run made, of which
// its receipt keeps the digests only: the run is replayed once more. The receipt is
// one of the verifier's program that replays.
func (v *Verifier) Requests(ctx context.Context, receipt canon.Value) (map[algal.Digest]canon.Value, error) {
	args, err := runtime.AdmitArgs(receipt.Get("args"))
	if err != nil {
		return nil, err
	}
	requests := map[algal.Digest]canon.Value{}
	recorded := verifying(receipt)
	recorded.Observe = func(digest algal.Digest, request canon.Value) { requests[digest] = request }
	if _, err := v.replay(ctx, args, recorded); err != nil {
		return nil, err
	}
	return requests, nil
}

// Carried returns the effects of a checkpoint that its continuation does not ask
// for again (run.md §14): all but suspended ones. They are the first effects of the
// continuation.
func Carried(checkpoint canon.Value) (effects []canon.Value) {
	for _, e := range checkpoint.Get("effects").Elements() {
		if !runtime.IsSuspended(e) {
			effects = append(effects, e)
		}
	}
	return effects
}
