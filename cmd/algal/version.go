package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/internal/buildinfo"
)

func newVersionCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Prints the version of this build and the contracts that it speaks.

Result: {"contracts","go","name","revision","version"}.`,
		Example: `  algal version --json`,
		Args:    positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runVersion(cmd.Context(), with.streams)
		},
	}
}

func runVersion(_ context.Context, s *streams) error {
	info := buildinfo.Read("algal")
	return s.result(info.Value(), func(p *page) {
		for _, c := range buildinfo.Contracts {
			p.Line("speaks %s", c)
		}
		p.Line("%s %s (%s)", info.Name, info.Version, info.Go)
	})
}
