//go:build unix

// Package recorded lends tests the absolute directories in which the reference
// runtime recorded its transcripts. They enter the binding digests of tools, so a
// command has to run in the very same place.
package recorded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// mark is the file by which a lent directory is known as ours.
const mark = ".algal-test-directory"

// Dir makes the recorded directory, empty but for a mark, and removes it after the
// test. Users take turns, by a lock file beside it. A directory without the mark is
// somebody else's and fails the test; a marked one is what a killed run left behind
// and is made anew.
//
// Where the real path of the directory differs from the recorded one, nothing
// recorded there can be reproduced: the test is skipped, except under CI=true.
func Dir(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	lock(t, path+".lock")
	if _, err := os.Lstat(path); err == nil {
		if _, err := os.Lstat(filepath.Join(path, mark)); err != nil {
			t.Fatalf("%s exists and is not this test's: remove it by hand if it may go", path)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	remove(t, path)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, path) })
	if err := os.WriteFile(filepath.Join(path, mark), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s has the real path %s: nothing recorded there can be reproduced", path, real)
		}
		t.Skipf("%s has the real path %s: nothing recorded there can be reproduced", path, real)
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Error(err)
	}
}

// lock holds the lock file until the test ends. The kernel drops it with the
// process.
func lock(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}
