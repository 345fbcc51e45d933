package report

import (
	"fmt"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/diagram"
	"github.com/algal-vm/algal/report/page"
)

// pictureRoom bounds all pictures of a page together, in bytes.
const pictureRoom = 768 << 10

// maxEmbedded bounds the pictures of embedded programs.
const maxEmbedded = 8

// program shows the graph with what became of its cells.
func (w *writer) program() {
	w.section("program", "Program", func() {
		if w.receipt.Exists() {
			w.paragraph("Cells and what became of them in the last recorded run:")
		} else {
			w.paragraph("Its cells; none of them has run:")
		}
		left := pictureRoom
		d := diagram.New(w.graph, w.receipt)
		w.picture(d, &left)
		w.fold("The cells as a table", func() { w.cells(d) })
		children := embedded(w.graph)
		for i, g := range children {
			if i == maxEmbedded {
				w.paragraph(fmt.Sprintf("%d more are embedded and not drawn here.", len(children)-i))
				break
			}
			w.fold("Embedded: "+g.Manifest.Name+" ("+g.Manifest.Key+")", func() {
				w.Open("p", page.Class("small"))
				w.Digest(string(g.Manifest.Digest()))
				w.Close()
				w.picture(diagram.New(g, canon.Value{}), &left)
			})
		}
	})
}

// picture draws a picture where there is room for it.
func (w *writer) picture(d *diagram.Diagram, left *int) {
	var drawn page.Builder
	d.Draw(&drawn)
	if drawn.Len() > *left {
		w.Element("p", fmt.Sprintf("The picture has %s, for which there is no room here. algal diagram draws it.", page.Bytes(drawn.Len())), page.Class("cut"))
		return
	}
	*left -= drawn.Len()
	w.scroll("Graph of the program "+d.Key, func() { d.Draw(w.Builder) })
}

// embedded returns the graphs that a graph embeds, itself or through others, each
// manifest once.
func embedded(g *organism.Graph) []*organism.Graph {
	var list []*organism.Graph
	seen := map[algal.Digest]bool{}
	var visit func(*organism.Graph)
	visit = func(g *organism.Graph) {
		for _, child := range g.Children {
			if child != nil && !seen[child.Manifest.Digest()] {
				seen[child.Manifest.Digest()] = true
				list = append(list, child)
				visit(child)
			}
		}
	}
	visit(g)
	return list
}

// cells lists the cells with their records.
func (w *writer) cells(d *diagram.Diagram) {
	nested := map[string]int{}
	records := w.receipt.Get("cells")
	for path := range records.Members() {
		if id, _, inner := strings.Cut(path, "/"); inner {
			nested[id]++
		}
	}
	w.table("Cells", []string{"Cell", "Kind", "Status", "Work", "Cells within"}, func() {
		for i := range d.Cells {
			c := &d.Cells[i]
			record := records.Get(c.ID)
			kind := string(c.Kind)
			if c.Detail != "" {
				kind += ", " + c.Detail
			}
			status := func() {
				w.Text(string(c.Status))
				if failure := record.Get("failure"); failure.Exists() {
					w.Text(": ")
					w.failure(failure)
				}
			}
			within := func() {}
			if n := nested[c.ID]; n > 0 {
				within = w.count(n)
			}
			w.row(w.words(c.ID), w.words(kind), status, w.number(record.Get("work")), within)
		}
	})
}

// number is a cell of a row: a number of a record, empty where there is none.
func (w *writer) number(v canon.Value) func() {
	if !v.Exists() {
		return func() {}
	}
	return w.count(int(v.Float()))
}

// count is a cell of a row.
func (w *writer) count(n int) func() {
	return func() { w.Element("span", page.Count(n), page.Class("number")) }
}
