package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
)

// located makes the commands of a group say which file or record of the store an
// error is about. The sentences of the contract name none.
func located(with *shared, group *cobra.Command) *cobra.Command {
	for _, cmd := range group.Commands() {
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return aboutPlace(with.dir, run(cmd, args))
		}
	}
	return group
}

// aboutPlace adds to an error the place that its cause knows, the file last.
func aboutPlace(dir string, err error) error {
	if f, ok := errors.AsType[*process.Fault](err); ok {
		err = about(err, "process %s", f.Name)
	}
	if f, ok := errors.AsType[*chain.Fault](err); ok && f.Generation >= 0 {
		err = about(err, "generation %d, %s", f.Generation, f.Digest)
	}
	within := func(name string) string { return absolute(filepath.Join(dir, name)) }
	if f, ok := errors.AsType[*durable.Fault](err); ok {
		return about(err, "%s: %v", absolute(f.Path), f)
	}
	if o, ok := errors.AsType[*custody.Obstacle](err); ok {
		return about(err, "in %s", absolute(o.Path))
	}
	if f, ok := errors.AsType[*journal.Fault](err); ok {
		return about(err, "in %s", within(f.Name))
	}
	if f, ok := errors.AsType[*process.FileFault](err); ok {
		return about(err, "in %s", within(f.Name))
	}
	if i, ok := errors.AsType[*process.Intruder](err); ok {
		return about(err, "%s is no process; remove it if nobody creates one at this moment", within(i.Name))
	}
	return err
}
