package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

type explainOptions struct {
	*globals
	manifest string
	program  programFlags
}

func newExplainCommand(with *shared) *cobra.Command {
	o := &explainOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "explain MANIFEST",
		Short: "Say what a program is made of and what it lacks",
		Long: `Shows the cells, edges, inputs and outputs of a program, and checks one by one the functions,
tools and manifests that it names, then the program as a whole. Nothing is run.

Result: {"budgets","cells","checks","digest","edges","inputs","key","name","ok","outputs"}. At a
terminal it is shown in words; the last line says whether the program compiles.`,
		Example:     `  algal explain program.algal.json --tools tools.json`,
		Args:        positional("MANIFEST"),
		Annotations: map[string]string{negativeKey: "the program does not compile"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.manifest = args[0]
			return runExplain(cmd.Context(), with.streams, o)
		},
	}
	o.program.declare(cmd.Flags())
	return cmd
}

func runExplain(ctx context.Context, s *streams, o *explainOptions) error {
	m, err := readManifest(o.manifest)
	if err != nil {
		return err
	}
	host, err := o.program.host(ctx, s, o.dir)
	if err != nil {
		return err
	}
	// The compilation comes first: it may fetch what the checks then find.
	graph, err := compile(m, host)
	checks := examine(m, host)
	checks.add("graph", canon.Null(), err)
	v := explanation(m, graph, checks)
	if err := s.result(v, func(p *page) { accountOfProgram(p, v) }); err != nil {
		return err
	}
	if checks.failed {
		return errNegative
	}
	return nil
}

// explanation returns the result; graph is nil when the program does not compile.
func explanation(m *organism.Manifest, graph *organism.Graph, c *checks) canon.Value {
	normal := m.Normal()
	return canon.Object(
		canon.M("budgets", normal.Get("budgets")),
		canon.M("cells", cellsOf(m)),
		canon.M("checks", canon.Array(c.list...)),
		canon.M("digest", canon.String(string(m.Digest()))),
		canon.M("edges", edgesOf(normal)),
		canon.M("inputs", inputsOf(m)),
		canon.M("key", canon.String(m.Key)),
		canon.M("name", canon.String(m.Name)),
		canon.M("ok", canon.Bool(!c.failed)),
		canon.M("outputs", outputsOf(m, graph)),
	)
}

func cellsOf(m *organism.Manifest) canon.Value {
	cells := make([]canon.Value, len(m.Cells))
	for i, c := range m.Cells {
		var manifest, slot, tools canon.Value
		if c.Manifest != "" {
			manifest = canon.String(c.Manifest)
		}
		if c.Slot != nil {
			mode := "read"
			if c.Slot.Write {
				mode = "write"
			}
			slot = canon.Object(canon.M("mode", canon.String(mode)), canon.M("name", canon.String(c.Slot.Name)))
		}
		if names := toolsOf(c); len(names) > 0 {
			tools = textArray(names)
		}
		cells[i] = canon.Object(
			canon.M("id", canon.String(c.ID)),
			canon.M("kind", canon.String(string(c.Kind))),
			canon.M("manifest", manifest),
			canon.M("slot", slot),
			canon.M("tools", tools),
		)
	}
	return canon.Array(cells...)
}

// toolsOf returns the tools that a cell names.
func toolsOf(c *organism.Cell) []string {
	if c.Tool != "" {
		return []string{c.Tool}
	}
	if c.Model != nil {
		return c.Model.Tools
	}
	return nil
}

func textArray(texts []string) canon.Value {
	list := make([]canon.Value, len(texts))
	for i, t := range texts {
		list[i] = canon.String(t)
	}
	return canon.Array(list...)
}

func edgesOf(normal canon.Value) canon.Value {
	end := func(v canon.Value) canon.Value {
		return canon.String(v.Get("cell").Text() + "." + v.Get("port").Text())
	}
	var edges []canon.Value
	for _, e := range normal.Get("edges").Elements() {
		edges = append(edges, canon.Object(
			canon.M("from", end(e.Get("from"))),
			canon.M("guard", e.Get("guard")),
			canon.M("on", e.Get("on")),
			canon.M("to", end(e.Get("to"))),
		))
	}
	return canon.Array(edges...)
}

func inputsOf(m *organism.Manifest) canon.Value {
	var inputs []canon.Value
	for _, c := range m.Cells {
		if c.Kind != organism.KindInput {
			continue
		}
		for _, p := range c.Outputs {
			inputs = append(inputs, canon.Object(
				canon.M("cell", canon.String(c.ID)),
				canon.M("optional", canon.Bool(p.Optional)),
				canon.M("port", canon.String(p.Name)),
				canon.M("type", canon.String(string(p.Type))),
			))
		}
	}
	return canon.Array(inputs...)
}

func outputsOf(m *organism.Manifest, graph *organism.Graph) canon.Value {
	var outputs []canon.Value
	if m.Interface != nil {
		for _, out := range m.Interface.Outputs {
			outputs = append(outputs, canon.Object(
				canon.M("cell", canon.String(out.Cell)),
				canon.M("name", canon.String(out.Name)),
				canon.M("port", canon.String(out.Port)),
				canon.M("type", typeOf(m, graph, out.PortRef)),
			))
		}
	}
	return canon.Array(outputs...)
}

// typeOf returns the type of an output port. Without a graph it is known of cells
// that declare their ports themselves, and null of others.
func typeOf(m *organism.Manifest, graph *organism.Graph, ref organism.PortRef) canon.Value {
	for i, c := range m.Cells {
		if c.ID != ref.Cell {
			continue
		}
		ports := c.Outputs
		if graph != nil {
			ports = graph.Outputs[i]
		}
		if p := ports.Find(ref.Port); p != nil {
			return canon.String(string(p.Type))
		}
	}
	return canon.Null()
}

func accountOfProgram(p *page, v canon.Value) {
	p.Line("%s (%s)", v.Get("name").Text(), v.Get("key").Text())
	p.Row("digest", "%s", v.Get("digest").Text())
	for _, c := range v.Get("cells").Elements() {
		p.Row("cell", "%s: %s%s", c.Get("id").Text(), c.Get("kind").Text(), details(c))
	}
	for _, e := range v.Get("edges").Elements() {
		p.Row("edge", "%s -> %s%s", e.Get("from").Text(), e.Get("to").Text(), details(e))
	}
	for _, in := range v.Get("inputs").Elements() {
		p.Row("input", "%s.%s: %s%s", in.Get("cell").Text(), in.Get("port").Text(), in.Get("type").Text(), optional(in))
	}
	for _, out := range v.Get("outputs").Elements() {
		p.Row("output", "%s = %s.%s: %s", out.Get("name").Text(), out.Get("cell").Text(), out.Get("port").Text(), shown(out.Get("type")))
	}
	missing := 0
	for _, c := range v.Get("checks").Elements() {
		if !c.Get("ok").Bool() {
			missing++
			p.Row("fault", "%s: %s", c.Get("code").Text(), shown(c.Get("message")))
		}
	}
	if missing == 0 {
		p.Verdict(true, "ok: the program compiles")
	} else {
		p.Verdict(false, "does not compile: %s", counted(missing, "fault"))
	}
}

func optional(in canon.Value) string {
	if in.Get("optional").Bool() {
		return ", optional"
	}
	return ""
}

// details shows what a cell or edge has beyond its names.
func details(v canon.Value) string {
	var parts []string
	for key, m := range v.Members() {
		switch key {
		case "id", "kind", "from", "to":
		default:
			parts = append(parts, key+" "+shown(m))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
