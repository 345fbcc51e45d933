package organism

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

// OutputContract is an output contract (§6.1).
type OutputContract struct {
	Kind       PortType      // text, json or choice
	Schema     *Schema       // json
	Labels     []string      // choice with static labels
	LabelsExpr *expr.Program // choice with computed labels, or nil
	OnMiss     string        // choice: the label taken for an answer that is none
	HasOnMiss  bool
	Normal     canon.Value // as it stands in a request when nothing is computed
}

// output reads an output contract. A labels program may read the ports inputs.
func (r *reader) output(v canon.Value, path string, inputs Ports) OutputContract {
	o := r.object(v, path)
	c := OutputContract{Kind: PortType(o.text("kind", maxKind)), Normal: v}
	switch c.Kind {
	case Text:
		o.closed("kind")
	case JSON:
		o.closed("kind", "schema", "schemaVersion")
		version := o.schemaVersion()
		c.Schema = r.schema(o.require("schema"), o.at("schema"), version)
	case Choice:
		o.closed("kind", "labels", "labelsExpr", "onMiss")
		o.choiceOutput(&c, inputs)
	default:
		r.refuse(`%s.kind: unknown "%s"`, path, c.Kind)
	}
	return c
}

func (o object) choiceOutput(c *OutputContract, inputs Ports) {
	computed := o.get("labelsExpr")
	if computed.Exists() && o.has("labels") {
		o.refuse("%s declares labels or labelsExpr, not both", o.path)
	}
	if computed.Exists() {
		c.LabelsExpr = o.program(computed, o.at("labelsExpr"), inputs.names())
	} else {
		c.Labels = o.texts(o.require("labels"), o.at("labels"), maxLabel)
		o.set(c.Labels, o.at("labels"), maxLabels)
	}
	c.OnMiss, c.HasOnMiss = o.optText("onMiss", maxLabel)
	if c.HasOnMiss && c.LabelsExpr == nil && !slices.Contains(c.Labels, c.OnMiss) {
		o.refuse(`%s.onMiss "%s" is not a declared label`, o.path, c.OnMiss)
	}
}

// program reads an expression envelope whose program may read names (§6.2).
func (r *reader) program(v canon.Value, path string, names []string) *expr.Program {
	p, err := expr.ParseEnvelope(v, path)
	if err == nil {
		err = p.Admit(names, path)
	}
	r.keep(err)
	return p
}

// port is the output port that delivers what satisfies the contract.
func (c *OutputContract) port(name string) Port {
	return Port{Name: name, Type: c.Kind, Labels: c.Labels, Schema: c.Schema}
}

// Bind holds an executor's output against the contract and returns the value that
// commits (run.md §8.4). Faults have code EFFECT_UNPARSEABLE. Labels must be
// resolved.
func (c *OutputContract) Bind(raw canon.Value, cellID string) (canon.Value, error) {
	switch c.Kind {
	case Text:
		if !raw.Is(canon.KindString) {
			return canon.Value{}, algal.Errorf(algal.EffectUnparseable, `cell "%s": expected text output`, cellID)
		}
	case JSON:
		if fault := c.Schema.Check(raw); fault != "" {
			return canon.Value{}, algal.Errorf(algal.EffectUnparseable, "%s", fault)
		}
	case Choice:
		if raw.Is(canon.KindString) && slices.Contains(c.Labels, raw.Text()) {
			return raw, nil
		}
		if !c.HasOnMiss {
			return canon.Value{}, algal.Errorf(algal.EffectUnparseable, `cell "%s": output %s is not a declared label`, cellID, raw)
		}
		return canon.String(c.OnMiss), nil
	}
	return raw, nil
}

// ResolveLabels returns the output contract of a cell with the labels that its
// labels program gave (run.md §8.1 step 2). Faults have code EXPR_FAILED.
func ResolveLabels(result canon.Value, cell *Cell) (OutputContract, error) {
	labels, err := readLabels(result, `cell "`+cell.ID+`" labelsExpr result`)
	if err != nil {
		return OutputContract{}, &algal.Error{Code: algal.ExprFailed, Message: err.Error()}
	}
	m := cell.Model
	if m.Output.HasOnMiss && !slices.Contains(labels, m.Output.OnMiss) {
		return OutputContract{}, algal.Errorf(algal.ExprFailed,
			`cell "%s" onMiss "%s" is not in the resolved labels`, cell.ID, m.Output.OnMiss)
	}
	if m.HasShadow && !slices.Contains(labels, m.Shadow) {
		return OutputContract{}, algal.Errorf(algal.ExprFailed,
			`cell "%s" shadow.take "%s" is not in the resolved labels`, cell.ID, m.Shadow)
	}
	c := OutputContract{Kind: Choice, Labels: labels, OnMiss: m.Output.OnMiss, HasOnMiss: m.Output.HasOnMiss}
	c.Normal = canon.Object(canon.M("kind", canon.String(string(Choice))), canon.M("labels", result),
		canon.M("onMiss", m.Output.Normal.Get("onMiss")))
	return c, nil
}

// readLabels reads a label list.
func readLabels(v canon.Value, path string) ([]string, error) {
	r := &reader{}
	labels := r.texts(v, path, maxLabel)
	r.set(labels, path, maxLabels)
	return labels, r.err
}
