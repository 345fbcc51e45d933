package organism

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Contract is the name of the manifest contract.
const Contract = "algal.organism.v1"

// Manifest is an admitted manifest. It is immutable and may be shared.
type Manifest struct {
	Key       string
	Name      string
	Budgets   Budgets
	Interface *Interface // nil when the manifest declares none
	Cells     []*Cell
	Edges     []*Edge

	normal canon.Value
	digest algal.Digest
}

// Normal returns the normal form (organism.md §10). Its members stand in the
// order of the document that was read, which shows at run time; a store that
// reads the normal form back sees canonical order.
func (m *Manifest) Normal() canon.Value { return m.normal }

// Digest returns the manifest digest, that of the normal form.
func (m *Manifest) Digest() algal.Digest { return m.digest }

// ParseManifest admits a document as a manifest (§1). Duplicate cell ids, ports,
// types and cycles are not looked at: [Compile] does.
//
// Faults have code PARSE_FAILED, or BUDGET_EXHAUSTED for the size check of §1.3,
// and wire texts.
func ParseManifest(v canon.Value) (*Manifest, error) {
	r := &reader{}
	m := r.manifest(v)
	if r.err != nil {
		return nil, r.err
	}
	m.digest = m.normal.Digest()
	return m, nil
}

func (r *reader) manifest(v canon.Value) *Manifest {
	o := r.object(v, "manifest")
	readEnvelope(o)
	m := &Manifest{Key: readKey(o), Name: o.text("name", maxName)}
	budgets, normalBudgets := r.budgets(o.get("budgets"))
	m.Budgets = budgets
	cells := m.readCells(o)
	edges := m.readEdges(o)
	o.optText("note", maxNote)
	iface := o.get("interface")
	if iface.Exists() {
		m.Interface, iface = r.iface(iface)
	}
	if r.err != nil {
		return nil
	}
	m.normal = revise(v, canon.M("budgets", normalBudgets), canon.M("cells", cells), canon.M("edges", edges),
		canon.M("interface", iface))
	r.keep(checkSize(m.normal))
	return m
}

// readEnvelope makes steps 2 to 7 of §1.2. The lists come first, so that a
// document of no reasonable size is refused before it is walked.
func readEnvelope(o object) {
	cells := o.require("cells")
	o.array(cells, o.at("cells"))
	edges := o.get("edges")
	if edges.Exists() {
		o.array(edges, o.at("edges"))
	}
	if cells.Len() > maxCells {
		o.refuse("manifest.cells exceeds %d", maxCells)
	}
	if edges.Len() > maxEdges {
		o.refuse("manifest.edges exceeds %d", maxEdges)
	}
	o.keep(checkSize(o.v))
	o.closed("contract", "key", "name", "note", "budgets", "interface", "cells", "edges")
	if contract := o.text("contract", canon.MaxID); contract != Contract {
		o.refuse(`manifest.contract must be "%s" (got "%s")`, Contract, contract)
	}
}

func readKey(o object) string {
	key := o.text("key", canon.MaxID)
	if name, ok := strings.CutPrefix(key, "organism:"); !ok || !canon.IsKebab(name) {
		o.refuse(`manifest.key must match "organism:<kebab-key>"`)
	}
	return key
}

// readCells reads the cells and returns their normal form.
func (m *Manifest) readCells(o object) canon.Value {
	v := o.get("cells")
	m.Cells = make([]*Cell, 0, v.Len())
	normal := make([]canon.Value, 0, v.Len())
	for i, e := range v.Elements() {
		c, n := o.cell(e, index("manifest.cells", i))
		if o.err != nil {
			break
		}
		m.Cells, normal = append(m.Cells, c), append(normal, n)
	}
	return reviseAll(v, normal)
}

// readEdges reads the edges, which have no other form than the normal one.
func (m *Manifest) readEdges(o object) canon.Value {
	v := o.get("edges")
	if !v.Exists() {
		return canon.Array()
	}
	m.Edges = make([]*Edge, 0, v.Len())
	for i, e := range v.Elements() {
		edge := o.edge(e, index("manifest.edges", i))
		if o.err != nil {
			break
		}
		m.Edges = append(m.Edges, edge)
	}
	return v
}
