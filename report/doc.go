// Package report shows a process on one page: what a document of evidence holds
// once it is verified (evidence.md), and beside that, where the process is at hand,
// what only its machine knows.
//
// The page is passive and self-contained, see package page: whoever wrote what is in
// the document writes no markup. It is bounded, whatever the document holds; where
// something is left out the page says how much, and by which digest it is found.
//
// The package verifies nothing. It takes what package verify has verified, and says
// on the page what that means and what it does not.
package report

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/report/page"
	"github.com/algal-vm/algal/verify"
)

// MaxBytes bounds a page, inclusive.
const MaxBytes = 4 << 20

// Subject is what a page is about.
type Subject struct {
	Evidence *verify.Evidence
	Report   *verify.Report // of Evidence
	Local    *Local         // nil for a document alone
}

// Local is what the machine that has the process knows beyond the document.
type Local struct {
	Place string         // the directory of the process
	Story *process.Story // may be of a later head
	Next  []string       // the commands that may be typed next
}

// Process returns the page of a process.
func Process(ctx context.Context, s Subject) (string, error) {
	graph, err := s.Evidence.Graph()
	if err != nil {
		return "", err
	}
	w := &writer{Subject: s, graph: graph, last: s.Report.History.Last()}
	w.generations = generations(s.Report.History)
	if outcomes := s.Report.History.Outcomes; len(outcomes) > 0 {
		w.receipt = outcomes[len(outcomes)-1].Value
		// The last receipt carries the effects of all before it, so its requests are all.
		if w.requests, err = s.Evidence.Requests(ctx, w.receipt); err != nil {
			return "", err
		}
	}
	return page.Document(w.last.Name+", "+string(w.last.Status), w.write), nil
}

// write writes the body.
func (w *writer) write(b *page.Builder) {
	w.Builder = b
	w.header()
	b.Open("main")
	w.verified()
	w.program()
	w.timeline()
	w.ends()
	w.dispatches()
	w.local()
	w.omitted()
	b.Close()
	b.Open("footer")
	b.Element("p", "This page runs nothing, loads nothing and sends nothing. It was made by algal report and shows what is recorded as text, whoever wrote it.")
	b.Close()
}

// sections are those of a page, in order. A section that a page lacks is not linked.
func (w *writer) sections() []section {
	list := []section{
		{"verified", "What was verified"}, {"program", "Program"}, {"timeline", "Timeline"}, {"ends", "Arguments and outputs"},
	}
	if n := len(w.generations); n > 0 {
		list = append(list, section{anchor(w.generations[0].number), "First generation"})
		if n > 1 {
			list = append(list, section{anchor(w.generations[n-1].number), "Last generation"})
		}
	}
	if w.Local != nil {
		list = append(list, section{"local", "On this machine"})
	}
	return append(list, section{"omitted", "What is left out"})
}

type section struct{ id, title string }

// anchor is the id of the section of a generation.
func anchor(generation int) string { return fmt.Sprintf("generation-%d", generation) }

// badge is how a status is marked: by a word and a class.
func badge(status chain.Status) page.Attr {
	switch status {
	case chain.Complete:
		return page.Class("badge good")
	case chain.Failed, chain.Stuck:
		return page.Class("badge bad")
	case chain.Suspended, chain.Uncertain:
		return page.Class("badge wait")
	}
	return page.Class("badge plain")
}
