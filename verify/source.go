package verify

import (
	"sync/atomic"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// source is a store that serves only the document (evidence.md §4). A lookup of
// what the document neither holds nor declares missing is remembered, since the
// replay may turn its error into a recorded failure.
type source struct {
	cas.Sealed
	*Evidence
	undeclared atomic.Bool
}

func (s *source) serve(d algal.Digest, missing canon.Value, from ...canon.Value) (canon.Value, error) {
	for _, m := range from {
		if v := m.Get(string(d)); v.Exists() {
			return v, nil
		}
	}
	if missing.Get(string(d)).Exists() {
		return canon.Value{}, nil
	}
	s.undeclared.Store(true)
	return canon.Value{}, algal.Errorf(algal.StoreMiss, "process evidence lacks a declared dependency")
}

// Manifest serves a manifest of the program.
func (s *source) Manifest(d algal.Digest) (canon.Value, error) {
	return s.serve(d, s.missing.manifests, s.manifests)
}

// Value serves a record of the chain or a value of the program.
func (s *source) Value(d algal.Digest) (canon.Value, error) {
	return s.serve(d, s.missing.values, s.records, s.values)
}

// Receipt serves a receipt.
func (s *source) Receipt(d algal.Digest) (canon.Value, error) {
	return s.serve(d, canon.Value{}, s.receipts)
}

// Record serves a record of the chain; it is read as a value.
func (s *source) Record(d algal.Digest) (canon.Value, error) {
	v, err := s.Value(d)
	if err == nil && !v.Exists() {
		err = algal.Errorf(algal.StoreMiss, "process record %s is declared missing", d)
	}
	return v, err
}
