package journal_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/runtime"
)

// A dispatch dies during its second effect, a read. Its recovery is answered the
// first from the record and calls the second again.
func Example() {
	engine := journal.NewMemory()
	dispatch := journal.Dispatch{
		Process:  "worker",
		Intent:   canon.DigestText("the intent record"),
		Manifest: canon.DigestText("the program"),
	}
	effect := func(tool string, read bool) runtime.Binding {
		return runtime.Binding{
			RequestDigest:       canon.DigestText("a request of " + tool),
			Executor:            "tool:" + tool,
			ConfigurationDigest: canon.DigestText("how " + tool + " is set up"),
			IdempotencyKey:      canon.DigestText("worker, a request of " + tool),
			Read:                read,
		}
	}
	run := func(j *journal.Journal, alive bool) {
		for _, b := range []runtime.Binding{effect("save", false), effect("look", true)} {
			token, settled, err := j.Begin(b)
			switch {
			case err != nil:
				fmt.Println(err)
				return
			case settled.Exists():
				fmt.Println(b.Executor, "had settled:", settled.Get("output"))
				continue
			}
			fmt.Println(b.Executor, "is called")
			if b.Read && !alive {
				return // and nobody hears of it again
			}
			receipt := canon.Object(
				canon.M("requestDigest", canon.String(string(b.RequestDigest))),
				canon.M("executor", canon.String(b.Executor)),
				canon.M("output", canon.String("done")),
			)
			if err := j.Complete(token, receipt); err != nil {
				fmt.Println(err)
			}
		}
		fmt.Println("finished:", j.Finish())
	}

	j, err := journal.Create(engine, dispatch, journal.DefaultRecoveries)
	if err != nil {
		fmt.Println(err)
		return
	}
	run(j, false)

	if j, err = journal.Open(engine, dispatch); err == nil {
		err = j.Recover()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	run(j, true)
	// Output:
	// tool:save is called
	// tool:look is called
	// tool:save had settled: "done"
	// tool:look is called
	// finished: <nil>
}
