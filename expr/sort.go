package expr

import (
	"cmp"
	"slices"

	"github.com/algal-vm/algal/canon"
)

// sort sorts a list. It charges the length, not the comparisons. That it is stable
// needs no care: what compares as equal is the same value.
func sort(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f == nil {
		f = m.spend(l.Len())
	}
	if f != nil {
		return l, f
	}
	elements := elementsOf(l)
	var s sorter
	slices.SortFunc(elements, s.compare)
	return canon.Array(elements...), nil
}

// sorter is the order of §8.4.1. It remembers the texts of maps, which are
// compared by them: writing one for each comparison would cost far more than the
// charge suggests.
type sorter struct{ texts map[canon.Value]string }

// compare orders by kind first; canon lists the kinds in this very order.
func (s *sorter) compare(a, b canon.Value) int {
	if c := cmp.Compare(a.Kind(), b.Kind()); c != 0 {
		return c
	}
	switch a.Kind() {
	case canon.KindBool:
		return compareBools(a.Bool(), b.Bool())
	case canon.KindNumber:
		return cmp.Compare(a.Float(), b.Float())
	case canon.KindString:
		return canon.CompareUnits(a.Text(), b.Text())
	case canon.KindArray:
		return s.compareLists(a, b)
	case canon.KindObject:
		return canon.CompareUTF8(s.text(a), s.text(b))
	}
	return 0
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (s *sorter) compareLists(a, b canon.Value) int {
	for i := range min(a.Len(), b.Len()) {
		if c := s.compare(a.At(i), b.At(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Len(), b.Len())
}

func (s *sorter) text(v canon.Value) string {
	text, ok := s.texts[v]
	if !ok {
		if s.texts == nil {
			s.texts = map[canon.Value]string{}
		}
		text = v.String()
		s.texts[v] = text
	}
	return text
}
