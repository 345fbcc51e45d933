package suite

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// TestUnverified: an example whose receipt does not verify is not as expected, even
// if outcome and digest are. The slot that this program reads is damaged, which a
// replay cannot know.
func TestUnverified(t *testing.T) {
	m, err := organism.ParseManifest(goldenrun.ParseText(t, "program",
		`{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[{"id":"s","kind":"slot","name":"n","mode":"read"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	receipt, report, err := execute(t.Context(), m, canon.Value{}, runtime.Host{Store: damaged{cas.NewMemory()}})
	if err != nil {
		t.Fatal(err)
	}
	want := expectation{runtime.Failed, algal.Digest(receipt.Get("digest").Text())}
	var e Example
	err = e.judge(&want, receipt, report)
	if algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != "receipt does not verify: cell s: failure differs; failure.code: IO_FAILED vs INPUT_MISSING" || e.Verified {
		t.Error(err, e)
	}
	if err := e.judge(&want, receipt, replay.Report{OK: true}); err != nil || !e.Verified {
		t.Error(err, e)
	}
}

// damaged is a store whose slots cannot be read.
type damaged struct{ cas.Store }

func (damaged) Slot(string) (canon.Value, error) {
	return canon.Value{}, algal.Errorf(algal.IOFailed, "slot is damaged")
}
