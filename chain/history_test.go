package chain_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// history is a chain being built. It is its own reader.
type history struct {
	t        *testing.T
	records  []canon.Value
	receipts map[algal.Digest]canon.Value
}

// begin is a history with its ready record.
func begin(t *testing.T) *history {
	h := &history{t: t, receipts: map[algal.Digest]canon.Value{}}
	return h.add(parse(t, `{"args":{},"contract":"algal.process.v1","generation":0,"manifestDigest":`+hash(1)+`,"maxGenerations":64,"name":"demo","status":"ready","wake":[]}`))
}

func (h *history) add(record canon.Value) *history {
	h.records = append(h.records, record)
	return h
}

func (h *history) head() canon.Value { return h.records[len(h.records)-1] }

// next appends a record that follows the head; edits are keys and JSON texts.
func (h *history) next(edits ...string) *history {
	h.t.Helper()
	record := h.head().With(canon.M("previous", canon.String(string(h.head().Digest()))))
	for i := 0; i < len(edits); i += 2 {
		record = with(h.t, record, edits[i], edits[i+1])
	}
	return h.add(record)
}

// intend appends a dispatch.
func (h *history) intend(cause string, edits ...string) *history {
	h.t.Helper()
	generation := fmt.Sprint(int(h.head().Get("generation").Float()) + 1)
	return h.next(append([]string{"cause", `"` + cause + `"`, "generation", generation, "status", `"uncertain"`}, edits...)...)
}

// settle appends an outcome with its receipt.
func (h *history) settle(receipt canon.Value, edits ...string) *history {
	h.t.Helper()
	d := receipt.Digest()
	h.receipts[d] = receipt
	wake := []canon.Value{}
	for _, handle := range chain.Wake(receipt) {
		wake = append(wake, canon.String(handle))
	}
	return h.next(append([]string{
		"status", receipt.Get("outcome").String(), "receipt", `"` + string(d) + `"`, "wake", canon.Array(wake...).String(),
	}, edits...)...)
}

func (h *history) Record(d algal.Digest) (canon.Value, error) {
	for _, r := range h.records {
		if r.Digest() == d {
			return r, nil
		}
	}
	return canon.Value{}, algal.Errorf(algal.StoreMiss, "no record %s", d)
}

func (h *history) Receipt(d algal.Digest) (canon.Value, error) {
	if r, ok := h.receipts[d]; ok {
		return r, nil
	}
	return canon.Value{}, algal.Errorf(algal.StoreMiss, "no receipt %s", d)
}

func (h *history) validate() (*chain.History, error) {
	return chain.Validate(h.head().Digest(), h.head(), h)
}

// receipt is one that is admitted, with the given outcome and effects.
func receipt(t *testing.T, outcome, effects string, edits ...string) canon.Value {
	t.Helper()
	v := parse(t, `{"args":{},"cells":{},"contract":"algal.run.v1","digest":`+hash(0)+`,"effects":`+effects+`,"events":[],"manifestDigest":`+hash(1)+
		`,"manifestKey":"organism:k","outcome":"`+outcome+`","runtime":{"name":"algal","version":"0.1.0"},"work":{"agentCalls":0,"steps":0,"units":0}}`)
	for i := 0; i < len(edits); i += 2 {
		v = with(t, v, edits[i], edits[i+1])
	}
	return v
}

// Effects of the receipts here: one that is done, one that waits for two handles.
const (
	done    = `{"executor":"x","output":1,"requestDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000009"}`
	waiting = `{"error":{"code":"EFFECT_SUSPENDED","message":"m"},"executor":"x","requestDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000008","retryable":false,
		"wake":["cap:wait:sha256:0000000000000000000000000000000000000000000000000000000000000002","cap:wait:sha256:0000000000000000000000000000000000000000000000000000000000000001"]}`
	handle = "cap:wait:sha256:0000000000000000000000000000000000000000000000000000000000000001"
)

// cells are those of a receipt that waits: two that are settled and two that are not.
const cells = `{"a":{"status":"committed","work":1},"b":{"status":"skipped","work":0},"c":{"status":"failed","work":1},"d":{"status":"suspended","work":1}}`

func suspended(t *testing.T) canon.Value {
	return receipt(t, "suspended", `[`+done+`,`+waiting+`]`, "cells", cells)
}

// waitingHistory is one that has suspended once.
func waitingHistory(t *testing.T) *history { return begin(t).intend("start").settle(suspended(t)) }

func TestValidHistories(t *testing.T) {
	for name, c := range map[string]struct {
		h                     *history
		generations, outcomes int
	}{
		"ready":     {begin(t), 0, 0},
		"intent":    {begin(t).intend("start"), 1, 0},
		"complete":  {begin(t).intend("start").settle(receipt(t, "complete", `[]`)), 1, 1},
		"stuck":     {begin(t).intend("start").settle(receipt(t, "stuck", `[]`)), 1, 1},
		"suspended": {waitingHistory(t), 1, 1},
		"uncertain": {waitingHistory(t).intend("manual"), 2, 1},
		"again":     {waitingHistory(t).intend("manual").settle(suspended(t)), 2, 2},
		"woken": {waitingHistory(t).intend(handle).settle(receipt(t, "complete", `[`+done+`]`, "cells",
			`{"a":{"status":"committed","work":1},"b":{"status":"skipped","work":0},"c":{"status":"committed","work":9}}`)), 2, 2},
	} {
		got, err := c.h.validate()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Last().Generation != c.generations || len(got.Outcomes) != c.outcomes || len(got.Records) != len(c.h.records) || got.Head != c.h.head().Digest() {
			t.Errorf("%s: generation %d, %d outcomes, %d records", name, got.Last().Generation, len(got.Outcomes), len(got.Records))
		}
		for i, r := range got.Records {
			if !canon.Equal(r.Value(), c.h.records[i]) || got.Digests[i] != c.h.records[i].Digest() {
				t.Errorf("%s: record %d is %s", name, i, r.Value())
			}
		}
	}
}

// TestHistoryRules breaks one rule of process.md §5 at a time, in its order, with
// every digest honest.
func TestHistoryRules(t *testing.T) {
	const (
		definition = "process definition changed"
		intent     = "invalid dispatch intent"
		cause      = "dispatch cause does not match prior wake"
		completion = "invalid process completion transition"
		noMatch    = "process receipt does not match record"
		effects    = "process continuation changed completed effects"
		settled    = "process continuation changed completed cells"
	)
	complete := receipt(t, "complete", `[]`)
	finished := func() *history { return begin(t).intend("start").settle(complete) }
	continued := func(effects string, edits ...string) *history {
		return waitingHistory(t).intend("manual").settle(receipt(t, "complete", effects, append([]string{"cells", cells}, edits...)...))
	}
	twice := func() *history { // two effects are settled, around one that waits
		more := strings.Replace(done, `"output":1`, `"output":2`, 1)
		return begin(t).intend("start").settle(receipt(t, "suspended", `[`+done+`,`+waiting+`,`+more+`]`, "cells", cells)).intend("manual")
	}
	for _, c := range []struct {
		name string
		h    *history
		text string
	}{
		{"another name", begin(t).intend("start", "name", `"other"`), definition},
		{"another program", begin(t).intend("start", "manifestDigest", hash(7)), definition},
		{"other arguments", begin(t).intend("start", "args", `{"c":{}}`), definition},
		{"another limit", begin(t).intend("start", "maxGenerations", `63`), definition},
		{"the definition comes first", begin(t).intend("manual", "name", `"other"`, "generation", `5`), definition},

		{"dispatched after the end", finished().intend("manual"), intent},
		{"dispatched while uncertain", begin(t).intend("start").intend("start"), intent},
		{"generation skipped", begin(t).intend("start", "generation", `2`), intent},
		{"generation kept", waitingHistory(t).intend("manual", "generation", `1`), intent},
		{"receipt dropped", waitingHistory(t).intend("manual", "receipt", ""), intent},
		{"receipt invented", begin(t).intend("start", "receipt", hash(5)), intent},
		{"wake dropped", waitingHistory(t).intend("manual", "wake", `[]`), intent},
		{"wake invented", begin(t).intend("start", "wake", `["`+handle+`"]`), intent},
		{"intent before cause", begin(t).intend("manual", "generation", `2`), intent},

		{"ready, not started", begin(t).intend("manual"), cause},
		{"ready, woken", begin(t).intend(handle), cause},
		{"suspended, started", waitingHistory(t).intend("start"), cause},
		{"woken by another", waitingHistory(t).intend(handle[:len(handle)-1] + "7"), cause},

		{"no dispatch", begin(t).settle(complete, "generation", `1`, "cause", `"start"`), completion},
		{"after the end", finished().settle(complete), completion},
		{"generation changed", begin(t).intend("start").settle(complete, "generation", `2`), completion},
		{"cause changed", begin(t).intend("start").settle(complete, "cause", `"manual"`), completion},

		{"another program's receipt", begin(t).intend("start").settle(receipt(t, "complete", `[]`, "manifestDigest", hash(7))), noMatch},
		{"other arguments' receipt", begin(t).intend("start").settle(receipt(t, "complete", `[]`, "args", `{"c":{}}`)), noMatch},
		{"another outcome", begin(t).intend("start").settle(complete, "status", `"failed"`), noMatch},
		{"wake of the record", begin(t).intend("start").settle(suspended(t), "wake", `[]`), noMatch},
		{"wake of the receipt", begin(t).intend("start").settle(receipt(t, "suspended", `[]`), "wake", `["`+handle+`"]`), noMatch},
		{"no match before the continuation", continued(`[]`, "args", `{"c":{}}`), noMatch},

		{"effect changed", continued(`[` + strings.Replace(done, `"output":1`, `"output":2`, 1) + `]`), effects},
		{"effect metadata changed", continued(`[` + strings.Replace(done, `"executor":"x"`, `"executor":"y"`, 1) + `]`), effects},
		{"effect dropped", continued(`[]`), effects},
		{"effect put before it", continued(`[` + strings.Replace(done, `0009"`, `0007"`, 1) + `,` + done + `]`), effects},
		{"second effect changed", twice().settle(receipt(t, "complete", `[`+done+`,`+done+`]`, "cells", cells)), effects},
		{"effects before cells", continued(`[]`, "cells", `{}`), effects},
		{"committed cell changed", continued(`[`+done+`]`, "cells", strings.Replace(cells, `"work":1`, `"work":2`, 1)), settled},
		{"committed cell absent", continued(`[`+done+`]`, "cells", `{"b":{"status":"skipped","work":0}}`), settled},
		{"skipped cell changed", continued(`[`+done+`]`, "cells", strings.Replace(cells, "skipped", "committed", 1)), settled},
	} {
		got, err := c.h.validate()
		var fault *chain.Fault
		if got != nil || !errors.As(err, &fault) || algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != c.text {
			t.Errorf("%s: %v %v, want %s", c.name, algal.CodeOf(err), err, c.text)
			continue
		}
		head := c.h.head()
		if fault.Digest != head.Digest() || float64(fault.Generation) != head.Get("generation").Float() {
			t.Errorf("%s: at generation %d of %s, want the head", c.name, fault.Generation, fault.Digest)
		}
	}
}

// TestContinuationMayChange: what was not settled may become anything, and effects
// may follow.
func TestContinuationMayChange(t *testing.T) {
	for _, r := range []canon.Value{
		receipt(t, "complete", `[`+done+`,`+strings.Replace(done, `"output":1`, `"output":2`, 1)+`]`,
			"cells", `{"a":{"status":"committed","work":1},"b":{"status":"skipped","work":0},"d":{"status":"committed","work":5}}`),
		receipt(t, "failed", `[`+done+`]`, "cells", `{"a":{"status":"committed","work":1},"b":{"status":"skipped","work":0}}`),
	} {
		if _, err := waitingHistory(t).intend("manual").settle(r).validate(); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
}

func TestWake(t *testing.T) {
	one := strings.Replace(waiting, "0000000002", "0000000003", 1)
	failed := `{"error":{"code":"EFFECT_FAILED","message":"m"},"executor":"x","requestDigest":` + hash(8) + `}`
	without := `{"error":{"code":"EFFECT_SUSPENDED","message":"m"},"executor":"x","requestDigest":` + hash(8) + `,"retryable":false}`
	for effects, want := range map[string][]string{
		`[]`:                             nil,
		`[` + done + `,` + failed + `]`:  nil,
		`[` + without + `]`:              nil,
		`[` + done + `,` + waiting + `]`: {handle, handle[:len(handle)-1] + "2"},
		`[` + waiting + `,` + one + `,` + waiting + `]`: {handle, handle[:len(handle)-1] + "2", handle[:len(handle)-1] + "3"},
	} {
		if diff := cmp.Diff(want, slices.Clip(chain.Wake(receipt(t, "suspended", effects)))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", effects, diff)
		}
	}
}
