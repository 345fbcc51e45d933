package check

import (
	"maps"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// source is the store as one verification sees it. It notes every lookup, as the
// recorder of an export does (evidence.md §5), but without the bounds of a
// document: a process that no evidence could hold is none the worse.
type source struct {
	cas.Sealed
	objects *objects

	mu   sync.Mutex
	seen map[object]state
}

func (e *examination) source() *source {
	return &source{objects: e.objects, seen: map[object]state{}}
}

func (s *source) read(p place, d algal.Digest) (canon.Value, error) {
	if _, err := algal.ParseDigest(string(d), "store digest"); err != nil {
		return canon.Value{}, err
	}
	at := object{p, d}
	v, found, err := s.objects.load(at)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[at] = found
	return v, err
}

// Value reads a value.
func (s *source) Value(d algal.Digest) (canon.Value, error) { return s.read(values, d) }

// Manifest reads a manifest.
func (s *source) Manifest(d algal.Digest) (canon.Value, error) { return s.read(manifests, d) }

// Receipt reads a receipt.
func (s *source) Receipt(d algal.Digest) (canon.Value, error) { return s.read(runs, d) }

// need notes that somebody needs what was looked up, of what was not there only if
// that is not in order.
func (s *source) need(referrer string, absentToo bool) {
	for at, found := range maps.All(s.seen) {
		if found != absent || absentToo {
			s.objects.need(at, referrer)
		}
	}
}

// met reports whether a lookup met an object in one of the states.
func (s *source) met(states ...state) bool {
	for _, found := range s.seen {
		for _, state := range states {
			if found == state {
				return true
			}
		}
	}
	return false
}
