package replay_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
)

// The golden files describe runs that are too large to print by their inputs in
// words, counts and a digest.

func repeated(s string, n int) canon.Value { return canon.String(strings.Repeat(s, n)) }

// generated returns the inputs of the runs that failures.json describes.
func generated(t *testing.T) map[string]goldenrun.Case {
	t.Helper()
	program := func(cells, edges string) canon.Value {
		return goldenrun.ParseText(t, "program", `{"contract":"algal.organism.v1","key":"organism:a","name":"a","cells":[`+cells+`],"edges":[`+edges+`]}`)
	}
	arg := func(port string, v canon.Value) canon.Value {
		return canon.Object(canon.M("s", canon.Object(canon.M(port, v))))
	}
	input := func(port string) string { return `{"id":"s","kind":"input","outputs":{"` + port + `":"json"}}` }
	return map[string]goldenrun.Case{
		"value-too-large": {Manifest: program(input("v"), ""), Args: arg("v", repeated("x", 262_200))},
		"args-bytes-max":  {Manifest: program(input("z"), ""), Args: arg("v", repeated("x", 1_048_562))},
		"args-bytes-over": {Manifest: program(input("v"), ""), Args: arg("v", repeated("x", 1_048_563))},
		"recall-long": {
			Manifest: program(
				input("v")+`,{"id":"r","kind":"recall","inputs":{"v":"json"},"query":{"contract":"algal.expr.v1","program":["get","v"]}}`,
				`{"from":{"cell":"s","port":"v"},"to":{"cell":"r","port":"v"}}`,
			),
			Args: arg("v", repeated("q", 4097)),
		},
	}
}

// TestLiveGenerated repeats runs whose inputs are told in words.
func TestLiveGenerated(t *testing.T) {
	inputs, n := generated(t), 0
	for _, recorded := range goldenrun.Failures(t) {
		c, ok := inputs[recorded.Name]
		if !ok {
			continue
		}
		n++
		result, err := live(t, &c, runtime.Host{Store: newStore(t, &c)})
		if want := recorded.Record.Get("thrown"); want.Exists() {
			checkError(t, recorded.Name, err, want)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", recorded.Name, err)
			continue
		}
		receipt := result.Receipt()
		checkDescribed(t, recorded.Name, receipt, recorded.Record)
		if report, err := verify(t, &c, receipt); err != nil || report.OK != recorded.Record.Get("verifyOk").Bool() {
			t.Errorf("%s: %s, %v", recorded.Name, report.Value(), err)
		}
	}
	if n != len(inputs) {
		t.Fatalf("%d of %d cases are in the golden file", n, len(inputs))
	}
}

// checkDescribed compares a receipt with a description of it.
func checkDescribed(t *testing.T, name string, receipt, want canon.Value) {
	t.Helper()
	for _, key := range []string{"outcome", "failure", "work"} {
		if !canon.Equal(receipt.Get(key), want.Get(key)) {
			t.Errorf("%s: %s is %s, want %s", name, key, receipt.Get(key), want.Get(key))
		}
	}
	for path, cell := range want.Get("cells").Members() {
		if got := receipt.Get("cells").Get(path).Without("outputs"); !canon.Equal(got, cell) {
			t.Errorf("%s: cell %s is %s, want %s", name, path, got, cell)
		}
	}
	checkNamed(t, name, receipt, want)
}

// checkNamed compares a receipt with a recorded digest and length, which is that
// of a JavaScript string.
func checkNamed(t *testing.T, name string, receipt, want canon.Value) {
	t.Helper()
	got, length := receipt.Get("digest"), canon.Units(receipt.String())
	if !canon.Equal(got, want.Get("receiptDigest")) || float64(length) != want.Get("receiptBytes").Float() {
		t.Errorf("%s: receipt %s of length %d, want %s of %s", name, got, length, want.Get("receiptDigest"), want.Get("receiptBytes"))
	}
}

// TestEventCap runs case 38, whose log is cut at 4096 events (run.md §3.1).
func TestEventCap(t *testing.T) {
	for _, c := range goldenrun.Receipts(t) {
		if c.Name != "38-event-cap" {
			continue
		}
		_, host := newWorld(t, &c, nil)
		result, err := live(t, &c, host)
		if err != nil {
			t.Fatal(err)
		}
		receipt, want := result.Receipt(), c.Record
		events := receipt.Get("events")
		if got := events.Len(); float64(got) != want.Get("events").Float() {
			t.Fatalf("%d events, want %s", got, want.Get("events"))
		}
		if last := events.At(events.Len() - 1); !canon.Equal(last, want.Get("lastEvent")) {
			t.Errorf("last event %s, want %s", last, want.Get("lastEvent"))
		}
		if got := receipt.Get("cells").Len(); float64(got) != want.Get("cells").Float() {
			t.Errorf("%d cells, want %s", got, want.Get("cells"))
		}
		if !canon.Equal(receipt.Get("work"), want.Get("work")) {
			t.Errorf("work %s, want %s", receipt.Get("work"), want.Get("work"))
		}
		checkNamed(t, c.Name, receipt, want)
		report, err := verify(t, &c, receipt)
		if err != nil || !canon.Equal(report.Value().Without("outcome"), want.Get("verify")) {
			t.Errorf("%s, %v; want %s", report.Value(), err, want.Get("verify"))
		}
		return
	}
	t.Fatal("no case 38")
}

// TestOrderOfQuestions is the decide-order case: the order in which a manifest
// lists questions is part of the request, and a store gives a manifest back in
// canonical order (run.md §8.3).
func TestOrderOfQuestions(t *testing.T) {
	for _, c := range goldenrun.Failures(t) {
		if c.Name != "decide-order" {
			continue
		}
		if report, err := verify(t, &c, c.Receipt); err != nil || !report.OK {
			t.Errorf("as authored: %s, %v", report.Value(), err)
		}
		c.Manifest = c.Manifest.Sorted()
		report, err := verify(t, &c, c.Receipt)
		if err != nil || report.OK || !strings.Contains(strings.Join(report.Mismatches, ";"), "effect 0: requestDigest differs") {
			t.Errorf("as stored: %s, %v", report.Value(), err)
		}
		if report.Outcome != runtime.Failed { // nothing is recorded for the other request
			t.Errorf("as stored: outcome %s", report.Outcome)
		}
		return
	}
	t.Fatal("no such case")
}
