package diagram

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/report/page"
)

// The lengths of texts in a picture, in columns. The whole text is the tooltip's.
const (
	maxName  = 24
	maxKind  = 28
	maxLabel = 30
	maxTold  = 200 // of a guard in a tooltip
)

// Labels stand in the gap above the cell that their lines lead to.
const (
	maxLabels  = 3
	labelRise  = 12 // of the lowest above the cell
	labelPitch = 13
)

// SVG returns the picture as a document of its own, for light and dark and for
// paper.
func (d *Diagram) SVG() string {
	return page.Picture(d.Width, d.Height, d.draw)
}

// Draw draws the picture into a page.
func (d *Diagram) Draw(b *page.Builder) {
	b.Picture(d.Width, d.Height, func() { d.draw(b) })
}

func (d *Diagram) draw(b *page.Builder) {
	b.Element("title", d.title())
	b.Element("desc", d.description())
	for i := range d.lines {
		d.drawLine(b, &d.lines[i])
	}
	for i := range d.Cells {
		d.Cells[i].draw(b)
	}
	for i := range d.Cells {
		d.drawLabels(b, i) // above the lines that cross them
	}
}

func (d *Diagram) title() string { return fmt.Sprintf("Graph of the program %s (%s)", d.Name, d.Key) }

// description tells the picture in words.
func (d *Diagram) description() string {
	text := fmt.Sprintf("%s, %s.", counted(len(d.Cells), "cell"), counted(len(d.Edges), "edge"))
	for _, s := range []Status{Committed, Skipped, Failed, Suspended, NotReached} {
		var ids []string
		for i := range d.Cells {
			if d.Cells[i].Status == s {
				ids = append(ids, d.Cells[i].ID)
			}
		}
		if len(ids) > 0 {
			text += fmt.Sprintf(" %s: %s.", s, strings.Join(ids, ", "))
		}
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (c *Cell) draw(b *page.Builder) {
	b.Open("g")
	b.Element("title", c.told())
	c.frame(b)
	x := c.X + c.Width/2
	write(b, x, c.Y+19, cut(c.ID, maxName), page.Class("name"))
	write(b, x, c.Y+36, cut(c.kindText(), maxKind), page.Class("kind"))
	if c.Status != Unmarked {
		write(b, x, c.Y+53, cut(c.words(), maxKind), page.Class("state"))
	}
	b.Close()
}

// frame draws the shape: cornered for what brings values in, round for what asks a
// model or a tool, doubled for an embedded program.
func (c *Cell) frame(b *page.Builder) {
	class := page.Class("node")
	switch c.Status {
	case Committed:
		class = page.Class("node good")
	case Suspended:
		class = page.Class("node wait")
	case Failed:
		class = page.Class("node bad")
	case Skipped, NotReached:
		class = page.Class("node none")
	}
	radius := 6
	switch {
	case c.Kind == organism.KindInput || c.Kind == organism.KindConst:
		radius = 0
	case effects[c.Kind]:
		radius = c.Height / 2
	}
	c.rect(b, class, 0, radius)
	if c.Child != "" {
		c.rect(b, class, 4, max(radius-4, 0))
	}
}

var effects = map[organism.CellKind]bool{
	organism.KindAgent: true, organism.KindClassifier: true, organism.KindGate: true,
	organism.KindDecide: true, organism.KindRecall: true, organism.KindTool: true,
}

func (c *Cell) rect(b *page.Builder, class page.Attr, inset, radius int) {
	b.Leaf("rect", class, page.N("x", c.X+inset), page.N("y", c.Y+inset),
		page.N("width", c.Width-2*inset), page.N("height", c.Height-2*inset), page.N("rx", radius))
}

// kindText is the second line of a cell.
func (c *Cell) kindText() string {
	if c.Detail == "" {
		return string(c.Kind)
	}
	return string(c.Kind) + " · " + c.Detail
}

// told is the tooltip of a cell: all that is said of it.
func (c *Cell) told() string {
	text := c.ID + ": " + c.kindText()
	if c.Child != "" {
		text += ", " + string(c.Child)
	}
	if c.Status != Unmarked {
		text += ", " + c.words()
	}
	return text
}

// drawLine draws a line from cell to cell with the head of an arrow.
func (d *Diagram) drawLine(b *page.Builder, l *line) {
	class, head := page.Class("line"), page.Class("head")
	if l.onFail {
		class, head = page.Class("line fail"), page.Class("head fail")
	}
	b.Open("g")
	b.Element("title", d.lineTold(l))
	b.Leaf("path", class, page.A("d", curve(l.points)))
	end := l.points[len(l.points)-1]
	b.Leaf("path", head, page.A("d", fmt.Sprintf("M%d %d l-4 -8 h8 z", end.x, end.y)))
	b.Close()
}

// curve goes through rows straight and bends between them.
func curve(points []point) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", points[0].x, points[0].y)
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		if i%2 == 0 {
			fmt.Fprintf(&path, " V%d", to.y)
			continue
		}
		middle := (from.y + to.y) / 2
		fmt.Fprintf(&path, " C%d %d %d %d %d %d", from.x, middle, to.x, middle, to.x, to.y)
	}
	return path.String()
}

// drawLabels writes the conditions of the lines into a cell, one above the other in
// the order in which they arrive, and no wider than the cell: so labels of
// neighbours do not meet. What the gap between two rows has no room for is counted.
func (d *Diagram) drawLabels(b *page.Builder, cell int) {
	var labels []string
	for _, l := range d.into(cell) {
		if text := d.condition(l); text != "" {
			labels = append(labels, cut(text, maxLabel))
		}
	}
	if over := len(labels) - maxLabels; over > 0 {
		labels = append(labels[:maxLabels-1], fmt.Sprintf("and %d more conditions", over+1))
	}
	c := &d.Cells[cell]
	for k, text := range labels {
		write(b, c.X+c.Width/2, c.Y-labelRise-(len(labels)-1-k)*labelPitch, text, page.Class("label"))
	}
}

// condition says when a line is taken, "" if it always is.
func (d *Diagram) condition(l *line) string {
	var texts []string
	if l.onFail {
		texts = append(texts, "on fail")
	}
	for _, i := range l.edges {
		if text := guardText(d.Edges[i].Guard); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// lineTold is the tooltip of a line: its edges.
func (d *Diagram) lineTold(l *line) string {
	var edges []string
	for _, i := range l.edges {
		e := &d.Edges[i]
		text := d.Cells[e.From].ID + "." + e.FromPort + " → " + d.Cells[e.To].ID + "." + e.ToPort
		if e.OnFail {
			text += ", on fail"
		}
		if guard := guardText(e.Guard); guard != "" {
			text += ", " + cut(guard, maxTold)
		}
		edges = append(edges, text)
	}
	return strings.Join(edges, "\n")
}

func write(b *page.Builder, x, y int, text string, class page.Attr) {
	b.Element("text", text, class, page.N("x", x), page.N("y", y), page.A("text-anchor", "middle"))
}

// cut returns a text of at most n columns. Characters from U+1100 on, which may be
// wide, count two.
func cut(text string, n int) string {
	columns, kept := 0, 0
	for i, r := range text {
		if columns++; r >= 0x1100 {
			columns++
		}
		if columns > n {
			return text[:kept] + "…"
		}
		if columns < n {
			kept = i + len(string(r))
		}
	}
	return text
}
