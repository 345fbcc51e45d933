package organism

import "github.com/algal-vm/algal/canon"

// View says what a model cell sees (§6.3).
type View struct {
	AllInputs bool
	Inputs    []string // when not all
	Cells     []ViewCell
	Graph     bool
	Note      string
	HasNote   bool
}

// ViewCell is one named ancestor.
type ViewCell struct {
	Cell     string
	Ports    []string // when HasPorts, else all
	HasPorts bool
}

// allInputs is how a view writes that it shows every input.
const allInputs = "*"

// view reads the view of a cell and returns its normal form, in which inputs
// always stands.
func (o object) view() (View, canon.Value) {
	v := o.get("view")
	if !v.Exists() {
		v = canon.Object()
	}
	q := o.object(v, o.at("view"))
	q.closed("inputs", "cells", "graph", "note")
	var view View
	inputs := q.get("inputs")
	if !inputs.Exists() {
		inputs = canon.String(allInputs)
	}
	if view.AllInputs = inputs.IsText(allInputs); !view.AllInputs {
		view.Inputs = q.ids(inputs, q.at("inputs"))
	}
	cells := q.get("cells")
	if cells.Exists() {
		view.Cells, cells = q.viewCells(cells, q.at("cells"))
	}
	view.Graph = q.flag("graph")
	view.Note, view.HasNote = q.optText("note", maxNote)
	return view, dropFalse(revise(v, canon.M("inputs", inputs), canon.M("cells", cells)), "graph")
}

func (r *reader) viewCells(v canon.Value, path string) ([]ViewCell, canon.Value) {
	r.array(v, path)
	var cells []ViewCell
	var names []string
	var normal []canon.Value
	for i, e := range v.Elements() {
		c, n := r.viewCell(e, index(path, i))
		if r.err != nil {
			return nil, v
		}
		cells, names, normal = append(cells, c), append(names, c.Cell), append(normal, n)
	}
	r.set(names, path, maxViewCells)
	return cells, reviseAll(v, normal)
}

// viewCell reads an entry: the id alone, or an object. In the normal form an
// entry without ports is the id alone.
func (r *reader) viewCell(v canon.Value, path string) (ViewCell, canon.Value) {
	if v.Is(canon.KindString) {
		id, err := canon.AsSafeID(v, path)
		r.keep(err)
		return ViewCell{Cell: id}, v
	}
	o := r.object(v, path)
	o.closed("cell", "ports")
	c := ViewCell{Cell: o.id("cell")}
	ports := o.get("ports")
	if !ports.Exists() {
		return c, o.get("cell")
	}
	c.Ports, c.HasPorts = o.ids(ports, o.at("ports")), true
	o.set(c.Ports, o.at("ports"), maxPorts)
	return c, v
}
