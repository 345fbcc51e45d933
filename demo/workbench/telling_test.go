package workbench

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// TestTold: different effects of a cell are counted over all receipts, the same one
// once, and one that did not commit not at all. No history that replays has two.
func TestTold(t *testing.T) {
	history := func(receipts ...string) *chain.History {
		h := &chain.History{}
		for _, text := range receipts {
			v, err := canon.Parse(`{"cells":`+text+`}`, canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			h.Outcomes = append(h.Outcomes, chain.Outcome{Value: v})
		}
		return h
	}
	got, err := told(history(
		`{"recommend":{"status":"committed","effectDigest":"a"},"propose":{"status":"failed","effectDigest":"x"}}`,
		`{"recommend":{"status":"committed","effectDigest":"a"},"propose":{"status":"committed","effectDigest":"b"},`+
			`"wait/receive":{"status":"committed","outputs":{"message":1}},"authorize":{"status":"committed","outputs":{"out":2}}}`,
	))
	if err != nil || got.counters != (Counters{1, 1, 0}) || got.received.Float() != 1 || got.authorized.Float() != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, cell := range []string{"recommend", "propose", "publish"} {
		_, err := told(history(
			`{"`+cell+`":{"status":"committed","effectDigest":"a"}}`,
			`{"`+cell+`":{"status":"committed","effectDigest":"b"}}`,
		))
		if algal.CodeOf(err) != algal.ReceiptMismatch {
			t.Errorf("two effects of %s: %v", cell, err)
		}
	}
}
