package page

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escape appends text as a reader shall see it and returns how many bytes of the
// text that took. It stops before a character that would make it more than room
// bytes of the page.
//
// What markup is made of becomes a reference. Control characters have no place in a
// document, so those that JSON escapes are shown as their symbols. Whatever else cannot be seen,
// or changes how its neighbours are seen, is shown as its escape in JSON: nothing on
// a page is hidden, and nothing reads in another order than it is written in.
func (b *Builder) escape(text string, room int) int {
	for i := 0; i < len(text); {
		c := text[i]
		size, shown := 1, ""
		switch {
		case c == '\t' || c == '\n':
		case c < ' ':
			shown = string(0x2400 + rune(c))
		case c == 0x7f:
			shown = jsonEscape(0x7f)
		case c == '&':
			shown = "&amp;"
		case c == '<':
			shown = "&lt;"
		case c == '>':
			shown = "&gt;"
		case c == '"':
			shown = "&quot;"
		case c == '\'':
			shown = "&#39;"
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				shown = "\ufffd"
			} else if Unseen(r) {
				shown = jsonEscape(r)
			}
		}
		if shown == "" {
			shown = text[i : i+size]
		}
		if room -= len(shown); room < 0 {
			return i
		}
		b.text.WriteString(shown)
		i += size
	}
	return len(text)
}

// unlimited is the room where nothing is left out.
const unlimited = math.MaxInt

// Unseen reports whether a character has no shape of its own: controls, formats (zero
// width, direction, tags), the separators of lines and paragraphs, what Unicode calls
// ignorable by default, blank letters, and what is no character. A page shows its
// escape, of a control that ASCII has its symbol, and tabs and line ends as they are.
func Unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point) ||
		r == 0x2800 // the empty braille pattern
}

// jsonEscape returns a character as JSON escapes it.
func jsonEscape(r rune) string {
	var text strings.Builder
	for _, unit := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(&text, `\u%04x`, unit)
	}
	return text.String()
}
