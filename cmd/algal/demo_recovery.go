package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/adapter"
	"github.com/algal-vm/algal/demo/crash"
	"github.com/algal-vm/algal/demo/qualification"
)

func newDemoRecoveryCommand(with *shared) *cobra.Command {
	o := &qualificationOptions{}
	cmd := &cobra.Command{
		Use:   "recovery",
		Short: "Kill a dispatch inside a call and recover it elsewhere",
		Long: `Kills a runtime with SIGKILL in the middle of a tool call, so that nobody knows whether the call
was answered, and lets another runtime come after it. That one is kept out as long as the owner
lives. Where the call only reads, it carries exactly that dispatch to its outcome and repeats
nothing else; where the call writes, both are refused. Four cases: each kind with each owner. sh
must be there: it starts the tool that the process calls.

` + qualificationHelp + `

Result: {"contract":"` + crash.Contract + `","ok","runtimes","cliInvocations","realSigkills",
"successfulCrossRuntimeRecoveries","cases"}, with "failure" where a fact was false; the directory
then has ` + crash.Failure + `.`,
		Example: `  algal demo recovery
  algal demo recovery --native ./other-runtime --out recovery.report.json`,
		Args:        positional(),
		Annotations: map[string]string{negativeKey: qualificationNegative},
		RunE: func(*cobra.Command, []string) error {
			return runDemoRecovery(with.signals.unwind(), with.streams, o)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

func runDemoRecovery(ctx context.Context, s *streams, o *qualificationOptions) error {
	return runQualification(ctx, s, o, crash.Demonstration(), accountOfRecovery)
}

func accountOfRecovery(p *page, r *qualification.Result) {
	for _, c := range r.Report.Get("cases").Elements() {
		calls, became := c.Get("readCalls"), "recovered"
		if !calls.Exists() {
			calls, became = c.Get("pendingWriteCalls"), "refused to both"
		}
		p.Row("case", "%s: killed by %s, %s, calls %s and %s", c.Get("label").Text(), c.Get("killedSignal").Text(), became, c.Get("completedWrites"), calls)
	}
	p.Row("runtimes", "%s, in %s processes", r.Report.Get("runtimes"), r.Report.Get("cliInvocations"))
}

// newDemoAdapterStageCommand is the tool of the demonstrations that lose an
// acknowledgement. Their tools files name it; it is not for a reader.
func newDemoAdapterStageCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:    adapter.Command + " DIR STAGE",
		Short:  "Serve one call of a tool of the demonstrations",
		Hidden: true,
		Args:   positional("DIR", "STAGE"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runDemoAdapterStage(with.streams, args[0], args[1])
		},
	}
}

func runDemoAdapterStage(s *streams, dir, name string) error {
	stage, err := adapter.ParseStage(name)
	if err != nil {
		return err
	}
	answer, ok := s.out.(*os.File)
	if !ok {
		return algal.Errorf(algal.IOFailed, "standard output: not a file")
	}
	return about(adapter.Serve(adapter.Place(dir), stage, s.in, answer), "adapter in %s", dir)
}
