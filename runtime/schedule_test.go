package runtime_test

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// TestSweeps: cells are visited in manifest order, again and again, each as soon as
// its producers are settled (run.md §4.3).
func TestSweeps(t *testing.T) {
	for _, c := range []struct{ name, cells, edges, want string }{
		{"no edges", literal("b", "1") + "," + literal("a", "1"), "", "start, commit b, commit a, end complete"},
		{"producer first", literal("a", "1") + "," + echo("b") + "," + echo("c"), edges("a.v b.value", "b.value c.value"),
			"start, commit a, commit b, commit c, end complete"},
		{"producer last", echo("c") + "," + echo("b") + "," + literal("a", "1"), edges("a.v b.value", "b.value c.value"),
			"start, commit a, commit b, commit c, end complete"},
		{"the next sweep begins at the first cell", echo("late") + "," + literal("a", "1") + "," + echo("b") + "," + echo("c"),
			edges("b.value late.value", "a.v b.value", "a.v c.value"), "start, commit a, commit b, commit c, commit late, end complete"},
		{"a skip settles", echo("b") + "," + echo("a") + "," + literal("x", `"y"`), edges("a.value b.value"),
			"start, skip a, commit x, skip b, end complete"},
		{"a failure ends the sweep", literal("a", "{}") + "," + `{"id":"f","kind":"fn","fn":"inc.v1"},` + literal("b", "1"), edges("a.v f.value"),
			"start, commit a, fail f, end failed"},
		{"a handled failure does not", literal("a", "{}") + "," + `{"id":"f","kind":"fn","fn":"inc.v1"},` + literal("b", "1") + "," + echo("h"),
			edges("a.v f.value", "f.value h.value "+onFail), "start, commit a, fail f, commit b, commit h, end complete"},
	} {
		if got := events(run(t, document(c.cells, c.edges), `{}`, runtime.Host{})); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWholeReceipt is the vector of process.md §2.4, assembled from a run.
func TestWholeReceipt(t *testing.T) {
	text := `{"contract":"algal.organism.v1","key":"organism:one","name":"One","cells":[` + literal("c", "1") + `],"edges":[]}`
	receipt := run(t, text, `{}`, runtime.Host{})
	const want = `{"args":{},"cells":{"c":{"outputs":{"v":1},"status":"committed","work":100}},"contract":"algal.run.v1","digest":"sha256:5b69d0d0764f5b2ad34dcc846e7b42e90b3c0713ffc1a59ea21f66918ef91327","effects":[],"events":[{"digest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","kind":"run.start","seq":0},{"kind":"cell.commit","path":"c","seq":1},{"kind":"run.end","outcome":"complete","seq":2}],"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","manifestKey":"organism:one","outcome":"complete","runtime":{"name":"algal","version":"0.1.0"},"work":{"agentCalls":0,"steps":1,"units":100}}`
	if receipt.String() != want {
		t.Errorf("\n%s, want\n%s", receipt, want)
	}
	if d := receipt.Digest(); d != "sha256:a122aec62483adca41256f9085d7b1358bc8271c894dbaa518e2f8cd7de12268" {
		t.Errorf("storage digest %s", d)
	}
}

// passing is a child with the interface x to y that passes on what it is given.
const passing = `{"contract":"algal.organism.v1","key":"organism:passing","name":"p","cells":[{"id":"in","kind":"input","outputs":{"v":"json"}}],"edges":[],
"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{"y":{"cell":"in","port":"v"}}}}`

// TestSkipRule holds §4.5: which inputs let a cell run, and what it then sees. Only
// an each cell gives a list whose elements a many port takes one by one.
func TestSkipRule(t *testing.T) {
	const one, maybe = `"json"`, `{"type":"json","optional":true}`
	const many, manyMaybe = `{"type":"json","many":true}`, `{"type":"json","many":true,"optional":true}`
	store := cas.NewMemory()
	child := embed(t, store, passing)
	sources := `{"id":"src","kind":"input","outputs":{"given":"json","nothing":"json","list":"json","empty":"json"}},
		{"id":"all","kind":"each","over":"x","maxItems":9,` + child + `},{"id":"none","kind":"each","over":"x","maxItems":9,` + child + `},`
	for _, c := range []struct {
		name, ports string
		edges       []string
		want        string // the inputs, "" when the cell is skipped
	}{
		{"no ports", ``, nil, `{}`},
		{"no edge", `"a":` + one, nil, ``},
		{"delivered", `"a":` + one, []string{"src.given probe.a"}, `{"a":7}`},
		{"not delivered", `"a":` + one, []string{"src.nothing probe.a"}, ``},
		{"only optional, none", `"a":` + maybe, nil, ``},
		{"only optional, dead", `"a":` + maybe + `,"b":` + maybe, []string{"src.nothing probe.a"}, ``},
		{"one optional of two", `"a":` + maybe + `,"b":` + maybe, []string{"src.given probe.b"}, `{"b":7}`},
		{"a required one lacks", `"a":` + one + `,"b":` + one, []string{"src.given probe.b"}, ``},
		{"an optional one lacks", `"a":` + maybe + `,"b":` + one, []string{"src.given probe.b"}, `{"b":7}`},
		{"many, of one", `"m":` + many, []string{"src.given probe.m"}, `{"m":[7]}`},
		{"many, of none", `"m":` + many, []string{"src.nothing probe.m"}, ``},
		{"many, of an empty list", `"m":` + many, []string{"none.y probe.m"}, ``},
		{"many, optional and empty", `"m":` + manyMaybe + `,"b":` + one, []string{"src.given probe.b"}, `{"b":7,"m":[]}`},
		{"many, optional, alone and empty", `"m":` + manyMaybe, []string{"none.y probe.m"}, ``},
		{"many, optional, of an empty list", `"m":` + manyMaybe + `,"b":` + one, []string{"src.given probe.b", "none.y probe.m"}, `{"b":7,"m":[]}`},
		{"a list of a many port is taken apart", `"m":` + many, []string{"all.y probe.m", "src.given probe.m"}, `{"m":[1,[2],7]}`},
		{"in the order of the edges", `"m":` + many, []string{"src.given probe.m", "all.y probe.m", "src.nothing probe.m"}, `{"m":[7,1,[2]]}`},
		{"a list of a plain port is one element", `"m":` + many, []string{"src.list probe.m"}, `{"m":[[1,[2]]]}`},
		{"a many list into a plain port", `"a":` + one, []string{"all.y probe.a"}, `{"a":[1,[2]]}`},
	} {
		var calls []runtime.ToolCall
		host := probe(t, c.ports, &calls)
		host.Store = store
		text := document(sources+`{"id":"probe","kind":"tool","tool":"probe"}`, edges(append(c.edges, "src.list all.x", "src.empty none.x")...))
		receipt := run(t, text, `{"src":{"given":7,"list":[1,[2]],"empty":[]}}`, host)
		if c.want == "" {
			same(t, c.name, cell(receipt, "probe"), `{"status":"skipped","work":0}`)
			same(t, c.name+": steps", receipt.Get("work").Get("steps"), `5`) // of src, all with two items, none
			if len(calls) != 0 {
				t.Errorf("%s: the cell ran with %s", c.name, calls[0].Inputs)
			}
			continue
		}
		if len(calls) != 1 {
			t.Errorf("%s: %d calls", c.name, len(calls))
			continue
		}
		same(t, c.name, calls[0].Inputs, c.want)
		same(t, c.name+": steps", receipt.Get("work").Get("steps"), `6`)
	}
}

// TestEdges holds §4.4: what an edge delivers, if it delivers.
func TestEdges(t *testing.T) {
	pick := `"guard":{"field":"k","equals":"x"}`
	equals := `"guard":{"equals":"x"}`
	expr := func(text string) string { return `"guard":{"expr":` + program(text) + `}` }
	for _, c := range []struct{ name, value, more, want string }{
		{"plain", `[1]`, ``, `[1]`},
		{"null is a value", `null`, ``, `null`},
		{"field", `{"k":"x"}`, pick, `{"k":"x"}`},
		{"another field value", `{"k":"y"}`, pick, ``},
		{"no such field", `{}`, pick, ``},
		{"field of a list", `["x"]`, pick, ``},
		{"field of null", `null`, pick, ``},
		{"field that is no text", `{"k":["x"]}`, pick, ``},
		{"true", `3`, expr(`["eq",["get","value"],3]`), `3`},
		{"false", `4`, expr(`["eq",["get","value"],3]`), ``},
	} {
		receipt := run(t, document(literal("a", c.value)+","+echo("b"), edges("a.v b.value "+c.more)), `{}`, runtime.Host{})
		same(t, c.name, cell(receipt, "b").Get("outputs").Get("value"), c.want)
		if want := `"committed"`; c.want == "" {
			same(t, c.name, cell(receipt, "b"), `{"status":"skipped","work":0}`)
		} else {
			same(t, c.name, cell(receipt, "b").Get("status"), want)
		}
	}
	for label, want := range map[string]string{"x": "committed", "y": "skipped"} {
		choice := `{"id":"a","kind":"const","outputs":{"v":{"type":"choice","labels":["x","y"],"value":"` + label + `"}}}`
		receipt := run(t, document(choice+","+echo("b"), edges("a.v b.value "+equals)), `{}`, runtime.Host{})
		if got := cell(receipt, "b").Get("status").Text(); got != want {
			t.Errorf("equals x of %s: %s, want %s", label, got, want)
		}
	}
}

// TestGuardFaults holds the texts of §4.4. No cell record is made and no step is
// counted, and no fail edge catches it; the fuel is spent.
func TestGuardFaults(t *testing.T) {
	for text, want := range map[string]string{
		`null`:          "guard expr must produce boolean, got null",
		`["list",1]`:    "guard expr must produce boolean, got list",
		`["quote",{}]`:  "guard expr must produce boolean, got object",
		`"yes"`:         "guard expr must produce boolean, got string",
		`1`:             "guard expr must produce boolean, got number",
		`["add","a",1]`: `guard expr {"arg":0,"code":"EXPR_TYPE","got":"text","op":"add","want":"number"}`,
		`["div","a",0]`: `guard expr {"arg":0,"code":"EXPR_TYPE","got":"text","op":"div","want":"number"}`,
	} {
		cells := literal("a", "1") + "," + echo("b") + "," + echo("h")
		receipt := run(t, document(cells, edges(`a.v b.value "guard":{"expr":`+program(text)+`}`, "b.value h.value "+onFail)), `{}`, runtime.Host{})
		failure := receipt.Get("failure")
		if !failure.Get("code").IsText(string(algal.GuardInvalid)) || !failure.Get("path").IsText("b") || failure.Get("message").Text() != want {
			t.Errorf("%s: %s, want %s", text, failure, want)
		}
		if cell(receipt, "b").Exists() || cell(receipt, "h").Exists() || events(receipt) != "start, commit a, end failed" {
			t.Errorf("%s: %s", text, receipt)
		}
		if work := receipt.Get("work"); work.Get("steps").Float() != 1 || work.Get("units").Float() <= 100 {
			t.Errorf("%s: work %s", text, work)
		}
	}
}

// TestFailEdges holds §4.4 and §4.6: what handles a failure and what it delivers.
func TestFailEdges(t *testing.T) {
	const fails = `{"id":"f","kind":"fn","fn":"inc.v1"}`
	const record = `{"code":"FN_FAILED","message":"inc.v1: value must be a finite number"}`
	cells := func(value string) string {
		return literal("a", value) + "," + fails + "," + echo("n") + "," + echo("h")
	}
	both := edges("a.v f.value", "f.value n.value", "f.value h.value "+onFail)

	handled := run(t, document(cells(`"x"`), both), `{}`, runtime.Host{})
	same(t, "handled", handled.Get("cells"), `{"a":{"outputs":{"v":"x"},"status":"committed","work":100},
		"f":{"failure":`+record+`,"status":"failed","work":105},"n":{"status":"skipped","work":0},
		"h":{"outputs":{"value":`+record+`},"status":"committed","work":110}}`)
	same(t, "handled: failure", handled.Get("failure"), "")
	same(t, "handled: outcome", handled.Get("outcome"), `"complete"`)

	fine := run(t, document(cells(`1`), both), `{}`, runtime.Host{})
	same(t, "nothing failed", cell(fine, "h"), `{"status":"skipped","work":0}`)
	same(t, "nothing failed", cell(fine, "n"), `{"outputs":{"value":2},"status":"committed","work":110}`)

	skipped := run(t, document(echo("none")+","+fails+","+echo("h"), edges("none.value f.value", "f.value h.value "+onFail)), `{}`, runtime.Host{})
	same(t, "skipped", cell(skipped, "h"), `{"status":"skipped","work":0}`)

	many := `{"id":"m","kind":"expr","inputs":{"v":{"type":"json","many":true}},"expr":` + program(`["get","v"]`) + `,"output":{"kind":"json","schema":{"type":"array"}}}`
	two := run(t, document(literal("a", `"x"`)+","+fails+`,{"id":"g","kind":"fn","fn":"inc.v1"},`+many,
		edges("a.v f.value", "a.v g.value", "f.value m.v "+onFail, "g.value m.v "+onFail)), `{}`, runtime.Host{})
	same(t, "two failures", cell(two, "m").Get("outputs").Get("out"), `[`+record+`,`+record+`]`)

	unhandled := run(t, document(literal("a", `"x"`)+","+fails+","+literal("later", "1"), edges("a.v f.value")), `{}`, runtime.Host{})
	failed(t, "unhandled", unhandled, algal.FnFailed, "inc.v1: value must be a finite number", "f")
	same(t, "cells after it have no record", cell(unhandled, "later"), "")

	reading := run(t, document(`{"id":"s","kind":"slot","mode":"read","name":"n"}`, ""), `{}`, runtime.Host{})
	same(t, "a failed slot keeps its slot", cell(reading, "s"), `{"failure":{"code":"INPUT_MISSING","message":"slot cell \"s\": slot \"n\" is empty and declares no default"},
		"slot":{"mode":"read","name":"n"},"status":"failed","work":100}`)
	same(t, "a skipped one does not", cell(run(t, document(`{"id":"s","kind":"slot","mode":"write","name":"n"}`, ""), `{}`, runtime.Host{}), "s"), `{"status":"skipped","work":0}`)
}

// TestUncodedError: an error that is not one of ours has code INTERNAL and its own
// text (§4.6, §8.7).
func TestUncodedError(t *testing.T) {
	f := replying(reply{err: errPlain})
	receipt := run(t, document(`{"id":"a","kind":"agent","prompt":"","output":{"kind":"text"}}`, ""), `{}`, asks(f))
	failed(t, "executor", receipt, algal.Internal, errPlain.Error(), "a")
	same(t, "effect", receipt.Get("effects").At(0).Get("error"), `{"code":"INTERNAL","message":"`+errPlain.Error()+`"}`)
}
