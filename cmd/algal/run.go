package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

type runOptions struct {
	*globals
	manifest string
	args     string
	program  programFlags
	executor executorFlags
	write    bool
}

func newRunCommand(with *shared) *cobra.Command {
	o := &runOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "run MANIFEST",
		Short: "Run a program and print its receipt",
		Long: `Runs a program and prints its receipt, which names its inputs, what happened and what
came of it. Effects are answered by the executors that the flags name, in the order base-url,
responses, executor-cmd, executors.

Result: the receipt. At a terminal: its outputs and work; the last line says the outcome.`,
		Example: `  algal run program.algal.json --args args.json --responses answers.json
  algal run program.algal.json --executor-cmd ./answer --write --dir store`,
		Args:        positional("MANIFEST"),
		Annotations: map[string]string{negativeKey: "the outcome is not complete: failed, stuck or suspended"},
		RunE: func(_ *cobra.Command, args []string) error {
			o.manifest = args[0]
			return runRun(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.args, "args", "`FILE` of arguments, - for standard input (default {})")
	o.program.declare(cmd.Flags())
	o.executor.declare(cmd.Flags())
	switchFlag(cmd.Flags(), &o.write, "write", "put the manifest and the receipt into the store")
	return cmd
}

func runRun(ctx context.Context, s *streams, o *runOptions) error {
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	args, err := readArgs(o.args, s.in)
	if err != nil {
		return err
	}
	host, err := openHost(ctx, s, o.dir, &o.program, &o.executor, m)
	if err != nil {
		return err
	}
	result, err := runtime.Run(ctx, m, args, host, nil)
	if err != nil {
		return err
	}
	receipt := result.Receipt()
	if o.write {
		if err := keepManifest(ctx, s, host.Store, m); err != nil {
			return err
		}
		if err := keepReceipt(ctx, s, host.Store, receipt); err != nil {
			return err
		}
	}
	return printReceipt(s, m, receipt)
}

// openHost returns what a program may use and who answers its effects. The flags
// and files of both are admitted before anything goes into the store. m is the
// program if it is known already.
func openHost(ctx context.Context, s *streams, dir string, program *programFlags, executor *executorFlags, m *organism.Manifest) (runtime.Host, error) {
	opened, err := executor.open(s)
	if err != nil {
		return runtime.Host{}, err
	}
	host, err := program.host(ctx, s, dir)
	if err != nil {
		return runtime.Host{}, err
	}
	opened.announce(m, host, s)
	executor.attach(&host, opened, s)
	return host, nil
}

// keepManifest puts a manifest into the store and tells its digest.
func keepManifest(ctx context.Context, s *streams, store cas.Store, m *organism.Manifest) error {
	return keep(ctx, s, "manifest", func() (algal.Digest, error) { return store.PutManifest(m.Normal()) })
}

// keepReceipt does the same with a receipt. The digest is that of the whole
// receipt, by which the store knows it.
func keepReceipt(ctx context.Context, s *streams, store cas.Store, receipt canon.Value) error {
	return keep(ctx, s, "receipt", func() (algal.Digest, error) { return store.PutReceipt(receipt) })
}

// keep writes unless the command was interrupted, which leaves no receipt.
func keep(ctx context.Context, s *streams, what string, put func() (algal.Digest, error)) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	d, err := put()
	if err == nil {
		s.note("%s %s written", what, d)
	}
	return err
}

// printReceipt prints the result of a run. An outcome that is not complete is
// negative.
func printReceipt(s *streams, m *organism.Manifest, receipt canon.Value) error {
	if failure := receipt.Get("failure"); failure.Get("code").IsText(string(algal.EffectUnbound)) {
		s.note("hint: nobody answers the effects of this cell; see --responses, --executor-cmd, --executors and --base-url")
	}
	if err := s.result(receipt, func(p *page) { accountOfRun(p, m, receipt) }); err != nil {
		return err
	}
	if !receipt.Get("outcome").IsText(runtime.Complete) {
		return errNegative
	}
	return nil
}

func accountOfRun(p *page, m *organism.Manifest, receipt canon.Value) {
	p.Line("%s (%s)", m.Name, m.Key)
	p.Row("manifest", "%s", m.Digest())
	p.Row("receipt", "%s", receipt.Get("digest").Text())
	if m.Interface != nil {
		for _, out := range m.Interface.Outputs {
			if v := receipt.Get("cells").Get(out.Cell).Get("outputs").Get(out.Port); v.Exists() {
				p.Row(out.Name, "%s", shown(v))
			}
		}
	}
	accountOfWork(p, receipt)
	verdictOfRun(p, receipt)
}

// accountOfWork tells what a run did.
func accountOfWork(p *page, receipt canon.Value) {
	work := receipt.Get("work")
	p.Row("work", "%s units, %s steps, %s agent calls", shown(work.Get("units")), shown(work.Get("steps")), shown(work.Get("agentCalls")))
	p.Row("effects", "%d", receipt.Get("effects").Len())
}

func verdictOfRun(p *page, receipt canon.Value) {
	outcome, failure := receipt.Get("outcome").Text(), receipt.Get("failure")
	if !failure.Exists() {
		p.Verdict(outcome == runtime.Complete, "%s", outcome)
		return
	}
	at := ""
	if path := failure.Get("path").Text(); path != "" {
		at = " at " + path
	}
	p.Verdict(false, "%s%s: %s: %s", outcome, at, failure.Get("code").Text(), shown(failure.Get("message")))
}
