package page

import (
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Value writes a value for a reader: its JSON text, indented, in a block of its own.
// The text is cut so that it takes at most bound bytes of the page, and then a
// sentence tells how much of it is shown and by which digest the whole goes. The
// absent value writes nothing. It reports whether the value is shown whole.
func (b *Builder) Value(v canon.Value, bound int) (whole bool) {
	if !v.Exists() {
		return true
	}
	text, all := v.IndentedPrefix(max(bound, 0))
	shown := b.block(text, bound)
	if all && shown == len(text) {
		return true
	}
	b.cutAfter(shown, fmt.Sprintf("the value has %s in canonical form", Bytes(v.Size())), v.Digest())
	return false
}

// Passage writes a text of several lines in a block of its own, cut as a value is.
// The digest is that of the value that the text stands in.
func (b *Builder) Passage(text string, bound int, whole algal.Digest) bool {
	shown := b.block(text, bound)
	if shown == len(text) {
		return true
	}
	b.cutAfter(shown, fmt.Sprintf("the text has %s", Bytes(len(text))), whole)
	return false
}

func (b *Builder) block(text string, bound int) (shown int) {
	b.Open("pre")
	defer b.Close()
	return b.escape(text, bound)
}

func (b *Builder) cutAfter(shown int, size string, whole algal.Digest) {
	b.Open("p", Class("cut small"))
	b.Text(fmt.Sprintf("Cut after %s: %s. The whole is in ", Bytes(shown), size))
	b.Digest(string(whole))
	b.Text(".")
	b.Close()
}

// Cut writes text within a line, of which at most bound bytes of the page; an
// ellipsis stands for the rest.
func (b *Builder) Cut(text string, bound int) {
	if b.escape(text, bound) < len(text) {
		b.text.WriteString("…")
	}
}

// Digest writes a digest, or another name that is copied as a whole: one click
// selects it.
func (b *Builder) Digest(text string) { b.Element("code", text, Class("whole")) }

// Bytes returns a number of bytes in words.
func Bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return Count(n) + " bytes"
}

// Count returns a number that is not negative with its thousands set apart.
func Count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Count(n/1000), n%1000)
}
