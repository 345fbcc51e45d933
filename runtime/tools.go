package runtime

import (
	"context"
	"strconv"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// tool runs a tool cell (run.md §9.5).
func (a *activation) tool() (product, error) {
	name := a.cell.Tool
	tool := a.run.tools[name]
	if tool == nil {
		return product{}, unknownTool(name)
	}
	record := toolRequest(name, tool.Signature, a.path, a.inputs)
	request := record.Digest()
	outputs, err := a.callHost(hostCall{name, tool, record, request, a.inputs, `tool cell "` + a.cell.ID + `"`})
	if err != nil {
		return product{}, err
	}
	if bound := tool.Signature.MaxOutputBytes; outputs.Size() > bound {
		return product{}, algal.Errorf(algal.BudgetExhausted, `tool cell "%s" output %dB exceeds %dB`, a.cell.ID, outputs.Size(), bound)
	}
	a.run.units += tool.Signature.Cost + outputs.Size()
	return product{outputs: outputs, effectDigest: request}, nil
}

func unknownTool(name string) error {
	return algal.Errorf(algal.ToolUnknown, `tool "%s" is not configured`, name)
}

// callTool performs the tool call that an agent answered with, and returns its
// entry for the tool log. local is the turn's permitted view, nil where the cell
// does not list the reserved tool.
func (t *turns) callTool(answer canon.Value, turn int, local *localContext) (canon.Value, error) {
	name, inputs := answer.Get("tool").Text(), answer.Get("inputs")
	fn := t.run.host.Functions[name]
	tool := t.run.tools[name]
	if name == localContextName && local != nil {
		tool = local.tool()
	}
	var ins, outs organism.Ports
	switch {
	case fn != nil:
		ins, outs = fn.Inputs, fn.Outputs
	case tool != nil:
		ins, outs = tool.Signature.Inputs, tool.Signature.Outputs
	default:
		return canon.Value{}, unknownTool(name)
	}
	if err := t.admitToolInputs(name, inputs, ins); err != nil {
		return canon.Value{}, err
	}
	var output canon.Value
	var err error
	if fn != nil {
		output, err = t.call(fn, inputs, t.cell.ID+".tool.")
	} else {
		output, err = t.callAgentTool(name, tool, turn, inputs)
	}
	if err != nil {
		return canon.Value{}, err
	}
	if err := checkOutputs(output, outs, t.cell.ID); err != nil {
		return canon.Value{}, err
	}
	return canon.Object(
		canon.M("fn", canon.String(name)),
		canon.M("inputs", inputs),
		canon.M("output", output),
	), nil
}

func (t *turns) admitToolInputs(name string, inputs canon.Value, ports organism.Ports) error {
	for input := range inputs.Members() {
		if ports.Find(input) == nil {
			return algal.Errorf(algal.TypeMismatch, "tool %s received undeclared input %s", name, input)
		}
	}
	for i := range ports {
		port := &ports[i]
		v := inputs.Get(port.Name)
		if !v.Exists() {
			if !port.Optional {
				return algal.Errorf(algal.EffectFailed, `cell "%s" tool call to %s missing required input "%s"`, t.cell.ID, name, port.Name)
			}
			continue
		}
		if err := port.CheckValue(v, t.cell.ID+".tool."+port.Name); err != nil {
			return err
		}
	}
	return nil
}

func (t *turns) callAgentTool(name string, tool *HostTool, turn int, inputs canon.Value) (canon.Value, error) {
	record := toolRequest(name, tool.Signature, t.path+"/t"+strconv.Itoa(turn), inputs)
	output, err := t.callHost(hostCall{name, tool, record, record.Digest(), inputs, "agent tool " + name})
	if err != nil {
		return canon.Value{}, err
	}
	if output.Size() > tool.Signature.MaxOutputBytes {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "tool %s output exceeds its byte bound", name)
	}
	t.run.units += tool.Signature.Cost + output.Size()
	return output, nil
}

// hostCall is one call of a host tool.
type hostCall struct {
	name    string
	tool    *HostTool
	record  canon.Value  // of the request
	request algal.Digest // of the record
	inputs  canon.Value
	what    string // begins the text of an exceeded deadline
}

// callHost performs a host tool call as an effect: recorded, journaled or live.
func (a *activation) callHost(c hostCall) (canon.Value, error) {
	r := a.run
	r.event(event{kind: "effect", path: a.path, digest: c.request})
	r.replay.observe(c.request, c.record)
	receipt, err := a.answerHost(c)
	if err != nil {
		return canon.Value{}, err
	}
	r.effects = append(r.effects, receipt.record)
	if receipt.err != nil {
		r.interrupted()
		return canon.Value{}, receipt.err
	}
	return receipt.output, nil
}

func (a *activation) answerHost(c hostCall) (effectReceipt, error) {
	r := a.run
	if recorded := r.replay.nextTool(c.request); recorded.Exists() {
		receipt := parseEffect(recorded)
		receipt.record = recorded // a tool's record is kept as it is
		return receipt, nil
	}
	if r.replay.StrictTools {
		return effectReceipt{}, algal.Errorf(algal.EffectUnbound, "replay has no tool receipt for %s", c.request)
	}
	call := func() effectReceipt { return a.callLive(c) }
	if r.host.Journal == nil {
		return call(), nil
	}
	return r.journaled(Binding{
		RequestDigest:       c.request,
		Executor:            toolExecutor(c.name),
		ConfigurationDigest: c.tool.Configuration,
		IdempotencyKey:      r.idempotencyKey(c.request),
		Read:                !c.tool.Signature.Write,
	}, "journal tool configuration", call)
}

// toolPrefix begins the executor of every tool effect receipt.
const toolPrefix = "tool:"

func toolExecutor(name string) string { return toolPrefix + name }

func (a *activation) callLive(c hostCall) effectReceipt {
	var outputs canon.Value
	err := a.bounded(c.what, func(ctx context.Context) (err error) {
		if c.tool.Call == nil {
			return algal.Errorf(algal.CapabilityDenied, `tool "%s" has a signature only`, c.name)
		}
		outputs, err = c.tool.Call(ctx, ToolCall{c.inputs, c.request, a.run.idempotencyKey(c.request)})
		return err
	})
	if err == nil && !outputs.Is(canon.KindObject) {
		err = algal.Errorf(algal.ToolFailed, "%s: output must be a JSON object of ports", c.name)
	}
	if failed := algal.AsError(err); failed != nil && failed.Code == algal.Internal {
		err = &algal.Error{Code: algal.ToolFailed, Message: failed.Message, Uncertain: failed.Uncertain}
	}
	return makeEffect(c.request, toolExecutor(c.name), Answer{Output: outputs}, err)
}
