package organism

import "github.com/algal-vm/algal/canon"

// Tool is the signature of a host tool (run.md §9.1).
type Tool struct {
	Inputs, Outputs Ports
	Write           bool // the effect class: write, else read
	Cost            int  // work units of a call
	MaxOutputBytes  int

	normal canon.Value
}

// Normal returns the signature in normal form (evidence.md §1.1).
func (t *Tool) Normal() canon.Value { return t.normal }

// maxToolCost bounds the work units of a tool call.
const maxToolCost = 1_000_000

// ParseTool admits a tool signature, with ports in either form; what is the path
// of messages. Faults have code PARSE_FAILED.
func ParseTool(v canon.Value, what string) (*Tool, error) {
	r := &reader{}
	o := r.object(v, what)
	o.closed("inputs", "outputs", "effect", "cost", "maxOutputBytes")
	effect := o.require("effect")
	if !effect.IsText("read") && !effect.IsText("write") {
		o.refuse("%s.effect must be read|write", what)
	}
	t := &Tool{Write: effect.IsText("write")}
	t.Cost = o.signatureInteger("cost", 0, maxToolCost)
	t.MaxOutputBytes = o.signatureInteger("maxOutputBytes", 1, maxOutputSize)
	inputs, normalInputs := o.ports(o.require("inputs"), o.at("inputs"), consumer)
	outputs, normalOutputs := o.ports(o.require("outputs"), o.at("outputs"), producer)
	if r.err != nil {
		return nil, r.err
	}
	t.Inputs, t.Outputs = inputs, outputs
	t.normal = revise(v, canon.M("inputs", normalInputs), canon.M("outputs", normalOutputs))
	return t, nil
}

// signatureInteger reads a required integer. The text is a tool signature's own.
func (o object) signatureInteger(key string, lo, hi int) int {
	n, err := canon.AsInt(o.require(key), "", lo, hi)
	if err != nil {
		o.refuse("%s.%s must be an integer %d..%d", o.path, key, lo, hi)
	}
	return n
}
