package report

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/replay"
)

// generation is one dispatch as the document tells it.
type generation struct {
	number  int
	cause   string
	intent  algal.Digest
	outcome algal.Digest // "" while it is not known
	status  chain.Status // of the outcome; uncertain while there is none
	stored  algal.Digest // of the receipt
	receipt canon.Value
	wake    []string
	carried int // effects that the checkpoint had answered
	effects []effect
}

// effect is one effect that a dispatch added to its checkpoint.
type effect struct {
	ordinal int    // in the receipt
	cell    string // path, "" where it is not known
	receipt canon.Value
}

// generations tells a history by its dispatches.
func generations(h *chain.History) []generation {
	var list []generation
	var checkpoint canon.Value
	outcomes := h.Outcomes
	for i, r := range h.Records {
		if r.Status != chain.Uncertain {
			continue
		}
		g := generation{number: r.Generation, cause: r.Cause, intent: h.Digests[i], status: r.Status}
		if i+1 < len(h.Records) {
			o := outcomes[0]
			outcomes = outcomes[1:]
			g.outcome, g.status, g.stored, g.receipt, g.wake = h.Digests[i+1], o.Status, o.Receipt, o.Value, o.Wake
			g.carried = len(replay.Carried(checkpoint))
			cells := replay.EffectPaths(o.Value)
			for k, e := range o.Value.Get("effects").Elements() {
				if k >= g.carried {
					g.effects = append(g.effects, effect{k, cells[k], e})
				}
			}
			checkpoint = o.Value
		}
		list = append(list, g)
	}
	return list
}
