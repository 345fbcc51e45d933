package workbench

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// Counters says how often each effect of the program happened. However often the
// program was continued, that is at most once.
type Counters struct{ Decisions, Proposals, Publications int }

func (c Counters) value() canon.Value {
	return canon.Object(
		canon.M("decisions", canon.Int(c.Decisions)),
		canon.M("proposals", canon.Int(c.Proposals)),
		canon.M("publications", canon.Int(c.Publications)),
	)
}

// telling is what the receipts of a history tell.
type telling struct {
	counters   Counters
	received   canon.Value // the message that woke the program, absent before
	authorized canon.Value // what the program made of it, absent before
}

// told reads the receipts (demo.md §4.6). An effect that happened twice is
// RECEIPT_MISMATCH.
func told(h *chain.History) (t telling, err error) {
	for _, of := range []struct {
		cell string
		to   *int
	}{{"recommend", &t.counters.Decisions}, {"propose", &t.counters.Proposals}, {"publish", &t.counters.Publications}} {
		distinct := map[string]bool{}
		for _, outcome := range h.Outcomes {
			if effect := committed(outcome, of.cell).Get("effectDigest"); effect.Exists() {
				distinct[effect.Text()] = true
			}
		}
		if *of.to = len(distinct); *of.to > 1 {
			return telling{}, algal.Errorf(algal.ReceiptMismatch, "the history holds %d different effects of %s, expected at most 1", *of.to, of.cell)
		}
	}
	for _, outcome := range h.Outcomes {
		if message := committed(outcome, "wait/receive").Get("outputs").Get("message"); message.Exists() {
			t.received = message
		}
		if out := committed(outcome, "authorize").Get("outputs").Get("out"); out.Exists() {
			t.authorized = out
		}
	}
	return t, nil
}

// committed returns a cell of a receipt, absent if it did not commit.
func committed(o chain.Outcome, cell string) canon.Value {
	c := o.Value.Get("cells").Get(cell)
	if !c.Get("status").IsText("committed") {
		return canon.Value{}
	}
	return c
}
