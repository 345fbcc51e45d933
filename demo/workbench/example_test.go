//go:build unix

package workbench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal/demo/workbench"
)

// A program proposes, waits, and publishes once it is allowed to.
func Example() {
	dir, err := os.MkdirTemp("", "workbench-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, root := context.Background(), filepath.Join(dir, "bench")
	options := workbench.Options{Executable: "/usr/local/bin/algal"}

	report, err := workbench.Start(ctx, root, workbench.SampleEvidence(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Status.Sentence())

	choice := workbench.Choice{
		Verdict:  workbench.Approve,
		Proposal: report.Value().Get("proposal").Get("digest").Text(),
		Action:   workbench.Action,
	}
	for range 2 { // repeating a decision changes nothing
		if report, err = workbench.Decide(ctx, root, choice, options); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Status, report.Value().Get("counters"))
	}
	// Output:
	// waiting: nothing is published until exactly this proposal is approved
	// approved {"decisions":1,"proposals":1,"publications":1}
	// approved {"decisions":1,"proposals":1,"publications":1}
}
