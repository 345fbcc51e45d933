//go:build unix

package transport

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
)

// TestF4FIFO: nobody ever writes to it, so a reader that waits never ends.
func TestF4FIFO(t *testing.T) {
	_, root := program(t)
	dir := t.TempDir()
	fifo := filepath.Join(dir, bundle.FileName(root))
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	const refusal = `transport "lib": regular file byte bound`
	fetch(t, NewDirectory("lib", dir), root, algal.BudgetExhausted, refusal)
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the FIFO is gone: %v", err)
	}

	linked := t.TempDir()
	if err := os.Symlink(fifo, filepath.Join(linked, bundle.FileName(root))); err != nil {
		t.Fatal(err)
	}
	fetch(t, NewDirectory("lib", linked), root, algal.BudgetExhausted, refusal)
}
