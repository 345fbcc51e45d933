package custody

import (
	"testing"

	"github.com/algal-vm/algal"
)

// TestReadDocumentThatChanges reads a file that says it is empty and is not, as one
// that grows between the two looks does.
func TestReadDocumentThatChanges(t *testing.T) {
	_, err := ReadDocument("/proc/sys/kernel/pid_max", maxMarker)
	refused(t, err, algal.IOFailed, "host state changed while reading")
}
