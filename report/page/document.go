package page

import (
	_ "embed"
	"fmt"
)

// The style sheets: colours are shared by pages and pictures, whose shapes the
// classes of picture.css draw.
var (
	//go:embed colours.css
	colours string
	//go:embed picture.css
	picture string
	//go:embed style.css
	style string
)

// Document returns a whole page: title is that of the window, body writes what is
// in it, with the classes of style.css and, within <svg>, of picture.css.
func Document(title string, body func(*Builder)) string {
	b := &Builder{}
	b.text.WriteString("<!doctype html>\n")
	b.Open("html", A("lang", "en"))
	b.Open("head")
	b.Leaf("meta", A("charset", "utf-8"))
	// Browsers decode the entities of the policy before they read it, but a reader
	// looks for it as it stands: its quotes need no escaping within double quotes.
	b.text.WriteString(`<meta http-equiv="Content-Security-Policy" content="` + Policy + `"/>`)
	b.Leaf("meta", A("name", "viewport"), A("content", "width=device-width, initial-scale=1"))
	b.Leaf("meta", A("name", "referrer"), A("content", "no-referrer"))
	b.Leaf("meta", A("name", "color-scheme"), A("content", "light dark"))
	b.Element("title", title)
	b.text.WriteString("<style>\n" + colours + picture + style + "</style>")
	b.Close()
	b.text.WriteByte('\n')
	b.Open("body")
	body(b)
	b.Close()
	b.Close()
	b.text.WriteByte('\n')
	return b.String()
}

// Picture returns an SVG document that stands alone: body writes its one element,
// by [Builder.Picture].
func Picture(width, height int, body func(*Builder)) string {
	b := &Builder{}
	b.Picture(width, height, func() {
		b.text.WriteString("<style>\n" + colours + picture + "</style>")
		b.Leaf("rect", Class("ground"), A("width", "100%"), A("height", "100%"))
		body(b)
	}, A("xmlns", "http://www.w3.org/2000/svg"))
	b.text.WriteByte('\n')
	return b.String()
}

// Picture writes an <svg> of a size in pixels. body begins with its <title>.
func (b *Builder) Picture(width, height int, body func(), attributes ...Attr) {
	box := fmt.Sprintf("0 0 %d %d", width, height)
	b.Open("svg", append(attributes, A("role", "img"), A("viewBox", box), N("width", width), N("height", height))...)
	body()
	b.Close()
}
