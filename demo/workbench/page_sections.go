package workbench

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/report/page"
)

// maxShownValue bounds the text of a value on the page, in bytes.
const maxShownValue = 1 << 20

// maxRows bounds the rows of the history: those of the longest there can be.
const maxRows = 129

// said returns what a member of a report says: a text as it is, any other value as
// JSON.
func said(v canon.Value) string {
	switch {
	case !v.Exists():
		return "not in the report"
	case v.Is(canon.KindNull):
		return "none"
	case v.Is(canon.KindString):
		return v.Text()
	}
	return v.String()
}

// head is the first thing that is seen: what the status means, how far the program
// has come, and where to look.
func (w *writer) head() {
	w.Open("header")
	w.Open("p")
	w.Element("span", said(w.report.Get("status")), w.look.badge)
	w.Close()
	w.Element("h1", w.look.headline)
	w.Element("p", w.look.meaning)
	w.Open("ol", page.Class("steps"))
	w.step("1. Evidence", step{done, "read", "The input that the proposal is about."})
	w.step("2. Proposal", step{done, "made", "The exact record that would be published."})
	w.step("3. Approval", w.look.approval)
	w.step("4. Publication", w.look.publication)
	w.Close()
	counters := w.report.Get("counters")
	w.Open("ul", page.Class("counts"))
	w.count(counters.Get("decisions"), "decision", "decisions", " of the program’s model")
	w.count(counters.Get("proposals"), "delivery", "deliveries", " of the proposal")
	w.count(counters.Get("publications"), "publication", "publications", "")
	w.Close()
	w.Element("p", "Each number counts different effects in the whole recorded history. However often the program was continued, none can be more than 1.",
		page.Class("soft small"))
	w.Open("nav", page.A("aria-label", "Sections"))
	w.Open("ul")
	for _, link := range []struct{ id, text string }{{"proposal", "Proposal"}, {"history", "History"}, {"evidence", "Input evidence"}} {
		w.Open("li")
		w.Element("a", link.text, page.To(link.id))
		w.Close()
	}
	w.Close()
	w.Close()
	w.Close()
}

func (w *writer) step(name string, s step) {
	w.Open("li", s.mark)
	w.Element("b", name)
	w.Element("div", s.state)
	w.Element("div", s.note, page.Class("soft small"))
	w.Close()
}

func (w *writer) count(n canon.Value, one, many, of string) {
	noun := many
	if canon.Equal(n, canon.Int(1)) {
		noun = one
	}
	w.Open("li")
	w.Element("b", said(n))
	w.Text(noun + of)
	w.Close()
}

// operator says what a person may do.
func (w *writer) operator() {
	w.Open("section", page.A("id", "decide"))
	w.Element("h2", "What you can allow")
	action := w.report.Get("proposal").Get("value").Get("actionDescriptor")
	w.Open("dl")
	w.term("Action", said(action.Get("kind")))
	w.term("Destination", said(action.Get("target"))+", a file in this workbench")
	w.Close()
	switch retained := w.report.Get("approval"); {
	case !w.report.Get("status").IsText(string(Waiting)):
		w.Element("p", "There is nothing to decide at the moment.", page.Class("soft"))
	case retained.Is(canon.KindObject):
		w.Element("p", "A decision was made and was not delivered: the command was interrupted. Run it again to complete it; another decision is refused.")
		w.command("The decision that was made", said(retained.Get("decision")))
	default:
		w.Element("p", "Read the proposal above. Then run one of these in a terminal; each names the proposal by its digest, so it decides on nothing else.")
		w.command("Approve: the program publishes the proposal", "approve")
		w.command("Deny: the program ends and publishes nothing", "deny")
	}
	w.Close()
}

// command writes a command of the report as a block that one click selects.
func (w *writer) command(title, name string) {
	w.Element("h3", title)
	line, shown := ShellLine(w.report.Get("commands").Get(name))
	if !shown {
		w.Element("p", "The command cannot be shown in a form that can be copied safely.", page.Class("soft"))
		return
	}
	w.Element("pre", line, page.Class("whole"))
}

func (w *writer) proposal() {
	proposal := w.report.Get("proposal")
	w.Open("section", page.A("id", "proposal"))
	w.Element("h2", "Proposal")
	w.Element("p", said(proposal.Get("value").Get("title")))
	w.Element("p", said(proposal.Get("value").Get("summary")))
	w.digest(proposal.Get("digest"), "A decision names this digest. It changes with every character of the record.")
	w.whole("The full record", proposal.Get("value"), w.report.Get("status").IsText(string(Waiting)))
	w.Element("p", said(w.report.Get("fixture")), page.Class("soft small"))
	w.Close()
}

func (w *writer) evidence() {
	evidence := w.report.Get("evidence")
	w.Open("section", page.A("id", "evidence"))
	w.Element("h2", "Input evidence")
	w.Element("p", "What the program was given to read, as it was given. Whether it is true was not assessed.")
	w.digest(evidence.Get("digest"), "The proposal names this digest.")
	w.whole("The evidence", evidence.Get("value"), false)
	w.Close()
}

// digest writes a digest and what it is for.
func (w *writer) digest(digest canon.Value, purpose string) {
	w.Open("dl")
	w.Element("dt", "Digest")
	w.Open("dd")
	w.Digest(said(digest))
	w.Close()
	w.Close()
	w.Element("p", purpose, page.Class("soft small"))
}

// whole writes a value that can be unfolded and folded.
func (w *writer) whole(title string, v canon.Value, unfolded bool) {
	if unfolded {
		w.Open("details", page.A("open", ""))
	} else {
		w.Open("details")
	}
	w.Element("summary", title)
	w.Value(v, maxShownValue)
	w.Close()
}

func (w *writer) history() {
	w.Open("section", page.A("id", "history"))
	w.Element("h2", "History")
	w.Open("p")
	if w.verified() {
		w.Element("span", "verified", good)
		w.Text(" Every run was replayed from its record, without calling anything, and came out the same.")
	} else {
		w.Element("span", "not verified", bad)
		w.Text(" The report does not say that the history was replayed.")
	}
	w.Close()
	w.Element("p", "One row for each record of the process. A run begins with a record that says uncertain, so that an interrupted one is seen, and ends with another.",
		page.Class("soft small"))
	rows := w.report.Get("history")
	w.Open("details")
	w.Element("summary", fmt.Sprintf("%s of the process", counted(rows.Len(), "record")))
	w.Open("div", page.Class("scroll"))
	w.Open("table")
	w.Open("tbody")
	w.Open("tr")
	for _, title := range []string{"Generation", "Status", "Record", "Receipt"} {
		w.Element("th", title, page.A("scope", "col"))
	}
	w.Close()
	for i, row := range rows.Elements() {
		if i < maxRows {
			w.row(row)
		}
	}
	w.Close()
	w.Close()
	w.Close()
	if more := rows.Len() - maxRows; more > 0 {
		w.Element("p", fmt.Sprintf("and %s more, which are not shown", counted(more, "record")))
	}
	w.Close()
	w.Close()
}

func (w *writer) row(row canon.Value) {
	w.Open("tr")
	w.Element("td", said(row.Get("generation")))
	w.Element("td", said(row.Get("status")))
	w.Open("td")
	w.Digest(said(row.Get("digest")))
	w.Close()
	retained := "none"
	if row.Get("receipt").Is(canon.KindString) {
		retained = "retained"
	}
	w.Element("td", retained)
	w.Close()
}

func (w *writer) verified() bool { return w.report.Get("verification").Get("ok").Bool() }

// portable says how the history is taken elsewhere.
func (w *writer) portable() {
	w.Open("section", page.A("id", "portable"))
	w.Element("h2", "Take the history elsewhere")
	w.Element("p", "An export is one file with all that is needed to replay the history. It verifies on any machine, without this folder.")
	w.command("Export", "export")
	w.command("Verify the export", "verify")
	if v := w.report.Get("exportVerification"); v.Is(canon.KindObject) {
		w.Open("p")
		w.Text("The file was verified as it was written. Its digest is ")
		w.Digest(said(v.Get("evidenceDigest")))
		w.Text(".")
		w.Close()
	}
	artifacts := w.report.Get("artifacts")
	w.Open("ul")
	w.artifact(artifacts.Get("evidence").IsText(EvidenceName), page.File(EvidenceName), EvidenceName, "the exported history")
	w.artifact(artifacts.Get("publication").IsText(PublicationName), page.File(PublicationName), PublicationName, "the published record")
	w.Close()
	w.Close()
}

// artifact links to a file beside the page if it is there.
func (w *writer) artifact(there bool, to page.Attr, name, what string) {
	w.Open("li")
	if there {
		w.Element("a", name, to)
		w.Text(", " + what)
	} else {
		w.Element("span", name+", "+what+": not there", page.Class("soft"))
	}
	w.Close()
}

// checks says what was checked and what that means.
func (w *writer) checks() {
	w.Open("section", page.A("id", "checks"))
	w.Element("h2", "What was checked")
	verification := w.report.Get("verification")
	w.Open("ul")
	w.Element("li", "Generations whose receipt was replayed: "+said(verification.Get("receipts"))+".")
	w.Element("li", "A decision must name the exact proposal and action; any other is refused and leaves nothing behind.")
	w.Element("li", "An export can be read and verified by whoever has it, but gives nobody custody: the program goes on only in this folder.")
	w.Element("li", "Replay shows that the history is consistent: it follows from the program and the recorded effects. "+
		"It does not show who made it, nor that a provider or the evidence told the truth.")
	w.Close()
	w.Close()
}

func (w *writer) foot() {
	w.Open("footer")
	w.Element("p", said(w.report.Get("scenario")))
	w.Open("dl")
	w.term("Folder", said(w.report.Get("root")))
	w.term("Stage", said(w.report.Get("stage"))+", the status of the process "+said(w.report.Get("name")))
	w.Close()
	w.command("Refresh this page", "inspect")
	w.Close()
}

func (w *writer) term(name, text string) {
	w.Element("dt", name)
	w.Element("dd", text)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return page.Count(n) + " " + noun + "s"
}
