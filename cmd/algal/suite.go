package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/examples"
	"github.com/algal-vm/algal/suite"
)

type suiteOptions struct{ dir string }

func newSuiteCommand(with *shared) *cobra.Command {
	o := &suiteOptions{}
	return &cobra.Command{
		Use:   "suite [DIR]",
		Short: "Run example programs and compare what comes of them",
		Long: `Runs the examples in DIR, by default those that come with this command, each in a store of its
own, verifies their receipts, and compares outcome and receipt with what each example expects.

Result: {"examples":[{"name","ok","outcome","receipt","verified"},…],"ok","total"}; reasons go to
standard error. At a terminal: a line for each example; the last line says the verdict.`,
		Example:     `  algal suite`,
		Args:        positional("[DIR]"),
		Annotations: map[string]string{negativeKey: "an example is not as expected"},
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = argument(args, 0)
			return runSuite(with.signals.unwind(), with.streams, o)
		},
	}
}

func runSuite(ctx context.Context, s *streams, o *suiteOptions) error {
	fsys := examples.Programs()
	if o.dir != "" {
		fsys = os.DirFS(o.dir)
	}
	done := 0
	result, err := suite.Run(ctx, fsys, suite.Options{Progress: func(e suite.Example) {
		done++
		s.progress("%s done, last %s", counted(done, "example"), e.Name)
	}})
	if err != nil {
		return err
	}
	for _, e := range result.Examples {
		if e.Err != nil {
			s.note("%s: %s", e.Name, errorLine(e.Err))
		}
	}
	if err := s.result(result.Value(), func(p *page) { accountOfSuite(p, &result) }); err != nil {
		return err
	}
	if !result.OK() {
		return errNegative
	}
	return nil
}

func accountOfSuite(p *page, result *suite.Result) {
	good := 0
	for _, e := range result.Examples {
		word := "differs"
		if e.OK() {
			good++
			word = "ok"
		}
		p.Mark(e.OK(), word, "%s: %s", e.Name, e.Outcome)
	}
	p.Verdict(result.OK(), "%d of %d as expected", good, len(result.Examples))
}
