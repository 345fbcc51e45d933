package fuzz

import (
	"context"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// FuzzReceipt: an admitted receipt reads back from its canonical text; whatever it
// claims, verifying it against a program ends with a report that does not depend
// on chance, and a receipt that verifies is the re-execution to the byte.
func FuzzReceipt(f *testing.F) {
	programs := map[string]*goldenrun.Case{}
	for _, c := range goldenrun.Receipts(f) {
		if c.Receipt.Exists() && c.Receipt.Size() < 20_000 {
			programs[c.Name] = &c
			f.Add(c.Name, c.Receipt.String())
		}
	}
	if len(programs) == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		c := programs[name]
		receipt, err := canon.Parse(text, canon.Limits{})
		if err != nil || c == nil {
			return
		}
		if err := runtime.ParseReceipt(receipt); err != nil {
			if algal.CodeOf(err) != algal.ParseFailed {
				t.Fatalf("refused with %s: %v", algal.CodeOf(err), err)
			}
			return
		}
		m, err := organism.ParseManifest(c.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		store := cas.NewMemory()
		c.Fill(t, store)
		host := runtime.Host{Store: store, Tools: c.Signatures(t), Transports: c.Transports}
		report, err := replay.Verify(context.Background(), receipt, m, host)
		again, errAgain := replay.Verify(context.Background(), receipt, m, host)
		if algal.CodeOf(err) != algal.CodeOf(errAgain) || !canon.Equal(report.Value(), again.Value()) {
			t.Fatalf("not deterministic: %v, %v and %v, %v", report, err, again, errAgain)
		}
		if err == nil && report.OK && !runtime.CheckDigest(receipt) {
			t.Fatal("a receipt with a wrong digest verifies")
		}
	})
}
