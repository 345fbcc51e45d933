package main

import (
	"context"

	"github.com/spf13/cobra"
)

type manifestOptions struct {
	*globals
	digest string
}

func newManifestCommand(with *shared) *cobra.Command {
	o := &manifestOptions{globals: with.globals}
	return &cobra.Command{
		Use:     "manifest DIGEST",
		Short:   "Print a manifest of the store",
		Long:    `Prints the normal form of the manifest with the given digest, which is checked.`,
		Example: `  algal manifest sha256:da7ea81eb5b8ab4bff084b0ef7f8693d6844933ac786e5a360e71c291a532f29`,
		Args:    positional("DIGEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.digest = args[0]
			return runManifest(cmd.Context(), with.streams, o)
		},
	}
}

func runManifest(_ context.Context, s *streams, o *manifestOptions) error {
	d, err := digestArgument(o.digest)
	if err != nil {
		return err
	}
	m, err := storedManifest(d, openStore(o.dir, s))
	if err != nil {
		return err
	}
	return s.result(m.Normal(), nil)
}
