package durable_test

import (
	"errors"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// TestGrown reads a file whose size is 0 by fstat and that has content all the
// same, as a file that grows after it was opened.
func TestGrown(t *testing.T) {
	const path = "/proc/self/status"
	_, err := durable.Read(path, 10, durable.NoFollow)
	var fault *durable.Fault
	if !errors.As(err, &fault) || fault.Kind != durable.Grown || fault.Bound != 10 {
		t.Errorf("Read = %#v, want a fault of kind Grown", err)
	}
	if _, err := durable.ReadNamed(path, "L", 10); algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "L exceeds 10 bytes" {
		t.Errorf("ReadNamed = %s %v", algal.CodeOf(err), err)
	}
	f, err := durable.Open(path, durable.MaxBytes, durable.NoFollow)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Size != 0 || f.Text == "" {
		t.Errorf("Size = %d with %d bytes of text", f.Size, len(f.Text))
	}
}
