package replay_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// TestComparisonAdmission changes recorded comparisons by one fault each (run.md
// §15.3). All are PARSE_FAILED.
func TestComparisonAdmission(t *testing.T) {
	read := func(name string) canon.Value {
		return goldenrun.Parse(t, "replay-comparison/"+name+"/comparison.json")
	}
	paths := func(format string, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	digest := `"` + string(canon.Null().Digest()) + `"`
	entry, long := `{"digest":`+digest+`,"path":"p%d"}`, `"`+strings.Repeat("x", 4097)+`"`
	for _, c := range []struct{ base, path, value, text string }{
		{"identical", "extra", `1`, `replay comparison has unknown key "extra"`},
		{"identical", "args", "", `replay comparison requires "args"`},
		{"identical", "contract", `"algal.replay-comparison.v2"`, `expected contract "algal.replay-comparison.v1"`},
		{"identical", "receipt", `"x"`, "comparison.receipt must be a sha256:<64 lowercase hex> digest"},
		{"identical", "revision", `"x"`, "comparison.revision must be a sha256:<64 lowercase hex> digest"},
		{"identical", "verdict", `"same"`, "unknown comparison verdict"},
		{"identical", "addedTruncated", `null`, "comparison.addedTruncated must be a boolean"},
		{"identical", "effectsMatch", `1`, "comparison.effectsMatch must be a boolean or null"},
		{"identical", "outcomes.more", `1`, `comparison.outcomes has unknown key "more"`},
		{"identical", "outcomes.original", `"` + strings.Repeat("x", 33) + `"`, "comparison.outcomes.original must be a string of at most 32 characters"},
		{"identical", "prefix", `{}`, "comparison.prefix must be an array"},
		{"identical", "prefix", paths(entry, 256), ""},
		{"identical", "prefix", paths(entry, 257), "comparison.prefix exceeds 256 entries"},
		{"identical", "prefix", "[" + fmt.Sprintf(entry, 1) + "," + fmt.Sprintf(entry, 1) + "]", "comparison.prefix paths must be unique"},
		{"identical", "prefix", `[{"digest":` + digest + `,"path":` + long + `}]`, "comparison.prefix path must be a string of at most 4096 characters"},
		{"identical", "prefix", `[7]`, "comparison.prefix entry must be an object"},
		{"identical", "added", paths(`"p%04d"`, 257), "comparison.added exceeds 256 entries"},
		{"added-cell", "added", paths(`"p%04d"`, 256), ""},
		{"added-cell", "added", `["b","a"]`, "comparison.added must be sorted and unique"},
		{"added-cell", "added", `["a","a"]`, "comparison.added must be sorted and unique"},
		{"added-cell", "added", `[7]`, "comparison.added path must be a string of at most 4096 characters"},
		{"diverged-const", "divergence.more", `1`, `comparison.divergence has unknown key "more"`},
		{"diverged-const", "divergence.kind", `"none"`, "unknown divergence kind"},
		{"diverged-const", "divergence.path", `null`, "a cell divergence needs a path and a side"},
		{"diverged-const", "divergence.original", `null`, ""}, // one side is enough
		{"added-cell", "divergence.revised", `null`, "a cell divergence needs a path and a side"},
		{"diverged-const", "divergence.revised.status", `"` + strings.Repeat("x", 65) + `"`, "comparison.divergence.revised.status must be a string of at most 64 characters"},
		{"diverged-const", "divergence.detail", `"` + strings.Repeat("x", 2048) + `"`, ""},
		{"diverged-const", "divergence.detail", `"` + strings.Repeat("x", 2049) + `"`, "comparison.divergence.detail must be a string of at most 2048 characters"},
		{"missing-effect", "reason.more", `1`, `comparison.reason has unknown key "more"`},
		{"missing-effect", "reason.code", `"gone"`, "unknown comparison reason"},
		{"missing-effect", "reason.path", "", "a missing input or effect needs a path"},
		{"missing-effect", "reason.request", `"x"`, "comparison.reason.request must be a sha256:<64 lowercase hex> digest"},
		{"missing-effect", "reason", `null`, "comparison reason and verdict disagree"},
		{"missing-effect", "verdict", `"diverged"`, "comparison reason and verdict disagree"},
		{"missing-effect", "reason.code", `"manifest-invalid"`, "an invalid manifest cannot have run"},
		{"identical", "effectsMatch", `false`, "an identical comparison cannot differ"},
		{"identical", "outcomes.revised", `"failed"`, "an identical comparison cannot differ"},
		{"identical", "revisedReceipt", `null`, "an identical comparison cannot differ"},
		{"identical", "added", `["a"]`, "an identical comparison cannot differ"},
		{"identical", "verdict", `"diverged"`, "a diverged comparison needs a difference"},
		{"diverged-const", "verdict", `"identical"`, "an identical comparison cannot differ"},
		{"diverged-const", "revisedReceipt", `null`, "a diverged comparison needs a difference"},
		{"identical", "receipt", long, "comparison.receipt must be a sha256:<64 lowercase hex> digest"},
	} {
		err := replay.ParseComparison(set(t, read(c.base), c.path, c.value))
		if c.text == "" && err == nil {
			continue
		}
		if c.text == "" || algal.CodeOf(err) != algal.ParseFailed || err.Error() != c.text {
			t.Errorf("%s with %s = %.80s: %v %v, want %q", c.base, c.path, c.value, algal.CodeOf(err), err, c.text)
		}
	}
	if err := replay.ParseComparison(canon.Array()); algal.CodeOf(err) != algal.ParseFailed || err.Error() != "replay comparison must be an object" {
		t.Errorf("a list: %v", err)
	}
	large := read("identical").With(canon.M("verdict", repeated("x", 1_048_577)))
	if err := replay.ParseComparison(large); algal.CodeOf(err) != algal.ParseFailed || err.Error() != "replay comparison exceeds 1048576 bytes" {
		t.Errorf("a large record: %v", err)
	}
}

// wide is a program of an each cell over n items; other makes a second version
// that differs in its last cell.
func wide(t *testing.T, other bool) (revision canon.Value, store cas.Store) {
	t.Helper()
	var cells []string
	for i := range 5 {
		cells = append(cells, fmt.Sprintf(`{"id":"c%d","kind":"const","outputs":{"v":{"type":"json","value":%d}}}`, i, i))
	}
	child := `{"contract":"algal.organism.v1","key":"organism:child","name":"c","cells":[{"id":"in","kind":"input","outputs":{"v":"json"}},` +
		strings.Join(cells, ",") + `],"edges":[],"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{}}}`
	m, err := organism.ParseManifest(goldenrun.ParseText(t, "child", child))
	if err != nil {
		t.Fatal(err)
	}
	store = cas.NewMemory()
	if _, err := store.PutManifest(m.Normal()); err != nil {
		t.Fatal(err)
	}
	items := strings.TrimSuffix(strings.Repeat("0,", 60), ",")
	last := `{"id":"end","kind":"const","outputs":{"v":{"type":"json","value":0}}}`
	if other {
		last = strings.Replace(last, `"value":0`, `"value":1`, 1)
	}
	return goldenrun.ParseText(t, "wide", `{"contract":"algal.organism.v1","key":"organism:wide","name":"w","budgets":{"maxSteps":1024},"cells":[
		{"id":"list","kind":"const","outputs":{"v":{"type":"json","value":[`+items+`]}}},
		{"id":"all","kind":"each","over":"x","maxItems":64,"manifest":"`+string(m.Digest())+`"},`+last+`],
		"edges":[`+edge("list.v", "all.x")+`]}`), store
}

// TestCompareWide: prefix and added are cut at 256 entries, and say so; a
// difference beyond the cut is found all the same.
func TestCompareWide(t *testing.T) {
	revision, store := wide(t, false)
	m, err := organism.ParseManifest(revision)
	if err != nil {
		t.Fatal(err)
	}
	host := runtime.Host{Store: store}
	receipt := receiptOf(t, m, `{}`, host)
	compare := func(receipt, revision canon.Value) canon.Value {
		t.Helper()
		c, err := replay.Compare(t.Context(), receipt, revision, canon.Value{}, host)
		if err != nil {
			t.Fatal(err)
		}
		return c.Record
	}
	same := compare(receipt, revision)
	if !same.Get("verdict").IsText(replay.Identical) || same.Get("prefix").Len() != 256 || !same.Get("prefixTruncated").Bool() {
		t.Errorf("verdict %s, prefix of %d, truncated %s", same.Get("verdict"), same.Get("prefix").Len(), same.Get("prefixTruncated"))
	}
	changed, _ := wide(t, true)
	parted := compare(receipt, changed)
	if d := parted.Get("divergence"); !d.Get("path").IsText("end") || !parted.Get("prefixTruncated").Bool() {
		t.Errorf("divergence %s", d)
	}
	// The other way round everything is new.
	small := program(t, `{"id":"list","kind":"const","outputs":{"v":{"type":"json","value":[]}}}`, "")
	grown := compare(receiptOf(t, small, `{}`, host), revision)
	if grown.Get("added").Len() != 256 || !grown.Get("addedTruncated").Bool() || !grown.Get("divergence").Get("path").IsText("list") {
		t.Errorf("%d added, divergence %s", grown.Get("added").Len(), grown.Get("divergence"))
	}
}

// TestCompareLive: executors answer what the record does not hold, and the store
// is only read.
func TestCompareLive(t *testing.T) {
	m := routed(t)
	receipt := receiptOf(t, m, `{}`, responding(t, `{"gate":"left"}`))
	revision := goldenrun.ParseText(t, "revision", strings.Replace(m.Normal().String(), `"prompt":""`, `"prompt":"again"`, 1))
	for name, c := range map[string]struct{ responses, verdict, divergence string }{
		"the same answer":    {`{"gate":"left"}`, replay.Diverged, `{"kind":"cell","original":{"digest":`},
		"another answer":     {`{"gate":"right"}`, replay.Diverged, `{"kind":"cell","original":{"digest":`},
		"no answer recorded": {`{}`, replay.CouldNotReplay, `{"kind":"cell"`},
	} {
		host := responding(t, c.responses)
		got, err := replay.Compare(t.Context(), receipt, revision, canon.Value{}, host)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Record; !r.Get("verdict").IsText(c.verdict) || !strings.HasPrefix(r.Get("divergence").String(), c.divergence) || r.Get("effectsMatch").Bool() {
			t.Errorf("%s: %s", name, r)
		}
	}
	stale := receipt.With(canon.M("outcome", canon.String("failed")))
	if _, err := replay.Compare(t.Context(), stale, revision, canon.Value{}, runtime.Host{Store: cas.NewMemory()}); algal.CodeOf(err) != algal.DigestMismatch || err.Error() != "receipt digest does not match its contents" {
		t.Errorf("stale digest: %v", err)
	}
	if _, err := replay.Compare(t.Context(), receipt, revision, canon.Array(), runtime.Host{Store: cas.NewMemory()}); algal.CodeOf(err) != algal.ParseFailed {
		t.Errorf("override: %v", err)
	}
}

// TestDivergences holds the divergences that no cell shows (run.md §15.1), in their
// order, and the reasons why a revision could not be replayed.
func TestDivergences(t *testing.T) {
	agent := func(id string) string {
		return `{"id":"` + id + `","kind":"agent","prompt":"","output":{"kind":"text"}}`
	}
	text := func(cells, edges, more string) string {
		return `{"contract":"algal.organism.v1","key":"organism:t","name":"t","cells":[` + cells + `],"edges":[` + edges + `]` + more + `}`
	}
	budget := func(text string) string { return `,"budgets":{` + text + `}` }
	constant := func(id string) string {
		return `{"id":"` + id + `","kind":"const","outputs":{"v":{"type":"json","value":1}}}`
	}
	two := constant("a") + "," + constant("b")
	input := `{"id":"i","kind":"input","outputs":{"v":"json"}},`
	slot := `{"id":"s","kind":"slot","mode":"read","name":"s"},`
	for _, c := range []struct {
		name, original, revision, args string
		verdict, divergence, reason    string
	}{
		{"effects", text(agent("a")+","+agent("b"), "", ""), text(agent("b")+","+agent("a"), "", ""), `{}`,
			replay.Diverged, `{"detail":"effect sequences differ","kind":"effects","original":null,"path":null,"revised":null}`, `null`},
		{"outcome", text(two, "", ""), text(two, "", budget(`"maxWork":199`)), `{}`,
			replay.Diverged, `{"detail":"complete vs failed","kind":"outcome","original":null,"path":null,"revised":null}`, `null`},
		{"failure", text(two, "", budget(`"maxSteps":1`)), text(two, "", budget(`"maxWork":99`)), `{}`,
			replay.Diverged, `{"detail":"BUDGET_EXHAUSTED vs BUDGET_EXHAUSTED","kind":"failure","original":null,"path":null,"revised":null}`, `null`},
		{"a removed cell", text(two, "", ""), text(constant("a"), "", ""), `{}`,
			replay.Diverged, `{"kind":"cell","original":{"digest":"D","status":"committed"},"path":"b","revised":null}`, `null`},
		{"the same lack", text(slot+constant("a"), "", ""), text(slot+constant("a"), "", `,"note":"n"`), `{}`, replay.Identical, `null`, `null`},
		{"a new lack", text(constant("a"), "", ""), text(constant("a")+","+strings.TrimSuffix(slot, ","), "", ""), `{}`, replay.CouldNotReplay,
			`{"kind":"cell","original":null,"path":"s","revised":{"digest":"D","status":"failed"}}`,
			`{"code":"missing-input","detail":"slot cell \"s\": slot \"s\" is empty and declares no default","path":"s"}`},
		{"an argument for a new cell", text(constant("a"), "", ""), text(input+`{"id":"e","kind":"fn","fn":"echo.v1"}`, edge("i.v", "e.value"), ""), `{"i":{"v":1}}`,
			replay.Diverged, `{"kind":"cell","original":{"digest":"D","status":"committed"},"path":"a","revised":null}`, `null`},
	} {
		m, err := organism.ParseManifest(goldenrun.ParseText(t, c.name, c.original))
		if err != nil {
			t.Fatal(err)
		}
		receipt := receiptOf(t, m, `{}`, responding(t, `{"a":"x","b":"y"}`))
		got, err := replay.Compare(t.Context(), receipt, goldenrun.ParseText(t, c.name, c.revision), goldenrun.ParseText(t, "args", c.args), runtime.Host{Store: cas.NewMemory()})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := got.Record
		divergence := digests.ReplaceAllString(r.Get("divergence").String(), "D")
		if !r.Get("verdict").IsText(c.verdict) || divergence != c.divergence || r.Get("reason").String() != c.reason {
			t.Errorf("%s: %s %s %s, want %s %s %s", c.name, r.Get("verdict"), divergence, r.Get("reason"), c.verdict, c.divergence, c.reason)
		}
		if err := replay.ParseComparison(r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

var digests = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
