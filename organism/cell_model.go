package organism

import (
	"slices"

	"github.com/algal-vm/algal/canon"
)

// Model holds what the effect cells share.
type Model struct {
	Prompt    string
	View      View
	Output    OutputContract // declared contract; decide and recall derive theirs
	Route     canon.Value    // normal form, absent when not declared
	Tools     []string       // agent, classifier
	Compact   *Compact       // agent
	Shadow    string         // classifier: the label taken
	HasShadow bool
	Attempts  int         // retry.attempts, 1 when not declared
	Questions canon.Value // decide: the normalised map in member order
}

// Compact bounds an agent's tool log (§7.6).
type Compact struct {
	MaxLogBytes int
	KeepRecent  int // entries at the end that stay, 0 when not declared
	Elide       bool
	Route       canon.Value // absent when not declared
}

var workerMembers = []string{"id", "kind", "inputs", "prompt", "view", "output", "route", "tools", "compact", "budget", "shadow", "retry"}

// readWorker reads an agent, classifier or gate (§7.6).
func readWorker(c *Cell, o object) []canon.Member {
	m := &Model{}
	c.Model = m
	inputs := o.inputs(c)
	m.Prompt = o.text("prompt", maxPrompt)
	view, normalView := o.view()
	m.View = view
	m.Output = o.output(o.require("output"), o.at("output"), c.Inputs)
	m.Route = o.route()
	c.Budget = o.budget("maxContextBytes", "maxOutputBytes", "maxTurns", "maxEffectMs")
	m.Tools = o.tools()
	m.Compact = o.compact()
	m.Attempts = o.attempts()
	checkWorker(c, o)
	c.Outputs = Ports{m.Output.port("out")}
	normal := []canon.Member{inputs, canon.M("view", normalView)}
	if c.Kind == KindAgent {
		return append(normal, canon.M("shadow", canon.Value{})) // an agent's shadow is accepted and ignored
	}
	return normal
}

// checkWorker makes the checks of §7.6 across members and reads a classifier's
// shadow.
func checkWorker(c *Cell, o object) {
	m := c.Model
	if c.Kind != KindAgent && m.Compact != nil {
		o.refuse("%s: compact is agent-only — only tool-bearing cells accumulate a log", o.path)
	}
	if m.Compact != nil && m.Tools == nil {
		o.refuse("%s: compact needs tools — no tool log ever accumulates", o.path)
	}
	if c.Kind == KindGate && (m.Tools != nil || o.has("shadow")) {
		o.refuse("%s: gate cells take no tools or shadow — a gate is an approval point, not a worker", o.path)
	}
	if c.Kind != KindAgent && m.Output.Kind != Choice {
		o.refuse(`%s: %s output must be {kind:"choice"}`, o.path, c.Kind)
	}
	if c.Kind == KindClassifier && o.has("shadow") {
		q := o.object(o.get("shadow"), o.at("shadow"))
		q.closed("take")
		m.Shadow, m.HasShadow = q.text("take", maxLabel), true
		if m.Output.LabelsExpr == nil && !slices.Contains(m.Output.Labels, m.Shadow) {
			o.refuse("%s.shadow.take must be a declared label", o.path)
		}
	}
}

func (o object) tools() []string {
	v := o.get("tools")
	if !v.Exists() {
		return nil
	}
	tools := o.texts(v, o.at("tools"), maxRef)
	o.set(tools, o.at("tools"), maxTools)
	return tools
}

// compact reads how the tool log is kept short; its normal form is as written.
func (o object) compact() *Compact {
	v := o.get("compact")
	if !v.Exists() {
		return nil
	}
	q := o.object(v, o.at("compact"))
	q.closed("maxLogBytes", "keepRecent", "route", "mode")
	c := &Compact{MaxLogBytes: q.integer("maxLogBytes", 1, maxContextSize)}
	if mode := q.get("mode"); mode.Exists() {
		c.Elide = true
		if !mode.IsText("elide") {
			o.refuse("%s.mode must be elide", q.path)
		}
		if q.has("route") {
			o.refuse("%s.route is not used by elide mode", q.path)
		}
	}
	c.KeepRecent = q.optInteger("keepRecent", 0, 8, 0)
	c.Route = q.route()
	return c
}

// route reads the route of an effect (§6.4) and returns it as written, which is
// its normal form.
func (o object) route() canon.Value {
	v := o.get("route")
	if v.Exists() {
		q := o.object(v, o.at("route"))
		q.closed("provider", "model", "preset")
		q.optText("provider", maxRef)
		q.optText("model", maxRef)
		q.optText("preset", maxRef)
	}
	return v
}

// attempts reads how often an effect may be tried (§6.6).
func (o object) attempts() int {
	v := o.get("retry")
	if !v.Exists() {
		return 1
	}
	q := o.object(v, o.at("retry"))
	q.closed("attempts")
	return q.integer("attempts", 2, 8)
}
