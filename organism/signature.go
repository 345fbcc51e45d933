package organism

import (
	"slices"

	"github.com/algal-vm/algal"
)

// sign gives a cell its signature (§11.4).
func (c *compilation) sign(g *Graph, i int, cell *Cell) error {
	inputs, outputs := cell.Inputs, cell.Outputs
	switch cell.Kind {
	case KindFn:
		fn := c.env.Functions[cell.Fn]
		if fn == nil {
			return algal.Errorf(algal.FnUnknown, `cell "%s" references unknown fn "%s"`, cell.ID, cell.Fn)
		}
		inputs, outputs = fn.Inputs, fn.Outputs
	case KindTool:
		tool := c.env.Tools[cell.Tool]
		if tool == nil {
			return algal.Errorf(algal.ToolUnknown, `cell "%s" references unknown tool "%s"`, cell.ID, cell.Tool)
		}
		inputs, outputs = tool.Inputs, tool.Outputs
	case KindOrganism, KindRepeat, KindEach:
		e := embedding{cell: cell, child: g.Children[i]}
		if err := e.sign(); err != nil {
			return err
		}
		inputs, outputs = e.inputs, e.outputs
	}
	g.Inputs[i], g.Outputs[i] = inputs, outputs
	return nil
}

// embedding is a cell with its compiled child and the signature that it gets from
// the child's interface.
type embedding struct {
	cell            *Cell
	child           *Graph
	inputs, outputs Ports
}

func (e *embedding) sign() error {
	iface := e.child.Manifest.Interface
	if iface == nil {
		return algal.Errorf(algal.InterfaceMismatch,
			`%s cell "%s" requires a sub-manifest with an interface`, e.cell.Kind, e.cell.ID)
	}
	e.inputs, e.outputs = e.child.exposed(iface.Inputs), e.child.exposed(iface.Outputs)
	switch e.cell.Kind {
	case KindRepeat:
		return e.signRepeat()
	case KindEach:
		return e.signEach()
	}
	return nil
}

// exposed gives the ports of one side of the interface their interface names. An
// interface input names an output port of an input cell, so both sides are found
// among the outputs.
func (g *Graph) exposed(side []InterfacePort) Ports {
	ports := make(Ports, len(side))
	for i, p := range side {
		ports[i] = *g.output(p.PortRef)
		ports[i].Name = p.Name
	}
	return ports
}

func (e *embedding) signRepeat() error {
	id, key := e.cell.ID, e.child.Manifest.Key
	for _, carry := range e.cell.Repeat.Carry {
		from, to := e.outputs.Find(carry.Output), e.inputs.Find(carry.Input)
		switch {
		case from == nil:
			return algal.Errorf(algal.InterfaceMismatch,
				`repeat cell "%s" carry key "%s" is not an interface output of "%s"`, id, carry.Output, key)
		case to == nil:
			return algal.Errorf(algal.InterfaceMismatch,
				`repeat cell "%s" carry target "%s" is not an interface input of "%s"`, id, carry.Input, key)
		case !feeds(from, to): // an interface input is never many, being a producer port of the child
			return algal.Errorf(algal.TypeMismatch, `repeat cell "%s" carry "%s" (%s) cannot feed "%s" (%s)`,
				id, carry.Output, from.text(), carry.Input, to.text())
		}
		to.Optional = true
	}
	return e.checkUntil()
}

func (e *embedding) checkUntil() error {
	until := e.cell.Repeat.Until
	if until == nil {
		return nil
	}
	id := e.cell.ID
	from := e.outputs.Find(until.Output)
	switch {
	case from == nil:
		return algal.Errorf(algal.InterfaceMismatch, `repeat cell "%s" until.output "%s" is not an interface output of "%s"`,
			id, until.Output, e.child.Manifest.Key)
	case until.HasField && from.Type != JSON:
		return algal.Errorf(algal.GuardInvalid, `repeat cell "%s" until.field requires a json output, got %s`, id, from.text())
	case !until.HasField && !from.canBe(until.Equals):
		return algal.Errorf(algal.GuardInvalid, `repeat cell "%s" until.equals "%s" not in labels of "%s"`,
			id, until.Equals, until.Output)
	}
	return nil
}

func (e *embedding) signEach() error {
	id, over := e.cell.ID, e.cell.Each.Over
	in := e.inputs.Find(over)
	if in == nil {
		return algal.Errorf(algal.InterfaceMismatch, `each cell "%s" over "%s" is not an interface input of "%s"`,
			id, over, e.child.Manifest.Key)
	}
	if in.Type == Cap {
		return algal.Errorf(algal.TypeMismatch, `each cell "%s" cannot convert a json list into capability inputs; `+
			`delegate capabilities through a typed pass-through input`, id)
	}
	*in = Port{Name: over, Type: JSON}
	for i := range e.outputs {
		e.outputs[i].Many = true
	}
	return nil
}

// canBe reports whether a label can stand on the port: only a choice with declared
// labels rules any out.
func (p *Port) canBe(label string) bool {
	return p.Type != Choice || p.Labels == nil || slices.Contains(p.Labels, label)
}
