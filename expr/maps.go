package expr

import "github.com/algal-vm/algal/canon"

// The operations of §8.6 on maps, and objects as programs (§7.4).

// object evaluates a program that is an object, member by member in byte order.
func object(m *machine, n *node) (canon.Value, *Failure) {
	if len(n.args) > maxKeys {
		return canon.Value{}, boundsFailure("object-keys", maxKeys)
	}
	members := make([]canon.Member, len(n.args))
	size := total(emptySize)
	for i, key := range n.names {
		v, f := m.eval(&n.args[i])
		if f == nil {
			f = size.add(canon.QuotedSize(key) + 1 + comma(i))
		}
		if f == nil {
			f = size.addPart(v, 0)
		}
		if f != nil {
			return canon.Value{}, f
		}
		members[i] = canon.M(key, v)
	}
	return canon.Object(members...), nil
}

func has(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.operand(n, 0, canon.KindObject)
	if f != nil {
		return v, f
	}
	key, f := m.operand(n, 1, canon.KindString)
	return canon.Bool(v.Get(key.Text()).Exists()), f
}

func keys(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.operand(n, 0, canon.KindObject)
	if f != nil {
		return v, f
	}
	elements := make([]canon.Value, 0, v.Len())
	for key := range v.CanonicalMembers() {
		elements = append(elements, canon.String(key))
	}
	return canon.Array(elements...), nil
}

func values(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.operand(n, 0, canon.KindObject)
	if f != nil {
		return v, f
	}
	elements := make([]canon.Value, 0, v.Len())
	for _, member := range v.CanonicalMembers() {
		elements = append(elements, member)
	}
	return canon.Array(elements...), nil
}

// merge copies maps over each other. Kinds, charges and the bound are tested
// argument by argument.
func merge(m *machine, n *node) (canon.Value, *Failure) {
	maps, f := m.operands(n)
	if f != nil {
		return canon.Value{}, f
	}
	var members []canon.Member
	place := map[string]int{} // of each key in members
	for i, v := range maps {
		if !v.Is(canon.KindObject) {
			return canon.Value{}, wrongKind(n, i, canon.KindObject, v)
		}
		if f := m.spend(v.Len()); f != nil {
			return canon.Value{}, f
		}
		for at := range v.Len() {
			member := canon.M(v.Key(at), v.At(at))
			if had, ok := place[member.Key]; ok {
				members[had] = member
				continue
			}
			place[member.Key] = len(members)
			members = append(members, member)
		}
		if len(members) > maxKeys {
			return canon.Value{}, boundsFailure("object-keys", maxKeys)
		}
	}
	return canon.Object(members...), nil
}
