package workbench

import (
	"strings"
	"unicode"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/shell"
	"github.com/algal-vm/algal/report/page"
)

// Bounds of a command that is shown (demo.md §4.6), inclusive, in characters.
const (
	maxWords   = 64
	maxWord    = 4096
	maxCommand = 16_384
)

// ShellLine returns an argument vector of a report as a shell reads it: words that
// need it are in single quotes. shown is false, and the line empty, where the vector
// is not one or passes a bound, or where a word has characters that a page or a
// terminal would not show as they are: what is copied must be what is run.
func ShellLine(vector canon.Value) (line string, shown bool) {
	if n := vector.Len(); !vector.Is(canon.KindArray) || n == 0 || n > maxWords {
		return "", false
	}
	var words []string
	for _, w := range vector.Elements() {
		text := w.Text()
		if !w.Is(canon.KindString) || canon.Units(text) > maxWord || strings.ContainsFunc(text, unshowable) {
			return "", false
		}
		words = append(words, text)
	}
	if line = shell.Line(words...); canon.Units(line) > maxCommand {
		return "", false
	}
	return line, true
}

// unshowable reports whether a terminal or a page would show an escape or nothing for
// a character.
func unshowable(r rune) bool { return !unicode.IsPrint(r) || page.Unseen(r) }
