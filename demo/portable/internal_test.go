package portable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// TestInventory: an inventory tells every change of names and contents, and no other.
func TestInventory(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) func() error {
		return func() error { return os.WriteFile(at(name), []byte(content), 0o600) }
	}
	seen := map[algal.Digest]string{}
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"nothing there", func() error { return nil }},
		{"a directory", func() error { return os.Mkdir(at("store"), 0o700) }},
		{"a file", write("store/a", "one")},
		{"another", write("store/b", "\xff\x00")},
		{"a byte", write("store/b", "\xfe\x00")},
		{"a name", func() error { return os.Rename(at("store/b"), at("store/c")) }},
		{"a place", func() error { return os.Rename(at("store/c"), at("c")) }},
		{"less", func() error { return os.Remove(at("c")) }},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		got, err := takeInventory(dir)
		if err != nil {
			t.Fatal(err)
		}
		before, found := seen[got]
		if change.name == "less" {
			found = !found // it is as it was after the first file
		}
		if found {
			t.Errorf("%s: the inventory is that of %q", change.name, before)
		}
		seen[got] = change.name
		if again, err := takeInventory(dir); again != got || err != nil {
			t.Errorf("%s: taken again it is %s, %v", change.name, again, err)
		}
	}
	moved := filepath.Join(t.TempDir(), "moved")
	was, err := takeInventory(dir)
	if err == nil {
		err = os.Rename(dir, moved)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := takeInventory(moved); got != was || err != nil {
		t.Errorf("moved away it is %s, %v, was %s", got, err, was)
	}
	if err := os.Symlink("store", filepath.Join(moved, "link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{moved, dir} {
		if got, err := takeInventory(dir); got != "" || algal.AsError(err).Code != algal.IOFailed {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// TestTamperings: each changes what it says and nothing else.
func TestTamperings(t *testing.T) {
	document, err := canon.Parse(`{"head":"h","other":1,"receipts":{"1":{},"2":{}},"records":{"g":{"name":"p"},"h":{"name":"p","x":1}}}`, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"head-removed":    strings.Replace(document.String(), `,"h":{"name":"p","x":1}`, ``, 1),
		"receipt-removed": strings.Replace(document.String(), `"1":{},`, ``, 1),
		"head-renamed":    strings.Replace(document.String(), `"name":"p","x"`, `"name":"somebody-else","x"`, 1),
	} {
		n := 0
		for _, change := range tamperings {
			if change.file != file {
				continue
			}
			n++
			if got := change.apply(document).String(); got != want || got == document.String() {
				t.Errorf("%s: %s, want %s", file, got, want)
			}
		}
		if n != 1 {
			t.Errorf("%d tamperings are called %s", n, file)
		}
	}
}
