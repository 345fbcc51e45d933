package journaltest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
)

// Recorded is a journaled scenario of the reference runtime.
type Recorded struct {
	Scenario string
	Process  string
	Journal  canon.Value // what process journal printed at the end
	Stores   []string    // the store at the end and its earlier snapshots, for [Lay]
}

// Scenarios returns the journaled scenarios of golden/processes.
func Scenarios(t testing.TB) []Recorded {
	t.Helper()
	var list []Recorded
	for _, name := range golden.Glob(t, "processes/*/*.journal.json") {
		scenario := path.Base(path.Dir(name))
		r := Recorded{
			Scenario: scenario,
			Process:  strings.TrimSuffix(path.Base(name), ".journal.json"),
			Journal:  File(t, scenario, path.Base(name)),
			Stores:   []string{"store"},
		}
		for _, s := range File(t, scenario, "scenario.json").Get("snapshots").Elements() {
			r.Stores = append(r.Stores, "snapshots/"+s.Get("label").Text())
		}
		list = append(list, r)
	}
	return list
}

// File parses a file of a scenario.
func File(t testing.TB, scenario, name string) canon.Value {
	t.Helper()
	return parse(t, string(golden.Read(t, "processes/"+scenario+"/"+name)))
}

// Lay copies a store of a scenario to a new directory.
func Lay(t testing.TB, scenario, store string) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	from := "processes/" + scenario + "/" + store
	files := 0
	tree := os.DirFS(filepath.Join(golden.Root(t), "testdata", "golden", filepath.FromSlash(from)))
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(root, filepath.FromSlash(name)), 0o700)
		}
		files++
		name = strings.TrimSuffix(name, ".zst")
		return os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), golden.Read(t, from+"/"+name), 0o600)
	})
	must(t, err)
	if files == 0 {
		t.Fatalf("%s is empty", from)
	}
	for _, dir := range File(t, scenario, "scenario.json").Get("emptyDirectories").Get(store).Elements() {
		must(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir.Text())), 0o700))
	}
	return root
}
