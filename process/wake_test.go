//go:build unix

package process_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/process"
)

// TestWake: who has served a handle dispatches the process that waits for it, and
// the record says so. Any other cause leaves it as it is.
func TestWake(t *testing.T) {
	w := newWorkshop(t)
	inbox, outbox := w.box("inbox"), w.box("outbox")
	w.createWith(w.worker("p", outbox, inbox))
	wake := func(handle string) (*process.Snapshot, error) {
		return w.processes().Wake(t.Context(), "p", handle, process.Options{})
	}
	_, err := wake(inbox.Receive.String())
	refused(t, "wake a ready process", err, algal.ReceiptMismatch, "dispatch cause does not match prior wake")
	before := w.mustTick("p", "suspended")
	for _, handle := range []string{outbox.Receive.String(), inbox.Send.String()} {
		_, err := wake(handle)
		refused(t, "wake by another handle", err, algal.ReceiptMismatch, "dispatch cause does not match prior wake")
	}
	for _, handle := range []string{"", chain.CauseManual, "cap:x"} {
		_, err := wake(handle)
		refused(t, "wake by no handle", err, algal.TypeMismatch, "dispatch cause is not a valid capability handle")
	}
	if now := w.head("p"); now.Digest != before.Digest {
		t.Fatalf("a refused wake moved the head to %s", now.Value())
	}
	w.send(inbox, "1", "hello")
	after, err := wake(inbox.Receive.String())
	must(t, err)
	if after.Record.Status != chain.Complete || after.Record.Cause != inbox.Receive.String() {
		t.Errorf("woken to %s", after.Value())
	}
	if _, err := w.processes().Verify(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	_, err = wake(inbox.Receive.String())
	refused(t, "wake a process that has ended", err, algal.IOFailed, "process is terminal")
	_, err = w.processes().Wake(t.Context(), "q", inbox.Receive.String(), process.Options{})
	refused(t, "wake nobody", err, algal.StoreMiss, "process head missing")
	_, err = w.processes().Wake(t.Context(), "p", inbox.Receive.String(), process.Options{Journal: true})
	refused(t, "wake with too few recoveries", err, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]")
}
