package runtime

import (
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// interfaceArgs maps a record of interface inputs to arguments of the child's
// input cells (run.md §7.10). Other members of the record are ignored.
func interfaceArgs(m *organism.Manifest, inputs canon.Value) canon.Value {
	if m.Interface == nil {
		return canon.Object()
	}
	var cells []canon.Member
	ports := map[string][]canon.Member{}
	for _, p := range m.Interface.Inputs {
		if v := inputs.Get(p.Name); v.Exists() {
			ports[p.Cell] = append(ports[p.Cell], canon.M(p.Port, v))
		}
	}
	for _, p := range m.Interface.Inputs {
		if given := ports[p.Cell]; given != nil {
			cells = append(cells, canon.M(p.Cell, canon.Object(given...)))
			delete(ports, p.Cell)
		}
	}
	return canon.Object(cells...)
}

// interfaceOutputs maps the records of a finished level to interface outputs.
func (l *level) interfaceOutputs() canon.Value {
	m := l.graph.Manifest
	if m.Interface == nil {
		return canon.Object()
	}
	members := make([]canon.Member, 0, len(m.Interface.Outputs))
	for _, p := range m.Interface.Outputs {
		members = append(members, canon.M(p.Name, l.outputs[l.graph.Cell(p.Cell)].Get(p.Port)))
	}
	return canon.Object(members...)
}

// embed runs a child level to completion; label begins the texts of a suspended
// or stuck child.
func (a *activation) embed(child *level, label string) (canon.Value, error) {
	outcome, err := child.play()
	switch {
	case err != nil:
		return canon.Value{}, err
	case outcome == Complete:
		return child.interfaceOutputs(), nil
	case outcome == Suspended:
		return canon.Value{}, algal.Errorf(algal.EffectSuspended, "%s suspended", label)
	case a.run.failure != nil:
		return canon.Value{}, &algal.Error{Code: a.run.failure.err.Code, Message: a.run.failure.err.Message}
	}
	return canon.Value{}, algal.Errorf(algal.Stuck, "%s %s", label, outcome)
}

// embedWhole is embed for a child that runs once, under the cell's own path.
func (a *activation) embedWhole(child *level) (canon.Value, error) {
	outputs, err := a.embed(child, `inner run at "`+a.path+`"`)
	if algal.CodeOf(err) == algal.Stuck && a.run.failure == nil {
		err = algal.Errorf(algal.Stuck, "inner run stuck")
	}
	return outputs, err
}

func (a *activation) organism() (product, error) {
	outputs, err := a.embedWhole(a.nested(a.path, a.graph.Children[a.index], a.inputs))
	return product{outputs: outputs}, err
}

func (a *activation) repeat() (product, error) {
	repeat, child := a.cell.Repeat, a.graph.Children[a.index]
	var p product
	inputs := a.inputs
	for round := range repeat.MaxRounds {
		label := fmt.Sprintf(`repeat cell "%s" round %d: inner run`, a.cell.ID, round)
		outputs, err := a.embed(a.nested(segment(a.path, 'r', round), child, inputs), label)
		if err != nil {
			return product{}, err
		}
		p.outputs, p.rounds = outputs, round+1
		if reached(repeat.Until, outputs) {
			break
		}
		carried := make([]canon.Member, 0, len(repeat.Carry))
		for _, c := range repeat.Carry {
			carried = append(carried, canon.M(c.Input, outputs.Get(c.Output)))
		}
		inputs = inputs.With(carried...)
	}
	return p, nil
}

// reached reports whether the outputs of a round end the rounds.
func reached(until *organism.Until, outputs canon.Value) bool {
	if until == nil {
		return false
	}
	v := outputs.Get(until.Output)
	if until.HasField {
		v = v.Get(until.Field)
	}
	return v.IsText(until.Equals)
}

func (a *activation) each() (product, error) {
	each, child := a.cell.Each, a.graph.Children[a.index]
	list := a.inputs.Get(each.Over)
	if !list.Is(canon.KindArray) {
		return product{}, algal.Errorf(algal.TypeMismatch, `each cell "%s" over "%s" expected a list`, a.cell.ID, each.Over)
	}
	if list.Len() > each.MaxItems {
		return product{}, algal.Errorf(algal.BudgetExhausted, `each cell "%s" got %d items, maxItems %d`, a.cell.ID, list.Len(), each.MaxItems)
	}
	port := interfacePort(child, each.Over)
	collected := make([][]canon.Value, len(child.Manifest.Interface.Outputs))
	for i, item := range list.Elements() {
		if err := port.CheckValue(item, fmt.Sprintf("%s.%s[%d]", a.cell.ID, each.Over, i)); err != nil {
			return product{}, err
		}
		label := fmt.Sprintf(`each cell "%s" item %d: inner run`, a.cell.ID, i)
		inputs := a.inputs.With(canon.M(each.Over, item))
		outputs, err := a.embed(a.nested(segment(a.path, 'i', i), child, inputs), label)
		if err != nil {
			return product{}, err
		}
		for o, p := range child.Manifest.Interface.Outputs {
			if v := outputs.Get(p.Name); v.Exists() {
				collected[o] = append(collected[o], v)
			}
		}
	}
	members := make([]canon.Member, len(collected))
	for o, p := range child.Manifest.Interface.Outputs {
		members[o] = canon.M(p.Name, canon.Array(collected[o]...))
	}
	return product{outputs: canon.Object(members...), items: list.Len()}, nil
}

// interfacePort returns the input cell's port behind an interface input.
func interfacePort(g *organism.Graph, name string) *organism.Port {
	for _, p := range g.Manifest.Interface.Inputs {
		if p.Name == name {
			return g.Outputs[g.Cell(p.Cell)].Find(p.Port)
		}
	}
	return nil // compilation has made sure of it
}

func (a *activation) spawn() (product, error) {
	m, err := organism.ParseManifest(a.inputs.Get("manifest"))
	if err != nil {
		return product{}, err
	}
	digest, err := a.run.host.Store.PutManifest(m.Normal())
	if err != nil {
		return product{}, err
	}
	graph, err := organism.Compile(m, a.run.env, a.depth+1)
	if err != nil {
		return product{}, err
	}
	if exposesCapabilities(graph) {
		return product{}, algal.Errorf(algal.TypeMismatch, "spawn cannot expose capability ports through json; use a typed organism cell")
	}
	args := a.inputs.Get("args")
	if !args.Exists() {
		args = canon.Object()
	}
	if !args.Is(canon.KindObject) {
		return product{}, algal.Errorf(algal.TypeMismatch, `spawn cell "%s": args must be a record of interface inputs`, a.cell.ID)
	}
	data, err := a.embedWhole(a.nested(a.path, graph, args))
	if err != nil {
		return product{}, err
	}
	return product{outputs: canon.Object(canon.M("data", data), canon.M("digest", canon.String(string(digest))))}, nil
}

func exposesCapabilities(g *organism.Graph) bool {
	if g.Manifest.Interface == nil {
		return false
	}
	for _, side := range [][]organism.InterfacePort{g.Manifest.Interface.Inputs, g.Manifest.Interface.Outputs} {
		for _, p := range side {
			if port := g.Outputs[g.Cell(p.Cell)].Find(p.Port); port != nil && port.Type == organism.Cap {
				return true
			}
		}
	}
	return false
}
