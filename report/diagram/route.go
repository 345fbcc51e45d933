package diagram

import (
	"cmp"
	"slices"
)

// route gives every line its points: where it leaves its cell, where it enters and
// leaves each row that it passes, and where it comes to its cell.
func (d *Diagram) route(g *grid, top func(row int) int, pitch int) {
	for n := range d.lines {
		l := &d.lines[n]
		from := &d.Cells[l.from]
		x := from.X + cellWidth/2
		if l.onFail {
			x += cellWidth / 4
		}
		l.points = append(l.points, point{x, from.Y + from.Height})
		for r := g.rank[l.from] + 1; r < g.rank[l.to]; r++ {
			x := g.cables[cableKey{l.from, l.onFail, r}].x
			l.points = append(l.points, point{x, top(r)}, point{x, top(r) + pitch})
		}
	}
	for c := range d.Cells {
		d.land(c)
	}
}

// into returns the lines into a cell, from left to right as they come.
func (d *Diagram) into(cell int) []*line {
	var into []*line
	for n := range d.lines {
		if l := &d.lines[n]; l.to == cell {
			into = append(into, l)
		}
	}
	slices.SortStableFunc(into, func(a, b *line) int {
		return cmp.Compare(a.points[len(a.points)-1].x, b.points[len(b.points)-1].x)
	})
	return into
}

// land lets the lines into a cell arrive side by side, in the order in which they
// come from the row above.
func (d *Diagram) land(cell int) {
	into := d.into(cell)
	c := &d.Cells[cell]
	step := (cellWidth - 2*margin) / max(len(into), 1)
	step = min(step, 2*margin)
	for k, l := range into {
		x := c.X + cellWidth/2 + (2*k-len(into)+1)*step/2
		l.points = append(l.points, point{x, c.Y})
	}
}
