package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/terminal"
	"github.com/algal-vm/algal/verify"
)

// printer shows outcomes: as JSON lines, or in words at a terminal.
type printer struct {
	streams
	quiet, readable, several bool

	verified, refused, unreadable int
}

func newPrinter(s streams, o *options, several bool) *printer {
	return &printer{
		streams:  s,
		quiet:    o.quiet,
		readable: terminal.Is(s.out) && !o.json,
		several:  several,
	}
}

func (p *printer) print(o *outcome) {
	switch o.exit() {
	case exitVerified:
		p.verified++
	case exitUnreadable:
		p.unreadable++
	case exitInterrupted:
		printError(p.err, "", errInterrupted)
		return
	default:
		p.refused++
	}
	switch {
	case p.quiet:
		if o.err != nil {
			printError(p.err, o.name, o.err)
		}
	case p.readable:
		p.account(o)
	default:
		p.line(o)
	}
}

var errInterrupted = algal.Errorf(algal.BudgetExhausted, "interrupted")

// line prints the machine form of one outcome.
func (p *printer) line(o *outcome) {
	if o.evidence != nil {
		for _, n := range notices(o.evidence) {
			fmt.Fprintf(p.err, "notice: %s: %s\n", o.name, n)
		}
	}
	switch {
	case o.err == nil && p.several:
		fmt.Fprintln(p.out, o.report.Value().With(canon.M("file", canon.String(o.name))))
	case o.err == nil:
		fmt.Fprintln(p.out, o.report.Value())
	case p.several:
		fmt.Fprintln(p.out, errorValue(o.name, o.err).With(canon.M("ok", canon.Bool(false))))
	default:
		printError(p.err, "", o.err)
	}
}

// notices says what is odd about a text and does not matter to its value.
func notices(e *verify.Evidence) []string {
	var list []string
	if e.Duplicates {
		list = append(list, "some object has a key twice; the last value counts")
	}
	if !e.Canonical {
		list = append(list, "the document is not in canonical form; its value was judged")
	}
	return list
}

// finish prints the sum over several files.
func (p *printer) finish() {
	files := p.verified + p.refused + p.unreadable
	switch {
	case !p.several || p.quiet:
	case p.readable:
		page := terminal.NewPage(p.out)
		page.Verdict(p.verified == files, "%d of %d verified, %d refused, %d unreadable", p.verified, files, p.refused, p.unreadable)
		fmt.Fprint(p.out, page)
	default:
		fmt.Fprintln(p.out, canon.Object(
			canon.M("files", canon.Int(files)),
			canon.M("ok", canon.Bool(p.verified == files)),
			canon.M("refused", canon.Int(p.refused)),
			canon.M("unreadable", canon.Int(p.unreadable)),
			canon.M("verified", canon.Int(p.verified)),
		))
	}
}

// errorValue is {error, message} and, where a name is given, file.
func errorValue(file string, err error) canon.Value {
	e := algal.AsError(err)
	v := canon.Object(canon.M("error", canon.String(string(e.Code))), canon.M("message", canon.String(e.Message)))
	if file != "" {
		v = v.With(canon.M("file", canon.String(file)))
	}
	return v
}

func printError(w io.Writer, file string, err error) { fmt.Fprintln(w, errorValue(file, err)) }

// account tells a reader about one document; its last line is the verdict.
func (p *printer) account(o *outcome) {
	page := terminal.NewPage(p.out)
	page.Line("%s", o.name)
	if r := o.report; r != nil {
		last := r.History.Last()
		page.Row("process", "%s", last.Name)
		page.Row("status", "%s", r.Status)
		page.Row("program", "%s", last.ManifestDigest)
		page.Row("generations", "%d of at most %d, receipts replayed: %d", r.Generations, last.MaxGenerations, r.Receipts)
		page.Row("head", "%s", r.Head)
		page.Row("evidence", "%s", r.Evidence)
	}
	if o.evidence != nil {
		page.Row("size", "%d bytes", o.evidence.Size)
	}
	page.Row("time", "%s", o.took.Round(time.Millisecond/10))
	if o.evidence != nil {
		for _, n := range notices(o.evidence) {
			page.Row("notice", "%s", n)
		}
	}
	if o.err == nil {
		page.Verdict(true, "verified: the history follows from the program and the recorded effects")
	} else {
		accountOfFault(page, o)
	}
	fmt.Fprint(p.out, page)
}

// accountOfFault tells why a document was refused, or not read.
func accountOfFault(page *terminal.Page, o *outcome) {
	if r, ok := errors.AsType[*verify.Refusal](o.err); ok {
		page.Row("stage", "%s", r.Stage)
		if r.Generation >= 0 {
			page.Row("generation", "%d", r.Generation)
		}
		if r.Digest != "" {
			page.Row("at", "%s", r.Digest)
		}
	}
	word := "refused"
	if o.exit() == exitUnreadable {
		word = "not read"
	}
	e := algal.AsError(o.err)
	page.Verdict(false, "%s: %s: %s", word, e.Code, e.Message)
}
