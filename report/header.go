package report

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/report/page"
)

// header says what the process is and where it stands.
func (w *writer) header() {
	r := w.last
	w.Element("a", "Skip to the account", page.Class("skip"), page.To("verified"))
	w.Open("header")
	w.Open("p", page.Class("small"))
	w.Element("span", string(r.Status), badge(r.Status))
	w.Text(" ")
	w.Element("span", "verified", page.Class("badge good"))
	w.Close()
	w.Element("h1", "Process "+r.Name)
	w.Open("p", page.Class("soft"))
	w.Text(fmt.Sprintf("A run of the program %s (%s)", w.graph.Manifest.Name, w.graph.Manifest.Key))
	w.Close()
	w.standing()
	w.facts(func() {
		w.factDigest("Head", w.Report.Head)
		w.factDigest("Evidence", w.Report.Evidence)
		w.factDigest("Program", w.Evidence.Root)
		w.factText("Size", page.Bytes(w.Evidence.Size))
		w.factText("Generations", fmt.Sprintf("%d of at most %d", r.Generation, r.MaxGenerations))
		w.factText("Receipts", fmt.Sprint(w.Report.Receipts))
	})
	w.Open("nav", page.A("aria-label", "Sections"))
	w.Open("ul")
	for _, s := range w.sections() {
		w.Open("li")
		w.Element("a", s.title, page.To(s.id))
		w.Close()
	}
	w.Close()
	w.Close()
	w.Close()
}

// standing says in a sentence or two what the status means.
func (w *writer) standing() {
	r := w.last
	switch r.Status {
	case chain.Ready:
		w.paragraph("It was created and has never been dispatched.")
	case chain.Uncertain:
		w.paragraph(fmt.Sprintf("Generation %d was dispatched and has no outcome. It is still at work, or it died: which of its effects "+
			"happened is then not known, and nothing of it may be repeated until it is. Where the process lives, "+
			"algal process explain tells what its journal knows, and algal process recover takes up a dispatch that kept one.", r.Generation))
	case chain.Suspended:
		w.suspended()
	case chain.Complete:
		w.paragraph(fmt.Sprintf("Its program ran to the end in generation %d. Nothing can follow.", r.Generation))
	case chain.Failed:
		w.Open("p")
		w.Text(fmt.Sprintf("Its program failed in generation %d, and nothing can follow: ", r.Generation))
		w.failure(w.receipt.Get("failure"))
		w.Close()
	default:
		w.paragraph("Its program came to a point from which it cannot go on. Nothing can follow.")
	}
}

func (w *writer) suspended() {
	r := w.last
	left := r.MaxGenerations - r.Generation
	switch {
	case left == 0:
		w.paragraph("It waits, but its generations are used up.")
	case len(r.Wake) == 0:
		w.paragraph(fmt.Sprintf("It waits until somebody dispatches it again, which may happen %s.", times(left)))
	default:
		w.paragraph(fmt.Sprintf("It waits for a message, or until somebody dispatches it again, which may happen %s. It waits for:", times(left)))
		w.handles(r.Wake)
	}
}

func times(n int) string {
	if n == 1 {
		return "once more"
	}
	return fmt.Sprintf("%d more times", n)
}

// handles lists capability handles, each to be copied whole.
func (w *writer) handles(list []string) {
	w.Open("ul")
	for _, handle := range list {
		w.Open("li")
		w.Digest(handle)
		w.Close()
	}
	w.Close()
}

// failure writes the failure of a run or a cell within a line.
func (w *writer) failure(failure canon.Value) {
	w.Element("code", failure.Get("code").Text())
	if path := failure.Get("path").Text(); path != "" {
		w.Text(" at ")
		w.code(path)
	}
	w.Text(": ")
	w.Open("bdi")
	w.Cut(failure.Get("message").Text(), maxLine)
	w.Close()
}
