package examples_test

import (
	"slices"
	"strings"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// kinds are all kinds of cells.
var kinds = []organism.CellKind{
	organism.KindInput, organism.KindConst, organism.KindFn, organism.KindExpr, organism.KindTool, organism.KindAgent,
	organism.KindClassifier, organism.KindGate, organism.KindDecide, organism.KindRecall, organism.KindOrganism, organism.KindRepeat,
	organism.KindEach, organism.KindStore, organism.KindLoad, organism.KindSpawn, organism.KindSlot,
}

// further are the features that the programs must show together beside the kinds of
// cells, under the names that features gives them. The words are those of the
// manifest.
var further = []string{
	"guard equals", "guard field", "guard expr", "on fail",
	"many", "optional", "choice port", "ref port", "cap port", "schema 1", "schema 2", "schema 3",
	"onMiss", "labelsExpr", "retry", "shadow", "route", "mailbox tool",
	"view inputs", "view cells", "view ports", "view graph", "view note",
	"agent fn tool", "agent host tool", "local context", "compact", "compact elide", "compact route",
	"question noul", "question choice", "question score", "embedder", "rerank",
	"carry", "until field", "slot read", "slot write", "slot default",
	"budget maxSteps", "budget maxAgentCalls", "budget maxWork", "budget maxContextBytes", "budget maxOutputBytes", "budget maxDepth",
	"cell maxContextBytes", "cell maxOutputBytes", "cell maxTurns", "cell maxEffectMs",
	"fn assert.v1", "fn coalesce.v1", "fn echo.v1", "fn format.v1", "fn inc.v1", "fn join.v1", "fn pick.v1", "fn push.v1", "fn tag.v1",
}

// features returns what a program shows, sorted. It is read from the normal form,
// where everything that the author wrote stands and budgets have their defaults.
func features(m *organism.Manifest) []string {
	f := shown{}
	defaults := organism.Budgets{MaxSteps: 256, MaxAgentCalls: 16, MaxWork: 1_000_000, MaxContextBytes: 65_536, MaxOutputBytes: 65_536, MaxDepth: 4}
	f.budgets(m.Budgets, defaults)
	for i, written := range m.Normal().Get("cells").Elements() {
		f.cell(m.Cells[i], written)
	}
	for _, e := range m.Edges {
		f.edge(e)
	}
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// shown collects features.
type shown map[string]bool

func (f shown) add(name string, is bool) {
	if is {
		f[name] = true
	}
}

// members adds a feature for each of the named members that v has.
func (f shown) members(v canon.Value, prefix string, names ...string) {
	for _, name := range names {
		f.add(prefix+name, v.Get(name).Exists())
	}
}

func (f shown) budgets(b, absent organism.Budgets) {
	f.add("budget maxSteps", b.MaxSteps != absent.MaxSteps)
	f.add("budget maxAgentCalls", b.MaxAgentCalls != absent.MaxAgentCalls)
	f.add("budget maxWork", b.MaxWork != absent.MaxWork)
	f.add("budget maxContextBytes", b.MaxContextBytes != absent.MaxContextBytes)
	f.add("budget maxOutputBytes", b.MaxOutputBytes != absent.MaxOutputBytes)
	f.add("budget maxDepth", b.MaxDepth != absent.MaxDepth)
}

func (f shown) edge(e *organism.Edge) {
	f.add("on fail", e.OnFail)
	if e.Guard != nil {
		f.add("guard expr", e.Guard.Program != nil)
		f.add("guard field", e.Guard.HasField)
		f.add("guard equals", e.Guard.Program == nil && !e.Guard.HasField)
	}
}

func (f shown) cell(c *organism.Cell, written canon.Value) {
	f.add(string(c.Kind), true)
	f.ports(written.Get("inputs"))
	f.ports(written.Get("outputs"))
	f.schema(written.Get("output"))
	f.add("fn "+c.Fn, c.Fn != "")
	f.add("mailbox tool", strings.HasPrefix(c.Tool, "mailbox."))
	f.members(written.Get("output"), "", "onMiss", "labelsExpr")
	f.members(written, "", "retry", "shadow", "route", "rerank", "embedder", "carry", "compact")
	f.members(written.Get("budget"), "cell ", "maxContextBytes", "maxOutputBytes", "maxTurns", "maxEffectMs")
	f.members(written.Get("view"), "view ", "cells", "graph", "note")
	f.add("view inputs", written.Get("view").Get("inputs").Is(canon.KindArray))
	for _, c := range written.Get("view").Get("cells").Elements() {
		f.add("view ports", c.Is(canon.KindObject))
	}
	f.add("compact elide", written.Get("compact").Get("mode").IsText("elide"))
	f.members(written.Get("compact"), "compact ", "route")
	f.add("until field", written.Get("until").Get("field").Exists())
	for _, q := range written.Get("questions").Members() {
		f["question "+q.Get("type").Text()] = true
	}
	f.tools(written.Get("tools"))
	if c.Slot != nil {
		f["slot "+written.Get("mode").Text()] = true
		f.members(written, "slot ", "default")
	}
}

func (f shown) tools(list canon.Value) {
	for _, tool := range list.Elements() {
		switch name := tool.Text(); {
		case name == "agent.context.local.v1":
			f["local context"] = true
		case organism.Builtins()[name] != nil:
			f["agent fn tool"] = true
		default:
			f["agent host tool"] = true
		}
	}
}

func (f shown) ports(ports canon.Value) {
	for _, port := range ports.Members() {
		f.members(port, "", "many", "optional")
		f.add("choice port", port.Get("type").IsText("choice"))
		f.add("ref port", port.Get("type").IsText("ref"))
		f.add("cap port", port.Get("type").IsText("cap"))
		f.schema(port)
	}
}

func (f shown) schema(declared canon.Value) {
	if declared.Get("schema").Exists() {
		version := declared.Get("schemaVersion")
		f.add("schema 1", !version.Exists())
		f.add("schema 2", version.Float() == 2)
		f.add("schema 3", version.Float() == 3)
	}
}
