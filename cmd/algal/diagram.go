package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/diagram"
)

type diagramOptions struct {
	*globals
	manifest string
	program  programFlags
	format   string
	receipt  string
	out      string
	force    bool
}

func newDiagramCommand(with *shared) *cobra.Command {
	o := &diagramOptions{globals: with.globals, format: "svg"}
	cmd := &cobra.Command{
		Use:   "diagram MANIFEST",
		Short: "Draw a program as a graph",
		Long: `Compiles a program, as algal check does, and prints its graph: as an SVG document, as a Mermaid
flowchart, or as JSON with the place of every cell. With a receipt of the program each cell says
what became of it. Nothing is run. A program that does not compile is an error.

With --out the picture goes to a file, whole or not at all, and the result is
{"bytes","cells","digest","edges"}. A terminal does not get SVG unless --json or --force is given.`,
		Example: `  algal diagram program.algal.json > program.svg
  algal diagram program.algal.json --receipt receipt.json --format mermaid`,
		Args: positional("MANIFEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.manifest = args[0]
			return runDiagram(cmd.Context(), with.streams, o)
		},
	}
	o.program.declare(cmd.Flags())
	textFlag(cmd.Flags(), &o.format, "format", "print `FORMAT`: svg, mermaid or json")
	textFlag(cmd.Flags(), &o.receipt, "receipt", "show what became of the cells by the receipt in `FILE`")
	textFlag(cmd.Flags(), &o.out, "out", "write the picture to `FILE`")
	switchFlag(cmd.Flags(), &o.force, "force", "print SVG even at a terminal")
	return cmd
}

func runDiagram(ctx context.Context, s *streams, o *diagramOptions) error {
	switch o.format {
	case "svg":
		if o.out == "" {
			if err := spareTerminal(s, o.force); err != nil {
				return err
			}
		}
	case "mermaid", "json":
	default:
		return usage("--format is svg, mermaid or json, got %s", o.format)
	}
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	receipt, err := o.readReceipt(m)
	if err != nil {
		return err
	}
	host, err := o.program.host(ctx, s, o.dir)
	if err != nil {
		return err
	}
	graph, err := compile(m, host)
	if err != nil {
		return err
	}
	d := diagram.New(graph, receipt)
	text := o.text(d)
	if o.out == "" {
		return s.write(text)
	}
	if err := writeFile(o.out, text); err != nil {
		return err
	}
	v := canon.Object(
		canon.M("bytes", canon.Int(len(text))),
		canon.M("cells", canon.Int(len(d.Cells))),
		canon.M("digest", canon.String(string(d.Digest))),
		canon.M("edges", canon.Int(len(d.Edges))),
	)
	return s.result(v, func(p *page) {
		p.Line("%s (%s)", d.Name, d.Key)
		p.Row("digest", "%s", d.Digest)
		p.Row("graph", "%s, %s", counted(len(d.Cells), "cell"), counted(len(d.Edges), "edge"))
		p.Verdict(true, "drawn into %s", o.out)
	})
}

// readReceipt returns the receipt of a run of the program, absent where none is
// named.
func (o *diagramOptions) readReceipt(m *organism.Manifest) (canon.Value, error) {
	if o.receipt == "" {
		return canon.Value{}, nil
	}
	receipt, err := readReceipt(o.receipt)
	if err != nil {
		return canon.Value{}, err
	}
	if of := receipt.Get("manifestDigest").Text(); of != string(m.Digest()) {
		err := algal.Errorf(algal.ReceiptMismatch, "receipt is of the manifest %s, the program is %s", of, m.Digest())
		return canon.Value{}, about(err, "in %s", absolute(o.receipt))
	}
	return receipt, nil
}

func (o *diagramOptions) text(d *diagram.Diagram) string {
	switch o.format {
	case "mermaid":
		return d.Mermaid()
	case "json":
		return d.Value().String() + "\n"
	}
	return d.SVG()
}
