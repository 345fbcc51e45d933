package page

import _ "embed"

//go:embed style.css
var style string

// Document returns a whole page: title is that of the window, body writes what is
// in it. Everything is of one style sheet, style.css, whose classes the writers of
// pages use.
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
	b.text.WriteString("<style>\n" + style + "</style>")
	b.Close()
	b.text.WriteByte('\n')
	b.Open("body")
	body(b)
	b.Close()
	b.Close()
	b.text.WriteByte('\n')
	return b.String()
}
