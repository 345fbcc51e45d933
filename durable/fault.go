package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/algal-vm/algal"
)

// Op names what was being done to a path: a reading operation or a step of
// publication, under the name that store.md §3 and mailbox.md give it.
type Op string

// The operations of reading.
const (
	OpStat Op = "stat"
	OpOpen Op = "open"
	OpRead Op = "read"
)

// Kind tells why a path was refused.
type Kind uint8

// The kinds of faults. Irregular and the bounds are BUDGET_EXHAUSTED, the others
// IO_FAILED.
const (
	System    Kind = iota // the operating system refused; Err says why
	Symlink               // a symbolic link where none is followed
	Irregular             // a directory, FIFO, socket or device where a file was asked for
	TooLarge              // the size of the file is beyond the bound
	Grown                 // more bytes than the bound came from a file whose size was within it
	TooMany               // the directory has more entries than the bound
)

// Fault says which operation on which path failed and why. Its sentence names no
// path, since it may enter a receipt; Path is for the edge of a command. Owners of
// files replace the sentence by their wire texts.
//
// It unwraps to the module's error and to the error of the system, so that
// errors.Is(err, fs.ErrNotExist) tells a missing file.
type Fault struct {
	Kind  Kind
	Op    Op
	Path  string
	Bound int   // the exceeded bound, in bytes or entries
	Err   error // the system's error without operation and path, or nil
}

// Code returns the error code of the fault.
func (f *Fault) Code() algal.Code {
	if f.Kind == System || f.Kind == Symlink {
		return algal.IOFailed
	}
	return algal.BudgetExhausted
}

// Error returns one sentence.
func (f *Fault) Error() string {
	switch f.Kind {
	case Symlink:
		return "symbolic links are not admitted"
	case Irregular:
		return "not a regular file"
	case TooLarge:
		return fmt.Sprintf("larger than %d bytes", f.Bound)
	case Grown:
		return fmt.Sprintf("grew beyond %d bytes while it was read", f.Bound)
	case TooMany:
		return fmt.Sprintf("more than %d directory entries", f.Bound)
	}
	return fmt.Sprintf("%s failed: %v", f.Op, f.Err)
}

// Unwrap returns the fault as the module's error, and the system's.
func (f *Fault) Unwrap() []error {
	list := []error{&algal.Error{Code: f.Code(), Message: f.Error()}}
	if f.Err != nil {
		list = append(list, f.Err)
	}
	return list
}

func systemFault(op Op, path string, err error) *Fault {
	return &Fault{Kind: System, Op: op, Path: path, Err: Cause(err)}
}

// Cause returns what the system said of an error of package os or of a [Fault],
// without the operation and the path: the sentence around it names what matters of
// them. Any other error is returned as it is.
func Cause(err error) error {
	if f, ok := errors.AsType[*Fault](err); ok && f.Err != nil {
		return f.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
