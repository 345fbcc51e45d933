package verify_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/verify"
)

// long is the recorded document of thirty generations.
func long(t testing.TB) *document {
	t.Helper()
	d := &document{t: t, value: goldenrun.Parse(t, "bench/long-30.evidence.json")}
	d.readChain()
	return d
}

// lie changes the work of the receipts of some generations, honestly named anew.
func (d *document) lie(generations ...int) {
	d.t.Helper()
	lies := map[string]bool{}
	for _, key := range d.chain {
		record := d.get("records", key)
		for _, n := range generations {
			if int(record.Get("generation").Float()) == n && !record.Get("status").IsText(string(chain.Uncertain)) {
				lies[record.Get("receipt").Text()] = true
			}
		}
	}
	if len(lies) != len(generations) {
		d.t.Fatalf("generations %v have %d receipts of their own", generations, len(lies))
	}
	for key := range lies {
		d.set(`1`, "receipts", key, "work", "units")
	}
	d.rebind(false)
}

// shown is everything that a verdict says.
func shown(report *verify.Report, err error) string {
	if err == nil {
		return report.Value().String()
	}
	var refusal *verify.Refusal
	if !errors.As(err, &refusal) {
		return err.Error()
	}
	return fmt.Sprintf("%s %s generation %d of %s: %s", refusal.Err.Code, refusal.Stage, refusal.Generation, refusal.Digest, err)
}

// TestVerdictIsDeterministic: neither the number of processors nor chance changes
// a report or a reported fault. Of several faults that of the earliest generation
// is told.
func TestVerdictIsDeterministic(t *testing.T) {
	type probe struct{ name, text, verdict string }
	probes := []probe{{"long-30", long(t).value.String(), `{"digest":`}}
	for _, generations := range [][]int{{30}, {3, 9, 29}, {1, 2, 30}} {
		d := long(t)
		d.lie(generations...)
		name := fmt.Sprintf("long-30 with lies in generations %v", generations)
		probes = append(probes, probe{name, d.value.String(), fmt.Sprintf("RECEIPT_MISMATCH replay generation %d of ", generations[0])})
	}
	for _, name := range golden.Glob(t, "processes/*/*.evidence.json") {
		probes = append(probes, probe{name, string(golden.Read(t, name)), `{"digest":`})
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, p := range probes {
		var first string
		for _, processors := range []int{1, 4, 4, 2} {
			runtime.GOMAXPROCS(processors)
			got := shown(verifyText(p.text))
			if first == "" {
				first = got
			}
			if got != first || !strings.HasPrefix(got, p.verdict) {
				t.Errorf("%s with %d processors: %s\nwith one: %s\nwant %s…", p.name, processors, got, first, p.verdict)
			}
		}
	}
	t.Logf("%d documents", len(probes))
}

// TestEvidenceIsReused: one admitted document may be verified any number of times,
// also at once.
func TestEvidenceIsReused(t *testing.T) {
	e, err := verify.Parse(long(t).value.String())
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(chan string)
	for range 3 {
		go func() {
			report, err := e.Verify(context.Background())
			verdicts <- shown(report, err)
		}()
	}
	first := <-verdicts
	for range 2 {
		if got := <-verdicts; got != first {
			t.Errorf("%s\n%s", got, first)
		}
	}
}

// TestInterrupted: a verification that the caller ends is neither a verdict nor a
// refusal.
func TestInterrupted(t *testing.T) {
	e, err := verify.Parse(long(t).value.String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := e.Verify(ctx)
	if report != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", report, err)
	}
	if code := algal.CodeOf(err); code != algal.Internal {
		t.Errorf("code %s: a reader may take it for a refusal", code)
	}
}
