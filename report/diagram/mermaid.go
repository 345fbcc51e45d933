package diagram

import (
	"fmt"
	"strings"
	"unicode"
)

// maxMermaid bounds a label, in columns.
const maxMermaid = 60

// Mermaid returns the picture as a Mermaid flowchart, which a Markdown page may
// hold. Its nodes are numbered and every label is quoted, with all but letters,
// digits and spaces written as entities, so that no label can end before its time.
func (d *Diagram) Mermaid() string {
	var text strings.Builder
	text.WriteString("flowchart TD\n")
	for i := range d.Cells {
		c := &d.Cells[i]
		label := []string{entities(c.ID), entities(c.kindText())}
		if c.Status != Unmarked {
			label = append(label, entities(c.words()))
		}
		open, end := "[", "]"
		switch {
		case c.Child != "":
			open, end = "[[", "]]"
		case effects[c.Kind]:
			open, end = "([", "])"
		}
		fmt.Fprintf(&text, "  c%d%s\"%s\"%s%s\n", i, open, strings.Join(label, "<br/>"), end, mermaidClass[c.Status])
	}
	for _, e := range d.Edges {
		arrow, label := "-->", e.FromPort+" → "+e.ToPort
		if e.OnFail {
			arrow, label = "-.->", label+", on fail"
		}
		if guard := guardText(e.Guard); guard != "" {
			label += ", " + guard
		}
		fmt.Fprintf(&text, "  c%d %s|\"%s\"| c%d\n", e.From, arrow, entities(label), e.To)
	}
	if d.marked {
		text.WriteString(mermaidClasses)
	}
	return text.String()
}

// entities escapes a label.
func entities(label string) string {
	var text strings.Builder
	for _, r := range cut(label, maxMermaid) {
		switch {
		case r == ' ' || unicode.In(r, unicode.L, unicode.N):
			text.WriteRune(r)
		default:
			fmt.Fprintf(&text, "#%d;", r)
		}
	}
	return text.String()
}

var mermaidClass = map[Status]string{
	Committed: ":::good", Suspended: ":::wait", Failed: ":::bad", Skipped: ":::none", NotReached: ":::none",
}

const mermaidClasses = `  classDef good stroke:#17653a,stroke-width:2px
  classDef wait stroke:#7a4a00,stroke-width:3px
  classDef bad stroke:#a01d1d,stroke-width:4px
  classDef none stroke-dasharray:4 3
`
