package organism

import "github.com/algal-vm/algal"

// ancestry holds, for each cell, the set of cells from which it can be reached
// over edges, failure edges included: one bit for each of at most 64 cells.
type ancestry []uint64

// ancestors computes the ancestry of all cells. In a cycle a cell is its own
// ancestor.
func (g *Graph) ancestors() ancestry {
	a := make(ancestry, len(g.Manifest.Cells))
	for changed := true; changed; {
		changed = false
		for i, from := range g.From {
			to := g.To[i]
			if reach := a[to] | a[from] | 1<<from; reach != a[to] {
				a[to], changed = reach, true
			}
		}
	}
	return a
}

func (a ancestry) has(cell, ancestor int) bool { return a[cell]&(1<<ancestor) != 0 }

// cyclic reports whether the edges form a cycle (§11.8).
func (a ancestry) cyclic() bool {
	for cell := range a {
		if a.has(cell, cell) {
			return true
		}
	}
	return false
}

// checkViews checks what model cells see and which tools they name (§11.7).
func (c *compilation) checkViews(g *Graph, ancestors ancestry) error {
	for i, cell := range g.Manifest.Cells {
		switch cell.Kind {
		case KindAgent, KindClassifier, KindGate, KindDecide:
			if err := g.checkView(i, cell, ancestors); err != nil {
				return err
			}
			if err := c.checkTools(cell); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Graph) checkView(i int, cell *Cell, ancestors ancestry) error {
	view := &cell.Model.View
	for _, name := range view.Inputs {
		if g.Inputs[i].Find(name) == nil {
			return algal.Errorf(algal.ManifestInvalid, `cell "%s" view.inputs references undeclared input "%s"`, cell.ID, name)
		}
	}
	if view.Graph && len(view.Cells) == 0 {
		return algal.Errorf(algal.ManifestInvalid,
			`cell "%s" view.graph requires view.cells — the graph fragment covers named ancestors`, cell.ID)
	}
	for _, seen := range view.Cells {
		at := g.Cell(seen.Cell)
		if at < 0 {
			return algal.Errorf(algal.ManifestInvalid, `cell "%s" view.cells references unknown cell "%s"`, cell.ID, seen.Cell)
		}
		if !ancestors.has(i, at) {
			return algal.Errorf(algal.ManifestInvalid,
				`cell "%s" view.cells names "%s", which is not an ancestor — its record would not exist at activation`,
				cell.ID, seen.Cell)
		}
		for _, port := range seen.Ports {
			if g.Outputs[at].Find(port) == nil {
				return algal.Errorf(algal.ManifestInvalid, `cell "%s" view.cells names port "%s.%s", which is not an output port`,
					cell.ID, seen.Cell, port)
			}
		}
	}
	return nil
}

// checkTools checks that each tool is a registered function or a host tool.
func (c *compilation) checkTools(cell *Cell) error {
	for _, name := range cell.Model.Tools {
		if c.env.Functions[name] == nil && c.env.Tools[name] == nil {
			return algal.Errorf(algal.ToolUnknown, `cell "%s" declares unknown tool "%s"`, cell.ID, name)
		}
	}
	return nil
}
