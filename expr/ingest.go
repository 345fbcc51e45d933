package expr

import (
	"math"

	"github.com/algal-vm/algal/canon"
)

// ingest passes every number of v through the reader of the reference evaluator
// (§3), which changes about one in nine numbers of 17 digits by one unit in the
// last place. It returns v itself when no number changes.
func ingest(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindNumber:
		return ingestNumber(v)
	case canon.KindArray, canon.KindObject:
		for i := range v.Len() {
			if got := ingest(v.At(i)); got != v.At(i) {
				return ingestFrom(v, i, got)
			}
		}
	}
	return v
}

// ingestFrom rebuilds a container whose child i is the first to change.
func ingestFrom(v canon.Value, i int, changed canon.Value) canon.Value {
	children := make([]canon.Value, v.Len())
	for at := range children {
		switch {
		case at < i:
			children[at] = v.At(at)
		case at == i:
			children[at] = changed
		default:
			children[at] = ingest(v.At(at))
		}
	}
	if v.Is(canon.KindArray) {
		return canon.Array(children...)
	}
	members := make([]canon.Member, len(children))
	for at, child := range children {
		members[at] = canon.M(v.Key(at), child)
	}
	return canon.Object(members...)
}

// Numbers of at most 15 digits that are written without exponent are read
// exactly: digits and power of ten are both exact, and one operation joins them.
// A longer text without a point is an integer and exact as well.
const (
	exactText    = 16
	exactAtLeast = 1e-6
	exactBelow   = 1e21
)

func ingestNumber(v canon.Value) canon.Value {
	f := v.Float()
	if a := math.Abs(f); v.Size() <= exactText && a >= exactAtLeast && a < exactBelow {
		return v
	}
	var buf [32]byte
	got, ok := readDecimal(v.AppendCanonical(buf[:0]))
	if !ok || math.Float64bits(got) == math.Float64bits(f) {
		return v // no text of a finite number is read as an infinite one
	}
	changed, _ := canon.Number(got)
	return changed
}
