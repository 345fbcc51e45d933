package expr

import (
	"math"

	"github.com/algal-vm/algal/canon"
)

// The operations of §8.3.

func let(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.eval(&n.args[1])
	if f != nil {
		return v, f
	}
	return m.evalWith(n.names[0], v, &n.args[2])
}

// get reads a name and follows a path into its value. A step that leads nowhere
// ends it with null: the steps after it do not run.
func get(m *machine, n *node) (canon.Value, *Failure) {
	name, f := m.eval(&n.args[0])
	if f == nil && !name.Is(canon.KindString) {
		f = typeFailure(n, 0, "name string", kindNames[name.Kind()])
	}
	if f != nil {
		return canon.Value{}, f
	}
	v, f := m.lookup(name.Text())
	for i := 1; f == nil && i < len(n.args); i++ {
		if v, f = m.step(n, i, v); !v.Exists() {
			return canon.Null(), f
		}
	}
	return v, f
}

// step evaluates step i of a path and takes it from v. The result is absent when
// it leads nowhere.
func (m *machine) step(n *node, i int, v canon.Value) (canon.Value, *Failure) {
	step, f := m.eval(&n.args[i])
	if f != nil {
		return canon.Value{}, f
	}
	switch step.Kind() {
	case canon.KindString:
		return v.Get(step.Text()), nil
	case canon.KindNumber:
		index, ok := natural(step)
		if !ok {
			return canon.Value{}, typeFailure(n, i, "nonneg integer index", kindNames[step.Kind()])
		}
		if v.Is(canon.KindArray) && index < float64(v.Len()) {
			return v.At(int(index)), nil
		}
		return canon.Value{}, nil
	}
	return canon.Value{}, typeFailure(n, i, "string key or nonneg integer index", kindNames[step.Kind()])
}

// natural admits a number that is integral and not negative. It may be larger
// than any int.
func natural(v canon.Value) (float64, bool) {
	f := v.Float()
	return f, v.Is(canon.KindNumber) && f >= 0 && f == math.Trunc(f)
}
