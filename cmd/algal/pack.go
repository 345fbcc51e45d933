package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

type packOptions struct {
	*globals
	program string // a manifest file, or a digest
	modules programFlags
	out     string
	force   bool
}

func newPackCommand(with *shared) *cobra.Command {
	o := &packOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "pack MANIFEST|DIGEST",
		Short: "Pack a program with all it needs into one document",
		Long: `Collects a manifest, everything that it embeds and the payloads of its constants from the
store, and prints them as one bundle, in canonical JSON without a newline. A manifest file is
packed without being stored.

With --out the bundle goes to a file, whole or not at all, and the result is
{"manifests","root","values"}. A terminal does not get the document unless --json or --force is
given.`,
		Example: `  algal pack program.algal.json --modules modules --out program.bundle.json`,
		Args:    positional("MANIFEST|DIGEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.program = args[0]
			return runPack(cmd.Context(), with.streams, o)
		},
	}
	o.modules.declareModules(cmd.Flags())
	textFlag(cmd.Flags(), &o.out, "out", "write the bundle to `FILE`")
	switchFlag(cmd.Flags(), &o.force, "force", "print the bundle even at a terminal")
	return cmd
}

func runPack(_ context.Context, s *streams, o *packOptions) error {
	if o.out == "" {
		if err := spareTerminal(s, o.force); err != nil {
			return err
		}
	}
	st := openStore(o.dir, s)
	root, over, err := o.root(st)
	if err != nil {
		return err
	}
	if o.modules.modules != "" {
		if err := loadModules(o.modules.modules, st, s); err != nil {
			return err
		}
	}
	s.progress("packing %s", root)
	document, err := bundle.Pack(root, over)
	if err != nil {
		return err
	}
	if o.out == "" {
		return s.write(document.String())
	}
	if err := writeFile(o.out, document.String()); err != nil {
		return err
	}
	return printBundle(s, root, document.Get("manifests").Len(), document.Get("values").Len(), "packed into "+o.out)
}

// spareTerminal keeps a document that is meant for a file or a pipe from a
// terminal.
func spareTerminal(s *streams, force bool) error {
	if s.readable() && !force {
		err := usage("standard output is a terminal; redirect it to a file")
		return about(err, "--json or --force print the document here")
	}
	return nil
}

// root returns the digest of what is to be packed, and a store that has it. The
// manifest of a file stays in memory.
func (o *packOptions) root(st *store) (algal.Digest, cas.Store, error) {
	if algal.IsDigest(o.program) {
		return algal.Digest(o.program), st, nil
	}
	m, err := readManifest(o.program)
	if err != nil {
		return "", nil, err
	}
	over := cas.NewOverlay(st)
	root, err := over.PutManifest(m.Normal())
	return root, over, err
}

// printBundle prints what a bundle holds.
func printBundle(s *streams, root algal.Digest, manifests, values int, verdict string) error {
	v := canon.Object(
		canon.M("manifests", canon.Int(manifests)),
		canon.M("root", canon.String(string(root))),
		canon.M("values", canon.Int(values)),
	)
	return s.result(v, func(p *page) {
		p.Row("root", "%s", root)
		p.Row("holds", "%s, %s", counted(manifests, "manifest"), counted(values, "value"))
		p.Verdict(true, "%s", verdict)
	})
}
