package report

import (
	"fmt"

	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/report/page"
)

// verified says what was verified, and what that does not prove (evidence.md §4).
func (w *writer) verified() {
	w.section("verified", "What was verified, and what that does not prove", func() {
		c := w.Evidence.Contents()
		w.paragraph("Before this page was made:")
		w.list(
			fmt.Sprintf("Every object of the document was found to have the digest it goes by: %s, %s, %s and %s.",
				counted(c.Records, "record"), counted(c.Receipts, "receipt"), counted(c.Manifests, "manifest"), counted(c.Values, "value")),
			"The records form one chain from the creation of the process to its head, and each follows from the one before by the rules.",
			w.replayed(),
			"Nothing outside of the document was read, and nobody was called.",
		)
		w.paragraph("That does not prove:")
		w.list(
			"Who made it. A history that was forged consistently verifies too. Compare the digest of the head with one that you have from elsewhere.",
			"That a model, a tool or a person answered what is recorded as their answer, or that what they answered is true.",
			"The names of executors, their usage and configuration, and the values read from slots: they are taken from the record as they are.",
			"That this is all. The process may have gone on since, and there may be another document of the same name.",
		)
		if w.last.Status == chain.Uncertain {
			w.paragraph("Of the dispatch without an outcome the document says only that it began.")
		}
		w.paragraph("Anybody can verify the document again, without this page and without the machine it comes from:")
		w.Element("pre", "algal-verify --expect-head "+string(w.Report.Head)+" FILE", page.Class("whole"))
		w.paragraph("The document is not redacted: prompts, answers and capability handles are in it, and on this page.")
	})
}

func (w *writer) replayed() string {
	switch n := w.Report.Receipts; n {
	case 0:
		return "The program compiles. It has no recorded run that could be repeated."
	case 1:
		return "The recorded run was repeated with its recorded effects, and gave the same receipt, bit for bit."
	default:
		return fmt.Sprintf("Each of the %d recorded runs was repeated with its recorded effects, and gave the same receipt, bit for bit.", n)
	}
}

func (w *writer) list(items ...string) {
	w.Open("ul")
	for _, item := range items {
		w.Element("li", item)
	}
	w.Close()
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return page.Count(n) + " " + noun + "s"
}
