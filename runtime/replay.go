package runtime

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Replay is what a run takes from a recorded receipt instead of from the world
// (run.md §13.1, §14). The zero value takes nothing.
type Replay struct {
	// Effects are recorded provider receipts, answered in order per request.
	Effects []canon.Value
	// Tools are recorded tool receipts, answered in order per request.
	Tools []canon.Value
	// StrictTools makes a tool call without a record a failure; otherwise it goes
	// to the live tool.
	StrictTools bool

	Via         map[string]string      // cell path to transport
	SlotReads   map[string]canon.Value // cell path to the value read, absent where the slot was missing
	SlotWritten map[string]bool        // cell paths whose slot writes are not repeated
	Stamp       canon.Value            // runtime stamp of the receipt, absent for this runtime's own

	// Observe, if there, is told every request as it is about to be answered: the
	// effect request or tool effect record of §8.2 and §9.3, of which a receipt keeps
	// the digest only.
	Observe func(digest algal.Digest, request canon.Value)
}

// IsToolEffect reports whether an effect receipt is that of a tool.
func IsToolEffect(receipt canon.Value) bool {
	return strings.HasPrefix(receipt.Get("executor").Text(), toolPrefix)
}

// IsSuspended reports whether an effect receipt records a suspension.
func IsSuspended(receipt canon.Value) bool {
	return receipt.Get("error").Get("code").IsText(string(algal.EffectSuspended))
}

// replaying is a Replay in use.
type replaying struct {
	*Replay
	effects, tools queues
}

// queues holds receipts by request digest, each in record order.
type queues map[string][]canon.Value

func newQueues(receipts []canon.Value) queues {
	q := make(queues, len(receipts))
	for _, r := range receipts {
		request := r.Get("requestDigest").Text()
		q[request] = append(q[request], r)
	}
	return q
}

// next takes the next receipt of a request, absent when none is left.
func (q queues) next(request algal.Digest) canon.Value {
	left := q[string(request)]
	if len(left) == 0 {
		return canon.Value{}
	}
	q[string(request)] = left[1:]
	return left[0]
}

func (r *Replay) start() *replaying {
	return &replaying{Replay: r, effects: newQueues(r.Effects), tools: newQueues(r.Tools)}
}

func (r *replaying) nextEffect(request algal.Digest) canon.Value { return r.effects.next(request) }

func (r *replaying) nextTool(request algal.Digest) canon.Value { return r.tools.next(request) }

func (r *replaying) observe(digest algal.Digest, request canon.Value) {
	if r.Observe != nil {
		r.Observe(digest, request)
	}
}
