package runtime

import (
	"strconv"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// level runs one admitted manifest under a path prefix at a depth (run.md §4).
type level struct {
	run    *run
	graph  *organism.Graph
	args   canon.Value // cell id to port to value
	prefix string
	depth  int

	cells    []cellState
	edges    []edgeState
	outputs  []canon.Value  // of the cells that are done
	failures []*algal.Error // of the cells that failed
}

type cellState uint8

const (
	cellPending cellState = iota
	cellDone
	cellSkipped
	cellFailed
	cellSuspended
)

// edgeState is an edge's state and, once delivered, its value.
type edgeState struct {
	resolved  bool
	delivered bool
	value     canon.Value
}

// path returns the path of the cell with that index (§4.1).
func (l *level) path(cell int) string {
	id := l.graph.Manifest.Cells[cell].ID
	if l.prefix == "" {
		return id
	}
	return l.prefix + "/" + id
}

// play runs the level to its outcome. An error is a throw of the whole run.
func (l *level) play() (string, error) {
	r := l.run
	if l.depth > r.budgets.MaxDepth {
		r.fail(algal.Errorf(algal.DepthExceeded, "depth %d exceeds maxDepth %d", l.depth, r.budgets.MaxDepth), l.prefix)
		return Failed, nil
	}
	n := len(l.graph.Manifest.Cells)
	l.cells, l.outputs, l.failures = make([]cellState, n), make([]canon.Value, n), make([]*algal.Error, n)
	l.edges = make([]edgeState, len(l.graph.Manifest.Edges))
	for l.sweep() && r.failure == nil && !r.suspended {
	}
	if r.fatal != nil {
		return "", r.fatal
	}
	return l.outcome(), nil
}

func (l *level) outcome() string {
	switch {
	case l.run.suspended:
		return Suspended
	case l.run.failure != nil:
		return Failed
	}
	for _, s := range l.cells {
		if s == cellPending {
			return Stuck
		}
	}
	return Complete
}

// sweep visits the pending cells in manifest order (§4.3) and reports whether any
// of them made progress and the level may go on.
func (l *level) sweep() (progress bool) {
	for cell := range l.cells {
		if l.cells[cell] != cellPending || !l.producersSettled(cell) {
			continue
		}
		if l.run.interrupted() || !l.visit(cell) {
			return false
		}
		progress = true
	}
	return progress
}

func (l *level) producersSettled(cell int) bool {
	for _, e := range l.graph.Inbound[cell] {
		if l.cells[l.graph.From[e]] == cellPending {
			return false
		}
	}
	return true
}

// visit resolves the edges of a cell whose producers are settled and skips or
// activates it. It reports whether the sweep goes on.
func (l *level) visit(cell int) bool {
	r, path := l.run, l.path(cell)
	for _, e := range l.graph.Inbound[cell] {
		err := l.resolve(e)
		if err == nil {
			err = r.overWork()
		}
		if err != nil {
			r.fail(err, path)
			return false
		}
	}
	inputs, skip := l.inputs(cell)
	if skip {
		l.cells[cell] = cellSkipped
		r.cells[path] = &record{status: skipped}
		r.event(event{kind: "cell.skip", path: path})
		return true
	}
	if r.steps+1 > r.budgets.MaxSteps {
		r.fail(algal.Errorf(algal.BudgetExhausted, "maxSteps exhausted"), path)
		return false
	}
	r.steps++
	before := r.units
	r.units += activationWork
	a := activation{level: l, cell: l.graph.Manifest.Cells[cell], index: cell, path: path, inputs: inputs}
	p, err := a.activate()
	if r.fatal != nil {
		return false
	}
	if !l.settle(&a, p, err, r.units-before) {
		return false
	}
	if err := r.overWork(); err != nil {
		r.fail(err, path)
		return false
	}
	return true
}

// settle records what became of an activation (§4.6) and reports whether the
// sweep goes on.
func (l *level) settle(a *activation, p product, err *algal.Error, work int) bool {
	r := l.run
	c := &record{work: work, slot: a.cell.Slot}
	r.cells[a.path] = c
	switch {
	case err == nil:
		c.status, c.product = committed, p
		if c.via = l.graph.Served[a.index]; c.via == "" {
			c.via = r.replay.Via[a.path]
		}
		l.cells[a.index], l.outputs[a.index] = cellDone, p.outputs
		r.event(event{kind: "cell.commit", path: a.path})
		return true
	case err.Code == algal.EffectSuspended:
		c.status = Suspended
		l.cells[a.index], r.suspended = cellSuspended, true
		r.event(event{kind: "cell.suspend", path: a.path})
		return false
	}
	c.status, c.failure = Failed, err
	l.cells[a.index], l.failures[a.index] = cellFailed, err
	r.event(event{kind: "cell.fail", path: a.path})
	if l.graph.Handled[a.index] {
		r.failure = nil // also one that an inner level set
		return true
	}
	r.fail(err, a.path)
	return false
}

// resolve decides an edge whose producer is settled (§4.4).
func (l *level) resolve(e int) *algal.Error {
	state := &l.edges[e]
	if state.resolved {
		return nil
	}
	state.resolved = true
	edge, from := l.graph.Manifest.Edges[e], l.graph.From[e]
	if edge.OnFail {
		if failure := l.failures[from]; failure != nil {
			state.delivered, state.value = true, errorRecord(failure)
		}
		return nil
	}
	if l.cells[from] != cellDone {
		return nil
	}
	value := l.outputs[from].Get(edge.From.Port)
	if !value.Exists() {
		return nil
	}
	pass, err := l.run.passes(edge.Guard, value)
	if err != nil {
		return err
	}
	state.delivered, state.value = pass, value
	return nil
}

// passes evaluates a guard. The fuel of a program is charged whatever it gives.
func (r *run) passes(g *organism.Guard, value canon.Value) (bool, *algal.Error) {
	switch {
	case g == nil:
		return true, nil
	case g.Program == nil && g.HasField:
		return value.Get(g.Field).IsText(g.Equals), nil
	case g.Program == nil:
		return value.IsText(g.Equals), nil
	}
	result, burned, failure := g.Program.Run(canon.Object(canon.M("value", value)), exprFuel)
	r.units += burned
	if failure != nil {
		return false, algal.Errorf(algal.GuardInvalid, "guard expr %s", failure)
	}
	if !result.Is(canon.KindBool) {
		return false, algal.Errorf(algal.GuardInvalid, "guard expr must produce boolean, got %s", guardKind(result))
	}
	return result.Bool(), nil
}

func guardKind(v canon.Value) string {
	if v.Is(canon.KindArray) {
		return "list"
	}
	return v.Kind().String()
}

// inputs assembles the delivered inputs of a cell as an object of ports in
// declared order, and applies the skip rule (§4.5).
func (l *level) inputs(cell int) (inputs canon.Value, skip bool) {
	ports := l.graph.Inputs[cell]
	if len(ports) == 0 {
		return canon.Object(), false
	}
	members := make([]canon.Member, 0, len(ports))
	delivered, starved := false, false
	for i := range ports {
		value, count := l.gather(cell, &ports[i])
		if value.Exists() {
			members = append(members, canon.M(ports[i].Name, value))
		}
		delivered = delivered || count > 0
		starved = starved || count == 0 && !ports[i].Optional
	}
	return canon.Object(members...), starved || !delivered
}

// gather collects what was delivered to one port. The count is that of the hits,
// or of the elements of a many port.
func (l *level) gather(cell int, port *organism.Port) (value canon.Value, count int) {
	var elements []canon.Value
	for _, e := range l.graph.Inbound[cell] {
		edge := l.graph.Manifest.Edges[e]
		if !l.edges[e].delivered || edge.To.Port != port.Name {
			continue
		}
		v := l.edges[e].value
		if !port.Many {
			return v, 1
		}
		if v.Is(canon.KindArray) && l.producesMany(e) {
			for _, element := range v.Elements() {
				elements = append(elements, element)
			}
		} else {
			elements = append(elements, v)
		}
	}
	if !port.Many || len(elements) == 0 && !port.Optional {
		return canon.Value{}, 0
	}
	return canon.Array(elements...), len(elements)
}

func (l *level) producesMany(e int) bool {
	port := l.graph.Outputs[l.graph.From[e]].Find(l.graph.Manifest.Edges[e].From.Port)
	return port != nil && port.Many
}

// nested returns the level of a child under a cell's path; segment is "" or the
// round or item, such as r0 or i3.
func (l *level) nested(path string, child *organism.Graph, inputs canon.Value) *level {
	return &level{run: l.run, graph: child, args: interfaceArgs(child.Manifest, inputs), prefix: path, depth: l.depth + 1}
}

func segment(path string, kind byte, n int) string {
	return path + "/" + string(kind) + strconv.Itoa(n)
}
