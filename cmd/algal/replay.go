package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
)

type replayOptions struct {
	*globals
	receipt  string
	revision string
	args     string
	program  programFlags
	executor executorFlags
	write    bool
	out      string
}

func newReplayCommand(with *shared) *cobra.Command {
	o := &replayOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "replay RECEIPT --with MANIFEST",
		Short: "Run a revised program under recorded effects",
		Long: `Runs a revision of a program under the effects of a recorded receipt and says where it
parts from the original. Effects that the receipt does not answer go to the executors, if any.

Result: the comparison record. At a terminal: what is equal, what was added and where it parts;
the last line says the verdict.`,
		Example:     `  algal replay receipt.json --with revised.algal.json --out comparison.json`,
		Args:        positional("RECEIPT"),
		Annotations: map[string]string{negativeKey: "the verdict is could-not-replay"},
		RunE: func(_ *cobra.Command, args []string) error {
			o.receipt = args[0]
			return runReplay(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.revision, "with", "the revised `MANIFEST` (required)")
	textFlag(cmd.Flags(), &o.args, "args", "`FILE` of arguments that replace recorded ones port by port, - for standard input")
	o.program.declare(cmd.Flags())
	o.executor.declare(cmd.Flags())
	switchFlag(cmd.Flags(), &o.write, "write", "put the revised receipt into the store")
	textFlag(cmd.Flags(), &o.out, "out", "write the record to `FILE` too")
	return cmd
}

func runReplay(ctx context.Context, s *streams, o *replayOptions) error {
	if o.revision == "" {
		return usage("algal replay RECEIPT --with MANIFEST")
	}
	receipt, err := readReceipt(o.receipt)
	if err != nil {
		return err
	}
	comparison, store, err := o.compare(ctx, s, receipt)
	if err != nil {
		return err
	}
	if o.write && comparison.Revised.Exists() {
		if err := keepReceipt(ctx, s, store, comparison.Revised); err != nil {
			return err
		}
	}
	return printComparison(s, comparison.Record, o.out)
}

// compare runs the revision under a receipt's effects.
func (o *replayOptions) compare(ctx context.Context, s *streams, receipt canon.Value) (replay.Comparison, cas.Store, error) {
	revision, err := input{o.revision, "manifest", maxDocument}.read()
	if err != nil {
		return replay.Comparison{}, nil, err
	}
	override, err := readArgs(o.args, s.in)
	if err != nil {
		return replay.Comparison{}, nil, err
	}
	m, _ := organism.ParseManifest(revision) // the record says what is wrong with it
	host, err := openHost(ctx, s, o.dir, &o.program, &o.executor, m)
	if err != nil {
		return replay.Comparison{}, nil, err
	}
	comparison, err := replay.Compare(ctx, receipt, revision, override, host)
	return comparison, host.Store, err
}

// printComparison prints a comparison record, into a file too if one is named.
func printComparison(s *streams, record canon.Value, out string) error {
	if out != "" {
		if err := writeFile(out, record.String()+"\n"); err != nil {
			return err
		}
	}
	if err := s.result(record, func(p *page) { accountOfComparison(p, record) }); err != nil {
		return err
	}
	if record.Get("verdict").IsText(replay.CouldNotReplay) {
		return errNegative
	}
	return nil
}

func accountOfComparison(p *page, record canon.Value) {
	outcomes := record.Get("outcomes")
	p.Row("receipt", "%s", record.Get("receipt").Text())
	p.Row("outcome", "%s, revised: %s", shown(outcomes.Get("original")), shown(outcomes.Get("revised")))
	p.Row("equal", "%s in front%s", counted(record.Get("prefix").Len(), "cell"), more(record.Get("prefixTruncated")))
	p.Row("added", "%s%s", counted(record.Get("added").Len(), "cell"), more(record.Get("addedTruncated")))
	for _, why := range []string{"divergence", "reason"} {
		if v := record.Get(why); v.Is(canon.KindObject) {
			p.Row(why, "%s", shown(v))
		}
	}
	p.Verdict(record.Get("verdict").IsText(replay.Identical), "%s", record.Get("verdict").Text())
}

// more says that a count was cut.
func more(truncated canon.Value) string {
	if truncated.Bool() {
		return " and more"
	}
	return ""
}
