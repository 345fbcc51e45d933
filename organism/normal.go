package organism

import (
	"slices"

	"github.com/algal-vm/algal/canon"
)

// The normal form of a document (organism.md §10) is the document itself but for
// a few members: defaults filled in, short forms written out, members without
// meaning dropped. So it is made by revision. A part that is in normal form
// already stays the value it was, keeps its text, and is hashed without being
// written again.
//
// Revision keeps the member order of the document, which shows at run time
// (canonical.md §1.1).

// revise returns the object v with the given members set, and without those that
// are given as absent.
func revise(v canon.Value, members ...canon.Member) canon.Value {
	members = slices.DeleteFunc(members, func(m canon.Member) bool { return canon.Equal(v.Get(m.Key), m.Value) })
	for _, m := range members {
		if !m.Value.Exists() {
			v = v.Without(m.Key)
		}
	}
	if len(members) == 0 {
		return v
	}
	return v.With(members...)
}

// reviseAll returns the array v with the given elements in place of its own.
func reviseAll(v canon.Value, elements []canon.Value) canon.Value {
	for i, e := range elements {
		if !canon.Equal(v.At(i), e) {
			return canon.Array(elements...)
		}
	}
	return v
}
