package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

// asking is a child that asks a gate about x and gives its answer as y, and the
// input as z where the answer is yes.
var asking = document(`{"id":"in","kind":"input","outputs":{"v":"json"}},
	{"id":"ask","kind":"gate","inputs":{"v":"json"},"prompt":"","output":{"kind":"choice","labels":["yes","no"]}},`+echo("then")+`,
	{"id":"both","kind":"expr","inputs":{"a":"json","b":"json"},"expr":`+program(`["get","b"]`)+`,"output":{"kind":"json","schema":{"type":["number","array"]}}}`,
	edges("in.v ask.v", `ask.out then.value "guard":{"equals":"yes"}`, "then.value both.a", "in.v both.b"),
	`"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{"y":{"cell":"ask","port":"out"},"z":{"cell":"both","port":"out"}}}`)

// inside runs an embedding cell "o" over a literal that feeds its input x.
func inside(t *testing.T, cellText, value, child string, more string, answers ...reply) canon.Value {
	t.Helper()
	store := cas.NewMemory()
	host := asks(replying(answers...))
	host.Store = store
	text := document(literal("v", value)+`,{"id":"o",`+cellText+`,`+embed(t, store, child)+more+`},`+echo("h"),
		edges("v.v o.x", "o.y h.value "+onFail))
	return run(t, text, `{}`, host)
}

// TestOrganism holds run.md §7.10: outputs are mapped, absent ones are no outputs.
func TestOrganism(t *testing.T) {
	yes := inside(t, `"kind":"organism"`, `1`, asking, ``, reply{output: `"yes"`})
	same(t, "yes", cell(yes, "o").Get("outputs"), `{"y":"yes","z":1}`)
	no := inside(t, `"kind":"organism"`, `1`, asking, ``, reply{output: `"no"`})
	same(t, "no", cell(no, "o").Get("outputs"), `{"y":"no"}`)
	same(t, "skipped inside", cell(no, "o/both"), `{"status":"skipped","work":0}`)

	broken := inside(t, `"kind":"organism"`, `1`, asking, ``, reply{output: `"maybe"`})
	const failure = `{"code":"EFFECT_UNPARSEABLE","message":"cell \"ask\": output \"maybe\" is not a declared label"}`
	same(t, "broken inside", cell(broken, "o/ask").Get("failure"), failure)
	same(t, "the enclosing cell", cell(broken, "o").Get("failure"), failure)
	same(t, "its fail edge", cell(broken, "h").Get("outputs").Get("value"), failure)
	same(t, "it is handled", broken.Get("failure"), "")
	if got, want := events(broken), "start, commit v, commit o/in, effect o/ask, fail o/ask, fail o, commit h, end complete"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	store := cas.NewMemory()
	text := document(literal("v", `1`)+`,{"id":"o","kind":"organism",`+embed(t, store, asking)+`}`, edges("v.v o.x"))
	fatal := run(t, text, `{}`, runtime.Host{Store: store, Executors: []runtime.Executor{answering(`"maybe"`)}})
	failed(t, "the innermost path stays", fatal, algal.EffectUnparseable, `cell "ask": output "maybe" is not a declared label`, "o/ask")
}

// TestNestedSuspension: every enclosing cell is suspended with a record of its own,
// innermost first (§10.1).
func TestNestedSuspension(t *testing.T) {
	store := cas.NewMemory()
	later := reply{err: algal.Errorf(algal.EffectSuspended, "later")}
	middle := document(`{"id":"in","kind":"input","outputs":{"v":"json"}},{"id":"each","kind":"each","over":"x","maxItems":9,`+embed(t, store, asking)+`}`,
		edges("in.v each.x"), `"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{"y":{"cell":"each","port":"y"}}}`)
	text := document(literal("v", `[1,2,3]`)+`,{"id":"o","kind":"repeat","maxRounds":2,`+embed(t, store, middle)+`},`+literal("later", `1`), edges("v.v o.x"))
	receipt := run(t, text, `{}`, runtime.Host{Store: store, Executors: []runtime.Executor{replying(reply{output: `"no"`}, later)}})
	same(t, "outcome", receipt.Get("outcome"), `"suspended"`)
	for _, path := range []string{"o/r0/each/i1/ask", "o/r0/each", "o"} {
		same(t, path, cell(receipt, path).Without("work"), `{"status":"suspended"}`)
	}
	for _, path := range []string{"o/r0/each/i2/in", "later", "o/r0/each/i1/then"} {
		same(t, path, cell(receipt, path), "")
	}
	if got := events(receipt); !strings.HasSuffix(got, "suspend o/r0/each/i1/ask, suspend o/r0/each, suspend o, end suspended") {
		t.Errorf("%s", got)
	}
}

// TestRepeat holds §7.10: rounds, what is carried, and what ends them.
func TestRepeat(t *testing.T) {
	answers := func(list ...string) (replies []reply) {
		for _, a := range list {
			replies = append(replies, reply{output: `"` + a + `"`})
		}
		return replies
	}
	const kind = `"kind":"repeat","maxRounds":3`
	for _, c := range []struct {
		name, more, child string
		replies           []reply
		outputs, rounds   string
	}{
		{"as often as allowed", ``, asking, answers("no", "yes", "no"), `{"y":"no"}`, `3`}, // z of the second round is not kept
		{"until", `,"until":{"output":"y","equals":"yes"}`, asking, answers("no", "yes"), `{"y":"yes","z":1}`, `2`},
		{"until at once", `,"until":{"output":"y","equals":"yes"}`, asking, answers("yes"), `{"y":"yes","z":1}`, ``},
		{"until an output that is absent", `,"until":{"output":"z","equals":"yes"}`, asking, answers("no"), `{"y":"no"}`, `3`},
		{"until a field of no object", `,"until":{"output":"z","field":"f","equals":"yes"}`, asking, answers("yes"), `{"y":"yes","z":1}`, `3`},
		{"carried", `,"carry":{"y":"x"}`, strings.ReplaceAll(counting, "N", "1"), answers("no"), `{"y":4}`, `3`},
		{"not carried", ``, strings.ReplaceAll(counting, "N", "1"), answers("no"), `{"y":2}`, `3`},
	} {
		receipt := inside(t, kind, `1`, c.child, c.more, c.replies...)
		same(t, c.name, cell(receipt, "o").Get("outputs"), c.outputs)
		same(t, c.name+": rounds", cell(receipt, "o").Get("rounds"), c.rounds)
	}
	late := inside(t, kind, `1`, asking, ``, reply{output: `"no"`}, reply{output: `"maybe"`})
	same(t, "a failed round", cell(late, "o").Get("failure").Get("code"), `"EFFECT_UNPARSEABLE"`)
	same(t, "rounds before it keep their records", cell(late, "o/r0/ask").Get("status"), `"committed"`)
}

// counting is a child that gives x plus N as y.
var counting = document(`{"id":"in","kind":"input","outputs":{"v":"json"}},{"id":"n","kind":"expr","inputs":{"v":"json"},"expr":`+program(`["add",["get","v"],N]`)+
	`,"output":{"kind":"json","schema":{"type":"number"}}}`, edges("in.v n.v"), `"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{"y":{"cell":"n","port":"out"}}}`)

// TestEach holds §7.10: a list per output, and what is refused.
func TestEach(t *testing.T) {
	const kind = `"kind":"each","over":"x","maxItems":3`
	receipt := inside(t, kind, `[1,[2],3]`, asking, ``, reply{output: `"yes"`}, reply{output: `"no"`}, reply{output: `"yes"`})
	same(t, "outputs", cell(receipt, "o").Get("outputs"), `{"y":["yes","no","yes"],"z":[1,3]}`)
	same(t, "items", cell(receipt, "o").Get("items"), `3`)
	same(t, "an item", cell(receipt, "o/i1/in").Get("outputs"), `{"v":[2]}`)

	empty := inside(t, kind, `[]`, asking, ``)
	same(t, "no items", cell(empty, "o"), `{"outputs":{"y":[],"z":[]},"status":"committed","work":100}`)

	for value, want := range map[string]string{
		`7`:         `{"code":"TYPE_MISMATCH","message":"each cell \"o\" over \"x\" expected a list"}`,
		`[1,2,3,4]`: `{"code":"BUDGET_EXHAUSTED","message":"each cell \"o\" got 4 items, maxItems 3"}`,
	} {
		refusing := inside(t, kind, value, asking, ``)
		same(t, value, cell(refusing, "o").Get("failure"), want)
	}
	typed := strings.Replace(asking, `"outputs":{"v":"json"}`, `"outputs":{"v":{"type":"json","schema":{"type":"integer"}}}`, 1)
	wrong := inside(t, kind, `[1,"x"]`, typed, ``, reply{output: `"yes"`})
	same(t, "an element of another type", cell(wrong, "o").Get("failure").Get("code"), `"TYPE_MISMATCH"`)
	same(t, "records of that item", cell(wrong, "o/i1/in"), "")
	same(t, "records of the item before", cell(wrong, "o/i0/in").Get("status"), `"committed"`)
}

// TestSpawn holds §7.10: a manifest delivered as data.
func TestSpawn(t *testing.T) {
	spawn := func(child, args string, host runtime.Host) canon.Value {
		t.Helper()
		cells := literal("m", child) + `,{"id":"o","kind":"spawn"},` + literal("args", args) + "," + echo("h")
		return run(t, document(cells, edges("m.v o.manifest", "args.v o.args", "o.data h.value "+onFail)), `{}`, host)
	}
	store := cas.NewMemory()
	receipt := spawn(passing, `{"x":7,"other":8}`, runtime.Host{Store: store})
	m := manifest(t, passing)
	same(t, "outputs", cell(receipt, "o").Get("outputs"), `{"data":{"y":7},"digest":"`+string(m.Digest())+`"}`)
	if kept, err := store.Manifest(m.Digest()); err != nil || !canon.Equal(kept, m.Normal()) {
		t.Errorf("the manifest was not kept: %s, %v", kept, err)
	}
	same(t, "no arguments", cell(spawn(passing, `{}`, runtime.Host{}), "o").Get("outputs").Get("data"), `{}`)
	same(t, "no interface", cell(spawn(document(literal("c", "1"), ""), `{}`, runtime.Host{}), "o").Get("outputs").Get("data"), `{}`)

	capable := strings.Replace(passing, `"outputs":{"v":"json"}`, `"outputs":{"v":{"type":"cap","capability":"inbox"}}`, 1)
	for name, c := range map[string]struct{ child, args, want string }{
		"no manifest":   {`{"contract":"evil"}`, `{}`, `"PARSE_FAILED"`},
		"does not fit":  {document(`{"id":"f","kind":"fn","fn":"nope.v1"}`, ""), `{}`, `"FN_UNKNOWN"`},
		"a cycle":       {document(echo("a"), edges("a.value a.value")), `{}`, `"GRAPH_CYCLE"`},
		"capabilities":  {capable, `{"x":1}`, `"TYPE_MISMATCH"`},
		"not a record":  {passing, `[]`, `"TYPE_MISMATCH"`},
		"fails inside":  {document(`{"id":"s","kind":"slot","mode":"read","name":"n"}`, ""), `{}`, `"INPUT_MISSING"`},
		"absent child":  {document(`{"id":"o","kind":"organism","manifest":"`+string(canon.Null().Digest())+`"}`, ""), `{}`, `"STORE_MISS"`},
		"unknown tool ": {document(`{"id":"t","kind":"tool","tool":"nope"}`, ""), `{}`, `"TOOL_UNKNOWN"`},
	} {
		refusing := spawn(c.child, c.args, runtime.Host{})
		same(t, name, cell(refusing, "o").Get("failure").Get("code"), c.want)
		same(t, name+": handled", refusing.Get("outcome"), `"complete"`)
	}
	failed := cell(spawn(capable, `{"x":1}`, runtime.Host{}), "o").Get("failure").Get("message").Text()
	if failed != "spawn cannot expose capability ports through json; use a typed organism cell" {
		t.Errorf("capabilities: %s", failed)
	}
	failed = cell(spawn(passing, `[]`, runtime.Host{}), "o").Get("failure").Get("message").Text()
	if failed != `spawn cell "o": args must be a record of interface inputs` {
		t.Errorf("not a record: %s", failed)
	}
	// A spawned program may spawn, as deep as the root's budget allows.
	deep := passing
	for range 5 {
		deep = document(literal("m", deep)+`,{"id":"o","kind":"spawn"}`, edges("m.v o.manifest"))
	}
	receipt = run(t, deep, `{}`, runtime.Host{})
	path := strings.TrimSuffix(strings.Repeat("o/", 5), "/")
	same(t, "too deep", receipt.Get("failure"), `{"code":"DEPTH_EXCEEDED","message":"depth 5 exceeds maxDepth 4","path":"`+path+`"}`)
	for n := 1; n <= 5; n++ {
		same(t, fmt.Sprint("level ", n), cell(receipt, strings.TrimSuffix(strings.Repeat("o/", n), "/")).Get("status"), `"failed"`)
	}
}
