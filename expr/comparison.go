package expr

import (
	"cmp"

	"github.com/algal-vm/algal/canon"
)

// The operations of §8.2. There is no truthiness anywhere.

// ordered compares two numbers or two strings, the latter in UTF-16 order.
func ordered(holds func(c int) bool) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		a, b, f := m.pair(n)
		if f != nil {
			return canon.Value{}, f
		}
		switch {
		case a.Is(canon.KindNumber) && b.Is(canon.KindNumber):
			return canon.Bool(holds(cmp.Compare(a.Float(), b.Float()))), nil
		case a.Is(canon.KindString) && b.Is(canon.KindString):
			return canon.Bool(holds(canon.CompareUnits(a.Text(), b.Text()))), nil
		}
		got := kindNames[a.Kind()] + "," + kindNames[b.Kind()]
		return canon.Value{}, typeFailure(n, 0, "two numbers or two strings", got)
	}
}

// equality gives want for equal values (§2.4). Having the same canonical text is
// that relation: numbers have one text each, and zero of either sign the same.
func equality(want bool) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		a, b, f := m.pair(n)
		if f == nil {
			f = m.spend(a.Nodes() + b.Nodes())
		}
		if f != nil {
			return canon.Value{}, f
		}
		return canon.Bool(canon.Equal(a, b) == want), nil
	}
}

// until evaluates its arguments up to the first that is stop, and not further.
func until(stop bool) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		for i := range n.args {
			v, f := m.operand(n, i, canon.KindBool)
			if f != nil || v.Bool() == stop {
				return v, f
			}
		}
		return canon.Bool(!stop), nil
	}
}

func not(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.operand(n, 0, canon.KindBool)
	return canon.Bool(!v.Bool()), f
}

func choose(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.operand(n, 0, canon.KindBool)
	if f != nil {
		return v, f
	}
	if v.Bool() {
		return m.eval(&n.args[1])
	}
	return m.eval(&n.args[2])
}

func isKind(kind canon.Kind) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		v, f := m.eval(&n.args[0])
		return canon.Bool(v.Is(kind)), f
	}
}
