package runtime

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// defaultTurns is the number of turns of a cell with tools that declares none.
const defaultTurns = 8

// turns is the turn loop of a model cell: agent, classifier, gate or decide
// (run.md §8.1).
type turns struct {
	*activation
	limits   limits
	attempts int
	output   organism.OutputContract
	inputs   canon.Value // what the view shows of the inputs
	cells    canon.Value // what the view shows of ancestors, absent without view cells
	graph    canon.Value // the graph fragment, absent unless shown
	log      []canon.Value
	full     []canon.Value // the log before compaction, for the local context
}

// limits are the byte bounds in effect for a cell. A cell's own bound replaces
// the run's, it need not be smaller (§5.1).
type limits struct{ context, output int }

func (a *activation) limits() limits {
	l := limits{a.run.budgets.MaxContextBytes, a.run.budgets.MaxOutputBytes}
	if own := a.cell.Budget.MaxContextBytes; own > 0 {
		l.context = own
	}
	if own := a.cell.Budget.MaxOutputBytes; own > 0 {
		l.output = own
	}
	return l
}

// contextFits bounds a context; what begins the text.
func (l limits) contextFits(context canon.Value, what string) error {
	if context.Size() > l.context {
		return algal.Errorf(algal.BudgetExhausted, "%s %dB exceeds maxContextBytes %dB", what, context.Size(), l.context)
	}
	return nil
}

func (a *activation) model() (product, error) {
	model := a.cell.Model
	t := &turns{activation: a, limits: a.limits(), attempts: model.Attempts}
	if err := t.contract(); err != nil {
		return product{}, err
	}
	t.view()
	for turn := 0; ; turn++ {
		if maximum := t.maxTurns(); turn >= maximum {
			return product{}, algal.Errorf(algal.BudgetExhausted, `cell "%s" produced no final output within maxTurns %d`, a.cell.ID, maximum)
		}
		p, final, err := t.turn(turn)
		if err != nil || final {
			return p, err
		}
	}
}

// contract settles the output contract, evaluating computed labels.
func (t *turns) contract() error {
	if t.cell.Kind == organism.KindDecide {
		t.output = organism.DecideContract(t.cell.Model.Questions)
		return nil
	}
	t.output = t.cell.Model.Output
	if t.output.LabelsExpr == nil {
		return nil
	}
	labels, err := t.evaluate(t.output.LabelsExpr, "labelsExpr")
	if err != nil {
		return err
	}
	t.output, err = organism.ResolveLabels(labels, t.cell)
	return err
}

func (t *turns) maxTurns() int {
	switch {
	case t.cell.Kind == organism.KindDecide:
		return 1
	case t.cell.Budget.MaxTurns > 0:
		return t.cell.Budget.MaxTurns
	case len(t.tools()) > 0:
		return defaultTurns
	}
	return 1
}

// tools are the names the cell may call.
func (t *turns) tools() []string {
	if t.cell.Kind == organism.KindAgent || t.cell.Kind == organism.KindClassifier {
		return t.cell.Model.Tools
	}
	return nil
}

// view computes what the model sees besides its tool log (steps 3, 4 and the
// graph fragment of 5c). It does not change between turns.
func (t *turns) view() {
	view := &t.cell.Model.View
	t.inputs = t.activation.inputs
	if !view.AllInputs {
		members := make([]canon.Member, 0, len(view.Inputs))
		for _, name := range view.Inputs {
			members = append(members, canon.M(name, t.activation.inputs.Get(name)))
		}
		t.inputs = canon.Object(members...)
	}
	if len(view.Cells) == 0 {
		return
	}
	members := make([]canon.Member, 0, len(view.Cells))
	for _, c := range view.Cells {
		members = append(members, canon.M(c.Cell, t.ancestor(c)))
	}
	t.cells = canon.Object(members...)
	if view.Graph {
		t.graph = t.fragment()
	}
}

// ancestor shows the record of a named cell of this level, null if it has none.
func (t *turns) ancestor(c organism.ViewCell) canon.Value {
	record := t.run.cells[t.level.path(t.level.graph.Cell(c.Cell))]
	if record == nil {
		return canon.Null()
	}
	shown := []canon.Member{canon.M("status", canon.String(record.status))}
	if record.hasOutputs() {
		outputs := record.outputs
		if c.HasPorts {
			members := make([]canon.Member, 0, len(c.Ports))
			for _, port := range c.Ports {
				members = append(members, canon.M(port, outputs.Get(port)))
			}
			outputs = canon.Object(members...)
		}
		shown = append(shown, canon.M("outputs", outputs))
	}
	return canon.Object(shown...)
}

// fragment shows the edges among the named cells and from them to this cell.
func (t *turns) fragment() canon.Value {
	named := map[string]bool{}
	for _, c := range t.cell.Model.View.Cells {
		named[c.Cell] = true
	}
	var edges []canon.Value
	for _, e := range t.level.graph.Manifest.Edges {
		if !named[e.From.Cell] || !named[e.To.Cell] && e.To.Cell != t.cell.ID {
			continue
		}
		shown := []canon.Member{
			canon.M("from", canon.String(e.From.Cell+"."+e.From.Port)),
			canon.M("to", canon.String(e.To.Cell+"."+e.To.Port)),
		}
		if e.Guard != nil {
			shown = append(shown, canon.M("guard", e.Guard.Normal))
		}
		edges = append(edges, canon.Object(shown...))
	}
	return canon.Object(canon.M("edges", canon.Array(edges...)))
}

// turn runs one turn. It is final unless the answer was a tool call.
func (t *turns) turn(turn int) (p product, final bool, err error) {
	if err := t.compact(turn); err != nil {
		return p, false, err
	}
	prompt, local := t.cell.Model.Prompt, (*localContext)(nil)
	if t.mayReadContext() {
		if local, err = t.captureContext(); err != nil {
			return p, false, err
		}
		prompt += "\n" + localContextPrompt
	}
	context := t.elide(turn)
	if err := t.limits.contextFits(context, "context view"); err != nil {
		return p, false, err
	}
	request := t.request(EffectKind(t.cell.Kind), prompt, context, &t.output, t.limits, t.cell.Model.Route)
	if t.cell.Kind == organism.KindDecide {
		request.ask(t.cell.Model.Questions)
	}
	answer, err := t.settleEffect(request, effortOf(t.attempts), t.tools())
	if err != nil {
		return p, false, err
	}
	if answer.toolCall {
		entry, err := t.callTool(answer.value, turn, local)
		if err != nil {
			return p, false, err
		}
		t.log, t.full = append(t.log, entry), append(t.full, entry)
		return p, false, nil
	}
	return t.finish(answer.value, request.Digest), true, nil
}

// context is what a turn shows, with the tool log given (step 5c).
func (t *turns) context(turn int, log []canon.Value) canon.Value {
	view := &t.cell.Model.View
	members := []canon.Member{
		canon.M("cells", t.cells),
		canon.M("graph", t.graph),
		canon.M("inputs", t.inputs),
		canon.M("turn", canon.Int(turn)),
	}
	if view.HasNote {
		members = append(members, canon.M("note", canon.String(view.Note)))
	}
	if len(log) > 0 {
		members = append(members, canon.M("toolLog", canon.Array(log...)))
	}
	return canon.Object(members...)
}

func (t *turns) finish(value canon.Value, request algal.Digest) product {
	p := product{effectDigest: request}
	if t.cell.Kind == organism.KindClassifier && t.cell.Model.HasShadow {
		if !value.IsText(t.cell.Model.Shadow) {
			p.shadowOut = value
		}
		value = canon.String(t.cell.Model.Shadow)
	}
	p.outputs = out(value)
	if len(t.log) > 0 {
		p.toolCalls = canon.Array(t.log...)
	}
	return p
}
