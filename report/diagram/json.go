package diagram

import "github.com/algal-vm/algal/canon"

// Value returns the picture as JSON: every cell with its place, every edge with its
// ports. What does not apply is left out.
func (d *Diagram) Value() canon.Value {
	cells, edges := make([]canon.Value, len(d.Cells)), make([]canon.Value, len(d.Edges))
	for i := range d.Cells {
		cells[i] = d.Cells[i].value()
	}
	for i := range d.Edges {
		edges[i] = d.edgeValue(&d.Edges[i])
	}
	return canon.Object(
		canon.M("cells", canon.Array(cells...)),
		canon.M("digest", canon.String(string(d.Digest))),
		canon.M("edges", canon.Array(edges...)),
		canon.M("height", canon.Int(d.Height)),
		canon.M("key", canon.String(d.Key)),
		canon.M("name", canon.String(d.Name)),
		canon.M("width", canon.Int(d.Width)),
	)
}

func (c *Cell) value() canon.Value {
	return canon.Object(
		canon.M("code", optional(string(c.Code))),
		canon.M("detail", optional(c.Detail)),
		canon.M("height", canon.Int(c.Height)),
		canon.M("id", canon.String(c.ID)),
		canon.M("kind", canon.String(string(c.Kind))),
		canon.M("manifest", optional(string(c.Child))),
		canon.M("status", optional(string(c.Status))),
		canon.M("width", canon.Int(c.Width)),
		canon.M("x", canon.Int(c.X)),
		canon.M("y", canon.Int(c.Y)),
	)
}

func (d *Diagram) edgeValue(e *Edge) canon.Value {
	on := ""
	if e.OnFail {
		on = "fail"
	}
	end := func(cell int, port string) canon.Value {
		return canon.Object(canon.M("cell", canon.String(d.Cells[cell].ID)), canon.M("port", canon.String(port)))
	}
	return canon.Object(
		canon.M("from", end(e.From, e.FromPort)),
		canon.M("guard", e.Guard),
		canon.M("on", optional(on)),
		canon.M("to", end(e.To, e.ToPort)),
	)
}

// optional is a text, absent when empty.
func optional(text string) canon.Value {
	if text == "" {
		return canon.Value{}
	}
	return canon.String(text)
}
