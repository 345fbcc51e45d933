package suite

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Example is what became of one example.
type Example struct {
	Name     string
	Outcome  string       // of the run, "" when the example was refused before it ran
	Receipt  algal.Digest // the receipt's digest, "" likewise
	Verified bool

	// Err says why the example is not as expected, or why it was refused. It is nil
	// when the receipt verified and everything in expect.json holds.
	Err error
}

// OK reports whether the example is verified and as expected.
func (e *Example) OK() bool { return e.Err == nil }

// Value returns the example as it stands in the record.
func (e *Example) Value() canon.Value {
	outcome, receipt := canon.Null(), canon.Null()
	if e.Outcome != "" {
		outcome, receipt = canon.String(e.Outcome), canon.String(string(e.Receipt))
	}
	return canon.Object(
		canon.M("name", canon.String(e.Name)),
		canon.M("ok", canon.Bool(e.OK())),
		canon.M("outcome", outcome),
		canon.M("receipt", receipt),
		canon.M("verified", canon.Bool(e.Verified)),
	)
}

// Result is what became of a suite: its examples in byte order of their names,
// whatever the order in which they were run.
type Result struct{ Examples []Example }

// OK reports whether all examples are.
func (r *Result) OK() bool {
	for i := range r.Examples {
		if !r.Examples[i].OK() {
			return false
		}
	}
	return true
}

// Value returns the record {"examples", "ok", "total"}. The reasons are not in it.
func (r *Result) Value() canon.Value {
	examples := make([]canon.Value, len(r.Examples))
	for i := range r.Examples {
		examples[i] = r.Examples[i].Value()
	}
	return canon.Object(
		canon.M("examples", canon.Array(examples...)),
		canon.M("ok", canon.Bool(r.OK())),
		canon.M("total", canon.Int(len(examples))),
	)
}
