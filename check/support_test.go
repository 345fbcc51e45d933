package check_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
)

// goldenStore lays a recorded store out in a directory of the test.
func goldenStore(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	golden.Store(t, name, dir)
	return dir
}

// examine returns everything that is found in a store.
func examine(t testing.TB, dir string, options check.Options) ([]check.Finding, check.Summary) {
	t.Helper()
	options.Verbose = true
	var found []check.Finding
	summary, err := check.Store(context.Background(), dir, options, func(f check.Finding) { found = append(found, f) })
	if err != nil {
		t.Fatal(err)
	}
	return found, summary
}

// lines are findings as "kind path", for comparison.
func lines(found []check.Finding) []string {
	list := make([]string, len(found))
	for i, f := range found {
		list[i] = string(f.Kind) + " " + f.Path
	}
	return list
}

// without drops the findings of some kinds.
func without(found []check.Finding, kinds ...check.Kind) []check.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f check.Finding) bool { return slices.Contains(kinds, f.Kind) })
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// toolsOf returns the signatures of the tools file of a recorded scenario, nil when
// it has none.
func toolsOf(t testing.TB, scenario string) map[string]*organism.Tool {
	t.Helper()
	name := "processes/" + scenario + "/tools.json"
	if toolFiles == nil {
		toolFiles = golden.Glob(t, "processes/*/tools.json")
	}
	if !slices.Contains(toolFiles, name) {
		return nil
	}
	tools := map[string]*organism.Tool{}
	for tool, entry := range parse(t, string(golden.Read(t, name))).Members() {
		signature, err := organism.ParseTool(entry.Get("signature"), "tool "+tool)
		if err != nil {
			t.Fatal(err)
		}
		tools[tool] = signature
	}
	return tools
}

var toolFiles []string

// tree describes every entry below a directory: type, mode, and what a file holds.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", strings.TrimPrefix(path, dir), info.Mode())
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " -> %s", target)
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x %s", sha256.Sum256(content), info.ModTime())
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
