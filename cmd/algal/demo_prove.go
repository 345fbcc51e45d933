package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/laboratory"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
)

type proveOptions struct{ root string }

func newDemoProveCommand(with *shared) *cobra.Command {
	o := &proveOptions{}
	return &cobra.Command{
		Use:   "prove ROOT",
		Short: "Kill programs in the middle of their work and prove what is left",
		Long: `Makes the whole proof in ROOT, which must not exist: one program is approved, twice, and another
denied; the history of the first is exported, its directory moved away, and the document verified
alone; two programs are killed with SIGKILL, one inside a read and one inside a write, and
recovered. Every step is a process of its own, and what it left is read from its files.

Each fact is told on standard error as it is measured, ok or FAILED. The first that is false ends
the proof; what was made so far stays in ROOT, without a proof.json.

Result: the proof, which ROOT/proof.json holds too.`,
		Example: `  algal demo prove /tmp/proof`,
		Args:    positional("ROOT"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.root = args[0]
			return runDemoProve(with.signals.unwind(), with.streams, o)
		},
	}
}

func runDemoProve(ctx context.Context, s *streams, o *proveOptions) error {
	executable, err := os.Executable()
	if err != nil {
		return algal.Errorf(algal.IOFailed, "the path of this program is not known: %v", durable.Cause(err))
	}
	told := 0
	proof, err := laboratory.Prove(ctx, laboratory.Options{
		Root:       o.root,
		Executable: executable,
		Told: func(fact stage.Fact) {
			told++
			s.fact(fact)
		},
	})
	if err != nil {
		return about(err, "after %s, in %s", counted(told, "fact"), absolute(o.root))
	}
	return s.result(proof, func(p *page) { accountOfProof(p, proof, told) })
}

func accountOfProof(p *page, proof canon.Value, facts int) {
	p.Line("%s", proof.Get("root").Text())
	review := func(name string) {
		v := proof.Get(name)
		p.Row(name, "%s, %s on disk", v.Get("status").Text(), counted(int(v.Get("publications").Float()), "publication"))
	}
	review("approval")
	review("denial")
	p.Row("portable", "%s, verified without its source", proof.Get("portable").Get("artifact").Text())
	p.Row("read", "killed, recovered, %s", proof.Get("readCrash").Get("status").Text())
	p.Row("write", "killed, refused: %s", proof.Get("writeCrash").Get("refusal").Get("message").Text())
	p.Row("proof", "proof.json")
	p.Verdict(true, "proved: all %s hold", counted(facts, "fact"))
}
