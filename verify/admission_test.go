package verify_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/verify"
)

// TestAdmissionMutants holds the entries E-1 to E-23 of the catalogue.
func TestAdmissionMutants(t *testing.T) {
	const headOrRoot = "process evidence head or root is missing or mismatched"
	wait := []string{"tools", "fixture.wait.v1"}
	for _, m := range []mutant{
		{"E-1", all, raw, func(d *document) { d.set(`"algal.process-evidence.v2"`, "contract") },
			algal.ReceiptMismatch, verify.StageDocument, "invalid process evidence contract"},
		{"E-2", all, raw, func(d *document) { d.set(`true`, "executable") },
			algal.ParseFailed, verify.StageDocument, `process evidence has unknown key "executable"`},
		{"E-3", all, raw, func(d *document) { d.set(quoted(foreign), "head") },
			algal.ReceiptMismatch, verify.StageDocument, headOrRoot},
		{"E-4", all, raw, func(d *document) { d.set(`"not a digest"`, "head") },
			algal.ParseFailed, verify.StageDocument, "process evidence.head must be a sha256:<64 lowercase hex> digest"},
		{"E-5", all, raw, func(d *document) {
			record := d.get(d.head()...)
			d.remove(d.head()...)
			d.put(record, "records", foreign)
			d.set(quoted(foreign), "head")
		}, algal.DigestMismatch, verify.StageRecords, "evidence records digest mismatch"},
		{"E-6", all, rebound, func(d *document) { d.set(`true`, d.head("executable")...) },
			algal.ParseFailed, verify.StageRecords, `process has unknown key "executable"`},
		{"E-7", all, rebound, func(d *document) { d.set(`"escaped"`, d.head("status")...) },
			algal.ReceiptMismatch, verify.StageRecords, "invalid process status"},
		{"E-8", all, rebound, func(d *document) { d.set(`0`, d.head("maxGenerations")...) },
			algal.ParseFailed, verify.StageRecords, "maxGenerations must be an integer in [1, 64]"},
		{"E-9", all, rebound, func(d *document) { d.set(`[1,2]`, d.head("args")...) },
			algal.ParseFailed, verify.StageRecords, "process args must be an object"},
		{"E-10", completed, rebound, func(d *document) { d.set(`["cap:wait:`+foreign+`"]`, d.head("wake")...) },
			algal.ReceiptMismatch, verify.StageRecords, "terminal process cannot carry wake evidence"},
		{"E-11", butUncertain, raw, func(d *document) {
			d.set(`"stuck"`, d.receipt("outcome")...)
			d.rekey([]string{"receipts"}, d.keys("receipts"), nil)
		}, algal.DigestMismatch, verify.StageReceipts, "evidence receipt digest mismatch"},
		{"E-12", butUncertain, raw, func(d *document) {
			d.set(`"algal.run.v2"`, d.receipt("contract")...)
			d.rekey([]string{"receipts"}, d.keys("receipts"), nil)
		}, algal.ParseFailed, verify.StageReceipts, `expected contract "algal.run.v1"`},
		{"E-13", []string{"suspended"}, rebound, func(d *document) { d.set(`"IO_FAILED"`, d.receipt("effects", "0", "error", "code")...) },
			algal.ParseFailed, verify.StageReceipts, "wake"},
		{"E-14", all, raw, func(d *document) { d.set(`"algal.bundle.v2"`, "program", "contract") },
			algal.ReceiptMismatch, verify.StageProgram, "invalid evidence program contract"},
		{"E-15", all, raw, func(d *document) { d.set(quoted(foreign), "program", "root") },
			algal.ReceiptMismatch, verify.StageDocument, headOrRoot},
		{"E-16", all, raw, func(d *document) { d.set(`"renamed"`, d.manifest("name")...) },
			algal.DigestMismatch, verify.StageProgram, "evidence manifests digest mismatch"},
		{"E-17", all, raw, func(d *document) {
			d.set(`"renamed"`, d.manifest("name")...)
			d.rekey([]string{"program", "manifests"}, d.keys("program", "manifests"), nil)
		}, algal.ReceiptMismatch, verify.StageDocument, headOrRoot},
		{"E-18", all, raw, func(d *document) {
			d.set(`"algal.organism.v2"`, d.manifest("contract")...)
			d.rekey([]string{"program", "manifests"}, d.keys("program", "manifests"), nil)
		}, algal.ParseFailed, verify.StageProgram, "contract"},
		{"E-19", []string{"value-dep"}, raw, func(d *document) {
			d.set(`{"retained":"otherwise"}`, "program", "values", d.get("program", "values").Key(0))
		}, algal.DigestMismatch, verify.StageProgram, "evidence values digest mismatch"},
		{"E-20", all, raw, func(d *document) { d.put(canon.Array(d.get("head")), "missing", "values") },
			algal.ReceiptMismatch, verify.StageMissing, "positive and missing evidence overlap"},
		{"E-21", []string{"failed-miss"}, raw, func(d *document) { d.append(d.get("missing", "values", "0"), "missing", "values") },
			algal.ReceiptMismatch, verify.StageMissing, "missing values must be sorted and unique"},
		{"E-22", suspending, raw, func(d *document) { d.set(`"nuke"`, append(wait, "effect")...) },
			algal.ParseFailed, verify.StageTools, "effect"},
		{"E-23", []string{"suspended"}, raw, func(d *document) {
			signature := d.get(wait...)
			d.remove(wait...)
			d.put(signature, "tools", "fixture.\x00wait.v1")
		}, algal.ReceiptMismatch, verify.StageTools, "invalid evidence tool name"},
	} {
		m.run(t)
	}
}
