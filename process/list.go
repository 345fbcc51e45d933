package process

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// maxEntries bounds the entries of processes/: names, the interlock and a few
// leftovers.
const maxEntries = 2*MaxProcesses + 16

// Names returns the names of all processes in byte order (process.md §11.1). Any
// entry that is neither a directory nor the interlock is refused.
func (s *Supervisor) Names() ([]string, error) {
	if err := s.engine.Guard(".", processesDir); err != nil {
		return nil, worded(err)
	}
	var names []string
	err := s.engine.Scan(processesDir, maxEntries, func(name string, mode fs.FileMode) error {
		if name == ".lock" {
			return nil
		}
		if !mode.IsDir() {
			return &Intruder{processesDir + "/" + name}
		}
		if err := canon.CheckSafeID(name, "process name"); err != nil {
			return err
		}
		if names = append(names, name); len(names) > MaxProcesses {
			return tooMany()
		}
		return nil
	})
	var f *durable.Fault
	if errors.As(err, &f) && f.Kind == durable.TooMany {
		return nil, tooMany()
	}
	if err != nil {
		return nil, err
	}
	return names, nil
}

// Intruder is an entry of processes/ that is neither a process nor the interlock,
// such as a runtime leaves that died while it wrote the interlock. Removing it is
// safe when nobody creates a process (process.md §11.1).
type Intruder struct{ Name string } // relative to the store

func (i *Intruder) Error() string { return "invalid process directory entry" }

// Unwrap returns the error of the contract.
func (i *Intruder) Unwrap() error { return algal.Errorf(algal.IOFailed, "%s", i.Error()) }

func tooMany() error { return algal.Errorf(algal.BudgetExhausted, "process count exceeded") }

// List inspects every process. The first failure fails the whole call.
func (s *Supervisor) List() ([]*Snapshot, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	list := make([]*Snapshot, 0, len(names))
	for _, name := range names {
		snapshot, err := s.Inspect(name)
		if err != nil {
			return nil, named(name, err)
		}
		list = append(list, snapshot)
	}
	return list, nil
}

// Fault is an error of a call over many processes with the one it is about.
type Fault struct {
	Name string
	Err  error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

func named(name string, err error) error { return &Fault{name, err} }
