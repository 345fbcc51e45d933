//go:build unix

package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

func create(t *testing.T, p *durable.Publisher, path, content string) bool {
	t.Helper()
	fresh, err := p.Create(path, content)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

func retain(p *durable.Publisher, path string) error {
	f, err := durable.Open(path, durable.MaxBytes, durable.NoFollow)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.Retain(f)
}

func check(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, content)
	}
}

// noTemps fails the test when a temporary file lies anywhere below dir.
func noTemps(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && durable.IsTemp(d.Name()) {
			t.Errorf("temporary file left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

var (
	firstTrace = []string{
		"mkdir $S", "mkdir $S/values", "dir-sync $S/values", "dir-sync $S",
		"write-temp $S/values/.tmp-*", "file-sync $S/values/.tmp-*", "link $S/values/.tmp-* -> $S/values/HEX.json",
		"dir-sync $S/values", "unlink-temp $S/values/.tmp-*",
	}
	takenTrace = []string{
		"dir-sync $S/values", "dir-sync $S",
		"write-temp $S/values/.tmp-*", "file-sync $S/values/.tmp-*", "unlink-temp $S/values/.tmp-*",
	}
)

// TestCreateTrace compares with the computed traces of store.md §3.2. The second
// one was recorded without the rule about ancestors, so a publisher that has
// synced nothing yet stands for each half of it.
func TestCreateTrace(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	path := filepath.Join(root, "values", "HEX.json")
	var r recorder
	expect := func(what string, want []string, wantAbove int) {
		t.Helper()
		got, above := r.take(root)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if above != wantAbove {
			t.Errorf("%s: %d directories above the root synced, want %d", what, above, wantAbove)
		}
	}

	p := r.publisher()
	if !create(t, p, path, "content") {
		t.Error("not fresh in an empty store")
	}
	expect("first", firstTrace, levelsAbove(root))

	if create(t, p, path, "other content") {
		t.Error("fresh though it exists")
	}
	expect("again, same process", takenTrace[2:], 0)
	if err := retain(p, path); err != nil {
		t.Error(err)
	}
	expect("retained, same process", []string{"file-sync $S/values/HEX.json", "dir-sync $S/values"}, 0)

	if create(t, r.publisher(), path, "other content") {
		t.Error("fresh though it exists")
	}
	expect("again, other process", takenTrace, levelsAbove(root))
	if err := retain(r.publisher(), path); err != nil {
		t.Error(err)
	}
	expect("retained, other process", []string{"file-sync $S/values/HEX.json", "dir-sync $S/values", "dir-sync $S"}, levelsAbove(root))

	check(t, path, "content")
	noTemps(t, root)
}

func TestReplaceTrace(t *testing.T) {
	root := scratch(t)
	path := filepath.Join(root, "slots", "a.json")
	var r recorder
	p := r.publisher()
	for i, content := range []string{"1", "2"} {
		if err := p.Replace(path, content); err != nil {
			t.Fatal(err)
		}
		check(t, path, content)
		want := []string{"write-temp $S/slots/.tmp-*", "file-sync $S/slots/.tmp-*", "replace $S/slots/.tmp-* -> $S/slots/a.json", "dir-sync $S/slots"}
		if i == 0 {
			want = append([]string{"mkdir $S/slots", "dir-sync $S/slots", "dir-sync $S"}, want...)
		}
		got, _ := r.take(root)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	noTemps(t, root)
}

// TestModes: directories are made 0700 and files 0600 whatever their kind.
func TestModes(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	p := durable.NewPublisher(durable.Options{})
	create(t, p, filepath.Join(root, "a", "f"), "x")
	if err := p.Replace(filepath.Join(root, "a", "g"), "x"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{root: 0o700, root + "/a": 0o700, root + "/a/f": 0o600, root + "/a/g": 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// TestTakenNames: whatever has the name is left as it is and never followed.
func TestTakenNames(t *testing.T) {
	dir := scratch(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	p := durable.NewPublisher(durable.Options{})
	target := write(t, in("target"), "precious")
	symlink(t, target, in("link"))
	symlink(t, in("nothing"), in("dangling"))
	fifo(t, in("fifo"))
	if err := os.Mkdir(in("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"target", "link", "dangling", "fifo", "dir"} {
		promptly(t, func() {
			if fresh, err := p.Create(in(name), "new"); fresh || err != nil {
				t.Errorf("%s: Create = %v, %v, want taken", name, fresh, err)
			}
		})
	}
	if err := p.Replace(in("dir"), "new"); algal.CodeOf(err) != algal.IOFailed {
		t.Errorf("Replace of a directory = %v", err)
	}
	if err := p.Replace(in("link"), "new"); err != nil {
		t.Errorf("Replace of a link = %v", err)
	}
	check(t, in("link"), "new")
	check(t, target, "precious")
	if _, err := os.Lstat(in("nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("written through a dangling link: %v", err)
	}
	noTemps(t, dir)
}

func TestUnlink(t *testing.T) {
	dir := scratch(t)
	path := write(t, filepath.Join(dir, ".lock"), "x")
	var r recorder
	p := r.publisher()
	if err := p.Unlink(durable.OpUnlinkLock, path); err != nil {
		t.Fatal(err)
	}
	got, _ := r.take(dir)
	if diff := cmp.Diff([]string{"unlink-lock $S/.lock", "dir-sync $S"}, got); diff != "" {
		t.Error(diff)
	}
	if err := p.Unlink(durable.OpUnlinkLock, path); algal.CodeOf(err) != algal.IOFailed || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Unlink of nothing = %v", err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.Unlink(durable.OpUnlinkPending, empty); algal.CodeOf(err) != algal.IOFailed {
		t.Errorf("Unlink of a directory = %v", err)
	}
	if _, err := os.Stat(empty); err != nil {
		t.Errorf("the directory is gone: %v", err)
	}
}

// TestUnlinkOnce: a failed directory sync does not cause a second unlink.
func TestUnlinkOnce(t *testing.T) {
	path := write(t, filepath.Join(scratch(t), "f"), "x")
	var r recorder
	tries := 0
	r.fail = func(s durable.Step) error {
		if s.Op == durable.OpUnlinkPending {
			tries++
		}
		if s.Op == durable.OpDirSync {
			return syscall.EIO
		}
		return nil
	}
	err := r.publisher().Unlink(durable.OpUnlinkPending, path)
	if algal.CodeOf(err) != algal.IOFailed || !errors.Is(err, syscall.EIO) || tries != 1 {
		t.Errorf("Unlink = %v after %d tries", err, tries)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the name is still there: %v", err)
	}
}

// TestCreateVia: the temporary lies in the staging directory, and beside the file
// only where a link between the two is not possible.
func TestCreateVia(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	staging, path := filepath.Join(root, ".process-creation"), filepath.Join(root, "processes", ".lock")
	var r recorder
	p := r.publisher()
	fresh, err := p.CreateVia(staging, path, "x")
	if !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	got, _ := r.take(root)
	want := []string{
		"mkdir $S", "mkdir $S/processes", "dir-sync $S/processes", "dir-sync $S",
		"mkdir $S/.process-creation", "dir-sync $S/.process-creation", "dir-sync $S",
		"write-temp $S/.process-creation/.tmp-*", "file-sync $S/.process-creation/.tmp-*",
		"link $S/.process-creation/.tmp-* -> $S/processes/.lock", "dir-sync $S/processes", "unlink-temp $S/.process-creation/.tmp-*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if fresh, err := p.CreateVia(staging, path, "y"); fresh || err != nil {
		t.Errorf("CreateVia of a taken name = %v, %v", fresh, err)
	}
	check(t, path, "x")

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.take(root)
	r.fail = func(s durable.Step) error {
		if s.Op == durable.OpLink && filepath.Dir(s.Path) != filepath.Dir(s.Target) {
			return &os.LinkError{Op: "link", Old: s.Path, New: s.Target, Err: syscall.EXDEV}
		}
		return nil
	}
	if fresh, err := p.CreateVia(staging, path, "z"); !fresh || err != nil {
		t.Errorf("CreateVia across file systems = %v, %v", fresh, err)
	}
	got, _ = r.take(root)
	want = []string{
		"write-temp $S/.process-creation/.tmp-*", "file-sync $S/.process-creation/.tmp-*", "unlink-temp $S/.process-creation/.tmp-*",
		"write-temp $S/processes/.tmp-*", "file-sync $S/processes/.tmp-*", "link $S/processes/.tmp-* -> $S/processes/.lock",
		"dir-sync $S/processes", "unlink-temp $S/processes/.tmp-*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	check(t, path, "z")
	noTemps(t, root)
}

// TestInjectedFailures lets every step of a first publication fail in turn, in
// place of the step and after it was done.
func TestInjectedFailures(t *testing.T) {
	for name, publish := range map[string]func(*durable.Publisher, string) error{
		"create":  func(p *durable.Publisher, path string) error { _, err := p.Create(path, "content"); return err },
		"replace": func(p *durable.Publisher, path string) error { return p.Replace(path, "content") },
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for _, done := range []bool{false, true} {
				for at := 0; failAt(t, publish, at, done); at++ {
					n++
				}
			}
			// Both ways: mkdir twice, the walk, and the five steps of the file.
			if want := 2 * (2 + 2 + levelsAbove(scratch(t)) + 5); n < want {
				t.Errorf("%d failures injected, want at least %d", n, want)
			}
			t.Logf("%d failures injected", n)
		})
	}
}

// failAt lets step number at fail and reports whether there was such a step. The
// same process then tries again.
func failAt(t *testing.T, publish func(*durable.Publisher, string) error, at int, done bool) bool {
	t.Helper()
	root := filepath.Join(scratch(t), "store")
	path := filepath.Join(root, "values", "f")
	var (
		failed *durable.Step
		steps  int
		synced map[string]bool
	)
	p := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if steps++; steps == at+1 {
			failed = &s
			if done {
				do()
			}
			return syscall.ENOSPC
		}
		if s.Op == durable.OpDirSync {
			synced[s.Path] = true
		}
		return do()
	}})
	try := func() error {
		synced = map[string]bool{}
		return publish(p, path)
	}
	err := try()
	if failed == nil {
		if err != nil {
			t.Errorf("nothing failed: %v", err)
		}
		return false
	}
	var fault *durable.Fault
	if algal.CodeOf(err) != algal.IOFailed || !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &fault) || fault.Op != failed.Op || fault.Path != failed.Path {
		t.Errorf("failure at %s (done: %v) reported as %v", failed, done, err)
	}
	if _, err := os.Stat(root); err == nil && failed.Op != durable.OpUnlinkTemp {
		noTemps(t, root)
	}
	if text, err := os.ReadFile(path); err == nil && string(text) != "content" {
		t.Errorf("failure at %s (done: %v) leaves %q", failed, done, text)
	}
	if err := try(); err != nil {
		t.Errorf("retry after %s: %v", failed, err)
	}
	check(t, path, "content")
	if failed.Op == durable.OpDirSync || failed.Op == durable.OpMkdir {
		// A failed sync is never taken for done.
		for dir := filepath.Dir(path); !synced[dir] || dir != "/"; dir = filepath.Dir(dir) {
			if !synced[dir] {
				t.Errorf("retry after %s does not sync %s", failed, dir)
				break
			}
		}
	}
	return true
}
