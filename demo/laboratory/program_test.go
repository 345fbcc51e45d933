package laboratory

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
)

// TestProgram holds program, barrier and configuration digest to demo.md §4.7.
func TestProgram(t *testing.T) {
	m, err := program()
	must(t, err)
	var cells []string
	for _, c := range m.Cells {
		cells = append(cells, c.ID)
	}
	if got := strings.Join(cells, " -> "); m.Key != "organism:demo-crash" || got != "input -> prefix -> barrier" {
		t.Errorf("%s: %s", m.Key, got)
	}
	for _, mode := range []Mode{Read, Write} {
		signature, err := mode.signature()
		must(t, err)
		want := `{"cost":100,"effect":"` + string(mode) + `","inputs":{"after":{"type":"text"}},"maxOutputBytes":1024,"outputs":{"out":{"type":"json"}}}`
		if got := signature.Normal().String(); got != want {
			t.Errorf("%s", got)
		}
	}
	d := &definition{mode: Read, program: m, token: token}
	want := `{"contract":"algal.demo-crash-binding.v1","definition":"` + string(d.value().Digest()) + `"}`
	if got := d.configuration(); got != canon.DigestText(want) {
		t.Errorf("%s", got)
	}
}
