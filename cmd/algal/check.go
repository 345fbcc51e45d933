package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

type checkOptions struct {
	*globals
	manifest string
	program  programFlags
}

func newCheckCommand(with *shared) *cobra.Command {
	o := &checkOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "check MANIFEST",
		Short: "Compile a program without running it",
		Long: `Reads a manifest, fetches what it embeds, and compiles it. Nothing is run.

Result: {"cells":[{"id","kind"},…],"digest","edges","key","ok":true}. At a terminal it is
shown in words; the last line says "ok".`,
		Example: `  algal check program.algal.json --modules modules`,
		Args:    positional("MANIFEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.manifest = args[0]
			return runCheck(cmd.Context(), with.streams, o)
		},
	}
	o.program.declare(cmd.Flags())
	return cmd
}

func runCheck(ctx context.Context, s *streams, o *checkOptions) error {
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	host, err := o.program.host(ctx, s, o.dir)
	if err != nil {
		return err
	}
	if _, err := compile(m, host); err != nil {
		return err
	}
	cells := make([]canon.Value, len(m.Cells))
	for i, c := range m.Cells {
		cells[i] = canon.Object(canon.M("id", canon.String(c.ID)), canon.M("kind", canon.String(string(c.Kind))))
	}
	v := canon.Object(
		canon.M("cells", canon.Array(cells...)),
		canon.M("digest", canon.String(string(m.Digest()))),
		canon.M("edges", canon.Int(len(m.Edges))),
		canon.M("key", canon.String(m.Key)),
		canon.M("ok", canon.Bool(true)),
	)
	return s.result(v, func(p *page) {
		p.Line("%s (%s)", m.Name, m.Key)
		p.Row("digest", "%s", m.Digest())
		p.Row("graph", "%s, %s", counted(len(m.Cells), "cell"), counted(len(m.Edges), "edge"))
		p.Verdict(true, "ok: the program compiles")
	})
}

// compile admits a program as a graph.
func compile(m *organism.Manifest, host runtime.Host) (*organism.Graph, error) {
	p, err := runtime.Prepare(host)
	if err != nil {
		return nil, err
	}
	return p.Compile(m)
}
