package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/doctor"
)

// holderCommand is what "algal doctor" starts as its second process. It is no
// command for anybody else, and no list of commands shows it.
const holderCommand = "doctor-lease"

type holderOptions struct{ dir string }

func newHolderCommand(with *shared) *cobra.Command {
	o := &holderOptions{}
	return &cobra.Command{
		Use:    holderCommand + " DIR",
		Short:  "Hold a lease until standard input ends",
		Hidden: true,
		Args:   positional("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return runHolder(cmd.Context(), with.streams, o)
		},
	}
}

func runHolder(ctx context.Context, s *streams, o *holderOptions) error {
	return doctor.Hold(ctx, o.dir, s.in, s.out)
}
