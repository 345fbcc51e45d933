package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/verify"
)

// fault is one thing wrong with a document. Faults with the same slot cannot stand
// together.
type fault struct {
	slot  string
	edit  func(d *document)
	code  algal.Code
	stage verify.Stage
	text  string
}

// admissionFaults lists a fault for the checks of evidence.md §3 in their order.
func admissionFaults() []fault {
	extra := func(where, key, text string) func(d *document) { // an entry under a key, "" for its digest
		return func(d *document) {
			v := d.parse(text)
			if key == "" {
				key = string(v.Digest())
			}
			d.put(v, append(strings.Split(where, "."), key)...)
		}
	}
	set := func(text string, path ...string) func(d *document) {
		return func(d *document) { d.set(text, path...) }
	}
	const parse, mismatch, digest, budget = algal.ParseFailed, algal.ReceiptMismatch, algal.DigestMismatch, algal.BudgetExhausted
	return []fault{
		{"", set(`1`, "extra"), parse, verify.StageDocument, "process evidence has unknown key"},
		{"", set(`"x"`, "contract"), mismatch, verify.StageDocument, "invalid process evidence contract"},
		{"head", set(`"x"`, "head"), parse, verify.StageDocument, "process evidence.head must be"},
		{"", extra("records", foreign, `1`), digest, verify.StageRecords, "evidence records digest mismatch"},
		{"", extra("records", "", `{"contract":"x"}`), mismatch, verify.StageRecords, "invalid process contract"},
		{"", extra("receipts", foreign, `1`), digest, verify.StageReceipts, "evidence receipts digest mismatch"},
		{"receipt", extra("receipts", "", `{"contract":"x"}`), parse, verify.StageReceipts, `expected contract "algal.run.v1"`},
		{"receipt", func(d *document) {
			stale := d.get(d.receipt()...).With(canon.M("manifestKey", canon.String("organism:stale")))
			d.put(stale, "receipts", string(stale.Digest()))
		}, digest, verify.StageReceipts, "evidence receipt digest mismatch"},
		{"", set(`1`, "program", "extra"), parse, verify.StageProgram, "evidence program has unknown key"},
		{"", set(`"x"`, "program", "contract"), mismatch, verify.StageProgram, "invalid evidence program contract"},
		{"root", set(`"x"`, "program", "root"), parse, verify.StageProgram, "evidence program.root must be"},
		{"", extra("program.manifests", foreign, `1`), digest, verify.StageProgram, "evidence manifests digest mismatch"},
		{"manifest", extra("program.manifests", "", `{"contract":"x"}`), parse, verify.StageProgram, `manifest requires "cells"`},
		{"manifest", extra("program.manifests", "", `{"cells":[],"contract":"algal.organism.v1","edges":[],"key":"organism:x","name":"x"}`),
			digest, verify.StageProgram, "evidence manifest digest mismatch"},
		{"", extra("program.values", foreign, `1`), digest, verify.StageProgram, "evidence values digest mismatch"},
		{"", set(`[]`, "missing", "extra"), parse, verify.StageMissing, "evidence missing has unknown key"},
		{"manifests", set(`5`, "missing", "manifests"), mismatch, verify.StageMissing, "missing manifests count exceeded"},
		{"manifests", set(`["x"]`, "missing", "manifests"), parse, verify.StageMissing, "missing manifests must be a sha256"},
		{"values", set(`[`+quoted(foreign)+`,`+quoted(foreign)+`]`, "missing", "values"), mismatch, verify.StageMissing, "missing values must be sorted and unique"},
		{"values", func(d *document) { d.put(canon.Array(canon.String(d.chain[0])), "missing", "values") }, mismatch, verify.StageMissing, "positive and missing evidence overlap"},
		{"head", set(quoted(foreign), "head"), mismatch, verify.StageDocument, "process evidence head or root is missing or mismatched"},
		{"", func(d *document) {
			for i := range 65 {
				d.put(d.get("tools", "fixture.wait.v1"), "tools", fmt.Sprintf("t%d", i))
			}
		}, budget, verify.StageTools, "evidence tool count exceeded"},
		{"name", set(`1`, "tools", strings.Repeat("n", 129)), parse, verify.StageTools, "evidence tool name must be a string of at most 128 characters"},
		{"name", set(`1`, "tools", ""), mismatch, verify.StageTools, "invalid evidence tool name"},
		{"", set(`1`, "tools", "z"), parse, verify.StageTools, ""},
	}
}

// TestAdmissionOrder puts any two faults into one document: the earlier check
// decides (evidence.md §3).
func TestAdmissionOrder(t *testing.T) {
	faults := admissionFaults()
	pairs := 0
	for i, first := range faults {
		d := base(t, "suspended")
		first.edit(d)
		_, err := d.verdict()
		checkRefusal(t, err, first.code, first.stage, first.text)
		for _, second := range faults[i+1:] {
			if first.slot != "" && first.slot == second.slot {
				continue
			}
			d := base(t, "suspended")
			second.edit(d)
			first.edit(d)
			_, err := d.verdict()
			checkRefusal(t, err, first.code, first.stage, first.text)
			pairs++
		}
	}
	t.Logf("%d faults, %d pairs", len(faults), pairs)
}

// TestVerificationOrder does the same for evidence.md §4.
func TestVerificationOrder(t *testing.T) {
	faults := []fault{
		{"", func(d *document) {
			d.set(`[{"id":"input","kind":"fn","fn":"absent.v1"}]`, d.manifest("cells")...)
			d.rebind(true)
		}, algal.FnUnknown, verify.StageCompile, "absent.v1"},
		{"", func(d *document) {
			d.set(`"another"`, d.record(0, "name")...)
			d.rebind(true)
		}, algal.ReceiptMismatch, verify.StageHistory, "process definition changed"},
		{"", func(d *document) {
			extra := d.get(d.receipt()...).With(canon.M("manifestKey", canon.String("organism:extra")))
			extra = extra.With(canon.M("digest", canon.String(string(extra.DigestWithout("digest")))))
			d.put(extra, "receipts", string(extra.Digest()))
		}, algal.ReceiptMismatch, verify.StageCoverage, "must exactly match the retained history"},
		{"", func(d *document) {
			d.set(`7`, d.receipt("work", "units")...)
			d.rebind(true)
		}, algal.ReceiptMismatch, verify.StageReplay, "does not replay: work.units: 7 vs 100"},
		{"", func(d *document) {
			for _, path := range [][]string{d.receipt("failure"), d.cell("failure")} {
				d.set(`"STORE_MISS"`, append(path, "code")...)
				d.set(`"process evidence lacks a declared dependency"`, append(path, "message")...)
			}
			d.set(`[]`, "missing", "values")
			d.rebind(true)
		}, algal.ReceiptMismatch, verify.StageDependencies, "accessed an undeclared dependency"},
	}
	for i, first := range faults {
		for _, second := range faults[i:] {
			d := base(t, "failed-miss")
			second.edit(d)
			first.edit(d)
			_, err := d.verdict()
			checkRefusal(t, err, first.code, first.stage, first.text)
		}
	}
}
