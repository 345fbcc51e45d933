package lifecycle

import (
	"path"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// TestWakeKey: the keys are those that the references recorded.
func TestWakeKey(t *testing.T) {
	for want, of := range map[algal.Digest][2]string{
		"sha256:baa4a9ca7b6cb72a23d9b3afd5586d1b6f62578ca71b8a43de1d68c743918d19": {"alpha", approve},
		"sha256:8cfe7c65faaa8cbd4cdd1067447916fdfd4a0a6ccbda91fb699fc11b0cccf43b": {"beta", deny},
	} {
		if got := wakeKey(of[0], of[1]); got != want {
			t.Errorf("%v: %s, want %s", of, got, want)
		}
	}
}

// TestFixture: the program has the cells and the flow of demo.md §1.1, and its child
// is the one that lies beside it.
func TestFixture(t *testing.T) {
	program, child := parsed(t, programFile), parsed(t, childFile)
	wantCells := map[string]string{
		"input": "input", recommender: "agent", "propose": "tool", "wait": "organism", "authorize": "expr", "publish": "tool",
	}
	cells := program.Get("cells")
	for _, c := range cells.Elements() {
		if wantCells[c.Get("id").Text()] != c.Get("kind").Text() {
			t.Errorf("cell %s", c)
		}
		if c.Get("id").IsText("wait") {
			m, err := organism.ParseManifest(child)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Get("manifest").IsText(string(m.Digest())) {
				t.Errorf("the program names %s, the child is %s", c.Get("manifest"), m.Digest())
			}
		}
	}
	if cells.Len() != len(wantCells) {
		t.Errorf("%d cells", cells.Len())
	}
	ordered := map[string]bool{}
	for _, e := range program.Get("edges").Elements() {
		ordered[e.Get("from").Get("cell").Text()+" "+e.Get("to").Get("cell").Text()] = e.Get("guard").Exists()
	}
	for edge, guarded := range map[string]bool{
		"input recommend": false, "recommend propose": false, "propose wait": false, "wait authorize": false, "authorize publish": true,
	} {
		if got, found := ordered[edge]; !found || got != guarded {
			t.Errorf("edge %s: found %t, guarded %t", edge, found, got)
		}
	}
}

func parsed(t *testing.T, name string) canon.Value {
	t.Helper()
	text, err := files.ReadFile(path.Join("fixture", name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := canon.Parse(string(text), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
