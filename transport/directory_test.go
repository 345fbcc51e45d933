package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/golden"
)

// place writes the file of root and returns directory and path.
func place(t *testing.T, root algal.Digest, text string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, bundle.FileName(root))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestDirectoryDelivers(t *testing.T) {
	document, root := program(t)
	dir, _ := place(t, root, " "+strings.ReplaceAll(document, ":{", " : {")+"\n")
	fetch(t, NewDirectory("lib", dir), root, "", "")
	fetch(t, NewDirectory("lib", dir), elsewhere, absent, "")
	fetch(t, NewDirectory("lib", filepath.Join(dir, "none")), root, absent, "")
}

func TestDirectoryRefuses(t *testing.T) {
	document, root := program(t)
	for name, c := range faults(root) {
		t.Run(name, func(t *testing.T) {
			dir, _ := place(t, root, c.text)
			fetch(t, NewDirectory("lib", dir), root, c.code, c.error)
		})
	}
	for name, c := range map[string]struct {
		root algal.Digest
		delivery
	}{
		"malformed UTF-8":   {root, delivery{"{\xff}", algal.ParseFailed, `transport "lib": invalid UTF-8`}},
		"empty":             {root, delivery{"", algal.ParseFailed, `transport "lib": PATH is not JSON`}},
		"byte-order mark":   {root, delivery{"\uFEFF" + document, algal.ParseFailed, `transport "lib": PATH is not JSON`}},
		"lone surrogate":    {root, delivery{`"\ud800"`, algal.ParseFailed, `transport "lib": PATH is not JSON`}},
		"deep and not JSON": {root, delivery{deep(70) + "]", algal.ParseFailed, `transport "lib": PATH is not JSON`}},
		"other root":        {elsewhere, delivery{document, algal.DigestMismatch, `transport "lib": PATH roots at ` + string(root) + ", not " + string(elsewhere)}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := place(t, c.root, c.text)
			fetch(t, NewDirectory("lib", dir), c.root, c.code, strings.ReplaceAll(c.error, "PATH", path))
			// Without an id the directory is named.
			text := strings.ReplaceAll(strings.ReplaceAll(c.error, "PATH", path), `"lib"`, `"`+dir+`"`)
			fetch(t, NewDirectory("", dir), c.root, c.code, text)
		})
	}
}

func TestDirectoryFileKinds(t *testing.T) {
	document, root := program(t)
	const bound = `transport "lib": regular file byte bound`
	name := bundle.FileName(root)

	t.Run("too large", func(t *testing.T) {
		dir, path := place(t, root, document)
		if err := os.Truncate(path, bundle.MaxBytes+1); err != nil {
			t.Fatal(err)
		}
		fetch(t, NewDirectory("lib", dir), root, algal.BudgetExhausted, bound)
	})
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		fetch(t, NewDirectory("lib", dir), root, algal.BudgetExhausted, bound)
	})
	t.Run("other error", func(t *testing.T) {
		_, path := place(t, root, document)
		into := cas.NewMemory()
		found, err := NewDirectory("lib", path).Fetch(root, into) // a file is no directory
		if found || algal.CodeOf(err) != algal.IOFailed || !strings.HasPrefix(err.Error(), `transport "lib": `) {
			t.Errorf("found %v, %s %v", found, algal.CodeOf(err), err)
		}
	})
}

// TestF5Symlink: a link to a regular bundle file is followed and left in place, one
// to nothing is no bundle.
func TestF5Symlink(t *testing.T) {
	document, root := program(t)
	_, target := place(t, root, document)
	dir := t.TempDir()
	link := filepath.Join(dir, bundle.FileName(root))
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	fetch(t, NewDirectory("lib", dir), root, "", "")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	fetch(t, NewDirectory("lib", dir), root, absent, "")
}

// TestGoldenDirectories reads the directories of bundles that the reference runtime
// wrote or shipped.
func TestGoldenDirectories(t *testing.T) {
	names := golden.Glob(t, "stores/bundle/*.bundle.json")
	if golden.HasShared(t) {
		names = append(names, golden.Glob(t, "examples/bundles/*.bundle.json")...)
	}
	for _, name := range names {
		file := filepath.Base(name)
		root := algal.Digest("sha256:" + strings.TrimSuffix(file, ".bundle.json"))
		dir, _ := place(t, root, string(golden.Read(t, name)))
		fetch(t, NewDirectory("lib", dir), root, "", "")
	}
	t.Logf("%d golden bundles", len(names))
}
