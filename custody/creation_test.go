//go:build unix

package custody

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

const blockedCreation = "legacy process creation lease requires operator reconciliation"

func tryCreation(root string) (*Lease, error) {
	return AcquireProcessCreation(context.Background(), newFiles(), root)
}

func interlockMarker(nonce string) string { return interlock("").value(nonce).String() }

// TestCreationTrace: the temporary of processes/.lock lies outside processes/, and
// the interlock comes after custody and goes before it (custody.md §7.2).
func TestCreationTrace(t *testing.T) {
	root := scratch(t)
	var trace []string
	l, err := AcquireProcessCreation(context.Background(), recorder(root, &trace), root)
	if err != nil {
		t.Fatal(err)
	}
	trace = append(trace, "ACTION")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mkdir $D/.process-creation", "dir-sync $D/.process-creation", "dir-sync $D",
		"write-temp $D/.process-creation/.tmp-*", "file-sync $D/.process-creation/.tmp-*",
		"link $D/.process-creation/.tmp-* -> $D/.process-creation/.lock", "dir-sync $D/.process-creation", "unlink-temp $D/.process-creation/.tmp-*",
		"mkdir $D/processes", "dir-sync $D/processes", "dir-sync $D",
		"write-temp $D/.process-creation/.tmp-*", "file-sync $D/.process-creation/.tmp-*",
		"link $D/.process-creation/.tmp-* -> $D/processes/.lock", "dir-sync $D/processes", "unlink-temp $D/.process-creation/.tmp-*",
		"ACTION",
		"unlink-lock $D/processes/.lock", "dir-sync $D/processes",
		"unlink-lock $D/.process-creation/.lock", "dir-sync $D/.process-creation",
	}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Error(diff)
	}
}

func TestCreationMarkers(t *testing.T) {
	root := scratch(t)
	l, err := tryCreation(root)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := Inspect(ProcessCreation(root))
	if err != nil || owner.Nonce == "" {
		t.Fatalf("%+v, %v", owner, err)
	}
	outer, err := InspectProcessCreation(root)
	if err != nil || outer.Nonce == "" || outer.Nonce == owner.Nonce {
		t.Fatalf("%+v, %v", outer, err)
	}
	want := `{"contract":"algal.process-creation-owner.v1","nonce":"` + outer.Nonce + `"}`
	if got := read(t, filepath.Join(root, "processes", ".lock")); got != want {
		t.Errorf("processes/.lock holds %s", got)
	}
	if _, err := tryCreation(root); !Held(err) {
		t.Errorf("a second creator: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if exists(filepath.Join(root, "processes", ".lock")) {
		t.Error("processes/.lock stays")
	}
}

// TestInterlockFound is steps 1 and 2 of custody.md §7.2. A refusal leaves the file
// and gives the custody back.
func TestInterlockFound(t *testing.T) {
	marker := interlockMarker(sampleNonce)
	for _, c := range []struct {
		name    string
		put     func(t testing.TB, path string)
		message string
	}{
		{"exact", textFile(marker), ""},
		{"respelled", textFile(" " + marker), ""},
		{"empty, as older runtimes leave it", textFile(""), blockedCreation},
		{"other contract", textFile(strings.Replace(marker, "owner.v1", "owner.v2", 1)), blockedCreation},
		{"other key", textFile(strings.Replace(marker, "{", `{"a":1,`, 1)), blockedCreation},
		{"upper-case nonce", textFile(strings.Replace(marker, sampleNonce, strings.ToUpper(sampleNonce), 1)), blockedCreation},
		{"an owner's marker", textFile(ownerMarker("", "process-creation").value(sampleNonce).String()), blockedCreation},
		{"too large", textFile(marker + strings.Repeat(" ", maxMarker)), blockedCreation},
		{"not UTF-8", textFile("\xff"), blockedCreation},
		{"link", func(t testing.TB, path string) {
			os.MkdirAll(filepath.Dir(path), 0o700)
			symlink(t, "/nowhere", path)
		}, blockedCreation},
		{"directory", func(t testing.TB, path string) { write(t, filepath.Join(path, "x"), "") }, blockedCreation},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := scratch(t)
			path := filepath.Join(root, "processes", ".lock")
			c.put(t, path)
			before := stat(t, path)
			l, err := tryCreation(root)
			if c.message == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := l.Release(); err != nil {
					t.Fatal(err)
				}
				archived := filepath.Join(root, ".process-creation", "creation-owners", sampleNonce+".json")
				if got := read(t, archived); got != marker {
					t.Errorf("archived %s", got)
				}
				return
			}
			refused(t, err, algal.IOFailed, c.message)
			if !os.SameFile(before, stat(t, path)) {
				t.Error("the file is another")
			}
			if _, err := tryCreation(root); Held(err) {
				t.Error("the refused creator kept the custody")
			}
			if exists(filepath.Join(root, ".process-creation", ".lock")) {
				t.Error("the refused creator left its marker")
			}
		})
	}
}

func textFile(content string) func(testing.TB, string) {
	return func(t testing.TB, path string) { write(t, path, content) }
}

func TestCreationArchive(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		extra string
		want  string
	}{
		"255":           {255, "", "ok"},
		"256":           {256, "", "BUDGET_EXHAUSTED creation recovery evidence limit exceeded"},
		"257":           {257, "", "BUDGET_EXHAUSTED host state entry bound exceeded"},
		"256 with this": {255, sampleNonce + ".json", "ok"},
		"foreign":       {1, "README", "IO_FAILED unexpected host state entry"},
	} {
		t.Run(name, func(t *testing.T) {
			root := scratch(t)
			archive := filepath.Join(root, ".process-creation", "creation-owners")
			for i := range c.n {
				write(t, filepath.Join(archive, nonceNumber(i)+".json"), interlockMarker(nonceNumber(i)))
			}
			if c.extra != "" {
				write(t, filepath.Join(archive, c.extra), interlockMarker(sampleNonce))
			}
			write(t, filepath.Join(root, "processes", ".lock"), interlockMarker(sampleNonce))
			l, err := tryCreation(root)
			if got := answer(err); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if err == nil {
				l.Release()
			}
		})
	}
}

// TestInterlockChanged is step 5: what is not ours is left, without an error.
func TestInterlockChanged(t *testing.T) {
	for name, change := range map[string]func(t testing.TB, path string){
		"removed":     func(t testing.TB, path string) { os.Remove(path) },
		"other nonce": textFile(interlockMarker(sampleNonce)),
		"plain text":  textFile("4711"),
	} {
		t.Run(name, func(t *testing.T) {
			root := scratch(t)
			l, err := tryCreation(root)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "processes", ".lock")
			change(t, path)
			before := tree(t, filepath.Join(root, "processes"))
			if err := l.Release(); err != nil {
				t.Errorf("release: %v", err)
			}
			if diff := cmp.Diff(before, tree(t, filepath.Join(root, "processes"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestInterlockStays: custody ends and its marker goes even when the interlock
// cannot be removed, which is reported.
func TestInterlockStays(t *testing.T) {
	root := scratch(t)
	outer := filepath.Join(root, "processes", ".lock")
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpUnlinkLock && s.Path == outer {
			return os.ErrPermission
		}
		return do()
	}})
	l, err := AcquireProcessCreation(context.Background(), files, root)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, l.Release(), algal.IOFailed, "unlink-lock failed: permission denied")
	if !exists(outer) || exists(filepath.Join(root, ".process-creation", ".lock")) {
		t.Error("the wrong marker stays")
	}
	if l, err = tryCreation(root); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
