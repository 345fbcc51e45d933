package expr

import (
	"fmt"
	"slices"

	"github.com/algal-vm/algal/canon"
)

// The operations of §8.4.

func list(m *machine, n *node) (canon.Value, *Failure) {
	elements, f := m.operands(n)
	if f != nil {
		return canon.Value{}, f
	}
	return canon.Array(elements...), nil
}

func length(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	return canon.Int(l.Len()), f
}

// indexed evaluates a list and a natural number.
func (m *machine) indexed(n *node) (l canon.Value, index float64, f *Failure) {
	l, f = m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, 0, f
	}
	v, f := m.eval(&n.args[1])
	if f != nil {
		return l, 0, f
	}
	index, ok := natural(v)
	if !ok {
		f = typeFailure(n, 1, "nonneg integer", kindNames[v.Kind()])
	}
	return l, index, f
}

func nth(m *machine, n *node) (canon.Value, *Failure) {
	l, index, f := m.indexed(n)
	if f == nil && index >= float64(l.Len()) {
		f = fail(CodePath, withOp(n.op.name),
			withWhat(fmt.Sprintf("index %s out of range %d", canon.FormatNumber(index), l.Len())))
	}
	if f != nil {
		return canon.Value{}, f
	}
	return l.At(int(index)), nil
}

func take(m *machine, n *node) (canon.Value, *Failure) {
	l, index, f := m.indexed(n)
	if f != nil {
		return l, f
	}
	return part(l, 0, cut(l, index)), nil
}

func drop(m *machine, n *node) (canon.Value, *Failure) {
	l, index, f := m.indexed(n)
	if f != nil {
		return l, f
	}
	return part(l, cut(l, index), l.Len()), nil
}

// cut is a position in a list that may be given beyond its end.
func cut(l canon.Value, index float64) int { return int(min(index, float64(l.Len()))) }

// part is the list of the elements from one position up to another.
func part(l canon.Value, from, to int) canon.Value {
	if to-from == l.Len() {
		return l
	}
	elements := make([]canon.Value, to-from)
	for i := range elements {
		elements[i] = l.At(from + i)
	}
	return canon.Array(elements...)
}

// elementsOf returns the elements of a list as a slice of their own.
func elementsOf(l canon.Value) []canon.Value {
	elements := make([]canon.Value, 0, l.Len())
	for _, e := range l.Elements() {
		elements = append(elements, e)
	}
	return elements
}

func reverse(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	elements := elementsOf(l)
	slices.Reverse(elements)
	return canon.Array(elements...), nil
}

func concat(m *machine, n *node) (canon.Value, *Failure) {
	lists, f := m.operands(n)
	if f != nil {
		return canon.Value{}, f
	}
	return m.concatenate(n, lists)
}

func flat(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	return m.concatenate(n, elementsOf(l))
}

// concatenate joins lists. The charge comes before the bound.
func (m *machine) concatenate(n *node, lists []canon.Value) (canon.Value, *Failure) {
	count := 0
	for i, l := range lists {
		if !l.Is(canon.KindArray) {
			return canon.Value{}, wrongKind(n, i, canon.KindArray, l)
		}
		count += l.Len()
	}
	if f := m.spend(count); f != nil {
		return canon.Value{}, f
	}
	if count > maxList {
		return canon.Value{}, boundsFailure("list-len", maxList)
	}
	elements := make([]canon.Value, 0, count)
	for _, l := range lists {
		for _, e := range l.Elements() {
			elements = append(elements, e)
		}
	}
	return canon.Array(elements...), nil
}

// collect is map and filter: it evaluates the body for each element and lists
// what pick makes of element and result, leaving out what is absent.
func collect(pick func(n *node, i int, element, result canon.Value) (canon.Value, *Failure)) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		l, f := m.operand(n, 0, canon.KindArray)
		if f != nil {
			return l, f
		}
		kept, size := make([]canon.Value, 0, l.Len()), total(emptySize)
		for i := range l.Len() {
			if f := m.spend(1); f != nil {
				return l, f
			}
			v, f := m.evalWith(n.names[0], l.At(i), &n.args[2])
			if f == nil {
				v, f = pick(n, i, l.At(i), v)
			}
			if f == nil && v.Exists() {
				f = size.addPart(v, comma(len(kept)))
				kept = append(kept, v)
			}
			if f != nil {
				return l, f
			}
		}
		return canon.Array(kept...), nil
	}
}

// mapped is what map picks.
func mapped(_ *node, _ int, _, result canon.Value) (canon.Value, *Failure) { return result, nil }

// filtered is what filter picks.
func filtered(n *node, i int, element, result canon.Value) (canon.Value, *Failure) {
	if !result.Is(canon.KindBool) {
		return element, wrongKind(n, i, canon.KindBool, result)
	}
	if !result.Bool() {
		return canon.Value{}, nil
	}
	return element, nil
}

func fold(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	acc, f := m.eval(&n.args[1])
	outer := len(m.scope)
	for i := 0; f == nil && i < l.Len(); i++ {
		if f = m.spend(1); f == nil {
			m.scope = append(m.scope, binding{n.names[0], acc}) // the item may shadow it
			acc, f = m.evalWith(n.names[1], l.At(i), &n.args[4])
			m.scope = m.scope[:outer]
		}
	}
	return acc, f
}

func contains(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	v, f := m.eval(&n.args[1])
	if f != nil {
		return v, f
	}
	found, f := m.find(elementsOf(l), v)
	return canon.Bool(found), f
}

func unique(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	kept := make([]canon.Value, 0, l.Len())
	for _, e := range l.Elements() {
		found, f := m.find(kept, e)
		if f != nil {
			return l, f
		}
		if !found {
			kept = append(kept, e)
		}
	}
	return canon.Array(kept...), nil
}

// find looks for a value equal to v, at the price of one for each comparison.
func (m *machine) find(among []canon.Value, v canon.Value) (bool, *Failure) {
	for _, e := range among {
		if f := m.spend(1); f != nil {
			return false, f
		}
		if canon.Equal(e, v) {
			return true, nil
		}
	}
	return false, nil
}
