package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

type unpackOptions struct {
	*globals
	file string
}

func newUnpackCommand(with *shared) *cobra.Command {
	o := &unpackOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "unpack FILE",
		Short: "Put the content of a bundle into the store",
		Long: `Verifies a bundle and puts its manifests and values into the store. A bundle that is refused
puts nothing there.

Result: {"manifests","root","values"}.`,
		Example: `  algal unpack program.bundle.json --dir store`,
		Args:    positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return runUnpack(cmd.Context(), with.streams, o)
		},
	}
}

func runUnpack(_ context.Context, s *streams, o *unpackOptions) error {
	b, err := readBundle(o.file)
	if err != nil {
		return err
	}
	s.progress("unpacking %s", b.Root)
	manifests, values, err := b.Install(openStore(o.dir, s))
	if err != nil {
		return about(err, "in %s", absolute(o.file))
	}
	return printBundle(s, b.Root, manifests, values, "unpacked into "+o.dir)
}

func readBundle(path string) (*bundle.Bundle, error) {
	text, err := durable.ReadNamed(path, "bundle", bundle.MaxBytes)
	if err != nil {
		return nil, unreadable(path, bundle.MaxBytes, err)
	}
	b, err := bundle.ParseText(text)
	if _, malformed := errors.AsType[*canon.Fault](err); malformed {
		return nil, algal.Errorf(algal.ParseFailed, "%s: %v", absolute(path), err)
	}
	return b, about(err, "in %s", absolute(path))
}
