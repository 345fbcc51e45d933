package workbench

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/report/page"
)

// Page returns the page that shows a report to a person (demo.md §4.6). It is
// passive and self-contained, and whatever a report holds is text on it.
//
// A record of another contract is PARSE_FAILED, a report of more than [MaxReport] or
// a page of more than [MaxPage] bytes BUDGET_EXHAUSTED. Members that are missing or
// of another kind are shown as such.
func Page(report canon.Value) (string, error) {
	if !report.Get("contract").IsText(reportContract) {
		return "", algal.Errorf(algal.ParseFailed, "the report's contract must be %s", reportContract)
	}
	if n := report.Size(); n > MaxReport {
		return "", algal.Errorf(algal.BudgetExhausted, "the report has %d bytes, more than %d", n, MaxReport)
	}
	report = report.Sorted() // the page follows from the file, not from how the record was made
	text := page.Document("ALGAL workbench", func(b *page.Builder) {
		w := &writer{b, report, unknownLook}
		if known, ok := looks[Status(report.Get("status").Text())]; ok {
			w.look = known
		}
		w.head()
		b.Open("main")
		w.proposal()
		w.operator()
		w.history()
		w.evidence()
		w.portable()
		w.checks()
		b.Close()
		w.foot()
	})
	if n := len(text); n > MaxPage {
		return "", algal.Errorf(algal.BudgetExhausted, "the page of the report has %d bytes, more than %d", n, MaxPage)
	}
	return text, nil
}

// WritePage writes the page of a report into a real directory, as report.html. A
// page that is there and equal is left as it is; a link or anything but a regular
// file in its place is IO_FAILED and stays, as a page stays whose report is refused.
func WritePage(files *durable.Publisher, dir string, report canon.Value) error {
	text, err := Page(report)
	if err != nil {
		return err
	}
	return replace(files, dir, PageName, text)
}

// writer writes the sections of a page.
type writer struct {
	*page.Builder
	report canon.Value
	look   look
}

// step is what became of one of the four steps.
type step struct {
	mark        page.Attr // done, open or stopped
	state, note string
}

// look is how a status is shown.
type look struct {
	badge                 page.Attr
	headline, meaning     string
	approval, publication step
}

// The classes of the style sheet that tell a state.
var (
	good  = page.Class("badge good")
	wait  = page.Class("badge wait")
	bad   = page.Class("badge bad")
	plain = page.Class("badge plain")

	done    = page.Class("done")
	pending = page.Class("open")
	stopped = page.Class("stop")
)

// looks are those of the statuses.
var looks = map[Status]look{
	Waiting: {
		wait, "The program waits for your decision",
		"It has read the evidence and proposes to write one file. It is stopped there, and no process runs. Nothing is published " +
			"unless somebody approves exactly the proposal below.",
		step{pending, "waiting", "A person approves or denies the proposal, naming its digest."},
		step{pending, "held", "Nothing is written before the proposal is approved."},
	},
	Approved: {
		good, "Approved, and published once",
		"Somebody approved exactly the proposal below, and the program published it. Approving it again changes nothing and publishes " +
			"nothing more.",
		step{done, "approved", "The decision names this proposal and this action, and was received by the program."},
		step{done, "delivered", "The program sent the proposal to its publications, once."},
	},
	Denied: {
		bad, "Denied, and nothing was published",
		"Somebody denied the proposal below. The program received the decision and ended; it cannot publish any more.",
		step{stopped, "denied", "The decision names this proposal and this action, and was received by the program."},
		step{stopped, "not authorized", "The program ended without publishing."},
	},
	Uncertain: {
		bad, "What the program did last is not known",
		"It was interrupted while it ran, and its last run has no recorded end. Nothing is repeated, since what it did outside may " +
			"have happened already. Its journal tells what is known: “algal process explain review --dir” with the folder store " +
			"of this workbench says whether it can be recovered. If not, keep this folder as it is and start a new workbench.",
		step{stopped, "stopped", "Nothing is decided or repeated until somebody has looked."},
		step{stopped, "held", "Whether the interrupted run published is not known; nothing more is published."},
	},
	Failed: {
		bad, "The program failed",
		"It ended with a fault before it could complete. Its history is kept and can be exported. Start a new workbench to try again.",
		step{stopped, "stopped", "The program takes no decision any more."},
		step{stopped, "held", "The program cannot publish any more."},
	},
	Ready: {
		bad, "The workbench was never finished",
		"Its start was interrupted before the program ran. Keep this folder as it is and start a new workbench in another.",
		step{stopped, "stopped", "The program has not come to its proposal."},
		step{stopped, "held", "Nothing was published."},
	},
}

var unknownLook = look{
	plain, "The status of this workbench is not known",
	"The report names a status that this page does not know.",
	step{stopped, "stopped", "Not known."},
	step{stopped, "held", "Not known."},
}
