//go:build unix

package custody

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestOrdinaryDriverSeesBusy shows that the lease is a lock of the operating system:
// SQLite in another process, with the locks that everybody else uses, may read and
// may not write.
func TestOrdinaryDriverSeesBusy(t *testing.T) {
	dir, other := scratch(t), startChild(t)
	l := mustAcquire(t, dir, label)
	path := filepath.Join(dir, databaseName)
	other.mustDo("sql", path, "SELECT contract FROM algal_owner")
	if got := other.ask("sql", path, "BEGIN IMMEDIATE"); !strings.Contains(got, "SQLITE_BUSY") {
		t.Errorf("another writer while the lease is held: %s", got)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	other.mustDo("sql", path, "BEGIN IMMEDIATE")
}

// TestLogOfALiveReader: a database in WAL mode cannot be converted while somebody
// uses it, and that is contention.
func TestLogOfALiveReader(t *testing.T) {
	dir, other := scratch(t), startChild(t)
	path := filepath.Join(dir, databaseName)
	for _, s := range []string{"PRAGMA journal_mode=WAL", tableSQL, rowSQL, "BEGIN; SELECT * FROM algal_owner"} {
		other.mustDo("sql", path, s)
	}
	_, err := try(dir, label)
	if !Held(err) {
		t.Errorf("got %v", err)
	}
	other.kill()
	acquireAndRelease(t, dir, label)
}

// TestOtherFiles: the lease outlives the owner's work on any files but the
// database, and a refused attempt in the same process.
func TestOtherFiles(t *testing.T) {
	t.Run("here", func(t *testing.T) {
		dir, other := scratch(t), startChild(t)
		l := mustAcquire(t, dir, label)
		workOnFiles(t, dir)
		if _, err := try(dir, label); !Held(err) {
			t.Errorf("the same process: %v", err)
		}
		if got := other.ask("acquire", dir, label); got != contended {
			t.Errorf("another process: %s", got)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		other.mustDo("acquire", dir, label)
	})
	// A process that used SQLite before keeps to POSIX locks.
	t.Run("POSIX locks", func(t *testing.T) {
		dir, owner := scratch(t), startChild(t)
		owner.mustDo("sql", filepath.Join(scratch(t), "other.sqlite"), "CREATE TABLE t(x)")
		owner.mustDo("acquire", dir, label)
		if got := owner.ask("acquire", dir, label); got != contended {
			t.Errorf("the same process: %s", got)
		}
		if _, err := try(dir, label); !Held(err) {
			t.Errorf("another process: %v", err)
		}
		owner.mustDo("release")
		acquireAndRelease(t, dir, label)
	})
}

// workOnFiles does what an owner does beside its lease.
func workOnFiles(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "head.json"), "{}")
	read(t, filepath.Join(dir, "head.json"))
	read(t, filepath.Join(dir, ".lock"))
	if _, err := os.ReadDir(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, databaseName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(Place{Dir: dir, Label: label}); err != nil {
		t.Fatal(err)
	}
	acquireAndRelease(t, filepath.Join(dir, "another"), label)
}

const contenders = 16

func TestGoroutinesContend(t *testing.T) {
	dir := scratch(t)
	l := mustAcquire(t, dir, label)
	var group sync.WaitGroup
	for range contenders {
		group.Go(func() {
			if _, err := try(dir, label); !Held(err) {
				t.Errorf("while the lease is held: %v", err)
			}
		})
	}
	group.Wait() // nobody waits for the owner, which is us
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	for range contenders {
		group.Go(func() {
			if answer := new(helper).race(dir, label, "2"); !strings.HasPrefix(answer, "ok") {
				t.Error(answer)
			}
		})
	}
	group.Wait()
}

func TestProcessesContend(t *testing.T) {
	dir := scratch(t)
	var children []*child
	for range contenders {
		children = append(children, startChild(t))
	}
	l := mustAcquire(t, dir, label)
	for _, c := range children {
		c.tell("acquire", dir, label)
	}
	for _, c := range children { // nobody waits for the owner, which is us
		if got := c.hear(); got != contended {
			t.Errorf("while the lease is held: %s", got)
		}
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	for _, c := range children {
		c.tell("race", dir, label, "2")
	}
	for _, c := range children {
		if got := c.hear(); !strings.HasPrefix(got, "ok") {
			t.Error(got)
		}
	}
	if state, err := Inspect(Place{Dir: dir, Label: label}); err != nil || state.Nonce != "" || len(state.Archived) != 0 {
		t.Errorf("state %+v, %v", state, err)
	}
}
