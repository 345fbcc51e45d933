package custody

import (
	"path/filepath"
	"testing"
)

// TestOwnFileClosed does what nobody may do on other systems (custody.md §2.5).
func TestOwnFileClosed(t *testing.T) {
	dir, other := scratch(t), startChild(t)
	l := mustAcquire(t, dir, label)
	read(t, filepath.Join(dir, databaseName))
	if got := other.ask("acquire", dir, label); got != contended {
		t.Errorf("another process: %s", got)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
