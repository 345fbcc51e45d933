package report

import (
	"fmt"

	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/report/page"
)

// maxEntries bounds the journal entries that are listed.
const maxEntries = 200

// local shows what the machine that has the process knows beyond the document.
func (w *writer) local() {
	if w.Local == nil {
		return
	}
	w.section("local", "On this machine", func() {
		w.paragraph("This part is no evidence: it tells what the store holds beside the history, at the time of this page.")
		w.facts(func() {
			w.fact("Place", func() {
				w.Open("code", page.Class("whole"))
				w.Cut(w.Local.Place, maxLine)
				w.Close()
			})
		})
		if w.Local.Story.Digest != w.Report.Head {
			w.paragraph("The process has gone on since its history was captured for this page.")
		}
		w.journals()
		if n := len(w.Local.Story.Generations); n > 0 {
			w.recovery(&w.Local.Story.Generations[n-1])
		}
		if len(w.Local.Next) > 0 {
			w.paragraph("What may be typed next:")
		}
		for _, command := range w.Local.Next {
			w.Open("pre", page.Class("whole"))
			w.Cut(command, maxLine)
			w.Close()
		}
	})
}

// journals lists what the journals of the dispatches say.
func (w *writer) journals() {
	var kept []*process.Generation
	for i := range w.Local.Story.Generations {
		if g := &w.Local.Story.Generations[i]; g.Journal != nil {
			kept = append(kept, g)
		}
	}
	if len(kept) == 0 {
		w.paragraph("No dispatch kept a journal.")
		return
	}
	w.table("Journals", []string{"Generation", "Settled effects", "Unsettled", "Recoveries spent", "Journal"}, func() {
		for _, g := range kept {
			j := g.Journal
			state := "in order"
			if j.Fault != nil {
				w.row(w.words(fmt.Sprint(g.Number)), func() {}, func() {}, func() {}, w.words("cannot be read: "+journal.Told(j.Fault)))
				continue
			}
			w.row(w.words(fmt.Sprint(g.Number)), w.words(fmt.Sprint(j.Settled)), w.words(fmt.Sprint(j.Unsettled)),
				w.words(fmt.Sprintf("%d of %d", j.Attempts, j.MaxRecoveries)), w.words(state))
		}
	})
}

// recovery shows a dispatch that has no outcome by its journal.
func (w *writer) recovery(g *process.Generation) {
	if g.Recover == nil {
		return
	}
	w.Element("h3", fmt.Sprintf("Generation %d, which has no outcome", g.Number))
	switch {
	case g.Journal == nil:
		w.paragraph("It kept no journal, so nobody knows what its effects did, and it cannot be recovered.")
		return
	case g.Recover.Refused != nil:
		w.Open("p")
		w.Text("A recovery would be refused: ")
		w.Open("bdi")
		w.Cut(journal.Told(g.Recover.Refused), maxLine)
		w.Close()
		w.Close()
	case g.Recover.Repeats >= 0:
		w.paragraph(fmt.Sprintf("It can be recovered. Effect %d only reads and would be called again; what is settled would not.", g.Recover.Repeats))
	default:
		w.paragraph("It can be recovered. What is settled would not be called again.")
	}
	if len(g.Effects) == 0 {
		return
	}
	w.table("Journal entries", []string{"Entry", "Cell", "Executor", "State", "Attempt", "Request"}, func() {
		for i := range g.Effects[:min(len(g.Effects), maxEntries)] {
			e := &g.Effects[i]
			state := string(e.Outcome)
			if e.Error != nil {
				state += ", " + string(e.Error.Code)
			}
			w.row(w.words(fmt.Sprint(i)), w.words(e.Cell), w.words(e.Executor), w.words(state), w.words(fmt.Sprint(e.Attempt)), w.digest(e.Request))
		}
	})
	if hidden := len(g.Effects) - maxEntries; hidden > 0 {
		w.Element("p", fmt.Sprintf("%s more are left out here. algal process journal prints them.", page.Count(hidden)), page.Class("cut"))
	}
}
