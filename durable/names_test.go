//go:build unix

package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

// TestEntriesBound counts every physical entry, whatever it is (store.md §9).
func TestEntriesBound(t *testing.T) {
	dir := scratch(t)
	const bound = 2064
	first := write(t, filepath.Join(dir, "n"), "")
	for i := range bound - 4 {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("n%04d", i))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, ".tmp-"+strings.Repeat("0", 48)), "")
	fifo(t, filepath.Join(dir, "pipe"))
	if err := os.Mkdir(filepath.Join(dir, "orphan"), 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := durable.Entries(dir, bound, durable.NoFollow)
	if err != nil || len(entries) != bound {
		t.Fatalf("%d entries, %v, want %d", len(entries), err, bound)
	}
	for i := 1; i < len(entries); i++ {
		if entries[i-1].Name() >= entries[i].Name() {
			t.Fatalf("%s before %s", entries[i-1].Name(), entries[i].Name())
		}
	}
	write(t, filepath.Join(dir, "one-more"), "")
	entries, err = durable.Entries(dir, bound, durable.NoFollow)
	var fault *durable.Fault
	if entries != nil || !errors.As(err, &fault) || fault.Kind != durable.TooMany || fault.Bound != bound {
		t.Errorf("%d entries, %v, want a fault of kind TooMany", len(entries), err)
	}
	if algal.CodeOf(err) != algal.BudgetExhausted {
		t.Errorf("code %s", algal.CodeOf(err))
	}
}

func TestEntriesRefusals(t *testing.T) {
	dir := scratch(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("file"), "")
	link := symlink(t, dir, in("link"))
	for _, c := range []struct {
		name, path string
		links      durable.Links
		missing    bool
	}{
		{"missing", in("no"), durable.NoFollow, true},
		{"file", in("file"), durable.NoFollow, false},
		{"fifo", fifo(t, in("fifo")), durable.NoFollow, false},
		{"fifo, links followed", in("fifo"), durable.Follow, false},
		{"link", link, durable.NoFollow, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			promptly(t, func() {
				_, err := durable.Entries(c.path, 10, c.links)
				if algal.CodeOf(err) != algal.IOFailed || errors.Is(err, fs.ErrNotExist) != c.missing {
					t.Errorf("Entries = %v", err)
				}
			})
		})
	}
	entries, err := durable.Entries(link, 10, durable.Follow)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"fifo", "file", "link"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestIsTemp(t *testing.T) {
	digits := strings.Repeat("0123456789abcdef", 3)
	for name, want := range map[string]bool{
		".tmp-" + digits:                           true,
		".tmp-" + digits + "0":                     false,
		".tmp-" + digits[1:]:                       false,
		"tmp-" + digits:                            false,
		".tmp-" + strings.ToUpper(digits):          false,
		".tmp-" + digits[:20] + "\n" + digits[21:]: false,
		".tmp-": false,
		"":      false,
	} {
		if durable.IsTemp(name) != want {
			t.Errorf("IsTemp(%q) = %v", name, !want)
		}
	}
}
