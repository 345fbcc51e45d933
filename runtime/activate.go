package runtime

import (
	"strconv"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
	"github.com/algal-vm/algal/organism"
)

// Bounds of cells (organism.md §2), inclusive.
const (
	maxBlobBytes        = 262_144
	maxRecallQueryBytes = 4096
	exprFuel            = expr.CellBudget
)

// activation is one cell being activated.
type activation struct {
	*level
	cell   *organism.Cell
	index  int
	path   string
	inputs canon.Value // delivered ports in declared order
}

// activate checks the inputs, runs the cell and checks the outputs (run.md §4.3
// step 6). A nil error means that the cell committed.
func (a *activation) activate() (product, *algal.Error) {
	if err := checkPorts(a.inputs, a.graph.Inputs[a.index], a.cell.ID+"."); err != nil {
		return product{}, err
	}
	p, err := a.perform()
	if err != nil {
		return product{}, algal.AsError(err)
	}
	if err := checkOutputs(p.outputs, a.graph.Outputs[a.index], a.cell.ID); err != nil {
		return product{}, err
	}
	return p, nil
}

// checkPorts checks every present value against its port, in declared order.
func checkPorts(values canon.Value, ports organism.Ports, labelPrefix string) *algal.Error {
	for i := range ports {
		if v := values.Get(ports[i].Name); v.Exists() {
			if err := ports[i].CheckValue(v, labelPrefix+ports[i].Name); err != nil {
				return algal.AsError(err)
			}
		}
	}
	return nil
}

// checkOutputs checks produced ports and refuses undeclared ones (§6.3).
func checkOutputs(outputs canon.Value, ports organism.Ports, id string) *algal.Error {
	if err := checkPorts(outputs, ports, id+"."); err != nil {
		return err
	}
	for port := range outputs.Members() {
		if ports.Find(port) == nil {
			return algal.Errorf(algal.TypeMismatch, `%s: produced undeclared output "%s"`, id, port)
		}
	}
	return nil
}

// perform does what the kind of the cell says (§7).
func (a *activation) perform() (product, error) {
	switch a.cell.Kind {
	case organism.KindInput:
		given := a.args.Get(a.cell.ID)
		return a.literals(func(i int) canon.Value { return given.Get(a.cell.Outputs[i].Name) })
	case organism.KindConst:
		return a.literals(func(i int) canon.Value { return a.cell.Values[i] })
	case organism.KindFn:
		return a.function()
	case organism.KindExpr:
		return a.expression()
	case organism.KindStore:
		return a.store()
	case organism.KindLoad:
		return a.load()
	case organism.KindSlot:
		return a.slot()
	case organism.KindTool:
		return a.tool()
	case organism.KindRecall:
		return a.recall()
	case organism.KindOrganism:
		return a.organism()
	case organism.KindRepeat:
		return a.repeat()
	case organism.KindEach:
		return a.each()
	case organism.KindSpawn:
		return a.spawn()
	}
	return a.model()
}

// literals produces the declared outputs of an input or const cell that have a
// value. References must resolve (§6.1).
func (a *activation) literals(value func(i int) canon.Value) (product, error) {
	members := make([]canon.Member, 0, len(a.cell.Outputs))
	for i := range a.cell.Outputs {
		port, v := &a.cell.Outputs[i], value(i)
		if !v.Exists() {
			continue
		}
		label := a.cell.ID + "." + port.Name
		if err := port.CheckValue(v, label); err != nil {
			return product{}, err
		}
		if port.Type == organism.Ref {
			if err := a.resolvable(v, label); err != nil {
				return product{}, err
			}
		}
		members = append(members, canon.M(port.Name, v))
	}
	return product{outputs: canon.Object(members...)}, nil
}

func (a *activation) resolvable(v canon.Value, label string) error {
	if v.Is(canon.KindArray) {
		for i, e := range v.Elements() {
			if err := a.resolvable(e, label+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
		return nil
	}
	found, err := a.run.host.Store.Value(algal.Digest(v.Text()))
	if err == nil && !found.Exists() {
		return algal.Errorf(algal.InputMissing, "%s: ref %s not in store", label, v.Text())
	}
	return err
}

func (a *activation) function() (product, error) {
	fn := a.run.host.Functions[a.cell.Fn]
	outputs, err := a.call(fn, a.inputs, a.cell.ID+".")
	return product{outputs: outputs}, err
}

// call charges and calls a registered function.
func (a *activation) call(fn *organism.Function, inputs canon.Value, labelPrefix string) (canon.Value, error) {
	a.run.units += fn.Cost
	if err := checkPorts(inputs, fn.Inputs, labelPrefix); err != nil {
		return canon.Value{}, err
	}
	return fn.Call(inputs)
}

func (a *activation) expression() (product, error) {
	v, err := a.evaluate(a.cell.Program, "expr")
	return product{outputs: out(v)}, err
}

// out is the outputs object of a cell with the one port out.
func out(v canon.Value) canon.Value { return canon.Object(canon.M("out", v)) }

// evaluate runs a program over the inputs of the cell. Fuel is charged whatever
// comes of it; what begins the text of a failure.
func (a *activation) evaluate(p *expr.Program, what string) (canon.Value, error) {
	v, burned, failure := p.Run(a.inputs, exprFuel)
	a.run.units += burned
	if failure == nil {
		return v, nil
	}
	code := algal.ExprFailed
	if failure.Code() == "EXPR_FUEL" {
		code = algal.BudgetExhausted
	}
	return canon.Value{}, algal.Errorf(code, "%s %s", what, failure)
}

func (a *activation) store() (product, error) {
	data := a.inputs.Get("data")
	if err := a.chargePayload(data, "payload"); err != nil {
		return product{}, err
	}
	d, err := a.run.host.Store.PutValue(data)
	if err != nil {
		return product{}, err
	}
	return product{outputs: canon.Object(canon.M("ref", canon.String(string(d))))}, nil
}

// chargePayload bounds and charges what moves between a program and a store.
func (a *activation) chargePayload(v canon.Value, what string) error {
	if v.Size() > maxBlobBytes {
		return algal.Errorf(algal.BudgetExhausted, "%s: %s %dB exceeds maxBlobBytes %dB", a.cell.ID, what, v.Size(), maxBlobBytes)
	}
	a.run.units += v.Size()
	return nil
}

func (a *activation) load() (product, error) {
	ref := a.inputs.Get("ref")
	if err := refPort.CheckValue(ref, a.cell.ID+".ref"); err != nil {
		return product{}, err
	}
	data, err := a.run.host.Store.Value(algal.Digest(ref.Text()))
	if err != nil {
		return product{}, err
	}
	if !data.Exists() {
		return product{}, algal.Errorf(algal.InputMissing, "%s: ref %s not in store", a.cell.ID, ref.Text())
	}
	if err := a.chargePayload(data, "payload"); err != nil {
		return product{}, err
	}
	return product{outputs: canon.Object(canon.M("data", data))}, nil
}

var refPort = organism.Port{Name: "ref", Type: organism.Ref}

func (a *activation) slot() (product, error) {
	slot, data := a.cell.Slot, a.inputs.Get("data")
	if slot.Write {
		if err := a.chargePayload(data, "slot payload"); err != nil {
			return product{}, err
		}
		if !a.run.replay.SlotWritten[a.path] {
			if err := a.run.host.Store.SetSlot(slot.Name, data); err != nil {
				return product{}, err
			}
		}
		return product{outputs: canon.Object(canon.M("data", data))}, nil
	}
	data, err := a.slotValue(slot)
	if err != nil {
		return product{}, err
	}
	if !data.Exists() {
		return product{}, algal.Errorf(algal.InputMissing, `slot cell "%s": slot "%s" is empty and declares no default`, a.cell.ID, slot.Name)
	}
	return product{outputs: canon.Object(canon.M("data", data))}, nil
}

// slotValue reads a slot; a recorded read stands in for the store and for the
// default.
func (a *activation) slotValue(slot *organism.Slot) (canon.Value, error) {
	if recorded, ok := a.run.replay.SlotReads[a.path]; ok {
		return recorded, nil
	}
	v, err := a.run.host.Store.Slot(slot.Name)
	if err != nil || v.Exists() {
		return v, err
	}
	return slot.Default, nil
}
