package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
)

// workbenchNegative says when the commands of the workbench give exit 1.
const workbenchNegative = "the process is uncertain or has failed; the report says which"

// Texts that the help of these commands share.
const workbenchResult = `
Result: the report record. At a terminal: where the workbench stands, and what to type next.`

func newDemoStartCommand(with *shared) *cobra.Command {
	evidence := ""
	cmd := &cobra.Command{
		Use:   "start ROOT",
		Short: "Make a workbench whose program waits for your decision",
		Long: `Makes the directory ROOT, which must not exist, and in it a store with one process. The program
reads the evidence, proposes to publish a report on it, and waits. Nothing is published until
somebody approves exactly that proposal; report.html in ROOT shows it.

An interrupted start is not resumed: keep the directory and choose another.
` + workbenchResult,
		Example: `  algal demo start /tmp/bench
  algal demo start /tmp/bench --evidence checks.json`,
		Args:        positional("ROOT"),
		Annotations: map[string]string{negativeKey: workbenchNegative},
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, _ := with.signals.finish(with.streams)
			return runDemoStart(ctx, with.streams, args[0], evidence)
		},
	}
	textFlag(cmd.Flags(), &evidence, "evidence", "JSON `FILE` of at most 8192 bytes to propose a report on (default: a sample)")
	return cmd
}

func runDemoStart(ctx context.Context, s *streams, root, file string) error {
	evidence := workbench.SampleEvidence()
	if file != "" {
		var err error
		if evidence, err = (input{file, "evidence", workbench.MaxEvidence}).read(); err != nil {
			return err
		}
		if err := workbench.CheckEvidence(evidence); err != nil {
			return about(err, "in %s", absolute(file))
		}
	}
	return reportWorkbench(s, root, func(o workbench.Options) (*workbench.Report, error) {
		s.progress("making %s", root)
		return workbench.Start(ctx, root, evidence, o)
	})
}

func newDemoInspectCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect ROOT",
		Short: "Check a workbench again and refresh its report",
		Long: `Replays the history of a workbench, holds its files to each other, and refreshes report.json and
report.html. The process is not advanced.
` + workbenchResult,
		Example:     `  algal demo inspect /tmp/bench`,
		Args:        positional("ROOT"),
		Annotations: map[string]string{negativeKey: workbenchNegative},
		RunE: func(_ *cobra.Command, args []string) error {
			return runDemoInspect(with.signals.unwind(), with.streams, args[0])
		},
	}
}

func runDemoInspect(ctx context.Context, s *streams, root string) error {
	return reportWorkbench(s, root, func(o workbench.Options) (*workbench.Report, error) {
		s.progress("replaying the history in %s", root)
		return workbench.Inspect(ctx, root, o)
	})
}

func newDemoApproveCommand(with *shared) *cobra.Command {
	return newDemoDecideCommand(with, workbench.Approve, "Allow the program to publish its proposal",
		`Admits your approval of the proposal with the given digest and lets the program go on: it publishes
exactly that proposal, once, and publication.json in ROOT holds it. The report names the digest.`)
}

func newDemoDenyCommand(with *shared) *cobra.Command {
	return newDemoDecideCommand(with, workbench.Deny, "Refuse the program its proposal",
		`Admits your refusal of the proposal with the given digest and lets the program go on: it ends, and
nothing is published. The report names the digest.`)
}

func newDemoDecideCommand(with *shared, verdict workbench.Verdict, short, long string) *cobra.Command {
	c := workbench.Choice{Verdict: verdict}
	cmd := &cobra.Command{
		Use:   string(verdict) + " ROOT --proposal DIGEST --action " + workbench.Action,
		Short: short,
		Long: long + `

Repeating the command changes nothing, and completes what was interrupted. Another decision on the
same proposal is refused. Where a kill has left the outcome unknown the report says uncertain and
nothing is done: "algal process explain review --dir ROOT/store" says whether the dispatch can be
recovered; if not, keep the directory and start another workbench.
` + workbenchResult,
		Example: `  algal demo ` + string(verdict) + ` /tmp/bench --proposal sha256:... --action ` + workbench.Action,
		Args:    positional("ROOT"),
		Annotations: map[string]string{
			negativeKey: workbenchNegative,
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.Proposal == "" || c.Action == "" {
				return usage("algal demo %s ROOT --proposal DIGEST --action %s", verdict, workbench.Action)
			}
			ctx, _ := with.signals.finish(with.streams)
			return runDemoDecide(ctx, with.streams, args[0], c)
		},
	}
	textFlag(cmd.Flags(), &c.Proposal, "proposal", "the `DIGEST` of the proposal that you have read (required)")
	textFlag(cmd.Flags(), &c.Action, "action", "the `ACTION` that you decide on: "+workbench.Action+" (required)")
	return cmd
}

func runDemoDecide(ctx context.Context, s *streams, root string, c workbench.Choice) error {
	return reportWorkbench(s, root, func(o workbench.Options) (*workbench.Report, error) {
		s.progress("delivering the decision to %s", root)
		return workbench.Decide(ctx, root, c, o)
	})
}

func newDemoExportCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "export ROOT",
		Short: "Write the history of a workbench as one document",
		Long: `Writes evidence.algal.json in ROOT: the whole history of the process, verified before it is
written. It verifies anywhere, without ROOT. It is not redacted.

Result: the evidence document, in canonical JSON without a newline. At a terminal: where it is and
what to type next.`,
		Example: `  algal demo export /tmp/bench
  algal demo export /tmp/bench > review.evidence.json`,
		Args: positional("ROOT"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runDemoExport(with.signals.unwind(), with.streams, args[0])
		},
	}
}

func runDemoExport(ctx context.Context, s *streams, root string) error {
	options, err := workbenchOptions()
	if err != nil {
		return err
	}
	s.progress("capturing the evidence of %s", root)
	text, report, err := workbench.Export(ctx, root, options)
	if err != nil {
		return aboutWorkbench(root, err)
	}
	if !s.readable() {
		return s.write(text)
	}
	return s.result(report.Value(), func(p *page) { accountOfExport(p, report) })
}

func newDemoVerifyCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify an exported workbench offline",
		Long: `Verifies an evidence document as algal-verify does, without a store and without the workbench that
it came from. A document that is refused is an error.

Result: the evidence report.`,
		Example: `  algal demo verify /tmp/bench/evidence.algal.json`,
		Args:    positional("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runProcessVerifyEvidence(with.signals.unwind(), with.streams, args[0])
		},
	}
}

// workbenchOptions returns what the operations of a workbench need of the world.
func workbenchOptions() (workbench.Options, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return workbench.Options{}, algal.Errorf(algal.IOFailed, "the path of this executable: %v", durable.Cause(err))
	}
	return workbench.Options{Executable: self}, nil
}

// reportWorkbench does something to a workbench and prints its report.
func reportWorkbench(s *streams, root string, do func(workbench.Options) (*workbench.Report, error)) error {
	options, err := workbenchOptions()
	if err != nil {
		return err
	}
	report, err := do(options)
	if err != nil {
		return aboutWorkbench(root, err)
	}
	if err := s.result(report.Value(), func(p *page) { accountOfWorkbench(p, report) }); err != nil {
		return err
	}
	if !report.Status.Good() {
		return errNegative
	}
	return nil
}

// aboutWorkbench adds to an error the file that it is about, and the root.
func aboutWorkbench(root string, err error) error {
	return about(aboutPlace(filepath.Join(root, workbench.StoreName), err), "workbench %s", absolute(root))
}
