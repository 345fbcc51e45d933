package golden

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Store lays a recorded store out in a directory, with the empty directories that
// its index lists: "stores/NAME", "processes/SCENARIO/store" or
// "processes/SCENARIO/snapshots/LABEL". What is laid out may be changed.
func Store(t testing.TB, name, dir string) {
	t.Helper()
	files := 0
	for _, root := range roots(t) {
		err := fs.WalkDir(os.DirFS(root), name, func(file string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return fs.SkipDir
			}
			file = strings.TrimSuffix(file, packed)
			if err != nil || d.IsDir() || root != committed(t) && !thirdParty(t, file) {
				return err
			}
			files++
			target := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(file, name+"/")))
			if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
				return err
			}
			return os.WriteFile(target, Read(t, file), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		NeedShared(t) // it may be third-party
		t.Fatalf("golden store %s has no files", name)
	}
	for _, empty := range emptyDirectories(t, name) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(empty)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// emptyDirectories returns the directories of a store that version control does not
// keep.
func emptyDirectories(t testing.TB, name string) []string {
	t.Helper()
	top, rest, _ := strings.Cut(name, "/")
	if top == "stores" {
		var index struct {
			Stores []struct {
				Name             string
				EmptyDirectories []string
			}
		}
		decode(t, "stores/index.json", &index)
		for _, s := range index.Stores {
			if s.Name == rest {
				return s.EmptyDirectories
			}
		}
		t.Fatalf("no store %s in the index", rest)
	}
	scenario, store, _ := strings.Cut(rest, "/")
	var s struct{ EmptyDirectories map[string][]string }
	decode(t, path.Join(top, scenario, "scenario.json"), &s)
	return s.EmptyDirectories[store]
}

func decode(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(Read(t, name), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
