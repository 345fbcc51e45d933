package runtime

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// EffectKind is the kind of a request (run.md §8.2).
type EffectKind string

// The effect kinds. Compaction and reranking are of kind decide.
const (
	EffectAgent      EffectKind = "agent"
	EffectClassifier EffectKind = "classifier"
	EffectGate       EffectKind = "gate"
	EffectDecide     EffectKind = "decide"
	EffectRecall     EffectKind = "recall"
)

// Executor answers effect requests. Implementations are safe for one run at a
// time; they return soon after ctx ends.
type Executor interface {
	// Describe says what the executor is. It must not change during a run.
	Describe() Description

	// Call performs one request. Metadata counts with an error too. An error that
	// leaves the outside outcome open is marked uncertain; EFFECT_SUSPENDED says
	// that the answer is not ready.
	Call(ctx context.Context, request *Request) (Answer, error)
}

// Description is what selection, retry, memo and journal need to know of an
// executor (run.md §8.5).
type Description struct {
	ID        string
	Kinds     []EffectKind // admitted kinds; none means agent and classifier
	Wildcard  bool         // may answer requests routed to an unknown name
	Cacheable bool         // answers may be kept in the effect memo
	Retryable bool         // a failed attempt may be repeated

	// Identity names the executor in the effect memo; "" means ID.
	Identity string
	// Configuration is the digest that a journal binds; "" falls back to the
	// receipt metadata's, then to the identity when that is a digest.
	Configuration algal.Digest
}

// Admits reports whether the executor takes requests of kind k.
func (d *Description) Admits(k EffectKind) bool {
	if len(d.Kinds) == 0 {
		return k == EffectAgent || k == EffectClassifier
	}
	for _, have := range d.Kinds {
		if have == k {
			return true
		}
	}
	return false
}

// CacheIdentity returns the identity under which answers are memoised.
func (d *Description) CacheIdentity() string {
	if d.Identity != "" {
		return d.Identity
	}
	return d.ID
}

// Request is one effect request algal.effect.v1 with its digest (run.md §8.2).
type Request struct {
	Record canon.Value
	Digest algal.Digest

	CellID         string
	Kind           EffectKind
	Route          Route
	Output         organism.OutputContract
	MaxOutputBytes int
}

// Route is what selects an executor; empty members ask for nothing.
type Route struct{ Provider, Model, Preset string }

// Answer is what an executor gives back.
type Answer struct {
	Output canon.Value // absent with an error
	Metadata
}

// Metadata is what an executor says about an attempt beyond its output. All of it
// lands in the effect receipt (§8.7).
type Metadata struct {
	Executor      string      // "" means the executor's id
	Usage         canon.Value // {model?, tokensIn?, tokensOut?} or absent
	Cached        bool
	NotRetryable  bool
	Wake          canon.Value // capability handles a suspended effect waits on, or absent
	Configuration algal.Digest
}

// HostTool is a tool of the host (§9): its signature and what calls it. A tool
// without Call has a signature only, as in a verifier.
type HostTool struct {
	Signature *organism.Tool
	// Configuration is the digest that a journal binds.
	Configuration algal.Digest
	// Call performs one call. The result is an object of output ports.
	Call func(ctx context.Context, call ToolCall) (canon.Value, error)
}

// ToolCall is what a tool receives (§9.4).
type ToolCall struct {
	Inputs         canon.Value
	RequestDigest  algal.Digest
	IdempotencyKey algal.Digest
}

// Journal is the seam of ordered recovery (§10.4). With a journal every live
// effect is presented before it happens and stored before the run goes on.
type Journal interface {
	// Err returns why the journal can no longer be used, nil while it is healthy.
	Err() error
	// Begin presents a live effect. It gives either a token to complete or the
	// receipt of the effect as completed earlier, never both.
	Begin(b Binding) (token string, completed canon.Value, err error)
	// Complete stores the effect's receipt under its token.
	Complete(token string, receipt canon.Value) error
	// Poison makes the journal unusable: an outcome is not known.
	Poison(cause error)
}

// Binding says exactly what a journaled effect is.
type Binding struct {
	RequestDigest       algal.Digest
	Executor            string // executor id, or "tool:" and the tool's name
	ConfigurationDigest algal.Digest
	IdempotencyKey      algal.Digest
	Read                bool // a read tool, which recovery may repeat; anything else never
}

// Deadline bounds a call in wall-clock time: the returned context ends after ms
// milliseconds. The host supplies it, since the runtime knows no clock.
type Deadline func(ctx context.Context, ms int) (context.Context, context.CancelFunc)
