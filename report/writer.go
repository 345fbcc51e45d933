package report

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/page"
)

// How much of one thing a page shows at most, in bytes of the page.
const (
	maxValue = 64 << 10 // a value or a passage
	maxLine  = 1 << 10  // a message
	maxName  = 300      // a name, path or label
)

// writer writes one page.
type writer struct {
	*page.Builder
	Subject

	graph       *organism.Graph
	last        *chain.Record
	receipt     canon.Value // the last, absent when there is none
	generations []generation
	requests    map[algal.Digest]canon.Value

	cutValues     int // values and passages that are not shown whole
	hiddenEffects int
}

// section writes a section that the top of the page links to.
func (w *writer) section(id, title string, body func()) {
	w.Open("section", page.A("id", id), page.A("aria-labelledby", id+"-title"))
	w.Element("h2", title, page.A("id", id+"-title"))
	body()
	w.Close()
}

// paragraph writes a paragraph of the program's own words.
func (w *writer) paragraph(text string) { w.Element("p", text) }

// facts writes a list of names and what belongs to them.
func (w *writer) facts(body func()) {
	w.Open("dl")
	body()
	w.Close()
}

func (w *writer) fact(name string, body func()) {
	w.Element("dt", name)
	w.Open("dd")
	body()
	w.Close()
}

// factText is a fact in words. Long ones are cut.
func (w *writer) factText(name, text string) {
	w.fact(name, func() { w.Cut(text, maxLine) })
}

// factDigest is a fact that is copied whole, left out when there is none.
func (w *writer) factDigest(name string, d algal.Digest) {
	if d != "" {
		w.fact(name, func() { w.Digest(string(d)) })
	}
}

// code writes a name within a line.
func (w *writer) code(name string) {
	w.Open("code")
	w.Cut(name, maxName)
	w.Close()
}

// table writes a table that may be wider than the window.
func (w *writer) table(label string, heads []string, rows func()) {
	w.scroll(label, func() {
		w.Open("table")
		w.Open("thead")
		w.Open("tr")
		for _, head := range heads {
			w.Element("th", head, page.A("scope", "col"))
		}
		w.Close()
		w.Close()
		w.Open("tbody")
		rows()
		w.Close()
		w.Close()
	})
}

// row writes a row of cells.
func (w *writer) row(cells ...func()) {
	w.Open("tr")
	for _, cell := range cells {
		w.Open("td")
		cell()
		w.Close()
	}
	w.Close()
}

// words is a cell of a row.
func (w *writer) words(text string) func() { return func() { w.Cut(text, maxName) } }

// digest is a cell of a row.
func (w *writer) digest(d algal.Digest) func() {
	return func() {
		if d != "" {
			w.Digest(string(d))
		}
	}
}

// scroll writes what may be wider than the window, in a frame that the keyboard
// reaches.
func (w *writer) scroll(label string, body func()) {
	w.Open("div", page.Class("scroll"), page.A("role", "region"), page.A("aria-label", label), page.A("tabindex", "0"))
	body()
	w.Close()
}

// fold writes what is shown on demand.
func (w *writer) fold(summary string, body func()) {
	w.Open("details")
	w.Open("summary")
	w.Cut(summary, maxName)
	w.Close()
	body()
	w.Close()
}

// value writes a value in the room that is left for it, and counts it if it is cut.
func (w *writer) value(v canon.Value, room *room) {
	before := w.Len()
	if !w.Value(v, min(room.share(), maxValue)) {
		w.cutValues++
	}
	room.spend(w.Len() - before)
}

// passage writes a text of a value.
func (w *writer) passage(text string, whole algal.Digest, room *room) {
	before := w.Len()
	if !w.Passage(text, min(room.share(), maxValue), whole) {
		w.cutValues++
	}
	room.spend(w.Len() - before)
}
