// Package terminal tells whether a stream is a terminal and makes foreign text
// safe to show on one. It links nothing that could open a socket, unlike
// golang.org/x/term on some systems.
package terminal

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isTerminal(f.Fd())
}

// Printable returns s with everything that is not printable written as an escape,
// so that foreign text can move no cursor and set no title.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// Style colours words on a terminal. The zero Style leaves them plain.
type Style struct{ colour bool }

// StyleOf returns the style for a stream: colours on a terminal, unless NO_COLOR
// is set to anything.
func StyleOf(w io.Writer) Style {
	return Style{Is(w) && os.Getenv("NO_COLOR") == ""}
}

// Good marks a favourable word, Bad an unfavourable one, Dim a minor one.
func (s Style) Good(text string) string { return s.paint("32", text) }

// Bad marks an unfavourable word.
func (s Style) Bad(text string) string { return s.paint("31", text) }

// Dim marks a minor word.
func (s Style) Dim(text string) string { return s.paint("2", text) }

func (s Style) paint(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
