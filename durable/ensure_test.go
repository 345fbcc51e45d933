//go:build unix

package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

const notReal = "publication directory must be a real directory"

func TestEnsureRefusals(t *testing.T) {
	dir := scratch(t)
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	if err := os.Mkdir(in("real"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, in("file"), "")
	symlink(t, in("real"), in("link"))
	symlink(t, in("file"), in("link-to-file"))
	symlink(t, in("nowhere"), in("dangling"))
	fifo(t, in("fifo"))
	for _, c := range []struct {
		name, path string
		code       algal.Code
		message    string
	}{
		{"file", in("file"), algal.IOFailed, notReal},
		{"fifo", in("fifo"), algal.IOFailed, notReal},
		{"link to a directory", in("link"), algal.IOFailed, notReal},
		{"dangling link", in("dangling"), algal.IOFailed, notReal},
		{"below a file", in("file", "a"), algal.IOFailed, notReal},
		{"far below a file", in("file", "a", "b"), algal.IOFailed, notReal},
		{"below a link to a file", in("link-to-file", "a"), algal.IOFailed, notReal},
		{"below a dangling link", in("dangling", "a"), algal.IOFailed, "stat failed: no such file or directory"},
		{"257 missing", in(strings.Split(strings.Repeat("a/", 257)+"a", "/")[:257]...), algal.BudgetExhausted, "publication ancestor bound exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r recorder
			real, err := r.publisher().Ensure(c.path)
			if real != "" || algal.CodeOf(err) != c.code || err.Error() != c.message {
				t.Errorf("Ensure = %q, %s %v, want %s %s", real, algal.CodeOf(err), err, c.code, c.message)
			}
			if len(r.steps) != 0 {
				t.Errorf("refused after %s", r.steps)
			}
		})
	}
}

// TestEnsureAncestorLink: an ancestor may be reached through a link, and the
// result is the real path.
func TestEnsureAncestorLink(t *testing.T) {
	dir := scratch(t)
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Join(dir, "real"), filepath.Join(dir, "link"))
	p := durable.NewPublisher(durable.Options{})
	for range 2 {
		got, err := p.Ensure(filepath.Join(dir, "link", "a", "b"))
		if want := filepath.Join(dir, "real", "a", "b"); got != want || err != nil {
			t.Errorf("Ensure = %q, %v, want %q", got, err, want)
		}
	}
}

func TestEnsureRelative(t *testing.T) {
	dir := scratch(t)
	t.Chdir(dir)
	got, err := durable.NewPublisher(durable.Options{}).Ensure(filepath.Join("x", "..", ".algal", "values"))
	if want := filepath.Join(dir, ".algal", "values"); got != want || err != nil {
		t.Errorf("Ensure = %q, %v, want %q", got, err, want)
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("made a directory that the path leaves again")
	}
}

// TestEnsureDepth: at most 256 directories are synced.
func TestEnsureDepth(t *testing.T) {
	dir := scratch(t)
	deepest := dir
	for levelsAbove(deepest)+1 < 256 {
		deepest = filepath.Join(deepest, "d")
	}
	p := durable.NewPublisher(durable.Options{})
	if _, err := p.Ensure(deepest); err != nil {
		t.Errorf("256 levels: %v", err)
	}
	_, err := p.Ensure(filepath.Join(deepest, "d"))
	if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "publication ancestor bound exceeded" {
		t.Errorf("257 levels: %s %v", algal.CodeOf(err), err)
	}
}

// TestAncestorSyncs shows when the walk up to the root is made again: whenever a
// component of the path is not the directory that this publisher synced.
func TestAncestorSyncs(t *testing.T) {
	dir := scratch(t)
	root := filepath.Join(dir, "store")
	values := filepath.Join(root, "values")
	var r recorder
	p := r.publisher()
	mkdir := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	whole := []string{"dir-sync $S/values", "dir-sync $S"}
	for _, c := range []struct {
		name   string
		before func()
		want   []string
	}{
		{"first", func() {}, append([]string{"mkdir $S", "mkdir $S/values"}, whole...)},
		{"again", func() {}, nil},
		{"file inside", func() { write(t, filepath.Join(values, "f"), "") }, nil},
		{"replaced", func() { move(values, values+"-old"); mkdir(values) }, whole},
		{"removed", func() { os.RemoveAll(values) }, append([]string{"mkdir $S/values"}, whole...)},
		{"again after that", func() {}, nil},
		// The file system is likely to use the same inode number.
		{"removed and made", func() { os.RemoveAll(values); mkdir(values) }, whole},
		{"ancestor replaced", func() { move(root, root+"-old"); mkdir(root, values) }, whole},
		{"ancestor replaced around it", func() {
			move(root, root+"-older")
			mkdir(root)
			move(filepath.Join(root+"-older", "values"), values)
		}, whole},
		{"again at last", func() {}, nil},
	} {
		c.before()
		if _, err := p.Ensure(values); err != nil {
			t.Fatal(err)
		}
		got, above := r.take(root)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if wantAbove := levelsAbove(root); c.want != nil && above != wantAbove || c.want == nil && above != 0 {
			t.Errorf("%s: %d syncs above the root", c.name, above)
		}
	}
}

// TestSyncedDirectoryReplaced: a directory is opened without following links.
func TestSyncedDirectoryReplaced(t *testing.T) {
	dir := scratch(t)
	target := filepath.Join(dir, "target")
	path := filepath.Join(dir, "values", "f")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	p := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpMkdir {
			return os.Symlink(target, s.Path) // somebody is faster
		}
		return do()
	}})
	if _, err := p.Create(path, "x"); algal.CodeOf(err) != algal.IOFailed || err.Error() != notReal {
		t.Errorf("Create = %v", err)
	}
	os.Remove(filepath.Dir(path))
	symlinkAfter := func(s durable.Step, do func() error) error {
		err := do()
		if s.Op == durable.OpLink {
			values := filepath.Dir(s.Target)
			if err := os.Rename(values, values+"-moved"); err != nil {
				return err
			}
			return os.Symlink(values+"-moved", values)
		}
		return err
	}
	p = durable.NewPublisher(durable.Options{Hook: symlinkAfter})
	const message = "publication directory descriptor is not a directory"
	if _, err := p.Create(path, "x"); algal.CodeOf(err) != algal.IOFailed || err.Error() != message {
		t.Errorf("Create = %v", err)
	}
}

// TestMkdirRace: a directory that somebody else makes at the same moment is fine.
func TestMkdirRace(t *testing.T) {
	path := filepath.Join(scratch(t), "a", "b")
	p := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpMkdir {
			if err := syscall.Mkdir(s.Path, 0o700); err != nil {
				return err
			}
		}
		return do()
	}})
	if _, err := p.Ensure(path); err != nil {
		t.Error(err)
	}
}
