//go:build unix

package custody

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// crashCase is a place before its owner comes and dies. The markers that the next
// owner finds in the files markers must be in the archives afterwards.
type crashCase struct {
	lay    func(t testing.TB) (root string)
	target func(root string) []string
	files  func(root string) []markerFile
}

func directory(root string) []string { return []string{filepath.Join(root, "place"), label} }

func directoryMarkers(root string) []markerFile {
	return []markerFile{ownerMarker(filepath.Join(root, "place"), label)}
}

func creation(root string) []string { return []string{root} }

func creationMarkers(root string) []markerFile {
	place := ProcessCreation(root)
	return []markerFile{ownerMarker(place.Dir, place.Label), interlock(root)}
}

// layMarkers makes a root whose last owner died.
func layMarkers(files func(root string) []markerFile) func(testing.TB) string {
	return func(t testing.TB) string {
		root := scratch(t)
		for _, f := range files(root) {
			write(t, f.path, f.value(sampleNonce).String())
		}
		return root
	}
}

// TestKilledAtEveryStep kills an owner after each step of its acquisition and its
// release, and before those that follow work which is no step of publication: the
// database's and the creation of a temporary file. Whatever the state, the next
// owner needs no second try and no operator, keeps the evidence of the first, and
// leaves the place free.
func TestKilledAtEveryStep(t *testing.T) {
	for name, c := range map[string]crashCase{
		"new place":          {scratch, directory, directoryMarkers},
		"after a dead owner": {layMarkers(directoryMarkers), directory, directoryMarkers},
		"first creation":     {scratch, creation, creationMarkers},
		"after dead creator": {layMarkers(creationMarkers), creation, creationMarkers},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed := 0
			for i, s := range c.steps(t) {
				if s == "" {
					continue
				}
				c.dieAndSucceed(t, "after", i, s)
				killed++
				if strings.HasPrefix(s, string(durable.OpWriteTemp)) {
					c.dieAndSucceed(t, "before", i, s)
					killed++
				}
			}
			if killed < 10 {
				t.Fatalf("killed %d times only", killed)
			}
			t.Logf("%d owners killed", killed)
		})
	}
}

// steps returns the steps of an undisturbed acquisition and release, "" for those
// above the root, where nothing changes.
func (c crashCase) steps(t *testing.T) (steps []string) {
	t.Helper()
	root := c.lay(t)
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		line := ""
		if s.Op != durable.OpDirSync || strings.HasPrefix(s.Path, root) {
			line = strings.ReplaceAll(s.String(), root, "$D")
		}
		steps = append(steps, line)
		return do()
	}})
	l, err := acquireTarget(files, c.target(root))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func (c crashCase) dieAndSucceed(t *testing.T, when string, step int, what string) {
	t.Helper()
	root := c.lay(t)
	owner := startChild(t)
	owner.tell(append([]string{"die", when, strconv.Itoa(step)}, c.target(root)...)...)
	owner.waitKilled()

	evidence := map[string]string{} // content by the path it must have later
	for _, f := range c.files(root) {
		marker, nonce, err := f.read()
		if err != nil {
			t.Fatalf("killed %s %s: the marker left behind: %v", when, what, err)
		}
		if marker.Exists() {
			evidence[filepath.Join(f.archive, nonce+".json")] = marker.String()
		}
		if path := filepath.Join(f.archive, sampleNonce+".json"); nonce != sampleNonce && exists(path) {
			evidence[path] = f.value(sampleNonce).String()
		}
	}
	checkResidue(t, root, when+" "+what)
	l, err := acquireTarget(newFiles(), c.target(root))
	if err != nil {
		t.Fatalf("killed %s %s: the next owner: %v", when, what, err)
	}
	if err := l.Release(); err != nil {
		t.Fatalf("killed %s %s: the next owner's release: %v", when, what, err)
	}
	for _, path := range slices.Sorted(maps.Keys(evidence)) {
		if got := read(t, path); got != evidence[path] {
			t.Errorf("killed %s %s: archived %s", when, what, got)
		}
	}
	for _, f := range c.files(root) {
		if exists(f.path) {
			t.Errorf("killed %s %s: a clean release left %s", when, what, f.path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// checkResidue demands that an owner that died left nothing but its marker where
// listings admit no foreign name.
func checkResidue(t *testing.T, root, when string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "processes"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".lock" {
			t.Errorf("killed %s: processes/%s stays", when, e.Name())
		}
	}
}

// TestDescendantsKeepNothing kills an owner whose child process goes on.
func TestDescendantsKeepNothing(t *testing.T) {
	dir, owner := scratch(t), startChild(t)
	owner.mustDo("acquire", dir, label)
	owner.mustDo("spawn")
	owner.kill()
	acquireAndRelease(t, dir, label)
}
