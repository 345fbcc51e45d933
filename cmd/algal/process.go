package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/process"
)

func newProcessCommand(with *shared) *cobra.Command {
	return located(with, group(&cobra.Command{
		Use:   "process COMMAND",
		Short: "Run programs as durable named processes",
		Long: `A process is a named, durable execution of a program. It is dispatched until its program ends
or waits, survives every kind of crash between two steps, and its whole history can be verified
and exported. An outcome that is not known stays unknown: nothing uncertain is repeated.`,
		Example: `  algal process create review review.algal.json --args args.json
  algal process tick review --responses answers.json
  algal process export review > review.evidence.json`,
	},
		newProcessCreateCommand(with),
		newProcessExplainCommand(with),
		newProcessExportCommand(with),
		newProcessInspectCommand(with),
		newProcessJournalCommand(with),
		newProcessListCommand(with),
		newProcessRecoverCommand(with),
		newProcessReplayCommand(with),
		newProcessScheduleCommand(with),
		newProcessTickCommand(with),
		newProcessVerifyCommand(with),
		newProcessVerifyEvidenceCommand(with),
	))
}

type processOptions struct {
	*globals
	name     string
	program  programFlags
	executor executorFlags
}

type processCreateOptions struct {
	processOptions
	manifest       string
	args           string
	maxGenerations string
}

func newProcessCreateCommand(with *shared) *cobra.Command {
	o := &processCreateOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "create NAME MANIFEST",
		Short: "Create a process that is ready to run",
		Long: `Creates a process. Its definition never changes afterwards. A creation that was interrupted is
resumed by the same command.

Result: the snapshot {"digest","process"}.`,
		Example: `  algal process create review review.algal.json --args args.json --modules modules --max-generations 4`,
		Args:    positional("NAME", "MANIFEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.manifest = args[0], args[1]
			return runProcessCreate(cmd.Context(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.args, "args", "`FILE` of arguments, - for standard input (default {})")
	textFlag(cmd.Flags(), &o.maxGenerations, "max-generations", "let it be dispatched at most `N` times, 1 to 64 (default 16)")
	o.program.declare(cmd.Flags())
	return cmd
}

func runProcessCreate(ctx context.Context, s *streams, o *processCreateOptions) error {
	generations, err := integerOr(o.maxGenerations, "maxGenerations", 1, chain.MaxGenerations, process.DefaultMaxGenerations)
	if err != nil {
		return err
	}
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	args := canon.Value{}
	if o.args != "" {
		if args, err = (input{o.args, "process args", chain.MaxArgsBytes}).readOr(s.in); err != nil {
			return err
		}
	}
	supervisor, err := openSupervisor(ctx, s, o.dir, &o.program, nil)
	if err != nil {
		return err
	}
	snapshot, err := supervisor.Create(ctx, process.Definition{Name: o.name, Manifest: m, Args: args, MaxGenerations: generations})
	if err != nil {
		return err
	}
	return o.printSnapshot(ctx, s, supervisor, snapshot)
}

func newProcessListCommand(with *shared) *cobra.Command {
	o := &processOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "list",
		Short: "List the processes of the store",
		Long: `Inspects every process of the store, by name. The first that cannot be read fails the list.

Result: {"processes"}.`,
		Example: `  algal process list`,
		Args:    positional(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runProcessList(cmd.Context(), with.streams, o) },
	}
}

func runProcessList(_ context.Context, s *streams, o *processOptions) error {
	list, err := inspectSupervisor(s, o.dir).List()
	if err != nil {
		return err
	}
	return s.result(canon.Object(canon.M("processes", snapshots(list))), func(p *page) {
		for _, snapshot := range list {
			r := snapshot.Record
			p.Row(r.Name, "%s, generation %d of %d", r.Status, r.Generation, r.MaxGenerations)
		}
		p.Verdict(true, "%s", countedAs(len(list), "process", "processes"))
	})
}

func snapshots(list []*process.Snapshot) canon.Value {
	values := make([]canon.Value, len(list))
	for i, snapshot := range list {
		values[i] = snapshot.Value()
	}
	return canon.Array(values...)
}

func newProcessInspectCommand(with *shared) *cobra.Command {
	o := &processOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "inspect NAME",
		Short: "Show a process with its history validated",
		Long: `Validates the history of a process and shows where it stands. It takes no lease and changes
nothing.

Result: the snapshot {"digest","process"}. At a terminal: status, sizes against their bounds, what
it waits for and what to type next.`,
		Example: `  algal process inspect review`,
		Args:    positional("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runProcessInspect(cmd.Context(), with.streams, o)
		},
	}
}

func runProcessInspect(ctx context.Context, s *streams, o *processOptions) error {
	supervisor := inspectSupervisor(s, o.dir)
	snapshot, err := supervisor.Inspect(o.name)
	if err != nil {
		return err
	}
	return o.printSnapshot(ctx, s, supervisor, snapshot)
}

func newProcessVerifyCommand(with *shared) *cobra.Command {
	o := &processOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "verify NAME",
		Short: "Replay the whole history of a process",
		Long: `Replays every generation with its recorded effects. Nothing is called and nothing is written.
A process that does not verify is an error.

Result: {"digest","generations","ok":true,"receipts"}.`,
		Example: `  algal process verify review`,
		Args:    positional("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return runProcessVerify(with.signals.unwind(), with.streams, o)
		},
	}
	o.program.declareTools(cmd.Flags())
	return cmd
}

func runProcessVerify(ctx context.Context, s *streams, o *processOptions) error {
	supervisor, err := openSupervisor(ctx, s, o.dir, &o.program, nil)
	if err != nil {
		return err
	}
	s.progress("replaying the history of %s", o.name)
	verified, err := supervisor.Verify(ctx, o.name)
	if err != nil {
		return err
	}
	return s.result(verified.Value(), func(p *page) {
		p.Row("head", "%s", verified.Head)
		p.Row("status", "%s", verified.Status)
		p.Row("history", "%s, %s", counted(verified.Generations, "generation"), counted(verified.Receipts, "receipt"))
		p.Verdict(true, "verified: the history follows from the program and the recorded effects")
	})
}
