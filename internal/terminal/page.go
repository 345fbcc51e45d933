package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Page is what a command shows a reader. Foreign text on it can move no cursor. Its
// last line is the verdict.
type Page struct {
	text  strings.Builder
	style Style
}

// NewPage returns an empty page for a stream.
func NewPage(w io.Writer) *Page { return &Page{style: StyleOf(w)} }

// Line writes a line.
func (p *Page) Line(format string, args ...any) {
	p.text.WriteString(Printable(fmt.Sprintf(format, args...)) + "\n")
}

// Row writes a line of a name and what belongs to it.
func (p *Page) Row(name, format string, args ...any) {
	p.text.WriteString("  " + p.style.Dim(fmt.Sprintf("%-11s", Printable(name))) + " ")
	p.Line(format, args...)
}

// Mark writes a line that begins with a word which says whether it is a good one.
func (p *Page) Mark(good bool, word, format string, args ...any) {
	p.text.WriteString("  " + p.paint(good, fmt.Sprintf("%-7s", word)) + " ")
	p.Line(format, args...)
}

// Verdict writes the last line.
func (p *Page) Verdict(good bool, format string, args ...any) {
	p.text.WriteString(p.paint(good, fmt.Sprintf(format, args...)) + "\n")
}

func (p *Page) paint(good bool, text string) string {
	if good {
		return p.style.Good(Printable(text))
	}
	return p.style.Bad(Printable(text))
}

// String returns the page.
func (p *Page) String() string { return p.text.String() }
