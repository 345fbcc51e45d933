//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"iter"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// maxListed bounds the physical entries of a directory that is listed.
const maxListed = 4_096

// Row is one record of a listing: a value, or why there is none. A damaged record
// never hides the others.
type Row struct {
	Name  string // of the file, without ".json": the hex of a digest, or a slot's name
	Value canon.Value
	Err   error
}

// Runs lists the run receipts by name (store.md §9). The names are read at once,
// each record when its row is reached.
func (s *Store) Runs() (iter.Seq[Row], error) {
	return s.rows(runs, func(name string) (check, error) {
		d, err := named(name)
		return matches("receipt", d), err
	})
}

// Manifests lists the manifests, in normal form, by name.
func (s *Store) Manifests() (iter.Seq[Row], error) {
	return s.rows(manifests, func(name string) (check, error) {
		d, err := named(name)
		return normalises(d), err
	})
}

// Slots lists the slots by name.
func (s *Store) Slots() (iter.Seq[Row], error) {
	return s.rows(slots, func(name string) (check, error) {
		if !isSlotName(name) {
			return nil, invalidSlot()
		}
		return anyValue, nil
	})
}

func named(hex string) (algal.Digest, error) { return algal.ParseDigest("sha256:"+hex, "store digest") }

// rows lists a space. judge tells how to judge the record of a name.
func (s *Store) rows(in space, judge func(name string) (check, error)) (iter.Seq[Row], error) {
	names, err := s.names(in)
	if err != nil {
		return nil, err
	}
	return func(yield func(Row) bool) {
		for _, name := range names {
			row := Row{Name: name}
			judge, err := judge(name)
			if err == nil {
				row.Value, err = s.record(in, name, judge)
			}
			row.Err = err
			if !yield(row) {
				return
			}
		}
	}, nil
}

// names returns the names of the records of a space in byte order of the files. A
// space that is not there is empty.
func (s *Store) names(in space) ([]string, error) {
	if err := s.guardSpace(in); err != nil {
		return nil, err
	}
	entries, err := durable.Entries(s.directory(in), maxListed, durable.NoFollow)
	var fault *durable.Fault
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &fault) && fault.Kind == durable.TooMany:
		return nil, algal.Errorf(algal.BudgetExhausted, "store directory %s has more than %d entries", in.name, maxListed)
	case err != nil:
		return nil, algal.Errorf(algal.IOFailed, "store directory %s cannot be read: %s", in.name, errnoName(err))
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// record reads a listed file. Of type and size it speaks in the words of
// store.md §9.1.
func (s *Store) record(in space, name string, judge check) (canon.Value, error) {
	text, err := durable.Read(s.path(in, name), in.bound, durable.NoFollow)
	if err == nil {
		return admit(text, judge)
	}
	err = durable.Labelled(err, in.name+"/"+name+suffix)
	var fault *durable.Fault
	switch {
	case !errors.As(err, &fault):
		return canon.Value{}, err
	case fault.Kind == durable.Symlink:
		return canon.Value{}, unexpectedType()
	}
	return canon.Value{}, fileFault(fault)
}
