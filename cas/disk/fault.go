//go:build unix

package disk

import (
	"errors"
	"syscall"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"golang.org/x/sys/unix"
)

// The wire texts of store.md §10 that several flows share. They name no path, since
// they may enter a receipt.

// fileFault words why a file was not read.
func fileFault(f *durable.Fault) error {
	switch {
	case f.Kind == durable.Irregular, f.Kind == durable.TooLarge:
		return algal.Errorf(algal.BudgetExhausted, "store file type/byte bound exceeded")
	case f.Kind == durable.Grown:
		return algal.Errorf(algal.BudgetExhausted, "store file byte bound exceeded")
	case f.Op == durable.OpOpen:
		return algal.Errorf(algal.IOFailed, "store file cannot be opened: %s", errnoName(f))
	}
	return algal.Errorf(algal.IOFailed, "store file cannot be read: %s", errnoName(f))
}

// textFault words why a text was not admitted.
func textFault(f *canon.Fault, text string) error {
	switch f.Kind {
	case canon.FaultEncoding:
		return algal.Errorf(algal.ParseFailed, "store file contains invalid UTF-8")
	case canon.FaultSyntax, canon.FaultSurrogate:
		return algal.Errorf(algal.ParseFailed, "store file contains invalid JSON")
	case canon.FaultOverflow:
		return notJSON()
	case canon.FaultBytes:
		return algal.Errorf(algal.BudgetExhausted, "store file byte bound exceeded")
	}
	return admitted.fault(text)
}

func notJSON() error { return algal.Errorf(algal.ParseFailed, "store value is not a JSON value") }

func unexpectedType() error {
	return algal.Errorf(algal.IOFailed, "store symlinks and unexpected file types are not admitted")
}

// errnoName returns the symbolic name of a system error, such as EACCES.
func errnoName(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if name := unix.ErrnoName(errno); name != "" {
			return name
		}
	}
	return err.Error()
}
