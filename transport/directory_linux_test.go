package transport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
)

// TestDirectoryGrowingFile uses a file whose size the system gives as 0 and which
// yields more than the bound all the same.
func TestDirectoryGrowingFile(t *testing.T) {
	_, root := program(t)
	dir := t.TempDir()
	if err := os.Symlink("/proc/self/status", filepath.Join(dir, bundle.FileName(root))); err != nil {
		t.Fatal(err)
	}
	d := NewDirectory("lib", dir)
	d.maxBytes = 16
	fetch(t, d, root, algal.BudgetExhausted, `transport "lib" exceeds 16 bytes`)
}
