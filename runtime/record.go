package runtime

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Contracts of this package.
const (
	ReceiptContract    = "algal.run.v1"
	EffectContract     = "algal.effect.v1"
	ToolEffectContract = "algal.tool-effect.v1"
)

// The outcomes of a run and of a level (run.md §4.3).
const (
	Complete  = "complete"
	Failed    = "failed"
	Stuck     = "stuck"
	Suspended = "suspended"
)

// The statuses of a cell record.
const (
	committed = "committed"
	skipped   = "skipped"
)

// record is what a run keeps of one cell (§11).
type record struct {
	status  string
	work    int
	failure *algal.Error // of a failed cell
	slot    *organism.Slot
	via     string
	product
}

// product is what an activation yields. Most cells only have outputs.
type product struct {
	outputs      canon.Value // object of ports, absent or empty when there are none
	effectDigest algal.Digest
	toolCalls    canon.Value // array or absent
	shadowOut    canon.Value
	rounds       int
	items        int
}

// value returns the cell record as it stands in the receipt.
func (c *record) value() canon.Value {
	members := make([]canon.Member, 0, 8)
	add := func(key string, v canon.Value) { members = append(members, canon.M(key, v)) }
	if c.effectDigest != "" {
		add("effectDigest", canon.String(string(c.effectDigest)))
	}
	if c.failure != nil {
		add("failure", errorRecord(c.failure))
	}
	if c.items > 0 {
		add("items", canon.Int(c.items))
	}
	if c.hasOutputs() {
		add("outputs", c.outputs)
	}
	if c.rounds > 1 {
		add("rounds", canon.Int(c.rounds))
	}
	if c.shadowOut.Exists() {
		add("shadowOut", c.shadowOut)
	}
	if c.slot != nil {
		add("slot", slotRecord(c.slot))
	}
	add("status", canon.String(c.status))
	if c.toolCalls.Len() > 0 {
		add("toolCalls", c.toolCalls)
	}
	if c.via != "" {
		add("via", canon.String(c.via))
	}
	add("work", canon.Int(c.work))
	return canon.Object(members...)
}

func (c *record) hasOutputs() bool { return c.outputs.Len() > 0 }

func slotRecord(s *organism.Slot) canon.Value {
	mode := "read"
	if s.Write {
		mode = "write"
	}
	return canon.Object(canon.M("mode", canon.String(mode)), canon.M("name", canon.String(s.Name)))
}

// errorRecord is {code, message}, all that is kept of an error (canonical.md §7.1).
func errorRecord(e *algal.Error) canon.Value {
	return canon.Object(canon.M("code", canon.String(string(e.Code))), canon.M("message", canon.String(e.Message)))
}

// Stamp is the runtime stamp that new receipts carry, a wire constant (§11).
func Stamp() canon.Value { return stamp }

var stamp = canon.Object(canon.M("name", canon.String("algal")), canon.M("version", canon.String("0.1.0")))

// receipt assembles the receipt without its digest.
func (r *run) receipt(m *organism.Manifest, args canon.Value, outcome string) canon.Value {
	cells := make([]canon.Member, 0, len(r.cells))
	for path, c := range r.cells {
		cells = append(cells, canon.M(path, c.value()))
	}
	var failed canon.Value
	if r.failure != nil {
		failed = errorRecord(r.failure.err)
		if r.failure.path != "" {
			failed = failed.With(canon.M("path", canon.String(r.failure.path)))
		}
	}
	runtime := r.replay.Stamp
	if !runtime.Exists() {
		runtime = stamp
	}
	return canon.Object(
		canon.M("args", args),
		canon.M("cells", canon.Object(cells...)),
		canon.M("contract", canon.String(ReceiptContract)),
		canon.M("effects", canon.Array(r.effects...)),
		canon.M("events", canon.Array(r.events...)),
		canon.M("failure", failed),
		canon.M("manifestDigest", canon.String(string(m.Digest()))),
		canon.M("manifestKey", canon.String(m.Key)),
		canon.M("outcome", canon.String(outcome)),
		canon.M("runtime", runtime),
		canon.M("work", canon.Object(
			canon.M("agentCalls", canon.Int(r.agentCalls)),
			canon.M("steps", canon.Int(r.steps)),
			canon.M("units", canon.Int(r.units)),
		)),
	)
}
