//go:build unix

package custody

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/google/go-cmp/cmp"
)

// TestInspect: what is seen is what the next owner would meet, and nothing changes.
func TestInspect(t *testing.T) {
	marker := ownerMarker("", label).value(sampleNonce).String()
	for _, c := range []struct {
		name string
		lay  func(t testing.TB, dir string)
		want State
		code algal.Code
		text string
	}{
		{"missing", func(testing.TB, string) {}, State{}, "", ""},
		{"released", acquireAndReleaseIn, State{}, "", ""},
		{"abandoned", place(".lock", marker), State{Nonce: sampleNonce}, "", ""},
		{"recovered", place("owners/"+sampleNonce+".json", marker), State{Archived: []string{sampleNonce}}, "", ""},
		{"full, nobody died", func(t testing.TB, dir string) { fillArchive(t, filepath.Join(dir, "owners"), 256) }, State{Archived: nonces(256)}, "", ""},
		{"full", func(t testing.TB, dir string) {
			fillArchive(t, filepath.Join(dir, "owners"), 256)
			place(".lock", marker)(t, dir)
		}, State{}, algal.BudgetExhausted, "owner recovery evidence limit exceeded"},
		{"legacy", place(".lock", "{}"), State{}, algal.IOFailed, legacyMarker},
		{"unreadable", place(".lock", "4711 since Monday"), State{}, algal.ParseFailed, ""},
		{"foreign name", place("owners/README", ""), State{}, algal.IOFailed, "unexpected host state entry"},
		{"oversized database", place(databaseName, strings.Repeat("x", maxDatabase+1)), State{}, algal.IOFailed, "invalid owner database file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := scratch(t)
			dir := filepath.Join(root, "place")
			c.lay(t, dir)
			before := tree(t, root)
			state, err := Inspect(Place{Dir: dir, Label: label})
			if c.code != "" {
				refused(t, err, c.code, c.text)
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, state); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func acquireAndReleaseIn(t testing.TB, dir string) { acquireAndRelease(t, dir, label) }

func place(name, content string) func(testing.TB, string) {
	return func(t testing.TB, dir string) { write(t, filepath.Join(dir, filepath.FromSlash(name)), content) }
}

func nonces(n int) (list []string) {
	for i := range n {
		list = append(list, nonceNumber(i))
	}
	return list
}

func TestKeeps(t *testing.T) {
	dir := scratch(t)
	for name, want := range map[string]bool{
		".owner.sqlite": true, ".owner.sqlite-journal": true, ".owner.sqlite-wal": true, ".owner.sqlite-shm": true,
		".lock": true, "owners/x": true,
		".owner.sqlite-old": false, "head.json": false, ".lock2": false, "journals/x": false,
	} {
		write(t, filepath.Join(dir, name), "")
		name, _, _ = strings.Cut(name, "/")
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == name && Keeps(e) != want {
				t.Errorf("Keeps(%s) = %v", name, !want)
			}
		}
	}
	other := scratch(t)
	write(t, filepath.Join(other, "owners"), "")
	if entries, _ := os.ReadDir(other); Keeps(entries[0]) {
		t.Error("a file called owners is taken for the archive")
	}
}

// TestPlaces is the part of the table of custody.md §7 that this package knows.
func TestPlaces(t *testing.T) {
	want := []Place{
		{Dir: "store/processes/demo", Label: "demo"},
		{Dir: "store/.mailbox-admission", Label: "mailbox-admission"},
		{Dir: "store/.process-creation", Label: "process-creation"},
	}
	got := []Place{Process("store", "demo"), MailboxAdmission("store"), ProcessCreation("store")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
