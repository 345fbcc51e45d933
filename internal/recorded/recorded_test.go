//go:build unix

package recorded_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal/internal/recorded"
)

func TestDir(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(base, "a", "b")
	for range 2 { // the second run finds nothing of the first
		t.Run("lent", func(t *testing.T) {
			recorded.Dir(t, path)
			entries, err := os.ReadDir(path)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%v, %v", entries, err)
			}
			if err := os.WriteFile(filepath.Join(path, "left"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}
