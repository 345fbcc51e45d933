package organism

import (
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

// CellKind is the kind of a cell.
type CellKind string

// The seventeen kinds (§7).
const (
	KindInput      CellKind = "input"
	KindConst      CellKind = "const"
	KindFn         CellKind = "fn"
	KindExpr       CellKind = "expr"
	KindTool       CellKind = "tool"
	KindAgent      CellKind = "agent"
	KindClassifier CellKind = "classifier"
	KindGate       CellKind = "gate"
	KindDecide     CellKind = "decide"
	KindRecall     CellKind = "recall"
	KindOrganism   CellKind = "organism"
	KindRepeat     CellKind = "repeat"
	KindEach       CellKind = "each"
	KindStore      CellKind = "store"
	KindLoad       CellKind = "load"
	KindSpawn      CellKind = "spawn"
	KindSlot       CellKind = "slot"
)

// Cell is one cell. ID and Kind are always set; of the rest the fields of its
// kind, as §7 lists them.
type Cell struct {
	ID   string
	Kind CellKind

	// The signature, as far as the manifest alone tells it: nil for fn, tool and
	// the embedding kinds, which get theirs in compilation.
	Inputs  Ports
	Outputs Ports
	Values  []canon.Value // const: the value of each of Outputs

	Fn   string // fn: registry reference
	Tool string // tool: host tool

	Program *expr.Program // expr: the program; recall: the query

	Model  *Model  // agent, classifier, gate, decide, recall
	Recall *Recall // recall

	Budget CellBudget // agent, classifier, gate, decide, recall, tool

	Manifest string // organism, repeat, each: digest token of the embedded manifest, unchecked until compiled
	Via      string // organism, repeat, each: transport, or ""
	Repeat   *Repeat
	Each     *Each

	Slot *Slot
}

// embeds reports whether the cell runs an embedded manifest.
func (c *Cell) embeds() bool {
	return c.Kind == KindOrganism || c.Kind == KindRepeat || c.Kind == KindEach
}

// kindRule says how the cells of one kind are read.
type kindRule struct {
	members []string // admitted, id and kind included

	// read reads what stands beside id and kind, and returns the members that the
	// normal form changes.
	read func(c *Cell, o object) []canon.Member

	inputs, outputs Ports // where these do not depend on the cell
}

var kindRules = map[CellKind]kindRule{
	KindInput:      {[]string{"id", "kind", "outputs"}, readInput, nil, nil},
	KindConst:      {[]string{"id", "kind", "outputs"}, readConst, nil, nil},
	KindFn:         {[]string{"id", "kind", "fn"}, readFn, nil, nil},
	KindExpr:       {[]string{"id", "kind", "inputs", "expr", "output"}, readExpr, nil, nil},
	KindTool:       {[]string{"id", "kind", "tool", "budget"}, readTool, nil, nil},
	KindAgent:      {workerMembers, readWorker, nil, nil},
	KindClassifier: {workerMembers, readWorker, nil, nil},
	KindGate:       {workerMembers, readWorker, nil, nil},
	KindDecide:     {[]string{"id", "kind", "inputs", "prompt", "questions", "view", "route", "budget", "retry"}, readDecide, nil, outPort},
	KindRecall:     {recallMembers, readRecall, nil, Ports{{Name: "out", Type: JSON}, {Name: "ref", Type: Ref}}},
	KindOrganism:   {[]string{"id", "kind", "manifest", "via"}, readOrganism, nil, nil},
	KindRepeat:     {[]string{"id", "kind", "manifest", "maxRounds", "carry", "until", "via"}, readRepeat, nil, nil},
	KindEach:       {[]string{"id", "kind", "manifest", "over", "maxItems", "via"}, readEach, nil, nil},
	KindStore:      {[]string{"id", "kind"}, nil, dataPort, refPort},
	KindLoad:       {[]string{"id", "kind"}, nil, refPort, dataPort},
	KindSpawn: {[]string{"id", "kind"}, nil, Ports{{Name: "manifest", Type: JSON}, {Name: "args", Type: JSON, Optional: true}},
		Ports{{Name: "data", Type: JSON}, {Name: "digest", Type: Text}}},
	KindSlot: {[]string{"id", "kind", "name", "mode", "default"}, readSlot, nil, dataPort},
}

// Ports that several kinds have.
var (
	dataPort = Ports{{Name: "data", Type: JSON}}
	refPort  = Ports{{Name: "ref", Type: Ref}}
	outPort  = Ports{{Name: "out", Type: JSON}}
)

// cell reads a cell and returns its normal form.
func (r *reader) cell(v canon.Value, path string) (*Cell, canon.Value) {
	o := r.object(v, path)
	c := &Cell{ID: o.id("id"), Kind: CellKind(o.text("kind", maxKind))}
	rule, known := kindRules[c.Kind]
	if !known {
		r.refuse(`%s.kind: unknown "%s"`, path, c.Kind)
		return nil, v
	}
	o.closed(rule.members...)
	c.Inputs, c.Outputs = rule.inputs, rule.outputs
	if rule.read == nil {
		return c, v
	}
	return c, revise(v, rule.read(c, o)...)
}

// inputs reads the optional input ports of a cell. In the normal form an empty
// map is left out.
func (o object) inputs(c *Cell) canon.Member {
	v := o.get("inputs")
	if v.Exists() {
		c.Inputs, v = o.ports(v, o.at("inputs"), consumer)
	}
	if len(c.Inputs) == 0 {
		v = canon.Value{}
	}
	return canon.M("inputs", v)
}
