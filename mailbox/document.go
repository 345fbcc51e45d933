package mailbox

import (
	"errors"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// read returns the value of a record, the absent value when there is none (§4.1).
func (s *Service) read(name string) (canon.Value, error) {
	text, found, err := s.engine.Read(name)
	if err != nil || !found {
		return canon.Value{}, worded(err)
	}
	return parse(name, text)
}

// retain makes a record durable whose value judge accepts.
func (s *Service) retain(name string, judge func(v canon.Value) error) (found bool, err error) {
	found, err = s.engine.Retain(name, func(text string) error {
		v, err := parse(name, text)
		if err != nil {
			return err
		}
		return judge(v)
	})
	return found, worded(err)
}

// writeNew publishes a record that never changes (§4.3). A record that has the
// name must hold the same value, in whatever spelling, and is made durable.
func (s *Service) writeNew(name string, v canon.Value) error {
	fresh, err := s.engine.Create(name, v.String())
	if fresh || err != nil {
		return err
	}
	found, err := s.retain(name, func(have canon.Value) error {
		if !canon.Equal(have, v) {
			return algal.Errorf(algal.DigestMismatch, "immutable mailbox publication conflicts")
		}
		return nil
	})
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "retained mailbox publication disappeared")
	}
	return err
}

// parse reads the text of a record. The sentence may enter a receipt, so it names
// the record by its place in the store and not by a path of this machine.
func parse(name, text string) (canon.Value, error) {
	v, err := canon.Parse(text, canon.Limits{})
	var f *canon.Fault
	if errors.As(err, &f) {
		return canon.Value{}, algal.Errorf(f.Code(), "%s: %s", name, f)
	}
	return v, err
}
