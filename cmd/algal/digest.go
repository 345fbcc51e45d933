package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
)

type digestOptions struct{ manifest string }

func newDigestCommand(with *shared) *cobra.Command {
	o := &digestOptions{}
	return &cobra.Command{
		Use:   "digest MANIFEST",
		Short: "Print the digest of a manifest",
		Long: `Prints the digest of the normal form of a manifest, by which programs embed it.

Result: {"digest"}. At a terminal: the digest alone.`,
		Example: `  algal digest program.algal.json`,
		Args:    positional("MANIFEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.manifest = args[0]
			return runDigest(cmd.Context(), with.streams, o)
		},
	}
}

func runDigest(_ context.Context, s *streams, o *digestOptions) error {
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	v := canon.Object(canon.M("digest", canon.String(string(m.Digest()))))
	return s.result(v, func(p *page) { p.Line("%s", m.Digest()) })
}
