package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

func newSlotCommand(with *shared) *cobra.Command {
	return group(&cobra.Command{
		Use:   "slot COMMAND",
		Short: "Read and write a named slot",
		Long:  `Reads and writes the named slots of the store, which are the state that programs share.`,
		Example: `  algal slot set memo value.json
  algal slot get memo`,
	}, newSlotGetCommand(with), newSlotSetCommand(with))
}

type slotOptions struct {
	*globals
	name string
	file string // set
}

func newSlotGetCommand(with *shared) *cobra.Command {
	o := &slotOptions{globals: with.globals}
	return &cobra.Command{
		Use:     "get NAME",
		Short:   "Print the value of a slot",
		Long:    `Prints the value of a slot.`,
		Example: `  algal slot get memo`,
		Args:    positional("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runSlotGet(cmd.Context(), with.streams, o)
		},
	}
}

func runSlotGet(_ context.Context, s *streams, o *slotOptions) error {
	v, err := openStore(o.dir, s).Slot(o.name)
	if err != nil {
		return err
	}
	if !v.Exists() {
		return algal.Errorf(algal.StoreMiss, `slot "%s" is empty`, o.name)
	}
	return s.result(v, nil)
}

func newSlotSetCommand(with *shared) *cobra.Command {
	o := &slotOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "set NAME FILE",
		Short: "Set a slot to a JSON value",
		Long: `Sets a slot to the JSON value in FILE, or on standard input for -. The value that was there is
replaced.

Result: {"name","set":true}.`,
		Example: `  algal slot set memo value.json`,
		Args:    positional("NAME", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.file = args[0], args[1]
			return runSlotSet(cmd.Context(), with.streams, o)
		},
	}
}

func runSlotSet(_ context.Context, s *streams, o *slotOptions) error {
	v, err := input{o.file, "slot value", maxStored}.readOr(s.in)
	if err != nil {
		return err
	}
	if err := openStore(o.dir, s).SetSlot(o.name, v); err != nil {
		return err
	}
	result := canon.Object(canon.M("name", canon.String(o.name)), canon.M("set", canon.Bool(true)))
	return s.result(result, func(p *page) { p.Verdict(true, "slot %s is set", o.name) })
}
