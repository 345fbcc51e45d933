// Package memo puts the effect memo of a store before an executor: a request that
// the executor has answered before is answered from the store (run.md §8.5.4,
// store.md §6.4).
//
// Only answers that the run would accept are kept, and errors never. A memo is
// found under the request digest and the executor's identity, so that another
// configuration of the same executor misses. The layout of memos is the store's.
package memo

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// Executor is an executor behind the memo of a store.
type Executor struct {
	store       cas.Store
	inner       runtime.Executor
	description runtime.Description
}

// Wrap puts the memo of store before an executor. One that is not cacheable is
// returned as it is.
func Wrap(store cas.Store, inner runtime.Executor) runtime.Executor {
	description := inner.Describe()
	if !description.Cacheable {
		return inner
	}
	return &Executor{store, inner, description}
}

// Describe returns the description of the wrapped executor: selection, retry and
// journal do not see the memo.
func (e *Executor) Describe() runtime.Description { return e.description }

// Call answers from the memo or calls the wrapped executor and keeps its answer.
// A store that cannot be read or written fails the attempt, even after an answer:
// a damaged memo is not passed over in silence.
func (e *Executor) Call(ctx context.Context, request *runtime.Request) (runtime.Answer, error) {
	kept, err := e.store.Effect(e.description.CacheIdentity(), request.Digest)
	if err != nil {
		return runtime.Answer{}, err
	}
	if output := kept.Get("output"); output.Exists() {
		return runtime.Answer{Output: output, Metadata: runtime.Metadata{
			Executor: kept.Get("executor").Text(),
			Usage:    kept.Get("usage"),
			Cached:   true,
		}}, nil
	}
	answer, err := e.inner.Call(ctx, request)
	if err != nil || !worthKeeping(request, answer.Output) {
		return answer, err
	}
	if err := e.store.PutEffect(e.description.CacheIdentity(), e.receipt(request, &answer)); err != nil {
		return runtime.Answer{Metadata: answer.Metadata}, err
	}
	return answer, nil
}

// worthKeeping reports whether an answer is one that any run with this request
// accepts: not a tool call, within the byte bound, and bound to the contract.
func worthKeeping(request *runtime.Request, output canon.Value) bool {
	if output.Get("tool").Exists() && output.Get("inputs").Exists() {
		return false
	}
	if output.Size() > request.MaxOutputBytes {
		return false
	}
	_, err := request.Output.Bind(output, request.CellID)
	return err == nil
}

// receipt is what is kept of an answer.
func (e *Executor) receipt(request *runtime.Request, answer *runtime.Answer) canon.Value {
	executor := answer.Executor
	if executor == "" {
		executor = e.description.ID
	}
	return canon.Object(
		canon.M("executor", canon.String(executor)),
		canon.M("output", answer.Output),
		canon.M("requestDigest", canon.String(string(request.Digest))),
		canon.M("usage", answer.Usage),
	)
}
