package organism

import (
	"github.com/algal-vm/algal"
)

// Bounds of one compilation (§11.1, §11.2). Every occurrence of a manifest
// counts: the root, and each embedding.
const (
	maxCompileDepth  = 64 // of embedding below a root at depth 0
	maxInstances     = 1_024
	maxExpandedCells = 4_096
	maxExpandedEdges = 16_384
	maxExpandedBytes = 67_108_864
)

// Compile admits a manifest as a graph at the given embedding depth (§11), 0 for
// a root. It fetches and compiles what the manifest embeds; nothing is executed.
// The expansion allowance starts anew with each call. Faults carry wire texts;
// those of the store and of transports pass through.
func Compile(m *Manifest, env Env, depth int) (*Graph, error) {
	c := &compilation{env: env, parsed: map[algal.Digest]*Manifest{}}
	return c.compile(m, depth)
}

// compilation is the state of one call of Compile.
type compilation struct {
	env    Env
	parsed map[algal.Digest]*Manifest // embedded manifests already read

	instances, cells, edges, bytes int // expanded so far
}

// compile makes the steps of §11.1 in their order.
func (c *compilation) compile(m *Manifest, depth int) (*Graph, error) {
	if depth > maxCompileDepth {
		return nil, algal.Errorf(algal.DepthExceeded, "embedding chain exceeds compile depth %d", maxCompileDepth)
	}
	if err := c.expand(m); err != nil {
		return nil, err
	}
	g, err := newGraph(m)
	if err != nil {
		return nil, err
	}
	for i, cell := range m.Cells {
		if err := c.embed(g, i, cell, depth); err != nil {
			return nil, err
		}
	}
	for i, cell := range m.Cells {
		if err := c.sign(g, i, cell); err != nil {
			return nil, err
		}
	}
	if err := g.checkInterface(); err != nil {
		return nil, err
	}
	if err := g.checkEdges(); err != nil {
		return nil, err
	}
	ancestors := g.ancestors()
	if err := c.checkViews(g, ancestors); err != nil {
		return nil, err
	}
	if ancestors.cyclic() {
		return nil, algal.Errorf(algal.GraphCycle, "manifest graph contains a cycle; organisms must be acyclic")
	}
	return g, nil
}

// expand charges one occurrence of a manifest.
func (c *compilation) expand(m *Manifest) error {
	c.instances++
	c.cells += len(m.Cells)
	c.edges += len(m.Edges)
	c.bytes += m.normal.Size()
	if c.instances > maxInstances || c.cells > maxExpandedCells || c.edges > maxExpandedEdges {
		return algal.Errorf(algal.BudgetExhausted, "expanded compilation count budget exceeded")
	}
	if c.bytes > maxExpandedBytes {
		return algal.Errorf(algal.BudgetExhausted, "expanded compilation manifest byte budget exceeded")
	}
	return nil
}

// embed compiles the manifest that a cell embeds, if it does (§11.3).
func (c *compilation) embed(g *Graph, i int, cell *Cell, depth int) error {
	if !cell.embeds() {
		return nil
	}
	digest, err := algal.ParseDigest(cell.Manifest, `cell "`+cell.ID+`".manifest`)
	if err != nil {
		return err
	}
	m, err := c.lookup(digest)
	if err == nil && m == nil && cell.Via != "" {
		if m, err = c.fetch(cell, digest); m != nil {
			g.Served[i] = cell.Via
		}
	}
	if err != nil {
		return err
	}
	if m == nil {
		return algal.Errorf(algal.StoreMiss, `organism cell "%s" manifest %s not in store`, cell.ID, digest)
	}
	g.Children[i], err = c.compile(m, depth+1)
	return err
}

// lookup reads a manifest from the store, nil when it is not there. A manifest
// that is read by digest has canonical member order (canonical.md §1.1).
func (c *compilation) lookup(d algal.Digest) (*Manifest, error) {
	if m := c.parsed[d]; m != nil {
		return m, nil
	}
	v, err := c.env.Store.Manifest(d)
	if err != nil || !v.Exists() {
		return nil, err
	}
	m, err := ParseManifest(v.Sorted())
	if err != nil {
		return nil, err
	}
	c.parsed[d] = m
	return m, nil
}

// fetch has the transport that a cell names install its manifest, and looks
// again.
func (c *compilation) fetch(cell *Cell, d algal.Digest) (*Manifest, error) {
	transport := c.env.Transports[cell.Via]
	if transport == nil {
		return nil, algal.Errorf(algal.StoreMiss,
			`cell "%s" manifest %s not in store and transport "%s" is not configured`, cell.ID, d, cell.Via)
	}
	found, err := transport.Fetch(d, c.env.Store)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, algal.Errorf(algal.StoreMiss, `cell "%s": transport "%s" has no bundle rooted at %s`, cell.ID, cell.Via, d)
	}
	return c.lookup(d)
}
