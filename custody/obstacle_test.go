//go:build unix

package custody

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// TestObstacles: who is refused a lease is told which file is in the way, and that a
// live owner is none.
func TestObstacles(t *testing.T) {
	marker := ownerMarker("", label).value(sampleNonce).String()
	for _, c := range []struct {
		name, path string
		foreign    bool
		lay        func(t testing.TB, dir string)
	}{
		{"marker of an older runtime", ".lock", true, place(".lock", `{"pid":1}`)},
		{"marker that is no JSON", ".lock", true, place(".lock", "4711")},
		{"marker that is a directory", ".lock", false, place(".lock/x", "")},
		{"full archive", "owners", false, func(t testing.TB, dir string) {
			fillArchive(t, filepath.Join(dir, "owners"), maxArchived)
			place(".lock", marker)(t, dir)
		}},
		{"foreign name in the archive", "owners", false, func(t testing.TB, dir string) {
			place("owners/README", "")(t, dir)
			place(".lock", marker)(t, dir)
		}},
		{"no database", databaseName, false, place(databaseName, "this is not a database at all")},
		{"another schema", databaseName, false, func(t testing.TB, dir string) {
			acquireAndRelease(t, dir, label)
			startChild(t).mustDo("sql", filepath.Join(dir, databaseName), "UPDATE algal_owner SET contract='other'")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(scratch(t), "place")
			c.lay(t, dir)
			l, err := try(dir, label)
			if err == nil {
				l.Release()
				t.Fatal("acquired")
			}
			o, ok := errors.AsType[*Obstacle](err)
			if !ok || o.Path != filepath.Join(dir, c.path) || o.Foreign != c.foreign || o.Error() == "" {
				t.Errorf("refused with %#v", err)
			}
		})
	}
	dir := scratch(t)
	owner, err := try(dir, label)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Release()
	_, err = try(dir, label)
	if _, ok := errors.AsType[*Obstacle](err); ok || !Held(err) {
		t.Errorf("a live owner refuses with %#v", err)
	}
}

// TestObstacleFoundLate: a database that changed between its inspection and the
// transaction is an obstacle as well.
func TestObstacleFoundLate(t *testing.T) {
	dir := scratch(t)
	database, err := openDatabase(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer database.close()
	makeDatabase(t, dir, "DROP TABLE algal_owner")
	l := &Lease{files: durable.NewPublisher(durable.Options{}), dir: dir, database: database, file: ownerMarker(dir, label)}
	o, ok := errors.AsType[*Obstacle](l.take())
	if !ok || o.Path != filepath.Join(dir, databaseName) || o.Error() != badSchema {
		t.Errorf("refused with %#v", o)
	}
}
