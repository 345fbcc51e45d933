package diagram

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Status is what became of a cell in a run.
type Status string

// The statuses: those of cell records (run.md §11), and that of a cell without one.
const (
	Unmarked   Status = "" // no run is shown
	Committed  Status = "committed"
	Skipped    Status = "skipped"
	Failed     Status = "failed"
	Suspended  Status = "suspended"
	NotReached Status = "not reached"
)

// StatusOf returns the status that a cell record tells; an absent record tells that
// the run never came to the cell.
func StatusOf(record canon.Value) Status {
	if !record.Exists() {
		return NotReached
	}
	return Status(record.Get("status").Text())
}

func (c *Cell) mark(record canon.Value) {
	c.Status = StatusOf(record)
	c.Code = algal.Code(record.Get("failure").Get("code").Text())
	c.Height = markedHeight
}

// words says the status of a cell with a sign before it, so that it can be told
// without colours.
func (c *Cell) words() string {
	switch c.Status {
	case Committed:
		return "✓ committed"
	case Skipped:
		return "– skipped"
	case Failed:
		return "✗ failed: " + string(c.Code)
	case Suspended:
		return "… suspended"
	case NotReached:
		return "○ not reached"
	}
	return ""
}
