package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
)

type verifyOptions struct {
	*globals
	receipt  string
	manifest string // "" to look it up in the store
	program  programFlags
}

func newVerifyCommand(with *shared) *cobra.Command {
	o := &verifyOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "verify RECEIPT [MANIFEST]",
		Short: "Replay a receipt and compare it bit for bit",
		Long: `Runs the program of a receipt again with every effect answered from the receipt, and
compares what comes of it. No executor and no tool is called, and nothing is written. Without
MANIFEST the program is looked up in the store.

Result: {"digest","mismatches","ok","outcome"}, digest and outcome being those of the replay.
At a terminal the differences are listed; the last line says whether the receipt verifies.`,
		Example: `  algal verify receipt.json program.algal.json
  algal verify receipt.json --dir store --tools tools.json`,
		Args:        positional("RECEIPT", "[MANIFEST]"),
		Annotations: map[string]string{negativeKey: "the receipt does not verify"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.receipt, o.manifest = args[0], argument(args, 1)
			return runVerify(cmd.Context(), with.streams, o)
		},
	}
	o.program.declare(cmd.Flags())
	return cmd
}

func runVerify(ctx context.Context, s *streams, o *verifyOptions) error {
	receipt, manifest, err := readRecorded(o.receipt, o.manifest)
	if err != nil {
		return err
	}
	host, err := o.program.host(ctx, s, o.dir)
	if err != nil {
		return err
	}
	m, err := programOf(receipt, manifest, host.Store)
	if err != nil {
		return err
	}
	s.progress("replaying %s", counted(receipt.Get("cells").Len(), "cell"))
	report, err := replay.Verify(ctx, receipt, m, host)
	if err != nil {
		return err
	}
	if err := s.result(report.Value(), func(p *page) { accountOfReport(p, m, receipt, &report) }); err != nil {
		return err
	}
	if !report.OK {
		return errNegative
	}
	return nil
}

func accountOfReport(p *page, m *organism.Manifest, receipt canon.Value, report *replay.Report) {
	p.Line("%s (%s)", m.Name, m.Key)
	p.Row("recorded", "%s, %s", receipt.Get("outcome").Text(), receipt.Get("digest").Text())
	p.Row("replayed", "%s, %s", report.Outcome, report.Digest)
	for _, mismatch := range report.Mismatches {
		p.Row("difference", "%s", mismatch)
	}
	if report.OK {
		p.Verdict(true, "verified: the receipt follows from the program and the recorded effects")
	} else {
		p.Verdict(false, "not verified: %s", counted(len(report.Mismatches), "difference"))
	}
}

// readRecorded reads a receipt and, if it is named, the manifest that belongs to
// it; that is nil otherwise.
func readRecorded(receipt, manifest string) (canon.Value, *organism.Manifest, error) {
	r, err := readReceipt(receipt)
	if err != nil || manifest == "" {
		return r, nil, err
	}
	m, err := readManifest(manifest)
	return r, m, err
}

// programOf returns the program of a receipt: the given one, else that in the
// store.
func programOf(receipt canon.Value, given *organism.Manifest, store cas.Store) (*organism.Manifest, error) {
	if given != nil {
		return given, nil
	}
	m, err := storedManifest(algal.Digest(receipt.Get("manifestDigest").Text()), store)
	return m, about(err, "the receipt names this program; give MANIFEST if it is elsewhere")
}

// storedManifest returns a manifest of the store.
func storedManifest(d algal.Digest, store cas.Store) (*organism.Manifest, error) {
	v, err := store.Manifest(d)
	if err != nil {
		return nil, err
	}
	if !v.Exists() {
		return nil, algal.Errorf(algal.StoreMiss, "manifest %s not in store", d)
	}
	return organism.ParseManifest(v.Sorted())
}
