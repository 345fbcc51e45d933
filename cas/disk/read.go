//go:build unix

package disk

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// check judges what a file holds and returns the value that it stands for.
type check func(v canon.Value) (canon.Value, error)

// anyValue is the check of a place where no digest is involved.
func anyValue(v canon.Value) (canon.Value, error) { return v, nil }

// read returns what a file of the store stands for, the absent value when there is
// no file (store.md §4.3).
func (s *Store) read(in space, name string, judge check) (canon.Value, error) {
	f, err := s.open(in, name)
	if f == nil || err != nil {
		return canon.Value{}, err
	}
	defer f.Close()
	return admit(f.Text, judge)
}

// retain is read for a file that a put found in its way: once judged, the file is
// made durable through the descriptor that was read (store.md §3.3). text is what
// the put would have written; it is known to be good.
func (s *Store) retain(in space, name, text string, judge check) (found bool, err error) {
	f, err := s.open(in, name)
	if f == nil || err != nil {
		return false, err
	}
	defer f.Close()
	if f.Text != text {
		if _, err := admit(f.Text, judge); err != nil {
			return false, err
		}
	}
	return true, s.files.Retain(f)
}

// open reads a file of the store. It returns nil when there is none.
func (s *Store) open(in space, name string) (*durable.File, error) {
	if err := s.guard(in, name); err != nil {
		return nil, err
	}
	f, err := durable.Open(s.path(in, name), in.bound, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var fault *durable.Fault
	if errors.As(err, &fault) {
		return nil, fileFault(fault)
	}
	return f, err
}

// admit reads the text of a file and judges the value.
func admit(text string, judge check) (canon.Value, error) {
	v, err := parse(text)
	if err != nil {
		return canon.Value{}, err
	}
	return judge(v)
}

func parse(text string) (canon.Value, error) {
	v, err := canon.Parse(text, canon.Limits{Depth: admitted.depth, Nodes: admitted.nodes})
	var fault *canon.Fault
	if errors.As(err, &fault) {
		return canon.Value{}, textFault(fault, text)
	}
	return v, err
}
