package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/demo/portable"
	"github.com/algal-vm/algal/demo/qualification"
)

func newDemoEvidenceCommand(with *shared) *cobra.Command {
	o := &qualificationOptions{}
	cmd := &cobra.Command{
		Use:   "evidence",
		Short: "Export a process and verify it where nothing else is",
		Long: `Runs a process to its end, through the kill of its first dispatch and a recovery, and exports it.
Then everything that it came from is moved away, and the document is verified in an empty directory
and with an empty environment. Copies that were tampered with are refused, and so are tools of the
host. With two runtimes each exports and each verifies both documents; the second one must be able
to run without an environment. sh must be there: it starts the tool that the process calls.

` + qualificationHelp + `

Result: {"contract":"` + portable.Contract + `","ok","runtimes","liveProvider","scenario",
"adapterAdmissions","validationInvocations","sourcePathsRemoved","sourceStateUnchanged",
"offlineDirectoryEmpty","rejectedMutations","rejectedHostConfigurations","cliInvocations",
"verification":[{"exporter","verifier","report"},…],"evidenceDirectory","limitation"}, with "failure"
where a fact was false.`,
		Example: `  algal demo evidence
  algal demo evidence --keep --out evidence.report.json`,
		Args:        positional(),
		Annotations: map[string]string{negativeKey: qualificationNegative},
		RunE: func(*cobra.Command, []string) error {
			return runDemoEvidence(with.signals.unwind(), with.streams, o)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

func runDemoEvidence(ctx context.Context, s *streams, o *qualificationOptions) error {
	return runQualification(ctx, s, o, portable.Demonstration(), accountOfEvidence)
}

func accountOfEvidence(p *page, r *qualification.Result) {
	for _, v := range r.Report.Get("verification").Elements() {
		report := v.Get("report")
		p.Row("evidence", "of %s, verified by %s: %s generations, %s receipts, %s", v.Get("exporter").Text(), v.Get("verifier").Text(),
			report.Get("generations"), report.Get("receipts"), report.Get("digest").Text())
	}
	p.Row("refused", "%s tampered copies, %s with tools of the host", r.Report.Get("rejectedMutations"), r.Report.Get("rejectedHostConfigurations"))
	p.Row("runtimes", "%s, in %s processes", r.Report.Get("runtimes"), r.Report.Get("cliInvocations"))
	p.Row("limit", "%s", r.Report.Get("limitation").Text())
}
