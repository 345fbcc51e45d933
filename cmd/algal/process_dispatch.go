package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/process"
)

type dispatchOptions struct {
	processOptions
	flags         *pflag.FlagSet
	maxTicks      string // schedule
	journal       bool
	maxRecoveries string
	intent        string // recover
}

// declare declares what every dispatch takes.
func (o *dispatchOptions) declare(cmd *cobra.Command, journaling bool) {
	o.flags = cmd.Flags()
	o.program.declare(o.flags)
	o.executor.declare(o.flags)
	if journaling {
		switchFlag(o.flags, &o.journal, "journal", "record every effect, so that an interrupted dispatch may be recovered")
		textFlag(o.flags, &o.maxRecoveries, "max-recoveries", "let a journaled dispatch be recovered at most `N` times, 1 to 8 (default 2)")
	}
}

// hostWords returns the given flags that say who answers: a recovery needs the same.
func hostWords(flags *pflag.FlagSet) (words []string) {
	described := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&programFlags{}).declare(described)
	(&executorFlags{}).declare(described)
	flags.Visit(func(f *pflag.Flag) {
		if described.Lookup(f.Name) == nil {
			return
		}
		words = append(words, "--"+f.Name)
		if f.Value.Type() != "bool" {
			words = append(words, f.Value.String())
		}
	})
	return words
}

// journaling returns what the dispatch is told about its journal.
func (o *dispatchOptions) journaling() (process.Options, error) {
	if !o.journal {
		return process.Options{}, nil
	}
	n, err := integerOr(o.maxRecoveries, "maxRecoveries", 1, 8, 2)
	return process.Options{Journal: true, MaxRecoveries: n}, err
}

const settledBadly = "the process settled as failed or stuck"

func newProcessTickCommand(with *shared) *cobra.Command {
	o := &dispatchOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "tick NAME",
		Short: "Dispatch a process until it ends or waits",
		Long: `Dispatches a process that is ready or suspended. Its program runs until it ends or waits again;
what was settled before is taken from the record.

A first signal lets the running generation come to its outcome; a second one ends its effects and
leaves the process uncertain.

Result: the snapshot after the dispatch.`,
		Example: `  algal process tick review --responses answers.json
  algal process tick review --executor-cmd ./answer --journal`,
		Args:        positional("NAME"),
		Annotations: map[string]string{negativeKey: settledBadly},
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			ctx, _ := with.signals.finish(with.streams)
			return runProcessTick(ctx, with.streams, o)
		},
	}
	o.declare(cmd, true)
	return cmd
}

func runProcessTick(ctx context.Context, s *streams, o *dispatchOptions) error {
	options, err := o.journaling()
	if err != nil {
		return err
	}
	supervisor, err := openSupervisor(ctx, s, o.dir, &o.program, &o.executor)
	if err != nil {
		return err
	}
	snapshot, err := supervisor.Tick(ctx, o.name, options)
	if err != nil {
		return o.aftermath(ctx, s, supervisor, o.name, err)
	}
	return o.printDispatched(ctx, s, supervisor, snapshot)
}

// printDispatched prints a process after its dispatch.
func (o *dispatchOptions) printDispatched(ctx context.Context, s *streams, supervisor *process.Supervisor, snapshot *process.Snapshot) error {
	if err := o.printSnapshot(ctx, s, supervisor, snapshot); err != nil {
		return err
	}
	if status := snapshot.Record.Status; status == chain.Failed || status == chain.Stuck {
		return errNegative
	}
	return nil
}

func newProcessScheduleCommand(with *shared) *cobra.Command {
	o := &dispatchOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Dispatch every process that can go on",
		Long: `Makes one pass over all processes by name and dispatches those that were never dispatched and
those that wait for a message that has come. Where nothing is to be done nothing is written.

A first signal lets the running generation come to its outcome and starts no other.

Result: {"processes","ticks"}, the processes that were dispatched.`,
		Example: `  algal process schedule --max-ticks 100 --responses answers.json`,
		Args:    positional(),
		RunE: func(_ *cobra.Command, _ []string) error {
			ctx, stop := with.signals.finish(with.streams)
			return runProcessSchedule(ctx, stop, with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.maxTicks, "max-ticks", "dispatch at most `N` processes, 1 to 1024 (default 16)")
	o.declare(cmd, true)
	return cmd
}

const defaultTicks = 16

func runProcessSchedule(ctx context.Context, stop func() bool, s *streams, o *dispatchOptions) error {
	ticks, err := integerOr(o.maxTicks, "maxTicks", 1, process.MaxTicks, defaultTicks)
	if err != nil {
		return err
	}
	options, err := o.journaling()
	if err != nil {
		return err
	}
	supervisor, err := openSupervisor(ctx, s, o.dir, &o.program, &o.executor)
	if err != nil {
		return err
	}
	list, err := supervisor.Schedule(ctx, process.Pass{
		MaxTicks: ticks,
		Options:  options,
		Stop:     stop,
		Advanced: func(snapshot *process.Snapshot) {
			s.progress("%s is %s", snapshot.Record.Name, snapshot.Record.Status)
		},
	})
	if err != nil {
		return o.aboutPass(ctx, s, supervisor, list, err)
	}
	result := canon.Object(canon.M("processes", snapshots(list)), canon.M("ticks", canon.Int(len(list))))
	return s.result(result, func(p *page) {
		for _, snapshot := range list {
			r := snapshot.Record
			p.Row(r.Name, "%s, generation %d of %d", r.Status, r.Generation, r.MaxGenerations)
		}
		p.Verdict(true, "%s dispatched", countedAs(len(list), "process", "processes"))
	})
}
