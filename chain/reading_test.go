package chain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// checkFault wants a fault of the given code and text at a place.
func checkFault(t *testing.T, what string, err error, code algal.Code, text string, generation int, at algal.Digest) {
	t.Helper()
	var fault *chain.Fault
	if !errors.As(err, &fault) || algal.CodeOf(err) != code || err.Error() != text {
		t.Errorf("%s: %v %v, want %s %s", what, algal.CodeOf(err), err, code, text)
		return
	}
	if fault.Generation != generation || fault.Digest != at {
		t.Errorf("%s: at generation %d of %s, want %d of %s", what, fault.Generation, fault.Digest, generation, at)
	}
}

// TestHistoryReading holds the first three steps of process.md §5, and the faults
// that come from reading.
func TestHistoryReading(t *testing.T) {
	h := begin(t).intend("start")
	validate := func(d algal.Digest, head canon.Value) error {
		_, err := chain.Validate(d, head, h)
		return err
	}
	checkFault(t, "another head", validate(digest(5), h.head()), algal.ReceiptMismatch, "process head digest mismatch", 1, digest(5))
	checkFault(t, "no record", validate(digest(5), canon.Array()), algal.ParseFailed, "process must be an object", -1, digest(5))

	lost := begin(t).intend("start")
	first := lost.records[0].Digest()
	lost.records = lost.records[1:]
	_, err := lost.validate()
	checkFault(t, "a lost record", err, algal.StoreMiss, "no record "+string(first), -1, first)

	broken := begin(t)
	broken.records[0] = with(t, broken.records[0], "status", `"escaped"`)
	broken.intend("start")
	_, err = broken.validate()
	checkFault(t, "a damaged record", err, algal.ReceiptMismatch, "invalid process status", -1, broken.records[0].Digest())

	nodes := `{"c":` + `{"outputs":{"v":[` + strings.TrimSuffix(strings.Repeat("0,", 100_000), ",") + `]},"status":"committed","work":1}}`
	for name, c := range map[string]struct {
		receipt canon.Value
		code    algal.Code
		text    string
	}{
		"too many nodes": {receipt(t, "complete", `[]`, "cells", nodes), algal.BudgetExhausted, "process JSON depth/count exceeded"},
		"too many bytes": {sized(t, 16_000_001), algal.BudgetExhausted, "process JSON byte limit exceeded"},
		"as many as may": {sized(t, 16_000_000), algal.ParseFailed, "receipt.manifestKey must be a string of at most 256 characters"},
		"no receipt":     {receipt(t, "complete", `[]`, "work", ``), algal.ParseFailed, "receipt.work must be an object"},
	} {
		h := begin(t).intend("start").settle(c.receipt)
		_, err := h.validate()
		checkFault(t, name, err, c.code, c.text, 1, h.head().Digest())
	}
	gone := begin(t).intend("start").settle(receipt(t, "complete", `[]`))
	d := gone.head().Get("receipt").Text()
	clear(gone.receipts)
	_, err = gone.validate()
	checkFault(t, "a lost receipt", err, algal.StoreMiss, "no receipt "+d, 1, gone.head().Digest())
}

// sized is a receipt of that many bytes, for which its key is far too long.
func sized(t *testing.T, bytes int) canon.Value {
	t.Helper()
	empty := receipt(t, "complete", `[]`, "manifestKey", `""`)
	return receipt(t, "complete", `[]`, "manifestKey", `"`+strings.Repeat("x", bytes-empty.Size())+`"`)
}

// TestHistoryBound: a chain has at most 129 records.
func TestHistoryBound(t *testing.T) {
	h := begin(t)
	for generation := range 64 {
		cause := "manual"
		if generation == 0 {
			cause = "start"
		}
		h.intend(cause).settle(suspended(t))
	}
	if got, err := h.validate(); err != nil || len(got.Records) != 129 || len(got.Outcomes) != 64 {
		t.Fatalf("129 records: %v", err)
	}
	// Records whose generation does not grow can make a longer chain, which is
	// refused before anything is said about them.
	for range 2 {
		h.next("status", `"uncertain"`)
	}
	_, err := h.validate()
	checkFault(t, "131 records", err, algal.ReceiptMismatch, "process history bound exceeded", 1, h.records[2].Digest())
}

func TestReplayMismatch(t *testing.T) {
	err := chain.ReplayMismatch(7, "outcome: failed vs complete; work.units: 1 vs 2")
	const want = "process generation 7 does not replay: outcome: failed vs complete; work.units: 1 vs 2"
	if algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != want {
		t.Errorf("%v %v", algal.CodeOf(err), err)
	}
}

func TestCheckBounds(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), 1000, ""},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), 1000, "process JSON depth/count exceeded"},
		{"[" + strings.TrimSuffix(strings.Repeat("0,", 99_999), ",") + "]", 200_000, ""},
		{"[" + strings.TrimSuffix(strings.Repeat("0,", 100_000), ",") + "]", 300_000, "process JSON depth/count exceeded"},
		{`"12345678"`, 10, ""},
		{`"12345678"`, 9, "process JSON byte limit exceeded"},
	} {
		err := chain.CheckBounds(parse(t, c.text), c.max)
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && (got != c.want || algal.CodeOf(err) != algal.BudgetExhausted) {
			t.Errorf("%.20s… within %d: %v, want %q", c.text, c.max, err, c.want)
		}
	}
}
