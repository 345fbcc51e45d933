// Package cas is what a program sees of a store: immutable objects in three
// places, each named by the digest of its canonical text, an effect memo keyed by
// request, and named slots (store.md §1, §4 to §8).
//
// [Store] is the interface. [NewMemory] keeps everything in memory, [NewOverlay]
// keeps writes in memory and reads through to another store, [NewRecorder] notes
// what is read. The store on disk is in cas/disk.
package cas

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Store is a store as programs use it. A read of something that is not there
// gives the absent value and no error.
//
// Implementations are safe for concurrent use.
type Store interface {
	// Value returns the value with the given digest.
	Value(d algal.Digest) (canon.Value, error)
	// PutValue keeps a value and returns its digest.
	PutValue(v canon.Value) (algal.Digest, error)

	// Manifest returns the normal form whose digest is d.
	Manifest(d algal.Digest) (canon.Value, error)
	// PutManifest keeps the normal form of an admitted manifest.
	PutManifest(normal canon.Value) (algal.Digest, error)

	// Receipt returns the run receipt with the given storage digest.
	Receipt(d algal.Digest) (canon.Value, error)
	// PutReceipt keeps a run receipt under its storage digest.
	PutReceipt(receipt canon.Value) (algal.Digest, error)

	// Effect returns the memo of the request under the executor's identity.
	Effect(identity string, request algal.Digest) (canon.Value, error)
	// PutEffect keeps a memo. The first one for a key wins.
	PutEffect(identity string, receipt canon.Value) error

	// Slot returns the value of a named slot.
	Slot(name string) (canon.Value, error)
	// SetSlot replaces the value of a named slot.
	SetSlot(name string, v canon.Value) error
}
