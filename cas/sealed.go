package cas

import (
	"sync/atomic"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Sealed refuses every use of a store but the reading of its objects, and
// remembers that one was tried (evidence.md §4). Embed it in a store that must
// only be read: the memory of an attempt cannot be lost in a run that turns the
// refusal into a recorded failure.
type Sealed struct{ tried atomic.Bool }

// Tried reports whether a forbidden use was attempted.
func (s *Sealed) Tried() bool { return s.tried.Load() }

func (s *Sealed) refuse() error {
	s.tried.Store(true)
	return algal.Errorf(algal.CapabilityDenied, "process evidence sources cannot be changed")
}

// PutValue refuses.
func (s *Sealed) PutValue(canon.Value) (algal.Digest, error) { return "", s.refuse() }

// PutManifest refuses.
func (s *Sealed) PutManifest(canon.Value) (algal.Digest, error) { return "", s.refuse() }

// PutReceipt refuses.
func (s *Sealed) PutReceipt(canon.Value) (algal.Digest, error) { return "", s.refuse() }

// Effect refuses: a replay does not consult the memo.
func (s *Sealed) Effect(string, algal.Digest) (canon.Value, error) { return canon.Value{}, s.refuse() }

// PutEffect refuses.
func (s *Sealed) PutEffect(string, canon.Value) error { return s.refuse() }

// Slot refuses: a replay takes slots from the receipt.
func (s *Sealed) Slot(string) (canon.Value, error) { return canon.Value{}, s.refuse() }

// SetSlot refuses.
func (s *Sealed) SetSlot(string, canon.Value) error { return s.refuse() }
