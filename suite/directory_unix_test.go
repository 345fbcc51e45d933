//go:build unix

package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/suite"
)

// TestDirectory: files beside the folders do not matter, links to folders are
// followed, and what is not a regular file is refused without waiting for it.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for file, content := range complete(greeting) {
		place(t, filepath.Join(dir, "plain", file), content)
		place(t, filepath.Join(dir, "fifo", file), content)
	}
	place(t, filepath.Join(dir, "README.md"), "x")
	for link, target := range map[string]string{"linked": "plain", "dangling": "nowhere", "file": "README.md"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo", "args.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := suite.Run(t.Context(), os.DirFS(dir), suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range result.Examples {
		got[e.Name] = fmt.Sprint(e.Err)
	}
	want := map[string]string{
		"plain":  "<nil>",
		"linked": "<nil>",
		"fifo":   "args.json is not a regular file of at most 1048576 bytes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
