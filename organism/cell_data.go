package organism

import (
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

// The cells that compute or move data. Store, load and spawn have no members of
// their own.

// Slot reads or writes a named slot (§7.11).
type Slot struct {
	Name    string
	Write   bool
	Default canon.Value // absent when not declared
}

func readInput(c *Cell, o object) []canon.Member {
	outputs, normal := o.ports(o.require("outputs"), o.at("outputs"), producer)
	c.Outputs = outputs
	return []canon.Member{canon.M("outputs", normal)}
}

func readConst(c *Cell, o object) []canon.Member {
	v := o.require("outputs")
	normal := make([]canon.Member, 0, v.Len())
	o.eachPort(v, o.at("outputs"), func(name string, v canon.Value, at string) {
		q := o.object(v, at) // the short form is not allowed
		value := q.require("value")
		p, n := o.port(v, at, constMembers)
		if p.Type == Cap {
			o.refuse("%s: const cells cannot mint capability handles", at)
		}
		o.refuseMany(&p, at)
		p.Name = name
		c.Outputs, c.Values = append(c.Outputs, p), append(c.Values, value)
		normal = append(normal, canon.M(name, n))
	})
	return []canon.Member{canon.M("outputs", revise(v, normal...))}
}

func readFn(c *Cell, o object) []canon.Member {
	c.Fn = o.text("fn", maxRef)
	return nil
}

// readExpr looks at the program last: its envelope comes before the output
// contract, its static check after it (expr.md §11.1).
func readExpr(c *Cell, o object) []canon.Member {
	inputs := o.inputs(c)
	at := o.at("expr")
	program, err := expr.ParseEnvelope(o.require("expr"), at)
	o.keep(err)
	output := o.output(o.require("output"), o.at("output"), c.Inputs)
	if output.HasOnMiss {
		o.refuse("%s.output.onMiss has no meaning on expr cells — a program returns exact values", o.path)
	}
	if o.err == nil {
		o.keep(program.Admit(c.Inputs.names(), at))
	}
	c.Program = program
	c.Outputs = Ports{output.port("out")}
	return []canon.Member{inputs}
}

func readTool(c *Cell, o object) []canon.Member {
	c.Tool = o.text("tool", maxRef)
	c.Budget = o.budget("maxEffectMs")
	return nil
}

func readSlot(c *Cell, o object) []canon.Member {
	s := &Slot{Name: o.id("name")}
	mode := o.text("mode", 8)
	if mode != "read" && mode != "write" {
		o.refuse(`%s.mode must be "read" or "write"`, o.path)
	}
	s.Write, s.Default = mode == "write", o.get("default")
	if s.Write && s.Default.Exists() {
		o.refuse("%s.default is only valid on read-mode slot cells", o.path)
	}
	if s.Default.Size() > MaxValueBytes {
		o.refuse("%s.default exceeds maxValueBytes %dB", o.path, MaxValueBytes)
	}
	c.Slot = s
	if s.Write {
		c.Inputs = dataPort
	}
	return nil
}
