package expr

import "github.com/algal-vm/algal/canon"

// machine evaluates one program once.
type machine struct {
	env   canon.Value
	scope []binding // of binders, innermost last
	left  int       // fuel
}

type binding struct {
	name  string
	value canon.Value
}

// spend takes fuel. A charge that the fuel left cannot meet takes nothing
// (§7.1).
func (m *machine) spend(cost int) *Failure {
	if cost > m.left {
		return fail(CodeFuel, canon.M("cost", canon.Int(cost)), canon.M("left", canon.Int(m.left)))
	}
	m.left -= cost
	return nil
}

// eval evaluates a node: its cost, its operation, the bounds of the result. The
// value means nothing when there is a failure, here and in all operations.
func (m *machine) eval(n *node) (canon.Value, *Failure) {
	if f := m.spend(n.op.cost + n.op.perArg*len(n.args)); f != nil {
		return canon.Value{}, f
	}
	v, f := n.op.eval(m, n)
	if f != nil {
		return canon.Value{}, f
	}
	return v, bound(v)
}

// evalWith evaluates the body of a binder operation with one more name bound.
func (m *machine) evalWith(name string, v canon.Value, body *node) (canon.Value, *Failure) {
	outer := len(m.scope)
	m.scope = append(m.scope, binding{name, v})
	result, f := m.eval(body)
	m.scope = m.scope[:outer]
	return result, f
}

// lookup finds a name: the innermost binder first, then the environment.
func (m *machine) lookup(name string) (canon.Value, *Failure) {
	for i := len(m.scope) - 1; i >= 0; i-- {
		if m.scope[i].name == name {
			return m.scope[i].value, nil
		}
	}
	if v := m.env.Get(name); v.Exists() {
		return v, nil
	}
	return canon.Value{}, unboundFailure(name)
}

// operand evaluates argument i, which must be of the given kind. Operations that
// take their operands so test each before the next one runs ("in turn", §7.3).
func (m *machine) operand(n *node, i int, kind canon.Kind) (canon.Value, *Failure) {
	v, f := m.eval(&n.args[i])
	if f == nil && !v.Is(kind) {
		f = wrongKind(n, i, kind, v)
	}
	return v, f
}

// operands evaluates all arguments before any is looked at ("eval all", §7.3).
func (m *machine) operands(n *node) ([]canon.Value, *Failure) {
	all := make([]canon.Value, len(n.args))
	size := total(emptySize)
	for i := range n.args {
		v, f := m.evalNext(n, i, &size)
		if f != nil {
			return nil, f
		}
		all[i] = v
	}
	return all, nil
}

// pair is operands for two arguments.
func (m *machine) pair(n *node) (a, b canon.Value, f *Failure) {
	size := total(emptySize)
	if a, f = m.evalNext(n, 0, &size); f == nil {
		b, f = m.evalNext(n, 1, &size)
	}
	return a, b, f
}

// evalNext evaluates argument i and adds it to the size of the argument list.
func (m *machine) evalNext(n *node, i int, size *total) (canon.Value, *Failure) {
	v, f := m.eval(&n.args[i])
	if f == nil {
		f = size.add(v.Size() + comma(i))
	}
	return v, f
}
