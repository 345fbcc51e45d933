package main

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/terminal"
)

// page is what a command shows a reader.
type page = terminal.Page

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
