package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/tool/builtin"
	"github.com/algal-vm/algal/verify"
)

type exportOptions struct {
	processOptions
	tools string
	force bool
}

func newProcessExportCommand(with *shared) *cobra.Command {
	o := &exportOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Write the whole history of a process as one document",
		Long: `Captures the evidence of a process: everything that verifying its history looks up, and nothing
else. The document is verified before it is printed. It is not redacted.

Result: the evidence document, in canonical JSON without a newline. A terminal does not get it
unless --json or --force is given.`,
		Example: `  algal process export review > review.evidence.json`,
		Args:    positional("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return runProcessExport(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.tools, "tools", "`FILE` that declares the tools that the program names; nothing in it is run")
	switchFlag(cmd.Flags(), &o.force, "force", "print the document even at a terminal")
	return cmd
}

func runProcessExport(ctx context.Context, s *streams, o *exportOptions) error {
	if err := spareTerminal(s, o.force); err != nil {
		return err
	}
	signatures, err := readSignatures(o.tools)
	if err != nil {
		return err
	}
	s.progress("capturing the evidence of %s", o.name)
	document, err := inspectSupervisor(s, o.dir).Export(ctx, o.name, signatures)
	if err != nil {
		return err
	}
	return s.write(document.Text)
}

// readSignatures returns the signatures of the built-in tools and of a tools file,
// of which nothing is opened or run (cli.md §2.4).
func readSignatures(path string) (map[string]*organism.Tool, error) {
	signatures := builtinSignatures()
	v, err := readOptional(path, "tools file")
	if err != nil || !v.Exists() {
		return signatures, err
	}
	if !v.Is(canon.KindObject) || v.Len() > verify.MaxTools {
		return nil, about(usage("a tools file has at most %d entries", verify.MaxTools), "in %s", absolute(path))
	}
	for name, entry := range v.Members() {
		if builtin.Signature(name) != nil {
			return nil, about(usage("tool %s is built in", name), "in %s", absolute(path))
		}
		if err := canon.AsObject(entry, "tool "+name); err != nil {
			return nil, about(err, "in %s", absolute(path))
		}
		if err := canon.NoUnknownKeys(entry, "tool "+name, "signature", "exec"); err != nil {
			return nil, about(err, "in %s", absolute(path))
		}
		if signatures[name], err = organism.ParseTool(entry.Get("signature"), "tool "+name+".signature"); err != nil {
			return nil, about(err, "in %s", absolute(path))
		}
	}
	return signatures, nil
}

// builtinSignatures returns the signatures of the tools of every host.
func builtinSignatures() map[string]*organism.Tool {
	signatures := map[string]*organism.Tool{}
	for _, name := range builtin.Names() {
		signatures[name] = builtin.Signature(name)
	}
	return signatures
}

func newProcessVerifyEvidenceCommand(with *shared) *cobra.Command {
	file := ""
	return &cobra.Command{
		Use:   "verify-evidence FILE",
		Short: "Verify an evidence document offline",
		Long: `Verifies an evidence document as algal-verify does, without a store. Only plain JSON is read, and
a document that is refused is an error.

Result: the evidence report.`,
		Example: `  algal process verify-evidence review.evidence.json`,
		Args:    positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("dir") {
				return usage("process verify-evidence opens no store")
			}
			file = args[0]
			return runProcessVerifyEvidence(with.signals.unwind(), with.streams, file)
		},
	}
}

func runProcessVerifyEvidence(ctx context.Context, s *streams, file string) error {
	text, err := readEvidence(file)
	if err != nil {
		return err
	}
	evidence, err := verify.Parse(text)
	if err != nil {
		return aboutRefusal(err)
	}
	s.progress("replaying %s", file)
	report, err := evidence.Verify(ctx)
	if err != nil {
		return aboutRefusal(err)
	}
	return s.result(report.Value(), func(p *page) {
		p.Line("%s", report.History.Last().Name)
		p.Row("status", "%s", report.Status)
		p.Row("program", "%s", report.History.Last().ManifestDigest)
		p.Row("history", "%s, %s", counted(report.Generations, "generation"), counted(report.Receipts, "receipt"))
		p.Row("head", "%s", report.Head)
		p.Row("evidence", "%s", report.Evidence)
		p.Verdict(true, "verified: the history follows from the program and the recorded effects")
	})
}

func newProcessReplayCommand(with *shared) *cobra.Command {
	o := &replayOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "replay NAME --with MANIFEST",
		Short: "Run a revised program under the recorded effects of a process",
		Long: `Runs a revision of a program under the effects of the receipt from which the process would
continue. Nothing in the store changes.

Result: the comparison record.`,
		Example:     `  algal process replay review --with revised.algal.json`,
		Args:        positional("NAME"),
		Annotations: map[string]string{negativeKey: "the verdict is could-not-replay"},
		RunE: func(_ *cobra.Command, args []string) error {
			return runProcessReplay(with.signals.unwind(), with.streams, args[0], o)
		},
	}
	textFlag(cmd.Flags(), &o.revision, "with", "the revised `MANIFEST` (required)")
	textFlag(cmd.Flags(), &o.args, "args", "`FILE` of arguments that replace recorded ones port by port, - for standard input")
	o.program.declare(cmd.Flags())
	o.executor.declare(cmd.Flags())
	textFlag(cmd.Flags(), &o.out, "out", "write the record to `FILE` too")
	return cmd
}

func runProcessReplay(ctx context.Context, s *streams, name string, o *replayOptions) error {
	if o.revision == "" {
		return usage("algal process replay NAME --with MANIFEST")
	}
	snapshot, err := inspectSupervisor(s, o.dir).Inspect(name)
	if err != nil {
		return err
	}
	receipt := snapshot.Checkpoint()
	if !receipt.Exists() {
		return usage("process %s has no receipt to replay", name)
	}
	comparison, _, err := o.compare(ctx, s, receipt)
	if err != nil {
		return err
	}
	return printComparison(s, comparison.Record, o.out)
}

// readEvidence reads an evidence document. It is plain JSON of at most 64 MiB.
func readEvidence(path string) (string, error) {
	text, err := durable.ReadNamed(path, "process evidence", verify.MaxBytes)
	if err != nil {
		return "", unreadable(path, verify.MaxBytes, err)
	}
	return text, nil
}

// aboutRefusal adds to the refusal of a document where it was met.
func aboutRefusal(err error) error {
	var r *verify.Refusal
	if !errors.As(err, &r) {
		return err
	}
	switch {
	case r.Generation >= 0:
		return about(err, "stage %s, generation %d, %s", r.Stage, r.Generation, r.Digest)
	case r.Digest != "":
		return about(err, "stage %s, %s", r.Stage, r.Digest)
	}
	return about(err, "stage %s", r.Stage)
}
