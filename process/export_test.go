//go:build unix

package process_test

import (
	"maps"
	"testing"

	"github.com/algal-vm/algal/export"
	"github.com/algal-vm/algal/verify"
)

// TestExport exports a process at every head it comes to: twice the same document,
// which verifies with nothing else, also when the process has gone on meanwhile.
func TestExport(t *testing.T) {
	w := newWorkshop(t)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	tools := mailboxSignatures()
	maps.Copy(tools, workerTools())
	var before *export.Document
	for i, step := range []func(){
		func() {},
		func() { w.mustTick("p", "suspended") },
		func() {
			w.send(w.found("inbox"), "1", "hello")
			w.advanced("p")
		},
	} {
		head := w.head("p")
		step()
		if i > 0 {
			late, err := export.Process(t.Context(), head.Digest, head.Record.Value(), w.store(), tools)
			must(t, err)
			if late.Text != before.Text {
				t.Errorf("step %d: a process that goes on is exported as\n%s\nand was\n%s", i, late.Text, before.Text)
			}
		}
		document, err := w.processes().Export(t.Context(), "p", tools)
		must(t, err)
		again, err := w.processes().Export(t.Context(), "p", tools)
		must(t, err)
		if document.Text != again.Text {
			t.Errorf("step %d: two exports differ:\n%s\n%s", i, document.Text, again.Text)
		}
		if i > 0 && document.Text == before.Text {
			t.Errorf("step %d changed nothing", i)
		}
		before = document
		evidence, err := verify.Parse(document.Text)
		must(t, err)
		report, err := evidence.Verify(t.Context())
		must(t, err)
		now := w.head("p")
		if v := report.Value(); !v.Get("digest").IsText(string(now.Digest)) || !v.Get("status").IsText(string(now.Record.Status)) {
			t.Errorf("step %d: report %s, head %s", i, v, now.Digest)
		}
	}
}
