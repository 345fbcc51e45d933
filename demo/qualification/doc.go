// Package qualification holds the demonstrations that show the machine from outside
// (demo.md, introduction): real processes of one executable or of two, a workspace
// of their own, facts that are asserted one by one, and a report.
//
// A [Demonstration] only says what is done and what must be the case. [Hold] gives
// it the two roles, A and B: both are played by our executable unless another one is
// named, which then plays B. It ends at the first fact that is false, and the report
// then has what was measured so far, "ok" false, and "failure", which names the fact
// and what was found instead:
//
//	{"contract": …, "ok": false, …, "failure": {"fact": …, "found": …, "workspace": …}}
//
// A runtime that cannot be run within its bounds of time and output falsifies what
// was asked of it: that too is such a report, not an error.
//
// The workspace is removed when everything held, unless it is to be kept, and always
// kept otherwise. The package knows no command line of a runtime and prints nothing.
package qualification
