package cas

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// overlay keeps writes to itself. The embedded memory also answers for effects
// and slots: a replay must not see those of the source.
type overlay struct {
	*memory
	source Store
}

// NewOverlay returns a store over source (store.md §8): writes of every kind stay
// in memory; objects are looked up in memory first, then in source; the effect
// memo and the slots start empty. Nothing ever reaches source.
func NewOverlay(source Store) Store { return &overlay{newMemory(), source} }

func (o *overlay) lookup(p place, d algal.Digest, source func(algal.Digest) (canon.Value, error)) (canon.Value, error) {
	if v, err := o.get(p, d); err != nil || v.Exists() {
		return v, err
	}
	return source(d)
}

func (o *overlay) Value(d algal.Digest) (canon.Value, error) {
	return o.lookup(values, d, o.source.Value)
}

func (o *overlay) Manifest(d algal.Digest) (canon.Value, error) {
	return o.lookup(manifests, d, o.source.Manifest)
}

func (o *overlay) Receipt(d algal.Digest) (canon.Value, error) {
	return o.lookup(receipts, d, o.source.Receipt)
}
