package verify_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/verify"
)

const (
	noMatch   = "process receipt does not match record"
	noReplay1 = "process generation 1 does not replay: "
)

// TestChainMutants holds the entries E-30 to E-41 of the catalogue: lies about the
// history, with every digest honest.
func TestChainMutants(t *testing.T) {
	status := func(text string) func(d *document) {
		return func(d *document) { d.set(text, d.head("status")...) }
	}
	failed := func(d *document) {
		d.set(`"failed"`, d.receipt("outcome")...)
		d.set(`{"code":"INTERNAL","message":"forged"}`, d.receipt("failure")...)
	}
	for _, m := range []mutant{
		{"E-30", []string{"suspended"}, rebound, func(d *document) { d.set(`[]`, d.head("wake")...) },
			algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-30", []string{"uncertain"}, rebound, func(d *document) { d.set(`[]`, d.head("wake")...) },
			algal.ReceiptMismatch, verify.StageHistory, "invalid dispatch intent"},
		{"E-31", completed, rebound, status(`"failed"`), algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-32", completed, rebound, status(`"suspended"`), algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-33", butUncertain, rebound, func(d *document) { d.set(`3`, d.head("generation")...) },
			algal.ReceiptMismatch, verify.StageHistory, "invalid process completion transition"},
		{"E-33", []string{"uncertain"}, rebound, func(d *document) { d.set(`4`, d.head("generation")...) },
			algal.ReceiptMismatch, verify.StageHistory, "invalid dispatch intent"},
		{"E-34", butUncertain, rebound, func(d *document) { d.set(quoted(d.chain[0]), d.head("previous")...) },
			algal.ReceiptMismatch, verify.StageHistory, "invalid process completion transition"},
		{"E-35", all, rebound, func(d *document) { d.set(`"another-name"`, d.record(0, "name")...) },
			algal.ReceiptMismatch, verify.StageHistory, "process definition changed"},
		{"E-36", completed, rebound, func(d *document) { d.set(`{"port":1}`, d.record(0, "args", "forged")...) },
			algal.ReceiptMismatch, verify.StageHistory, "process definition changed"},
		{"E-37", all, rebound, func(d *document) { d.set(`"manual"`, d.record(1, "cause")...) },
			algal.ReceiptMismatch, verify.StageHistory, "dispatch cause does not match prior wake"},
		{"E-38", all, raw, func(d *document) { d.remove(d.record(1)...) },
			algal.StoreMiss, verify.StageHistory, "process evidence lacks a declared dependency"},
		{"E-39", completed, rebound, func(d *document) {
			another := d.get(d.manifest()...)
			another = another.With(canon.M("cells", d.parse(`[{"id":"other","kind":"const","outputs":{"v":{"type":"json","value":0}}}]`)))
			digest := canon.String(string(another.Digest()))
			d.put(another, "program", "manifests", digest.Text())
			d.put(digest, "program", "root")
			for n := range d.chain {
				d.put(digest, d.record(n, "manifestDigest")...)
			}
		}, algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-40", completed, rebound, failed, algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-41", completed, rebound, func(d *document) { failed(d); status(`"failed"`)(d) },
			algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "outcome: failed vs complete; failure presence differs"},
	} {
		m.run(t)
	}
}

// TestReceiptMutants holds the entries E-42 to E-60: lies inside a receipt.
func TestReceiptMutants(t *testing.T) {
	cell := func(key, text string) func(d *document) {
		return func(d *document) { d.set(text, d.cell(key)...) }
	}
	inReceipt := func(text string, path ...string) func(d *document) {
		return func(d *document) { d.set(text, d.receipt(path...)...) }
	}
	const replay = verify.StageReplay
	suspended, complete := []string{"suspended"}, []string{"complete"}
	for _, m := range []mutant{
		{"E-42", butUncertain, rebound, func(d *document) {
			cell("status", `"skipped"`)(d)
			d.remove(d.cell("outputs")...)
		}, algal.ReceiptMismatch, replay, ": status skipped vs "},
		{"E-43", complete, rebound, cell("outputs", `{"value":{"answer":43}}`), algal.ReceiptMismatch, replay, noReplay1 + "cell source: outputs differ"},
		{"E-44", butUncertain, rebound, cell("work", `0`), algal.ReceiptMismatch, replay, ": work 0 vs 100"},
		{"E-45", []string{"failed-miss", "suspended"}, rebound, cell("via", `"forged-transport"`), algal.ReceiptMismatch, replay, ": via forged-transport vs local"},
		{"E-46", butUncertain, rebound, cell("slot", `{"mode":"write","name":"forged"}`), algal.ReceiptMismatch, replay, ": slot differs"},
		{"E-47", butUncertain, rebound, cell("shadowOut", `"forged"`), algal.ReceiptMismatch, replay, ": shadowOut differs"},
		{"E-48", butUncertain, rebound, func(d *document) { cell("rounds", `99`)(d); cell("items", `7`)(d) },
			algal.ReceiptMismatch, replay, ": rounds 99 vs undefined; cell "},
		{"E-49", butUncertain, rebound, cell("failure", `{"code":"INTERNAL","message":"forged"}`), algal.ReceiptMismatch, replay, ": failure differs"},
		{"E-50", butUncertain, rebound, cell("toolCalls", `[{"forged":true}]`), algal.ReceiptMismatch, replay, ": toolCalls differ"},
		{"E-51", butUncertain, rebound, cell("effectDigest", quoted(foreign)), algal.ReceiptMismatch, replay, noReplay1 + "receipt digests differ: "},
		{"E-52", completed, rebound, inReceipt(`{"port":1}`, "args", "forged"), algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-53", butUncertain, rebound, inReceipt(`0`, "work", "steps"), algal.ReceiptMismatch, replay, noReplay1 + "work.steps: 0 vs 1"},
		{"E-54", butUncertain, rebound, inReceipt(`7`, "work", "agentCalls"), algal.ReceiptMismatch, replay, noReplay1 + "work.agentCalls: 7 vs 0"},
		{"E-55", butUncertain, rebound, inReceipt(`0`, "work", "units"), algal.ReceiptMismatch, replay, noReplay1 + "work.units: 0 vs 100"},
		{"E-56", butUncertain, rebound, inReceipt(`"forged"`, "events", "1", "path"), algal.ReceiptMismatch, replay, noReplay1 + "events: event logs differ"},
		{"E-57", butUncertain, rebound, inReceipt(`"organism:forged"`, "manifestKey"), algal.ReceiptMismatch, replay, noReplay1 + "receipt digests differ: "},
		{"E-58", suspended, rebound, inReceipt(quoted(foreign), "effects", "0", "requestDigest"), algal.ReceiptMismatch, replay, noReplay1 + "outcome: suspended vs failed"},
		{"E-59", suspended, rebound, func(d *document) {
			effect := d.receipt("effects", "0")
			d.put(d.get(effect...).Without("error").Without("wake").With(canon.M("output", canon.Object())), effect...)
		}, algal.ReceiptMismatch, verify.StageHistory, noMatch}, // the record waits for what the receipt no longer names
		{"E-60", suspended, rebound, func(d *document) {
			effect := d.get(d.receipt("effects", "0")...)
			d.append(effect.With(canon.M("requestDigest", canon.String(foreign))), d.receipt("effects")...)
		}, algal.ReceiptMismatch, replay, noReplay1 + "effects: 2 vs 1"},
	} {
		m.run(t)
	}
}

// TestProgramMutants holds the entries E-61 to E-67: another program, other tools,
// other dependencies.
func TestProgramMutants(t *testing.T) {
	complete := []string{"complete"}
	for _, m := range []mutant{
		{"E-61", complete, rebound, func(d *document) { d.set(`0`, d.manifest("cells", "0", "outputs", "value", "value")...) },
			algal.ReceiptMismatch, verify.StageHistory, noMatch},
		{"E-62", complete, following, func(d *document) { d.set(`1`, d.manifest("budgets", "maxSteps")...) },
			algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "events: event logs differ"},
		{"E-63", complete, following, func(d *document) { d.set(`"renamed"`, d.manifest("name")...) },
			algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "events: event logs differ"},
		{"E-64", []string{"value-dep"}, raw, func(d *document) {
			key := d.get("program", "values").Key(0)
			d.remove("program", "values", key)
			d.put(canon.Array(canon.String(key)), "missing", "values")
		}, algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "outcome: complete vs failed"},
		{"E-65", []string{"failed-miss"}, raw, func(d *document) { d.set(`[]`, "missing", "values") },
			algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "cell input: failure differs; failure.code: INPUT_MISSING vs STORE_MISS"},
		{"E-66", suspending, raw, func(d *document) { d.set(`"read"`, "tools", "fixture.wait.v1", "effect") },
			algal.ReceiptMismatch, verify.StageReplay, noReplay1 + "outcome: suspended vs failed"},
		{"E-67", suspending, raw, func(d *document) {
			signature := d.get("tools", "fixture.wait.v1")
			d.remove("tools", "fixture.wait.v1")
			d.put(signature, "tools", "fixture.renamed.v1")
		}, algal.ToolUnknown, verify.StageCompile, "unknown tool"},
	} {
		m.run(t)
	}
}
