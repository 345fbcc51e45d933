// Package journaltest holds the tests that every [journal.Engine] passes, whatever
// keeps its documents (journal.md). [Suite] runs them all. [Stores] are the
// journaled stores that the reference runtime left.
//
// What only some engines do, such as links and damaged text, is tested beside
// them.
package journaltest

import (
	"errors"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Suite runs the tests. open returns a new empty engine.
func Suite(t *testing.T, open func(t *testing.T) journal.Engine) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func(t *testing.T) journal.Engine)
	}{
		{"documents", documents},
		{"scan", scan},
		{"life", life},
		{"J-4 create", create},
		{"J-5 refused creation", refusedCreation},
		{"discard", discard},
		{"bad journals", badJournals},
		{"bad chains", badChains},
		{"bad bindings", badBindings},
		{"journal bytes", journalBytes},
		{"order", order},
		{"entry budget", entryBudget},
		{"completion", completion},
		{"J-19 J-20 J-21 record bounds", recordBounds},
		{"engine faults", engineFaults},
		{"J-14 concurrent", concurrent},
		{"recovery", recovery},
		{"changed host", changedHost},
		{"blocked", blocked},
		{"recovery budget", recoveryBudget},
		{"finish", finish},
		{"model", model},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// dispatch is the one that the journals under test belong to.
var dispatch = journal.Dispatch{
	Process:  "worker",
	Intent:   canon.DigestText("intent"),
	Manifest: canon.DigestText("manifest"),
}

// place is the directory of its journal.
var place = "processes/worker/journals/" + dispatch.Intent.Hex()

const (
	maxSmall = 4096
	huge     = 1 << 26 // a bound that refuses nothing
)

// binding returns the binding of an effect, different for each name.
func binding(name string, read bool) runtime.Binding {
	return runtime.Binding{
		RequestDigest:       canon.DigestText("request " + name),
		Executor:            name,
		ConfigurationDigest: canon.DigestText("configuration " + name),
		IdempotencyKey:      canon.DigestText("key " + name),
		Read:                read,
	}
}

// receipt returns the receipt of an effect that gave an output.
func receipt(b runtime.Binding, output canon.Value, more ...canon.Member) canon.Value {
	return canon.Object(append(more,
		canon.M("executor", canon.String(b.Executor)),
		canon.M("output", output),
		canon.M("requestDigest", canon.String(string(b.RequestDigest))),
	)...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Refused fails the test unless err has the code and, if given, the message.
func Refused(t testing.TB, what string, err error, code algal.Code, message string) {
	t.Helper()
	e := algal.AsError(err)
	if e == nil || e.Code != code || message != "" && e.Message != message || err.Error() != e.Message {
		t.Errorf("%s: %s %v, want %s %s", what, algal.CodeOf(err), err, code, message)
	}
}

// refusedAt is Refused for a fault of the named document.
func refusedAt(t testing.TB, what string, err error, code algal.Code, message, name string) {
	t.Helper()
	Refused(t, what, err, code, message)
	var f *journal.Fault
	if !errors.As(err, &f) || f.Name != name {
		t.Errorf("%s: the fault is %#v, want it in %s", what, f, name)
	}
}

// uncertain fails the test unless err is flagged.
func uncertain(t testing.TB, what string, err error, want bool) {
	t.Helper()
	if e := algal.AsError(err); e == nil || e.Uncertain != want {
		t.Errorf("%s: %v, want it uncertain: %v", what, err, want)
	}
}

func reopen(t testing.TB, e journal.Engine) *journal.Journal {
	t.Helper()
	j, err := journal.Open(e, dispatch)
	must(t, err)
	return j
}

func recovering(t testing.TB, e journal.Engine) *journal.Journal {
	t.Helper()
	j := reopen(t, e)
	must(t, j.Recover())
	return j
}

func fresh(t testing.TB, e journal.Engine, maxRecoveries int) *journal.Journal {
	t.Helper()
	j, err := journal.Create(e, dispatch, maxRecoveries)
	must(t, err)
	return j
}

// begin presents an effect that must be called.
func begin(t testing.TB, j *journal.Journal, b runtime.Binding) (token string) {
	t.Helper()
	token, settled, err := j.Begin(b)
	must(t, err)
	if token == "" || settled.Exists() {
		t.Fatalf("begin %s: token %q, receipt %s", b.Executor, token, settled)
	}
	return token
}

// settle presents an effect, calls it in mind and completes it.
func settle(t testing.TB, j *journal.Journal, b runtime.Binding) canon.Value {
	t.Helper()
	token := begin(t, j, b)
	r := receipt(b, canon.String("done "+b.Executor))
	must(t, j.Complete(token, r))
	return r
}

// recorded presents an effect that has settled before.
func recorded(t testing.TB, j *journal.Journal, b runtime.Binding, want canon.Value) {
	t.Helper()
	token, settled, err := j.Begin(b)
	if token != "" || err != nil || !canon.Equal(settled, want) {
		t.Fatalf("begin %s: token %q, receipt %s, %v, want %s", b.Executor, token, settled, err, want)
	}
}

// states are the entries in short: executor, attempt and, once settled, a full
// stop.
func states(j *journal.Journal) (list []string) {
	for _, e := range j.Effects() {
		s := e.Executor + strings.Repeat("+", e.Attempt)
		if e.Completed() {
			s += "."
		}
		list = append(list, s)
	}
	return list
}

// holds fails the test unless the journal on the engine has these states.
func holds(t testing.TB, e journal.Engine, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, states(reopen(t, e)), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// read returns a document that is there.
func read(t testing.TB, e journal.Engine, name string) canon.Value {
	t.Helper()
	v, err := e.Read(name, huge)
	must(t, err)
	if !v.Exists() {
		t.Fatalf("%s is missing", name)
	}
	return v
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 2 * canon.MaxDepth})
	must(t, err)
	return v
}
