package organism

import (
	"strings"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

// PortRef names a port of a cell.
type PortRef struct{ Cell, Port string }

// String returns CELL.PORT, as messages show it.
func (p PortRef) String() string { return p.Cell + "." + p.Port }

// Edge carries a value from an output port to an input port (§8).
type Edge struct {
	From, To PortRef
	OnFail   bool // it carries the failure of the producing cell
	Guard    *Guard
}

// Guard decides whether an edge delivers.
type Guard struct {
	Program  *expr.Program // or:
	Equals   string
	Field    string
	HasField bool
	Normal   canon.Value // as shown to a model: {expr} or {equals, field?}
}

// edge reads an edge; its normal form is as written.
func (r *reader) edge(v canon.Value, path string) *Edge {
	o := r.object(v, path)
	o.closed("from", "to", "guard", "on")
	e := &Edge{From: r.portRef(o.require("from"), o.at("from")), To: r.portRef(o.require("to"), o.at("to"))}
	if guard := o.get("guard"); guard.Exists() {
		e.Guard = r.guard(guard, o.at("guard"))
	}
	if on := o.get("on"); on.Exists() {
		e.OnFail = true
		if !on.IsText("fail") {
			r.refuse(`%s.on: unknown "%s" — the only value is "fail"`, path, scriptText(on))
		}
	}
	return e
}

func (r *reader) portRef(v canon.Value, path string) PortRef {
	o := r.object(v, path)
	o.closed("cell", "port")
	return PortRef{Cell: o.id("cell"), Port: o.id("port")}
}

func (r *reader) guard(v canon.Value, path string) *Guard {
	o := r.object(v, path)
	o.closed("equals", "field", "expr")
	g := &Guard{Normal: v}
	if program := o.get("expr"); program.Exists() {
		if o.has("equals") || o.has("field") {
			r.refuse("%s: expr cannot mix with equals/field", path)
		}
		g.Program = r.program(program, o.at("expr"), guardNames)
		return g
	}
	g.Equals = o.text("equals", maxLabel)
	g.Field, g.HasField = o.optID("field")
	return g
}

// guardNames is what a guard program sees: the delivered value.
var guardNames = []string{"value"}

// scriptText turns a value into a string as ECMAScript does, which is how the
// reference runtime prints a bad "on".
func scriptText(v canon.Value) string {
	switch v.Kind() {
	case canon.KindString:
		return v.Text()
	case canon.KindObject:
		return "[object Object]"
	case canon.KindArray:
		parts := make([]string, v.Len())
		for i, e := range v.Elements() {
			if !e.Is(canon.KindNull) {
				parts[i] = scriptText(e)
			}
		}
		return strings.Join(parts, ",")
	}
	return v.String()
}
