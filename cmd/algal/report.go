package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/report"
	"github.com/algal-vm/algal/verify"
	"github.com/algal-vm/algal/verify/document"
)

type reportOptions struct {
	*globals
	file    string // the document, or:
	process string
	tools   string
	out     string
	force   bool
}

func newReportCommand(with *shared) *cobra.Command {
	o := &reportOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "report EVIDENCE",
		Short: "Show a process on one page",
		Long: `Verifies an evidence document, plain or zstd, - being standard input, and prints what is in it as
one HTML page: where the process stands, what was verified and what that does not prove, the graph
of its program, and generation by generation what was asked and answered. With --process the
process of the store is shown instead, with what its journals say; nothing is called and nothing
changes.

The page is self-contained and passive: it runs nothing and loads nothing, whatever is in the
document. It has at most 4 MiB and says what it leaves out. It is not redacted. A document that is
refused gives no page, and is an error.

With --out the page goes to a file, whole or not at all, and the result is
{"bytes","digest","evidenceDigest","status"}. A terminal does not get the page unless --json or
--force is given.`,
		Example: `  algal report review.evidence.json > review.html
  algal report --process review --out review.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || (len(args) == 1) == (o.process != "") {
				return usage("algal report EVIDENCE, or algal report --process NAME")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return aboutPlace(with.dir, runReport(with.signals.unwind(), with.streams, o))
			}
			for _, flag := range []string{"dir", "tools"} {
				if cmd.Flags().Changed(flag) {
					return usage("--%s is for algal report --process", flag)
				}
			}
			o.file = args[0]
			return runReport(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.process, "process", "show the process `NAME` of the store")
	textFlag(cmd.Flags(), &o.tools, "tools", "`FILE` that declares the tools that the program names; nothing in it is run")
	textFlag(cmd.Flags(), &o.out, "out", "write the page to `FILE`")
	switchFlag(cmd.Flags(), &o.force, "force", "print the page even at a terminal")
	return cmd
}

func runReport(ctx context.Context, s *streams, o *reportOptions) error {
	if o.out == "" {
		if err := spareTerminal(s, o.force); err != nil {
			return err
		}
	}
	read := o.document
	if o.process != "" {
		read = o.stored
	}
	subject, err := read(ctx, s)
	if err != nil {
		return err
	}
	text, err := report.Process(ctx, subject)
	if err != nil {
		return err
	}
	if o.out == "" {
		return s.write(text)
	}
	if err := writeFile(o.out, text); err != nil {
		return err
	}
	verdict := subject.Report
	v := canon.Object(
		canon.M("bytes", canon.Int(len(text))),
		canon.M("digest", canon.String(string(verdict.Head))),
		canon.M("evidenceDigest", canon.String(string(verdict.Evidence))),
		canon.M("status", canon.String(string(verdict.Status))),
	)
	return s.result(v, func(p *page) {
		p.Line("%s", verdict.History.Last().Name)
		p.Row("status", "%s", verdict.Status)
		p.Row("head", "%s", verdict.Head)
		p.Row("evidence", "%s", verdict.Evidence)
		p.Verdict(true, "verified, and shown in %s of %s", o.out, counted(len(text), "byte"))
	})
}

// document verifies the document in a file.
func (o *reportOptions) document(ctx context.Context, s *streams) (report.Subject, error) {
	text, err := readDocument(s, o.file)
	if err != nil {
		return report.Subject{}, err
	}
	evidence, err := verify.Parse(text)
	if err != nil {
		return report.Subject{}, aboutRefusal(err)
	}
	s.progress("replaying %s", o.file)
	verdict, err := evidence.Verify(ctx)
	return report.Subject{Evidence: evidence, Report: verdict}, aboutRefusal(err)
}

// readDocument reads an evidence document as algal-verify does: plain or zstd, - for
// standard input.
func readDocument(s *streams, path string) (string, error) {
	if path == stdinName {
		text, err := document.ReadFrom(s.in)
		return text, about(err, "on standard input")
	}
	text, err := document.ReadFile(path)
	return text, about(err, "%s", absolute(path))
}

// stored captures the evidence of a process of the store, which verifies it, and
// tells what the store knows beside it.
func (o *reportOptions) stored(ctx context.Context, s *streams) (report.Subject, error) {
	signatures, err := readSignatures(o.tools)
	if err != nil {
		return report.Subject{}, err
	}
	supervisor := readingSupervisor(s, o.dir, signatures)
	s.progress("capturing the evidence of %s", o.process)
	exported, err := supervisor.Export(ctx, o.process, signatures)
	if err != nil {
		return report.Subject{}, err
	}
	story, err := supervisor.Explain(ctx, o.process)
	if err != nil {
		return report.Subject{}, err
	}
	return report.Subject{Evidence: exported.Evidence, Report: exported.Report, Local: &report.Local{
		Place: absolute(filepath.Join(o.dir, "processes", o.process)),
		Story: story,
		Next:  newGuide(o.dir, s).next(story.Record, story),
	}}, nil
}
