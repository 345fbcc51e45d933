package main

import (
	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/demo/lifecycle"
	"github.com/algal-vm/algal/demo/qualification"
)

func newDemoVMCommand(with *shared) *cobra.Command {
	o := &qualificationOptions{}
	cmd := &cobra.Command{
		Use:   "vm",
		Short: "Show that processes wait, wake and verify, and decide only once",
		Long: `Two processes of one program make a decision, propose it and wait for an approval. Nothing runs
while they wait; each is then woken by a message and goes on, without deciding again; their
histories verify offline. Two more with the same arguments stay two. And the same program run from
the start instead makes every decision twice.

` + qualificationHelp + `

Report: algal.vm-demo.v1. /bin/sh must be there: it starts the adapter that decides.`,
		Example: `  algal demo vm
  algal demo vm --keep --out report.json`,
		Args:        positional(),
		Annotations: map[string]string{negativeKey: qualificationNegative},
		RunE: func(*cobra.Command, []string) error {
			return runQualification(with.signals.unwind(), with.streams, o, lifecycle.Demonstration(), accountOfLifecycle)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

func accountOfLifecycle(p *page, r *qualification.Result) {
	process, twins := r.Report.Get("process"), r.Report.Get("sameArgsIndependence")
	p.Row("runtimes", "%s, in %s processes", r.Report.Get("runtimes"), r.Report.Get("cliInvocations"))
	for _, a := range r.Report.Get("actors").Elements() {
		p.Row(a.Get("name").Text(), "%s at generation %s, %s proposed, %s published, %s receipts verified",
			a.Get("status").Text(), a.Get("generations"), a.Get("proposals"), a.Get("publications"), a.Get("verifiedReceipts"))
	}
	p.Row("decisions", "%s by the processes, none of them again; %s by restarts from the beginning",
		process.Get("decisionInvocations"), r.Report.Get("baseline").Get("decisionInvocations"))
	p.Row("wakes", "%s repeated deliveries had no effect", process.Get("duplicateWakeDeliveriesSuppressed"))
	p.Row("twins", "one wake for %s: %s complete, %s still waiting", twins.Get("actors"), twins.Get("completed"), twins.Get("suspended"))
}

// newDemoAdapterRecommendCommand is the adapter by which the processes of the demonstration
// decide; the demonstration itself names it as executor.
func newDemoAdapterRecommendCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:    lifecycle.Command + " LOG",
		Short:  "Answer the decision of demo vm",
		Long:   `Reads one effect request, adds a line to the file LOG, and answers with a fixed recommendation.`,
		Hidden: true,
		Args:   positional("LOG"),
		RunE: func(_ *cobra.Command, args []string) error {
			return lifecycle.Recommend(with.streams.in, with.streams.out, args[0])
		},
	}
}
