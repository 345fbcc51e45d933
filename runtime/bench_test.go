package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// BenchmarkRun64 runs a chain of 64 cells, as many as a manifest may have: expression
// and function cells in turn, each over the output of the one before.
func BenchmarkRun64(b *testing.B) {
	const cells = 64
	list := []string{`{"id":"c0","kind":"const","outputs":{"value":{"type":"json","value":1}}}`}
	var edges []string
	from := "value"
	for i := 1; i < cells; i++ {
		cell, to, out := `{"id":"c%d","kind":"fn","fn":"inc.v1"}`, "value", "value"
		if i%2 == 0 {
			cell = `{"id":"c%d","kind":"expr","inputs":{"n":"json"},"expr":{"contract":"algal.expr.v1","program":["add",["get","n"],1]},"output":{"kind":"json","schema":{"type":"integer"}}}`
			to, out = "n", "out"
		}
		list = append(list, fmt.Sprintf(cell, i))
		edges = append(edges, fmt.Sprintf(`{"from":{"cell":"c%d","port":"%s"},"to":{"cell":"c%d","port":"%s"}}`, i-1, from, i, to))
		from = out
	}
	text := `{"contract":"algal.organism.v1","key":"organism:chain","name":"Chain","cells":[` + strings.Join(list, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		b.Fatal(err)
	}
	host := runtime.Host{Store: cas.NewMemory()}
	b.ReportAllocs()
	for b.Loop() {
		result, err := runtime.Run(b.Context(), m, canon.Value{}, host, nil)
		if err != nil || result.Outcome != runtime.Complete {
			b.Fatal(result, err)
		}
	}
}
