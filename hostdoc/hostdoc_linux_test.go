package hostdoc

import (
	"testing"

	"github.com/algal-vm/algal"
)

// TestReadThatChanges reads a file that says it is empty and is not, as one
// that grows between the two looks does.
func TestReadThatChanges(t *testing.T) {
	_, err := Read("/proc/sys/kernel/pid_max", bound4K)
	refused(t, err, algal.IOFailed, "host state changed while reading")
}
