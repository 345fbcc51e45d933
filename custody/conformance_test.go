//go:build unix

package custody

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/google/go-cmp/cmp"
)

// Group L of the conformance catalogue, as far as the lease alone decides. That no
// mailbox, capability or dispatch comes of a refusal is for the packages on top.
// Another runtime is another process; where SQLite alone matters it uses the
// ordinary driver, which locks as the other runtimes do.

func TestL1LiveOwner(t *testing.T) {
	place := MailboxAdmission(scratch(t))
	owner := startChild(t)
	owner.mustDo("acquire", place.Dir, place.Label)
	marker := read(t, filepath.Join(place.Dir, ".lock"))
	mustRefuse(t, place.Dir, place.Label, algal.IOFailed, "host lease is held by another live operation")
	if got := read(t, filepath.Join(place.Dir, ".lock")); got != marker {
		t.Errorf("the owner's marker became %s", got)
	}
	owner.mustDo("release")
	acquireAndRelease(t, place.Dir, place.Label)
}

func TestL2KilledOwner(t *testing.T) {
	place := MailboxAdmission(scratch(t))
	owner := startChild(t)
	owner.mustDo("acquire", place.Dir, place.Label)
	marker := read(t, filepath.Join(place.Dir, ".lock"))
	owner.kill()
	acquireAndRelease(t, place.Dir, place.Label)
	state, err := Inspect(place)
	if err != nil || state.Nonce != "" || len(state.Archived) != 1 {
		t.Fatalf("state %+v, %v", state, err)
	}
	if got := read(t, filepath.Join(place.Dir, "owners", state.Archived[0]+".json")); got != marker {
		t.Errorf("archived\n%s\nof\n%s", got, marker)
	}
}

func TestL3ColdStart(t *testing.T) {
	const repetitions = 32
	root, a, b := scratch(t), startChild(t), startChild(t)
	won := 0
	for i := range repetitions {
		place := MailboxAdmission(filepath.Join(root, fmt.Sprint(i)))
		a.tell("acquire", place.Dir, place.Label)
		b.tell("acquire", place.Dir, place.Label)
		answers := map[*child]string{a: a.hear(), b: b.hear()}
		if answers[a] == "ok" && answers[b] == "ok" {
			t.Fatalf("repetition %d: two owners", i)
		}
		for c, answer := range answers {
			if answer == "ok" {
				won++
				c.mustDo("release")
			} else if answer != contended {
				t.Errorf("repetition %d: %s", i, answer)
			}
		}
		acquireAndRelease(t, place.Dir, place.Label)
	}
	t.Logf("%d repetitions, %d had an owner", repetitions, won)
}

func TestL4ReaderBeforeInitialisation(t *testing.T) {
	for name, make := range map[string]func(testing.TB, string){
		"zero bytes":        func(t testing.TB, dir string) { write(t, filepath.Join(dir, databaseName), "") },
		"another table":     sqlFile("CREATE TABLE t(x)"),
		"table without row": sqlFile(tableSQL),
	} {
		t.Run(name, func(t *testing.T) {
			dir, reader := scratch(t), startChild(t)
			make(t, dir)
			before := tree(t, dir)
			path := filepath.Join(dir, databaseName)
			reader.mustDo("sql", path, "BEGIN; SELECT * FROM sqlite_schema")
			mustRefuse(t, dir, label, algal.IOFailed, "host lease is held by another live operation")
			reader.mustDo("sql", path, "COMMIT")
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
			acquireAndRelease(t, dir, label)
		})
	}
}

func TestL5ReaderAfterInitialisation(t *testing.T) {
	dir, reader := scratch(t), startChild(t)
	acquireAndRelease(t, dir, label)
	path := filepath.Join(dir, databaseName)
	before, inode := tree(t, dir), stat(t, path)
	reader.mustDo("sql", path, "BEGIN; SELECT * FROM algal_owner")
	acquireAndRelease(t, dir, label)
	reader.mustDo("sql", path, "COMMIT")
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if !os.SameFile(inode, stat(t, path)) {
		t.Error("the database is another file")
	}
}

func stat(t testing.TB, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestL6UpperCaseTable(t *testing.T) {
	dir := scratch(t)
	makeDatabase(t, dir, "CREATE TABLE ALGAL_OWNER(contract TEXT PRIMARY KEY)", rowSQL)
	acquireAndRelease(t, dir, label)
}

func TestL7CompletedInPlace(t *testing.T) {
	for name, make := range map[string]func(testing.TB, string){
		"zero bytes":        func(t testing.TB, dir string) { write(t, filepath.Join(dir, databaseName), "") },
		"table without row": sqlFile(tableSQL),
	} {
		t.Run(name, func(t *testing.T) {
			dir := scratch(t)
			make(t, dir)
			path := filepath.Join(dir, databaseName)
			inode := stat(t, path)
			acquireAndRelease(t, dir, label)
			if !os.SameFile(inode, stat(t, path)) {
				t.Error("the database is another file")
			}
			if diff := cmp.Diff([]string{Contract}, askDatabase(t, dir, "SELECT * FROM algal_owner")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestL8ForeignDatabase(t *testing.T) {
	names := []string{
		"view", "older contract", "two rows", "null row", "other column", "second column", "generated column", "default", "no primary key",
	}
	n := 0
	for _, c := range initialFiles {
		if slices.Contains(names, c.name) {
			n++
			t.Run(c.name, c.check)
		}
	}
	if n != len(names) {
		t.Errorf("%d of %d databases", n, len(names))
	}
}

func TestL9LockedElsewhere(t *testing.T) {
	dir, other := scratch(t), startChild(t)
	acquireAndRelease(t, dir, label)
	path := filepath.Join(dir, databaseName)
	other.mustDo("sql", path, "BEGIN IMMEDIATE")
	mustRefuse(t, dir, label, algal.IOFailed, "host lease is held by another live operation")
	other.mustDo("sql", path, "ROLLBACK")
	other.mustDo("sql", path, "BEGIN EXCLUSIVE")
	mustRefuse(t, dir, label, algal.IOFailed, "host lease is held by another live operation")
	other.mustDo("sql", path, "ROLLBACK")
	acquireAndRelease(t, dir, label)
}

func TestL10ForeignMarker(t *testing.T) {
	for name, marker := range map[string]string{
		"unknown shape":   `{"pid":1}`,
		"another process": `{"contract":"algal.process-owner.v2","nonce":"` + sampleNonce + `","process":"worker-b"}`,
	} {
		t.Run(name, func(t *testing.T) {
			place := Process(scratch(t), label)
			write(t, filepath.Join(place.Dir, ".lock"), marker)
			for range 2 {
				mustRefuse(t, place.Dir, place.Label, algal.IOFailed, "legacy process lease requires operator reconciliation")
			}
			if got := read(t, filepath.Join(place.Dir, ".lock")); got != marker {
				t.Errorf("the marker became %s", got)
			}
		})
	}
}

func TestL11FullArchive(t *testing.T) {
	dir := scratch(t)
	fillArchive(t, filepath.Join(dir, "owners"), 256)
	write(t, filepath.Join(dir, ".lock"), ownerMarker("", label).value(sampleNonce).String())
	mustRefuse(t, dir, label, algal.BudgetExhausted, "owner recovery evidence limit exceeded")
}

// fillArchive makes so many archived markers, numbered from 0.
func fillArchive(t testing.TB, archive string, n int) {
	t.Helper()
	for i := range n {
		nonce := nonceNumber(i)
		write(t, filepath.Join(archive, nonce+".json"), ownerMarker("", label).value(nonce).String())
	}
}

func TestL12MarkerChanged(t *testing.T) {
	for name, change := range map[string]func(t testing.TB, path string){
		"removed":     func(t testing.TB, path string) { os.Remove(path) },
		"other nonce": func(t testing.TB, path string) { write(t, path, ownerMarker("", label).value(sampleNonce).String()) },
		"plain text":  func(t testing.TB, path string) { write(t, path, "4711\n") },
		"too large":   func(t testing.TB, path string) { write(t, path, strings.Repeat(" ", maxMarker+1)) },
		"a link":      func(t testing.TB, path string) { os.Remove(path); symlink(t, "/nowhere", path) },
		"a directory": func(t testing.TB, path string) { os.Remove(path); write(t, filepath.Join(path, "x"), "") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := scratch(t)
			l := mustAcquire(t, dir, label)
			path := filepath.Join(dir, ".lock")
			change(t, path)
			before, err := os.Lstat(path)
			refused(t, l.Release(), algal.IOFailed, "owner marker changed during operation")
			if after, afterErr := os.Lstat(path); (err == nil) != (afterErr == nil) || err == nil && !os.SameFile(before, after) {
				t.Error("what was in the marker's place is not left alone")
			}
			os.RemoveAll(path)
			acquireAndRelease(t, dir, label)
		})
	}
}

// TestL12Respelled is the other side: the same marker in another spelling is still
// this owner's.
func TestL12Respelled(t *testing.T) {
	dir := scratch(t)
	l := mustAcquire(t, dir, label)
	path := filepath.Join(dir, ".lock")
	write(t, path, " "+strings.ReplaceAll(read(t, path), ",", ",\n"))
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the marker stays")
	}
}

func TestL13TwoDispatches(t *testing.T) {
	place := Process(scratch(t), "twice")
	first := mustAcquire(t, place.Dir, place.Label)
	var refusals sync.WaitGroup
	for range 2 {
		refusals.Go(func() {
			_, err := try(place.Dir, place.Label)
			if !Held(err) {
				t.Errorf("the second dispatch: %v", err)
			}
		})
	}
	refusals.Wait()
	if err := first.Release(); err != nil {
		t.Errorf("the first dispatch: %v", err)
	}
}
