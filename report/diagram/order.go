package diagram

import (
	"cmp"
	"slices"
)

// order arranges the items within their rows so that few lines cross: row after row
// by the middle of the neighbours, downwards and upwards in turn, and of all these
// arrangements the first of the fewest crossings.
func (g *grid) order() {
	fewest, best := g.crossings(), g.arrangement()
	for turn := 0; turn < maxTurns && fewest > 0; turn++ {
		g.sweep(turn%2 == 0, sortRow)
		if n := g.crossings(); n < fewest {
			fewest, best = n, g.arrangement()
		}
	}
	for r, row := range best {
		g.rows[r] = row
		renumber(row)
	}
}

// sweep does something to each row but the first in the given direction, with the
// neighbours that each of its items has in the row before it.
func (g *grid) sweep(down bool, do func(row []*item, neighbours func(*item) []*item)) {
	for k := 1; k < len(g.rows); k++ {
		if down {
			do(g.rows[k], func(i *item) []*item { return i.above })
		} else {
			do(g.rows[len(g.rows)-1-k], func(i *item) []*item { return i.below })
		}
	}
}

func sortRow(row []*item, neighbours func(*item) []*item) {
	middle := make(map[*item]int, len(row))
	for _, i := range row {
		middle[i] = i.at * scale
		if near := neighbours(i); len(near) > 0 {
			sum := 0
			for _, n := range near {
				sum += n.at * scale
			}
			middle[i] = sum / len(near)
		}
	}
	slices.SortStableFunc(row, func(a, b *item) int { return cmp.Compare(middle[a], middle[b]) })
	renumber(row)
}

// scale makes middles of places whole numbers: a picture is the same everywhere,
// which sums of fractions need not be.
const scale = 1 << 16

func renumber(row []*item) {
	for at, i := range row {
		i.at = at
	}
}

func (g *grid) arrangement() [][]*item {
	rows := make([][]*item, len(g.rows))
	for r, row := range g.rows {
		rows[r] = slices.Clone(row)
	}
	return rows
}

// crossings counts the pairs of joints between neighbouring rows that cross.
func (g *grid) crossings() int {
	n := 0
	for _, row := range g.rows {
		var ends []int // of the joints from left to right, where each comes down
		for _, i := range row {
			own := make([]int, len(i.below))
			for k, lower := range i.below {
				own[k] = lower.at
			}
			slices.Sort(own)
			for _, end := range own {
				for _, before := range ends {
					if before > end {
						n++
					}
				}
			}
			ends = append(ends, own...)
		}
	}
	return n
}

// place gives every item its x: row after row as near to the middle of the
// neighbours as the order and the gaps admit. No row leaves the width of the widest,
// or of a full row of cells if that is more: else rows that follow each other
// sideways would make a picture wider the higher it is.
func (g *grid) place() {
	half := (maxRow*(cellWidth+cellGap) - cellGap) / 2
	for _, row := range g.rows {
		x := 0
		for k, i := range row {
			if k > 0 {
				x += apart(row[k-1], i)
			}
			i.x = x
		}
		for _, i := range row {
			i.x -= x / 2
		}
		if n := len(row); n > 0 {
			half = max(half, row[0].width()/2-row[0].x, row[n-1].x+row[n-1].width()/2)
		}
	}
	for turn := range maxTurns {
		g.sweep(turn%2 == 0, func(row []*item, neighbours func(*item) []*item) { placeRow(row, neighbours, half) })
	}
}

// apart returns how far apart the middles of two items side by side are at least.
func apart(a, b *item) int {
	gap := cellGap
	if a.cell < 0 && b.cell < 0 {
		gap = cableWidth
	}
	return (a.width()+b.width())/2 + gap
}

// placeRow moves the items of a row towards their neighbours. Pushed to the right as
// far as needed, and pushed to the left, they keep their distances; so they do
// halfway between the two. In the end all stay within half of the middle, where the
// row has room.
func placeRow(row []*item, neighbours func(*item) []*item, half int) {
	wanted := make([]int, len(row))
	for k, i := range row {
		wanted[k] = i.x
		if near := neighbours(i); len(near) > 0 {
			sum := 0
			for _, n := range near {
				sum += n.x
			}
			wanted[k] = sum / len(near)
		}
	}
	right, left := slices.Clone(wanted), slices.Clone(wanted)
	for k := 1; k < len(row); k++ {
		right[k] = max(right[k], right[k-1]+apart(row[k-1], row[k]))
	}
	for k := len(row) - 2; k >= 0; k-- {
		left[k] = min(left[k], left[k+1]-apart(row[k], row[k+1]))
	}
	for k, i := range row {
		i.x = (right[k] + left[k]) >> 1
	}
	keepWithin(row, half)
}

// keepWithin moves the items that are too far out inwards, and with them those that
// are in their way.
func keepWithin(row []*item, half int) {
	for k, i := range row {
		least := i.width()/2 - half
		if k > 0 {
			least = row[k-1].x + apart(row[k-1], i)
		}
		i.x = max(i.x, least)
	}
	for k, i := range slices.Backward(row) {
		most := half - i.width()/2
		if k < len(row)-1 {
			most = row[k+1].x - apart(i, row[k+1])
		}
		i.x = min(i.x, most)
	}
}
