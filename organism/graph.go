package organism

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas"
)

// Graph is a compiled manifest (organism.md §11). All lists are parallel to the
// cells or edges of the manifest. It is immutable and may be shared.
type Graph struct {
	Manifest *Manifest
	Inputs   []Ports  // signature of each cell
	Outputs  []Ports  // signature of each cell
	Inbound  [][]int  // edges into each cell, in edge order
	From, To []int    // cell index of each edge's ends
	Children []*Graph // of organism, repeat and each cells
	Served   []string // the transport that served the child in this compilation, or ""
	Handled  []bool   // the cell has an outgoing failure edge

	index map[string]int // cells by id
}

// Cell returns the index of the cell with that id, or -1.
func (g *Graph) Cell(id string) int {
	if i, ok := g.index[id]; ok {
		return i
	}
	return -1
}

// output returns the output port that ref names, or nil.
func (g *Graph) output(ref PortRef) *Port {
	if i := g.Cell(ref.Cell); i >= 0 {
		return g.Outputs[i].Find(ref.Port)
	}
	return nil
}

// newGraph lays out the graph of a manifest whose cells have distinct ids. Edges
// and signatures are filled in as they are checked.
func newGraph(m *Manifest) (*Graph, error) {
	cells, edges := len(m.Cells), len(m.Edges)
	g := &Graph{
		Manifest: m,
		Inputs:   make([]Ports, cells),
		Outputs:  make([]Ports, cells),
		Inbound:  make([][]int, cells),
		From:     make([]int, edges),
		To:       make([]int, edges),
		Children: make([]*Graph, cells),
		Served:   make([]string, cells),
		Handled:  make([]bool, cells),
		index:    make(map[string]int, cells),
	}
	for i, cell := range m.Cells {
		if _, again := g.index[cell.ID]; again {
			return nil, algal.Errorf(algal.ManifestInvalid, `duplicate cell id "%s"`, cell.ID)
		}
		g.index[cell.ID] = i
	}
	return g, nil
}

// Env is what compilation needs from the host.
type Env struct {
	Functions  Registry
	Tools      map[string]*Tool
	Transports map[string]Transport
	Store      cas.Store
}

// Transport delivers bundles by root digest (bundle.md §4).
type Transport interface {
	// Fetch installs the bundle rooted at root into the store. It reports false
	// when the transport has none.
	Fetch(root algal.Digest, into cas.Store) (found bool, err error)
}
