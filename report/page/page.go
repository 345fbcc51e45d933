// Package page writes passive pages: self-contained HTML, and the SVG in it, that
// runs nothing, loads nothing and sends nothing (demo.md §4.6).
//
// What is shown comes from anybody. So only this package writes markup: the names
// of elements and attributes are constants of the program, which the type of the
// parameters sees to, and everything else is escaped text. A page has a policy that
// forbids the browser what the page does not ask for in the first place.
//
// The package knows nothing of what is shown, nor where a page is kept.
package page

import (
	"strconv"
	"strings"
)

// Policy is the Content-Security-Policy of every page (demo.md §4.6).
const Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// name is what only a constant converts to outside of this package, so that no
// foreign text becomes the name of an element or an attribute.
type name string

// Attr is an attribute of an element.
type Attr struct {
	name  name
	value string
}

// A returns an attribute. The value is escaped. Links are made by [To] and [File].
func A(attribute name, value string) Attr { return Attr{attribute, value} }

// N returns an attribute whose value is a whole number.
func N(attribute name, value int) Attr { return Attr{attribute, strconv.Itoa(value)} }

// Class returns the class attribute.
func Class(names name) Attr { return Attr{"class", string(names)} }

// To returns the address of the element with an id on the same page.
func To(id string) Attr { return Attr{"href", "#" + id} }

// File returns the address of a file beside the page.
func File(file name) Attr { return Attr{"href", string(file)} }

// Builder writes the elements of a page one after the other. The zero value is
// ready to use.
type Builder struct {
	text strings.Builder
	open []name
}

// Open begins an element, which lasts until the matching [Builder.Close].
func (b *Builder) Open(element name, attributes ...Attr) {
	b.tag(element, attributes)
	b.text.WriteByte('>')
	b.open = append(b.open, element)
}

// Close ends the element that was opened last; there is one.
func (b *Builder) Close() {
	last := len(b.open) - 1
	b.text.WriteString("</" + string(b.open[last]) + ">")
	b.open = b.open[:last]
}

// Leaf writes an element without content.
func (b *Builder) Leaf(element name, attributes ...Attr) {
	b.tag(element, attributes)
	b.text.WriteString("/>")
}

// Element writes an element that holds nothing but text.
func (b *Builder) Element(element name, text string, attributes ...Attr) {
	b.Open(element, attributes...)
	b.Text(text)
	b.Close()
}

// Text writes text. What cannot be seen in it is shown by an escape.
func (b *Builder) Text(text string) { b.escape(text, unlimited) }

// Len returns the bytes written so far.
func (b *Builder) Len() int { return b.text.Len() }

// String returns what was written.
func (b *Builder) String() string { return b.text.String() }

func (b *Builder) tag(element name, attributes []Attr) {
	b.text.WriteString("<" + string(element))
	for _, a := range attributes {
		b.text.WriteString(" " + string(a.name) + `="`)
		b.escape(a.value, unlimited)
		b.text.WriteByte('"')
	}
}
