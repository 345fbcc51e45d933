// Package scripted answers effect requests from a table, for tests, rehearsals and
// resumed programs whose answers are known (run.md §8.5.1).
//
// A table is the content of a responses file: an object of request digest or cell
// id to answer. A list under a cell id is a queue of answers. Nothing is computed
// and nothing outside is touched.
package scripted

import (
	"context"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// DefaultID is the id of the executor of a command line (cli.md §2.3).
const DefaultID = "scripted"

// Executor answers from a table. It admits every effect kind and any route, its
// answers may be memoised and its attempts repeated.
type Executor struct {
	description runtime.Description
	responses   canon.Value

	mu    sync.Mutex
	taken map[string]int // answers taken from the queue of each cell id
}

var everyKind = []runtime.EffectKind{
	runtime.EffectAgent, runtime.EffectClassifier, runtime.EffectGate, runtime.EffectDecide, runtime.EffectRecall,
}

// New returns the executor of a table. An id of "" means [DefaultID]. A table that
// is not an object is PARSE_FAILED.
func New(responses canon.Value, id string) (*Executor, error) {
	if err := canon.AsObject(responses, "responses"); err != nil {
		return nil, err
	}
	if id == "" {
		id = DefaultID
	}
	identity := canon.Object(
		canon.M("id", canon.String(id)),
		canon.M("kind", canon.String("scripted")),
		canon.M("responses", responses),
	).Digest()
	return &Executor{
		description: runtime.Description{
			ID:            id,
			Kinds:         everyKind,
			Wildcard:      true,
			Cacheable:     true,
			Retryable:     true,
			Identity:      string(identity),
			Configuration: identity,
		},
		responses: responses,
		taken:     map[string]int{},
	}, nil
}

// Describe returns the executor's description. Its identity covers the table, so
// that an edited table never meets the memos of the old one.
func (e *Executor) Describe() runtime.Description { return e.description }

// Call returns the answer under the request's digest, else the answer under its
// cell id; of a list there each call takes the next element, for the life of the
// executor. A list under a digest is an answer. Without one the error is
// EFFECT_UNBOUND.
func (e *Executor) Call(_ context.Context, request *runtime.Request) (runtime.Answer, error) {
	answer := e.responses.Get(string(request.Digest))
	if !answer.Exists() {
		answer = e.next(request.CellID)
	}
	if !answer.Exists() {
		return runtime.Answer{}, algal.Errorf(algal.EffectUnbound,
			`no scripted response for cell "%s" (digest %s)`, request.CellID, request.Digest)
	}
	return runtime.Answer{Output: answer}, nil
}

func (e *Executor) next(cellID string) canon.Value {
	answer := e.responses.Get(cellID)
	if !answer.Is(canon.KindArray) {
		return answer
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	i := e.taken[cellID]
	if i == answer.Len() {
		return canon.Value{}
	}
	e.taken[cellID]++
	return answer.At(i)
}
