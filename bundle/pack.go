package bundle

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// Pack collects the bundle of a manifest from a store: the manifest itself, all
// that it embeds, depth first in cell order, and the payloads of all ref ports of
// const cells (bundle.md §1.1). Each object is read once.
//
// A manifest that is in no store can be packed over an overlay that holds it.
//
// What Pack returns can be installed: an object whose digest is not the one it was
// asked for is refused with DIGEST_MISMATCH, a closure beyond the bounds of a
// bundle with BUDGET_EXHAUSTED, an incomplete one with STORE_MISS.
func Pack(root algal.Digest, store cas.Store) (canon.Value, error) {
	p := packer{store: store, manifests: newCollection(), values: newCollection()}
	if err := p.visit(root, nil); err != nil {
		return canon.Value{}, err
	}
	v := document(root, p.manifests.entries, p.values.entries)
	if err := checkBounds(v); err != nil {
		return canon.Value{}, err
	}
	return v, nil
}

type packer struct {
	store             cas.Store
	manifests, values *collection
	size, nodes       int // of all that is collected
}

// collection is a set of objects in the order of their collection.
type collection struct {
	entries []Entry
	has     map[algal.Digest]bool
}

func newCollection() *collection { return &collection{has: map[algal.Digest]bool{}} }

func (c *collection) full() bool { return len(c.entries) == MaxEntries }

// keep adds an object to a collection. It refuses as soon as no document could
// hold what there is, so that a closure of large values is not read to its end.
func (p *packer) keep(c *collection, d algal.Digest, v canon.Value) error {
	if p.nodes += v.Nodes(); p.nodes > MaxNodes {
		return tooDeep()
	}
	if p.size += v.Size(); p.size > MaxBytes {
		return tooLong()
	}
	c.has[d] = true
	c.entries = append(c.entries, Entry{d, v})
	return nil
}

// visit collects the manifest d, named by a cell or else the root, and all it
// needs. Manifests name each other by digest, so there are no cycles, and no chain
// is longer than MaxEntries.
func (p *packer) visit(d algal.Digest, by *organism.Cell) error {
	if p.manifests.has[d] {
		return nil
	}
	if p.manifests.full() {
		return algal.Errorf(algal.BudgetExhausted, "bundle exceeds %d manifests", MaxEntries)
	}
	v, err := p.store.Manifest(d)
	if err != nil {
		return err
	}
	if !v.Exists() {
		return missingManifest(d, by)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		return err
	}
	if err := checkDigest("manifest", d, m.Digest()); err != nil {
		return err
	}
	if err := p.keep(p.manifests, d, m.Normal()); err != nil {
		return err
	}
	for _, cell := range m.Cells {
		if err := p.needs(cell); err != nil {
			return err
		}
	}
	return nil
}

func missingManifest(d algal.Digest, by *organism.Cell) error {
	if by == nil {
		return algal.Errorf(algal.StoreMiss, "manifest %s not in store", d)
	}
	return algal.Errorf(algal.StoreMiss, `cell "%s" manifest %s not in store — pack needs the full closure`, by.ID, d)
}

// needs collects what a cell names.
func (p *packer) needs(cell *organism.Cell) error {
	switch cell.Kind {
	case organism.KindOrganism, organism.KindRepeat, organism.KindEach:
		d, err := algal.ParseDigest(cell.Manifest, `cell "`+cell.ID+`".manifest`)
		if err != nil {
			return err
		}
		return p.visit(d, cell)
	case organism.KindConst:
		for i, port := range cell.Outputs {
			if port.Type != organism.Ref {
				continue
			}
			if err := p.payload(cell.ID, cell.Values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// payload collects the value that a const cell refers to.
func (p *packer) payload(cell string, ref canon.Value) error {
	d, err := canon.AsDigest(ref, `const "`+cell+`" ref value`)
	if err != nil || p.values.has[d] {
		return err
	}
	if p.values.full() {
		return algal.Errorf(algal.BudgetExhausted, "bundle value count")
	}
	v, err := p.store.Value(d)
	if err != nil {
		return err
	}
	if !v.Exists() {
		return algal.Errorf(algal.StoreMiss, `const "%s" ref %s not in store — pack needs the payload`, cell, d)
	}
	if err := checkDigest("value", d, v.Digest()); err != nil {
		return err
	}
	return p.keep(p.values, d, v)
}
