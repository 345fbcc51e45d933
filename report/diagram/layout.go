package diagram

import "slices"

// The measures of a picture, in pixels.
const (
	cellWidth    = 208
	plainHeight  = 46
	markedHeight = 62
	rowGap       = 54
	cellGap      = 24
	cableWidth   = 8
	margin       = 16

	maxRow   = 4 // cells side by side
	maxTurns = 8 // of ordering and of placing
)

// item is what takes a place in a row: a cell, or the cable in which all lines of
// one kind from one cell pass the row.
type item struct {
	cell int // index, -1 for a cable
	at   int // its place in the row, from the left
	x    int // of its middle

	above, below []*item // what it is joined to in the rows next to it
}

func (i *item) width() int {
	if i.cell < 0 {
		return cableWidth
	}
	return cellWidth
}

// layOut gives every cell its place and every line its points.
func (d *Diagram) layOut() {
	g := newGrid(d)
	g.order()
	g.place()
	left, right := 0, 0
	for _, row := range g.rows {
		for _, i := range row {
			left, right = min(left, i.x-i.width()/2), max(right, i.x+i.width()/2)
		}
	}
	pitch := plainHeight
	if d.marked {
		pitch = markedHeight
	}
	top := func(row int) int { return margin + row*(pitch+rowGap) }
	for r, row := range g.rows {
		for _, i := range row {
			if i.x += margin - left; i.cell >= 0 {
				c := &d.Cells[i.cell]
				c.X, c.Y = i.x-cellWidth/2, top(r)
			}
		}
	}
	d.Width = right - left + 2*margin
	d.Height = top(len(g.rows)) - rowGap + margin
	if len(g.rows) == 0 {
		d.Height = 2 * margin
	}
	d.route(g, top, pitch)
}

// ranks assigns every cell its row: below all that feed it, as high as there is
// room, and what nothing feeds as low as there is. The program has no cycle.
func (d *Diagram) ranks() []int {
	n := len(d.Cells)
	rank, waits, fill := make([]int, n), make([]int, n), make([]int, n+1)
	for _, l := range d.lines {
		waits[l.to]++
	}
	var sorted []int
	for i := range n {
		if waits[i] == 0 {
			sorted = append(sorted, i)
		}
	}
	for at := 0; at < len(sorted); at++ {
		c := sorted[at]
		for fill[rank[c]] == maxRow {
			rank[c]++
		}
		fill[rank[c]]++
		for _, l := range d.lines {
			if l.from == c {
				rank[l.to] = max(rank[l.to], rank[c]+1)
				if waits[l.to]--; waits[l.to] == 0 {
					sorted = append(sorted, l.to)
				}
			}
		}
	}
	for _, c := range slices.Backward(sorted) {
		lowest, fed := n, false
		for _, l := range d.lines {
			if l.from == c {
				lowest = min(lowest, rank[l.to]-1)
			}
			fed = fed || l.to == c
		}
		for !fed && lowest < n && lowest > rank[c] && fill[lowest] == maxRow {
			lowest--
		}
		if !fed && lowest < n && lowest > rank[c] {
			fill[rank[c]]--
			fill[lowest]++
			rank[c] = lowest
		}
	}
	return closeUp(rank, fill)
}

// closeUp leaves out rows that became empty.
func closeUp(rank, fill []int) []int {
	above := make([]int, len(fill))
	for r := 1; r < len(fill); r++ {
		above[r] = above[r-1]
		if fill[r-1] > 0 {
			above[r]++
		}
	}
	for i, r := range rank {
		rank[i] = above[r]
	}
	return rank
}

// grid is the rows of a picture while it is laid out.
type grid struct {
	rank   []int   // the row of each cell
	cells  []*item // of each cell
	rows   [][]*item
	cables map[cableKey]*item
}

// cableKey names a cable in a row.
type cableKey struct {
	source int
	onFail bool
	row    int
}

func newGrid(d *Diagram) *grid {
	g := &grid{rank: d.ranks(), cables: map[cableKey]*item{}}
	for i, r := range g.rank {
		for len(g.rows) <= r {
			g.rows = append(g.rows, nil)
		}
		g.cells = append(g.cells, g.put(r, &item{cell: i}))
	}
	for _, l := range d.lines {
		upper := g.cells[l.from]
		for r := g.rank[l.from] + 1; r < g.rank[l.to]; r++ {
			key := cableKey{l.from, l.onFail, r}
			if g.cables[key] == nil {
				g.cables[key] = g.put(r, &item{cell: -1})
			}
			join(upper, g.cables[key])
			upper = g.cables[key]
		}
		join(upper, g.cells[l.to])
	}
	return g
}

// put adds an item to a row, at its right end.
func (g *grid) put(row int, i *item) *item {
	i.at = len(g.rows[row])
	g.rows[row] = append(g.rows[row], i)
	return i
}

// join makes two items neighbours, once.
func join(upper, lower *item) {
	if !slices.Contains(upper.below, lower) {
		upper.below, lower.above = append(upper.below, lower), append(lower.above, upper)
	}
}
