package report

import (
	"fmt"

	"github.com/algal-vm/algal/report/page"
)

// omitted says what a reader of the page does not see of the document.
func (w *writer) omitted() {
	w.section("omitted", "What is left out", func() {
		c := w.Evidence.Contents()
		w.paragraph(fmt.Sprintf("The document has %s; a page has at most %s.", page.Bytes(w.Evidence.Size), page.Bytes(MaxBytes)))
		var items []string
		if w.cutValues > 0 {
			items = append(items, fmt.Sprintf("%s cut; beneath each stands how long it is and by which digest it goes.", were(w.cutValues, "value")))
		}
		if w.hiddenEffects > 0 {
			items = append(items, fmt.Sprintf("%s not shown; they are counted in the section of their generation.", were(w.hiddenEffects, "effect")))
		}
		items = append(items, "What the cells gave to each other, and the log of events.")
		if c.Values > 0 || c.Missing > 0 || c.Tools > 0 {
			items = append(items, fmt.Sprintf("%s that the program looked up by digest, %s that it looked up in vain, and %s.",
				counted(c.Values, "value"), counted(c.Missing, "object"), counted(c.Tools, "tool signature")))
		}
		w.list(items...)
		w.Open("p")
		w.Text("The whole is the document that goes by ")
		w.Digest(string(w.Report.Evidence))
		w.Text(".")
		w.Close()
	})
}

func were(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return counted(n, noun) + " were"
}
