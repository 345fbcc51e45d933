package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/replay"
)

type resumeOptions struct {
	*globals
	receipt  string
	manifest string // "" to look it up in the store
	program  programFlags
	executor executorFlags
	write    bool
}

func newResumeCommand(with *shared) *cobra.Command {
	o := &resumeOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "resume RECEIPT [MANIFEST]",
		Short: "Continue a run from its receipt",
		Long: `Verifies a receipt and runs its program anew: effects that were answered are answered
from the receipt, suspended ones and those beyond it go to the executors. Without MANIFEST the
program is looked up in the store.

Result: the new receipt. At a terminal: its outputs and work; the last line says the outcome.`,
		Example:     `  algal resume suspended.json program.algal.json --responses approval.json`,
		Args:        positional("RECEIPT", "[MANIFEST]"),
		Annotations: map[string]string{negativeKey: "the outcome is not complete: failed, stuck or suspended"},
		RunE: func(_ *cobra.Command, args []string) error {
			o.receipt, o.manifest = args[0], argument(args, 1)
			return runResume(with.signals.unwind(), with.streams, o)
		},
	}
	o.program.declare(cmd.Flags())
	o.executor.declare(cmd.Flags())
	switchFlag(cmd.Flags(), &o.write, "write", "put the new receipt into the store")
	return cmd
}

func runResume(ctx context.Context, s *streams, o *resumeOptions) error {
	receipt, manifest, err := readRecorded(o.receipt, o.manifest)
	if err != nil {
		return err
	}
	host, err := openHost(ctx, s, o.dir, &o.program, &o.executor, manifest)
	if err != nil {
		return err
	}
	m, err := programOf(receipt, manifest, host.Store)
	if err != nil {
		return err
	}
	result, err := replay.Resume(ctx, receipt, m, host)
	if err != nil {
		return err
	}
	resumed := result.Receipt()
	if o.write {
		if err := keepReceipt(ctx, s, host.Store, resumed); err != nil {
			return err
		}
	}
	return printReceipt(s, m, resumed)
}
