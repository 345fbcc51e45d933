package report

import (
	"fmt"
	"slices"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/report/page"
)

// timeline lists the generations, each of which has a section of its own.
func (w *writer) timeline() {
	w.section("timeline", "Timeline", func() {
		if len(w.generations) == 0 {
			w.paragraph("There are no generations yet.")
			return
		}
		w.table("Timeline", []string{"Generation", "Cause", "Status", "New effects", "Work", "Record"}, func() {
			for i := range w.generations {
				g := &w.generations[i]
				record := g.outcome
				if record == "" {
					record = g.intent
				}
				link := func() { w.Element("a", fmt.Sprint(g.number), page.To(anchor(g.number))) }
				status := func() { w.Element("span", string(g.status), badge(g.status)) }
				effects := func() { w.Text(page.Count(len(g.effects))) }
				w.row(link, w.words(causeText(g.cause)), status, effects, w.number(g.receipt.Get("work").Get("units")), w.digest(record))
			}
		})
	})
}

// causeText says why a generation was dispatched.
func causeText(cause string) string {
	switch cause {
	case chain.CauseStart:
		return "the first dispatch"
	case chain.CauseManual:
		return "a tick"
	}
	return "a message for " + cause
}

// ends shows what went in and what came out.
func (w *writer) ends() {
	w.section("ends", "Arguments and outputs", func() {
		w.Element("h3", "Arguments")
		w.value(w.last.Args, &room{maxValue, 1})
		outputs, declared := w.outputs()
		switch {
		case outputs.Len() == 0:
			w.paragraph("There are no outputs so far.")
			return
		case declared:
			w.Element("h3", "Outputs")
		default:
			w.Element("h3", "Outputs of the last cells")
			w.paragraph("The program declares no outputs; these are of the cells that feed no other.")
		}
		left := &room{3 * maxValue, outputs.Len()}
		for name, v := range outputs.Members() {
			w.Open("p", page.Class("small"))
			w.Element("code", name)
			w.Close()
			w.value(v, left)
		}
	})
}

// outputs returns what the last run gave: by the interface of the program if it
// declares one, else of the cells that no edge leaves.
func (w *writer) outputs() (outputs canon.Value, declared bool) {
	cells, m := w.receipt.Get("cells"), w.graph.Manifest
	var members []canon.Member
	if m.Interface != nil {
		for _, out := range m.Interface.Outputs {
			members = append(members, canon.M(out.Name, cells.Get(out.Cell).Get("outputs").Get(out.Port)))
		}
		return canon.Object(members...), true
	}
	for i, c := range m.Cells {
		if !slices.Contains(w.graph.From, i) {
			members = append(members, canon.M(c.ID, cells.Get(c.ID).Get("outputs")))
		}
	}
	return canon.Object(members...), false
}
