//go:build unix

package doctor

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
)

// Status says how a check came out.
type Status string

// A warning is of something that works, with a loss that the advice names; a
// problem is of something that a store rests on and that is not there.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// Check is what one check has found.
type Check struct {
	Name    string
	Status  Status
	Finding string // with numbers, where there are some
	Advice  string // what to do about it, "" when it is OK
}

// Value returns the check as commands print it.
func (c Check) Value() canon.Value {
	return canon.Object(
		canon.M("advice", canon.String(c.Advice)),
		canon.M("finding", canon.String(c.Finding)),
		canon.M("name", canon.String(c.Name)),
		canon.M("status", canon.String(string(c.Status))),
	)
}

// Report is what an examination has found.
type Report struct {
	Store  string // its absolute path, as it was given
	Checks []Check
}

// OK reports whether there is no problem. Warnings do not count.
func (r *Report) OK() bool { return r.Count(Problem) == 0 }

// Count returns how many checks came out so.
func (r *Report) Count(s Status) int {
	n := 0
	for _, c := range r.Checks {
		if c.Status == s {
			n++
		}
	}
	return n
}

// Value returns the report as commands print it.
func (r *Report) Value() canon.Value {
	checks := make([]canon.Value, len(r.Checks))
	for i, c := range r.Checks {
		checks[i] = c.Value()
	}
	return canon.Object(
		canon.M("checks", canon.Array(checks...)),
		canon.M("ok", canon.Bool(r.OK())),
		canon.M("store", canon.String(r.Store)),
	)
}

func fine(format string, args ...any) Check {
	return Check{Status: OK, Finding: fmt.Sprintf(format, args...)}
}

func warning(advice, format string, args ...any) Check {
	return Check{Status: Warning, Finding: fmt.Sprintf(format, args...), Advice: advice}
}

func problem(advice, format string, args ...any) Check {
	return Check{Status: Problem, Finding: fmt.Sprintf(format, args...), Advice: advice}
}
