package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/verify"
)

// TestReports holds the entries E-101, E-107, E-109 and E-121: what a document
// that verifies is said to be.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		id, base              string
		status                chain.Status
		generations, receipts int
		edit                  func(d *document)
	}{
		{"E-101", "complete", chain.Complete, 1, 1, nil},
		{"E-107/suspended", "suspended", chain.Suspended, 1, 1, nil},
		{"E-107/uncertain", "uncertain", chain.Uncertain, 2, 1, nil},
		{"E-107/failed", "failed-miss", chain.Failed, 1, 1, nil},
		{"E-109", "complete", chain.Complete, 1, 1, func(d *document) {
			extra := d.parse(`{"extra":true}`)
			d.put(extra, "program", "values", string(extra.Digest()))
		}},
		{"E-121", "complete", chain.Complete, 1, 1, func(d *document) { d.set(`{"id":"text"}`, "tools", "mailbox.send.v1", "outputs") }},
	} {
		t.Run(c.id, func(t *testing.T) {
			d := base(t, c.base)
			if c.edit != nil {
				c.edit(d)
			}
			report, err := d.verdict()
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf(`{"digest":%s,"evidenceDigest":"%s","generations":%d,"ok":true,"receipts":%d,"status":"%s"}`,
				d.get("head"), d.value.Digest(), c.generations, c.receipts, c.status)
			if got := report.Value().String(); got != want {
				t.Errorf("report %s, want %s", got, want)
			}
		})
	}
}

// TestFurtherRefusals holds the entries E-110 to E-115 and E-120.
func TestFurtherRefusals(t *testing.T) {
	complete := []string{"complete"}
	stamp := func(text string) func(d *document) {
		return func(d *document) { d.set(text, d.receipt("runtime")...) }
	}
	digests := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"sha256:%064x"`, i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	for _, m := range []mutant{
		{"E-110", butUncertain, raw, func(d *document) {
			extra := d.get(d.receipt()...)
			extra = extra.With(canon.M("manifestKey", canon.String("organism:extra")))
			extra = extra.With(canon.M("digest", canon.String(string(extra.DigestWithout("digest")))))
			d.put(extra, "receipts", string(extra.Digest()))
		}, algal.ReceiptMismatch, verify.StageCoverage, "process evidence receipts must exactly match the retained history"},
		{"E-111/null", butUncertain, rebound, stamp(`null`), algal.ParseFailed, verify.StageReceipts, "receipt.runtime must be an object"},
		{"E-111/other", butUncertain, rebound, stamp(`{"name":"other","version":"1"}`), algal.ParseFailed, verify.StageReceipts, "unknown receipt runtime"},
		{"E-111/extra", butUncertain, rebound, stamp(`{"extra":1,"name":"algal","version":"0.1.0"}`), algal.ParseFailed, verify.StageReceipts, `receipt.runtime has unknown key "extra"`},
		{"E-112", completed, rebound, func(d *document) { d.set(quoted(strings.Repeat("v", 129)), d.cell("via")...) },
			algal.ParseFailed, verify.StageReceipts, "receipt cell.via must be a string of at most 128 characters"},
		{"E-112/128", completed, rebound, func(d *document) { d.set(quoted(strings.Repeat("v", 128)), d.cell("via")...) }, "", "", ""},
		{"E-38/declared", all, raw, func(d *document) {
			d.remove(d.record(1)...)
			d.put(canon.Array(canon.String(d.chain[1])), "missing", "values")
		}, algal.StoreMiss, verify.StageHistory, "is declared missing"},
		{"E-113", all, raw, func(d *document) { d.set(`9`, d.record(0, "maxGenerations")...) },
			algal.DigestMismatch, verify.StageRecords, "evidence records digest mismatch"},
		{"E-114", all, raw, func(d *document) { d.set(digests(513), "missing", "values") },
			algal.ReceiptMismatch, verify.StageMissing, "missing values count exceeded"},
		{"E-114/512", complete, raw, func(d *document) { d.set(digests(512), "missing", "values") }, "", "", ""},
		{"E-115", complete, raw, func(d *document) { d.set(strings.Repeat("[", 65)+strings.Repeat("]", 65), "extra") },
			algal.BudgetExhausted, verify.StageBounds, "structure bound"},
		{"E-1/long", complete, raw, func(d *document) { d.set(quoted(strings.Repeat("x", 99)), "contract") },
			algal.ReceiptMismatch, verify.StageDocument, "invalid process evidence contract: got a string"},
		{"manifest/1048577", complete, raw, largeManifest(1_048_577), algal.BudgetExhausted, verify.StageProgram, "evidence manifest exceeds 1048576 bytes"},
		{"manifest/1048576", complete, raw, largeManifest(1_048_576), algal.ParseFailed, verify.StageProgram, "manifest"},
		{"E-120", suspending, raw, func(d *document) { d.set(`"cmd:true"`, "tools", "fixture.wait.v1", "exec") },
			algal.ParseFailed, verify.StageTools, `has unknown key "exec"`},
	} {
		m.run(t)
	}
}

// largeManifest adds a manifest of that many bytes, which is none.
func largeManifest(bytes int) func(d *document) {
	return func(d *document) {
		v := d.parse(`{"x":` + quoted(strings.Repeat("x", bytes-len(`{"x":""}`))) + `}`)
		d.put(v, "program", "manifests", string(v.Digest()))
	}
}

// TestPoisonedReads holds the entries E-119 and E-122: a lookup of what the
// document does not declare refuses it, although the replay agrees with the
// receipt.
func TestPoisonedReads(t *testing.T) {
	const document = `{"contract":"algal.organism.v1","key":"organism:poison","name":"poison","cells":[
		{"id":"input","kind":"input","outputs":{"ref":"ref"}},{"id":"caught","kind":"fn","fn":"echo.v1"}],"edges":[%s]}`
	const swallow = `{"from":{"cell":"input","port":"ref"},"to":{"cell":"caught","port":"value"},"on":"fail"}`
	args := `{"input":{"ref":` + quoted(foreign) + `}}`
	for id, c := range map[string]struct {
		edges  string
		status chain.Status
	}{
		"E-119": {"", chain.Failed},
		"E-122": {swallow, chain.Complete},
	} {
		t.Run(id, func(t *testing.T) {
			p := mint(t, fmt.Sprintf(document, c.edges), args)
			p.intend(chain.CauseStart)
			p.settle(p.run(undeclared{cas.NewMemory()}))
			if status := p.head.Get("status"); !status.IsText(string(c.status)) {
				t.Fatalf("the process is %s", status)
			}
			_, err := p.document().verdict()
			checkRefusal(t, err, algal.ReceiptMismatch, verify.StageDependencies, "process evidence accessed an undeclared dependency")
		})
		t.Run(id+"/declared", func(t *testing.T) {
			p := mint(t, fmt.Sprintf(document, c.edges), args)
			p.intend(chain.CauseStart)
			p.settle(p.run(cas.NewMemory()))
			d := p.document()
			d.set(`[`+quoted(foreign)+`]`, "missing", "values")
			if _, err := d.verdict(); err != nil {
				t.Errorf("the same miss, declared: %v", err)
			}
		})
	}
}

// TestRecordAsValue: a ref that names a record of the chain resolves (evidence.md
// §4).
func TestRecordAsValue(t *testing.T) {
	const manifest = `{"contract":"algal.organism.v1","key":"organism:own","name":"own","cells":[{"id":"input","kind":"input","outputs":{"ref":"ref"}}],"edges":[]}`
	other := mint(t, manifest, `{}`)
	p := mint(t, manifest, `{"input":{"ref":"`+string(other.head.Digest())+`"}}`)
	store := cas.NewMemory()
	if _, err := store.PutValue(other.head); err != nil {
		t.Fatal(err)
	}
	p.intend(chain.CauseStart)
	p.settle(p.run(store))
	p.add(other.head, "records")
	if report, err := p.document().verdict(); err != nil || report.Status != chain.Complete {
		t.Errorf("%v", err)
	}
}

// TestReadyHead: a process that was never dispatched is compiled, not run. The
// reserved tool needs a signature, which may be any (§4 step 1).
func TestReadyHead(t *testing.T) {
	const manifest = `{"contract":"algal.organism.v1","key":"organism:own","name":"own","cells":[
		{"id":"a","kind":"agent","prompt":"","output":{"kind":"text"},"tools":["agent.context.local.v1"]}],"edges":[]}`
	const local = `{"inputs":{%s},"outputs":{"result":{"type":"json"}},"effect":"read","cost":100,"maxOutputBytes":262144}`
	verdict := func(signature string, dispatched bool) error {
		p := mint(t, manifest, `{}`)
		if dispatched {
			p.intend(chain.CauseStart)
			p.settle(p.run(cas.NewMemory()))
		}
		d := p.document()
		if signature != "" {
			d.set(signature, "tools", "agent.context.local.v1")
		}
		_, err := d.verdict()
		return err
	}
	right, other := fmt.Sprintf(local, `"query":"json"`), fmt.Sprintf(local, ``)
	checkRefusal(t, verdict("", false), algal.ToolUnknown, verify.StageCompile, "unknown tool")
	for _, signature := range []string{right, other} {
		if err := verdict(signature, false); err != nil {
			t.Errorf("ready: %v", err)
		}
	}
	if err := verdict(right, true); err != nil {
		t.Errorf("dispatched: %v", err)
	}
	checkRefusal(t, verdict(other, true), algal.CapabilityDenied, verify.StageReplay, "local context tool signature is reserved by the runtime")
}
