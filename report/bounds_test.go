package report_test

import (
	"fmt"
	memory "runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/verify"
)

// large returns a document of almost 64 MiB: agents that answer 250,000 bytes each,
// and one more on which the process waits again and again.
func large(t testing.TB) string {
	var cells []string
	for i := range 31 {
		cells = append(cells, fmt.Sprintf(`{"id":"c%d","kind":"agent","output":{"kind":"text"},"prompt":"p"}`, i))
	}
	cells = append(cells, `{"id":"last","kind":"agent","output":{"kind":"text"},"prompt":"p"}`)
	manifest := `{"contract":"algal.organism.v1","key":"organism:large","name":"Large","budgets":{"maxAgentCalls":64,"maxOutputBytes":262144,"maxWork":100000000},` +
		`"cells":[` + strings.Join(cells, ",") + `]}`
	waits := 0
	h := begin(t, manifest, canon.Object(), runtime.Host{Executors: []runtime.Executor{answerer(func(r *runtime.Request) (canon.Value, error) {
		if r.CellID == "last" {
			waits++
			return canon.Value{}, suspended(fmt.Sprint("wait ", waits))
		}
		return canon.String(strings.Repeat("<", 250_000)), nil
	})}})
	for range 4 {
		h.tick()
	}
	return h.document()
}

// TestLarge: a document of almost 64 MiB gives a page that is bounded, says what it
// leaves out, and takes little memory beyond the document.
func TestLarge(t *testing.T) {
	text := large(t)
	if len(text) < 60_000_000 || len(text) > verify.MaxBytes {
		t.Fatalf("the document has %d bytes", len(text))
	}
	s := subject(t, text)
	var before, after memory.MemStats
	memory.ReadMemStats(&before)
	page := pageOf(t, s)
	memory.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
		t.Errorf("the page and its check took %d bytes", allocated)
	}
	holds(t, page, "Cut after 16,383 bytes: the value has 250,002 bytes in canonical form.", "62 values were cut", string(canon.String(strings.Repeat("<", 250_000)).Digest()))
}

// crowded returns a document with 512 effects in one generation, whose outputs take
// seven times their size on a page.
func crowded(t testing.TB) string {
	signature, err := organism.ParseTool(parsed(t, `{"inputs":{"text":"text"},"outputs":{"id":"text"},"effect":"write","cost":1,"maxOutputBytes":20000}`), "tool")
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{`{"id":"in","kind":"input","outputs":{"text":{"type":"text"}}}`, `{"id":"n","kind":"const","outputs":{"n":{"type":"json","value":1}}}`}
	var edges []string
	for i := range 8 {
		cells = append(cells, fmt.Sprintf(`{"id":"t%d","kind":"tool","tool":"send.v1"}`, i))
		edges = append(edges, fmt.Sprintf(`{"from":{"cell":"in","port":"text"},"to":{"cell":"t%d","port":"text"}}`, i))
	}
	child := `{"contract":"algal.organism.v1","key":"organism:child","name":"Child","cells":[` + strings.Join(cells, ",") + `],"edges":[` + strings.Join(edges, ",") +
		`],"interface":{"inputs":{"text":{"cell":"in","port":"text"}},"outputs":{"n":{"cell":"n","port":"n"}}}}`
	parent := fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:crowded","name":"Crowded","budgets":{"maxSteps":1024,"maxWork":100000000},"cells":[
		{"id":"in","kind":"input","outputs":{"list":{"type":"json"}}},
		{"id":"all","kind":"each","manifest":"%s","over":"text","maxItems":64}],
		"edges":[{"from":{"cell":"in","port":"list"},"to":{"cell":"all","port":"text"}}]}`, admitted(t, child).Digest())
	items := make([]canon.Value, 64)
	for i := range items {
		items[i] = canon.String(fmt.Sprint(i) + strings.Repeat("\"", 200))
	}
	args := canon.Object(canon.M("in", canon.Object(canon.M("list", canon.Array(items...)))))
	h := begin(t, parent, args, runtime.Host{Tools: map[string]*runtime.HostTool{"send.v1": {Signature: signature, Call: quotes}}}, child)
	h.tick()
	return h.document()
}

// TestCrowded: what there is too much of is counted.
func TestCrowded(t *testing.T) {
	s := subject(t, crowded(t))
	page := pageOf(t, s)
	if n := strings.Count(page, "<summary>Effect "); n != 320 {
		t.Errorf("%d effects are shown", n)
	}
	holds(t, page, "It made 512 effects.", "192 more are left out here.", "192 effects were not shown",
		"Embedded: Child (organism:child)", `<span class="number">640</span>`)
	if len(page) < report.MaxBytes/2 {
		t.Errorf("the page has only %d bytes", len(page))
	}
}

// TestManyPictures: pictures for which there is no room are left out.
func TestManyPictures(t *testing.T) {
	var children, cells []string
	for i := range 9 {
		children = append(children, tangled(i))
		cells = append(cells, fmt.Sprintf(`{"id":"c%d","kind":"organism","manifest":"%s"}`, i, admitted(t, children[i]).Digest()))
	}
	h := begin(t, `{"contract":"algal.organism.v1","key":"organism:many","name":"Many","cells":[`+strings.Join(cells, ",")+`]}`, canon.Object(), runtime.Host{}, children...)
	page := pageOf(t, subject(t, h.document()))
	if n := strings.Count(page, "<svg"); n < 3 || n > 8 {
		t.Errorf("%d pictures", n)
	}
	holds(t, page, "for which there is no room here", "1 more are embedded and not drawn here.")
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// tangled returns a program with as many cells and edges as there may be.
func tangled(n int) string {
	var cells, edges []string
	for i := range 64 {
		cells = append(cells, fmt.Sprintf(`{"id":"c%d","kind":"agent","prompt":"p","output":{"kind":"text"},"inputs":{"in":{"type":"json","many":true,"optional":true}}}`, i))
		for k := 1; k <= 4; k++ {
			if i > 0 && len(edges) < 256 {
				edges = append(edges, fmt.Sprintf(`{"from":{"cell":"c%d","port":"out"},"to":{"cell":"c%d","port":"in"},"guard":{"expr":{"contract":"algal.expr.v1","program":["eq",["get","value"],%s]}}}`,
					i*(k-1)/4, i, canon.String(strings.Repeat("\"", 100))))
			}
		}
	}
	return fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:t%d","name":"T","cells":[`, n) + strings.Join(cells, ",") + `],"edges":[` + strings.Join(edges, ",") +
		`],"interface":{"inputs":{},"outputs":{}}}`
}

// BenchmarkPage makes the page of a document of 30 generations, which is verified
// beforehand, and reports its bytes.
func BenchmarkPage(b *testing.B) {
	s := subject(b, string(golden.Read(b, "bench/long-30.evidence.json")))
	b.SetBytes(int64(s.Evidence.Size))
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		text, err := report.Process(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		size = len(text)
	}
	b.ReportMetric(float64(size), "page-bytes")
}

// BenchmarkLargePage is [BenchmarkPage] for a document of almost 64 MiB.
func BenchmarkLargePage(b *testing.B) {
	s := subject(b, large(b))
	debug.FreeOSMemory()
	b.SetBytes(int64(s.Evidence.Size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := report.Process(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
