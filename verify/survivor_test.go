package verify_test

import (
	"testing"

	"github.com/algal-vm/algal/canon"
)

// TestSurvivors holds the entries E-80 to E-91 of the catalogue: documents that
// say something else and must still verify.
func TestSurvivors(t *testing.T) {
	suspended := []string{"suspended"}
	inEffect := func(key, text string) func(d *document) {
		return func(d *document) { d.set(text, d.receipt("effects", "0", key)...) }
	}
	wait := []string{"tools", "fixture.wait.v1"}
	survivors := []mutant{
		{id: "E-80", bases: completed, edit: func(d *document) { d.set(`"forged-transport"`, d.cell("via")...) }},
		{id: "E-81", bases: butUncertain, edit: func(d *document) { d.set(`"9.9.9-forged"`, d.receipt("runtime", "version")...) }},
		{id: "E-82", bases: suspended, edit: inEffect("executor", `"tool:forged-executor"`)},
		{id: "E-83", bases: suspended, edit: inEffect("usage", `{"model":"forged","tokensIn":1,"tokensOut":2}`)},
		{id: "E-84", bases: suspended, edit: inEffect("configurationDigest", quoted(foreign))},
		{id: "E-85", bases: suspended, edit: func(d *document) {
			d.remove(d.receipt("effects", "0", "wake")...)
			d.set(`[]`, d.head("wake")...)
		}},
		{id: "E-86", bases: all, mode: raw, edit: func(d *document) { d.set(`[`+quoted(foreign)+`]`, "missing", "manifests") }},
		{id: "E-87", bases: suspending, mode: raw, edit: func(d *document) { d.set(`999`, append(wait, "cost")...) }},
		{id: "E-88", bases: suspending, mode: raw, edit: func(d *document) { d.set(`1`, append(wait, "maxOutputBytes")...) }},
		{id: "E-89", bases: suspended, mode: raw, edit: func(d *document) { d.put(d.get(wait...), "tools", "fixture.inert.v1") }},
		{id: "E-90", bases: all, edit: func(d *document) {
			d.put(d.get(d.record(0)...).With(canon.M("name", canon.String("unreferenced"))), "records", foreign)
		}},
		{id: "E-91", bases: suspended, mode: raw, edit: func(d *document) {
			first := d.get(d.record(0)...)
			d.put(canon.Object(canon.M(d.chain[0], first)), "records")
			d.put(canon.Object(), "receipts")
			d.put(canon.String(d.chain[0]), "head")
		}},
	}
	probes := 0
	for _, m := range survivors {
		m.run(t)
		probes += len(m.bases)
	}
	if probes != 26 {
		t.Errorf("%d probes, the catalogue counts 26", probes)
	}
}
