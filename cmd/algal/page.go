package main

import (
	"fmt"
	"strings"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/terminal"
)

// page is what a command shows a reader. Foreign text on it can move no cursor.
// Its last line is the verdict.
type page struct {
	text  strings.Builder
	style terminal.Style
}

func (p *page) line(format string, args ...any) {
	p.text.WriteString(terminal.Printable(fmt.Sprintf(format, args...)) + "\n")
}

// row is a line of a name and what belongs to it.
func (p *page) row(name, format string, args ...any) {
	p.text.WriteString("  " + p.style.Dim(fmt.Sprintf("%-11s", terminal.Printable(name))) + " ")
	p.line(format, args...)
}

// verdict is the last line.
func (p *page) verdict(good bool, format string, args ...any) {
	paint := p.style.Bad
	if good {
		paint = p.style.Good
	}
	p.text.WriteString(paint(terminal.Printable(fmt.Sprintf(format, args...))) + "\n")
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	return countedAs(n, noun, noun+"s")
}

// countedAs is counted for a noun with a plural of its own.
func countedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxShown bounds a value on a page, in UTF-16 units.
const maxShown = 200

// shown returns a value as a page shows it: a text as it is, anything long cut.
func shown(v canon.Value) string {
	s := v.String()
	if v.Is(canon.KindString) {
		s = v.Text()
	}
	if cut := canon.CutUnits(s, maxShown); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}
