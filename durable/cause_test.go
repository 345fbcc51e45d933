package durable_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// TestCause: what the system said is left, and nothing else is touched.
func TestCause(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	_, opened := os.Open(gone)
	_, read := durable.Read(gone, 1, durable.NoFollow)
	for name, err := range map[string]error{
		"path":  opened,
		"link":  os.Link(gone, gone+"2"),
		"fault": read,
		"inner": fmt.Errorf("context: %w", opened),
	} {
		if got := durable.Cause(err); !errors.Is(got, fs.ErrNotExist) || got.Error() != "no such file or directory" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := durable.Cause(io.EOF); got != io.EOF {
		t.Errorf("%v", got)
	}
	refused := &durable.Fault{Kind: durable.Symlink}
	if got := durable.Cause(refused); got != error(refused) {
		t.Errorf("a fault without an error of the system became %v", got)
	}
}
