package organism

import "github.com/algal-vm/algal/canon"

// Function is a registered pure function (§12).
type Function struct {
	Inputs, Outputs Ports
	Cost            int // work units of a call, beside those of the activation

	// Call takes an object of input ports, without those that received nothing,
	// and returns one of output ports. The caller has checked the inputs against
	// their ports. Faults have code FN_FAILED.
	Call func(inputs canon.Value) (canon.Value, error)
}

// Registry maps references to functions.
type Registry map[string]*Function

// Builtins returns the ten built-in functions. The registry is shared and must
// not be changed.
func Builtins() Registry { return builtins }
