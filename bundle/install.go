package bundle

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// Install puts the content of the bundle into a store and returns the numbers of
// its manifests and values (bundle.md §3). Nothing is put before everything has
// been verified. Manifests are put in normal form, in which form they must also
// fit the bounds of a bundle.
//
// A fault of the store ends the installation in the middle; what is installed by
// then is valid.
func (b *Bundle) Install(into cas.Store) (manifests, values int, err error) {
	normal, err := b.verify()
	if err != nil {
		return 0, 0, err
	}
	for _, m := range normal {
		if _, err := into.PutManifest(m.Value); err != nil {
			return 0, 0, err
		}
	}
	for _, v := range b.Values {
		if _, err := into.PutValue(v.Value); err != nil {
			return 0, 0, err
		}
	}
	return len(normal), len(b.Values), nil
}

// verify checks every entry and returns the normal forms of the manifests.
func (b *Bundle) verify() ([]Entry, error) {
	isRoot := func(e Entry) bool { return e.Digest == b.Root }
	if !slices.ContainsFunc(b.Manifests, isRoot) {
		return nil, algal.Errorf(algal.ParseFailed, "bundle root %s is not among its manifests", b.Root)
	}
	normal := make([]Entry, 0, len(b.Manifests))
	for _, e := range b.Manifests {
		m, err := organism.ParseManifest(e.Value)
		if err != nil {
			return nil, err
		}
		if err := checkDigest("manifest", e.Digest, m.Digest()); err != nil {
			return nil, err
		}
		normal = append(normal, Entry{e.Digest, m.Normal()})
	}
	for _, e := range b.Values {
		if err := checkDigest("value", e.Digest, e.Value.Digest()); err != nil {
			return nil, err
		}
	}
	return normal, checkBounds(document(b.Root, normal, b.Values))
}
