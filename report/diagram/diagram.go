// Package diagram draws programs: the cells of a compiled manifest and the edges
// between them (organism.md §7, §8) as SVG, as Mermaid text or as JSON.
//
// A picture is the same for the same program, on every machine. Cells stand in rows
// below all those that feed them, at most four to a row; where an edge passes a row
// it has a place of its own in it, so that no line runs behind a cell. With a
// receipt each cell says what became of it, in words and by its frame as well as by
// its colour.
//
// An embedded program is one cell, with its key and digest; its own picture is drawn
// from its own graph. What a program may see beside its edges, by views and stores,
// is not drawn.
package diagram

import (
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Diagram is the picture of a program. Sizes and places are in pixels.
type Diagram struct {
	Key    string
	Name   string
	Digest algal.Digest
	Cells  []Cell // in manifest order
	Edges  []Edge // in manifest order

	Width, Height int

	marked bool
	lines  []line
}

// Cell is a cell of the picture.
type Cell struct {
	ID     string
	Kind   organism.CellKind
	Detail string       // the function, tool, slot, route or key that it names, or ""
	Child  algal.Digest // of the manifest that it embeds, or ""
	Status Status
	Code   algal.Code // why it failed, or ""

	X, Y, Width, Height int
}

// Edge is an edge of the program. Its ends are indices of cells.
type Edge struct {
	From, To         int
	FromPort, ToPort string
	OnFail           bool
	Guard            canon.Value // as it stands in the manifest, or absent
}

// New draws a program. receipt is that of a run of it, or absent; then no cell has
// a status.
func New(g *organism.Graph, receipt canon.Value) *Diagram {
	m := g.Manifest
	d := &Diagram{Key: m.Key, Name: m.Name, Digest: m.Digest(), marked: receipt.Exists()}
	for i, c := range m.Cells {
		cell := Cell{ID: c.ID, Kind: c.Kind, Detail: detail(c), Width: cellWidth, Height: plainHeight}
		if child := g.Children[i]; child != nil {
			cell.Detail, cell.Child = child.Manifest.Key, child.Manifest.Digest()
		}
		if d.marked {
			cell.mark(receipt.Get("cells").Get(c.ID))
		}
		d.Cells = append(d.Cells, cell)
	}
	for i, e := range m.Edges {
		edge := Edge{From: g.From[i], To: g.To[i], FromPort: e.From.Port, ToPort: e.To.Port, OnFail: e.OnFail}
		if e.Guard != nil {
			edge.Guard = e.Guard.Normal
		}
		d.Edges = append(d.Edges, edge)
	}
	d.lines = lines(d.Edges)
	d.layOut()
	return d
}

// detail returns what a cell names besides itself.
func detail(c *organism.Cell) string {
	switch {
	case c.Fn != "":
		return c.Fn
	case c.Tool != "":
		return c.Tool
	case c.Slot != nil && c.Slot.Write:
		return "writes " + c.Slot.Name
	case c.Slot != nil:
		return "reads " + c.Slot.Name
	case c.Model != nil:
		return route(c.Model.Route)
	}
	return ""
}

func route(r canon.Value) string {
	var parts []string
	for _, member := range []string{"preset", "provider", "model"} {
		if v := r.Get(member); v.Exists() {
			parts = append(parts, v.Text())
		}
	}
	return strings.Join(parts, " ")
}

// line stands for all edges of one kind between two cells.
type line struct {
	from, to int
	onFail   bool
	edges    []int // indices
	points   []point
}

type point struct{ x, y int }

// lines gathers edges, in the order in which they first occur.
func lines(edges []Edge) []line {
	var list []line
	for i, e := range edges {
		at := slices.IndexFunc(list, func(l line) bool { return l.from == e.From && l.to == e.To && l.onFail == e.OnFail })
		if at < 0 {
			at = len(list)
			list = append(list, line{from: e.From, to: e.To, onFail: e.OnFail})
		}
		list[at].edges = append(list[at].edges, i)
	}
	return list
}

// guardText returns a guard in a few words, "" for none.
func guardText(guard canon.Value) string {
	if !guard.Exists() {
		return ""
	}
	if envelope := guard.Get("expr"); envelope.Exists() {
		return "when " + envelope.Get("program").String()
	}
	what := "when"
	if field := guard.Get("field"); field.Exists() {
		what += " " + field.Text()
	}
	return what + " = " + guard.Get("equals").String()
}
