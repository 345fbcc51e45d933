package organism

import "github.com/algal-vm/algal/canon"

// Repeat runs its child in rounds (§7.9).
type Repeat struct {
	MaxRounds int
	Carry     []Carry // in member order
	Until     *Until
}

// Carry feeds an output of one round to an input of the next.
type Carry struct{ Output, Input string }

// Until ends the rounds.
type Until struct {
	Output, Equals, Field string
	HasField              bool
}

// Each runs its child for every element of the input Over.
type Each struct {
	Over     string
	MaxItems int
}

// maxCarry bounds the carry map.
const maxCarry = 32

// The embedding cells stand in the normal form as they are written.

func readOrganism(c *Cell, o object) []canon.Member {
	c.Manifest = o.text("manifest", maxDigestText)
	c.Via, _ = o.optID("via")
	return nil
}

func readRepeat(c *Cell, o object) []canon.Member {
	c.Manifest = o.text("manifest", maxDigestText)
	c.Repeat = &Repeat{MaxRounds: o.integer("maxRounds", 1, 16), Carry: o.carry(), Until: o.until()}
	c.Via, _ = o.optID("via")
	return nil
}

func readEach(c *Cell, o object) []canon.Member {
	c.Manifest = o.text("manifest", maxDigestText)
	c.Each = &Each{Over: o.id("over"), MaxItems: o.integer("maxItems", 1, 64)}
	c.Via, _ = o.optID("via")
	return nil
}

func (o object) carry() []Carry {
	v := o.get("carry")
	if !v.Exists() {
		return nil
	}
	q := o.object(v, o.at("carry"))
	if v.Len() > maxCarry {
		o.refuse("%s exceeds %d entries", q.path, maxCarry)
	}
	carry := make([]Carry, 0, v.Len())
	for output := range v.Members() {
		if o.err != nil {
			return nil
		}
		o.keep(canon.CheckSafeID(output, q.path+" key"))
		carry = append(carry, Carry{Output: output, Input: q.id(output)})
	}
	return carry
}

func (o object) until() *Until {
	v := o.get("until")
	if !v.Exists() {
		return nil
	}
	q := o.object(v, o.at("until"))
	q.closed("output", "equals", "field")
	u := &Until{Output: q.id("output"), Equals: q.text("equals", maxLabel)}
	u.Field, u.HasField = q.optID("field")
	return u
}
