package replay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// sort is a way to be a cell: its members but for the id, the ports it takes and
// the ports it gives, each with its type.
type sort struct {
	members string
	ins     []string // port:type, with [] behind the type of a many port
	outs    []string
}

const (
	envelope = `"expr":{"contract":"algal.expr.v1","program":`
	anyJSON  = `"output":{"kind":"json","schema":{"type":["array","boolean","null","number","object","string"]}}`
	worker   = `"inputs":{},"prompt":"p",`
	labels   = `"output":{"kind":"choice","labels":["yes","no"]`
)

// sorts lists ways to be a cell in which small drawn programs go many ways.
func sorts(child algal.Digest) []sort {
	embed := func(kind string) string {
		return `"kind":"` + kind + `","manifest":"` + string(child) + `"`
	}
	return []sort{
		{`"kind":"const","outputs":{"v":{"type":"json","value":3}}`, nil, []string{"v:number"}},
		{`"kind":"const","outputs":{"v":{"type":"json","value":[1,"a",null]}}`, nil, []string{"v:json"}},
		{`"kind":"const","outputs":{"v":{"type":"json","value":` + childText + `}}`, nil, []string{"v:program"}},
		{`"kind":"const","outputs":{"v":{"type":"text","value":"yes"}}`, nil, []string{"v:text"}},
		{`"kind":"const","outputs":{"v":{"type":"ref","value":"` + string(child) + `"}}`, nil, []string{"v:ref"}},
		{`"kind":"input","outputs":{"v":"json","t":"text"}`, nil, []string{"v:number", "t:text"}},
		{`"kind":"fn","fn":"echo.v1"`, []string{"value:json"}, []string{"value:json"}},
		{`"kind":"fn","fn":"inc.v1"`, []string{"value:number"}, []string{"value:number"}},
		{`"kind":"fn","fn":"coalesce.v1"`, []string{"a:json", "b:json"}, []string{"value:json"}},
		{`"kind":"fn","fn":"join.v1"`, []string{"items:text[]", "sep:text"}, []string{"value:text"}},
		{`"kind":"expr","inputs":{"v":"json"},` + envelope + `["add",["get","v"],1]},` + anyJSON, []string{"v:number"}, []string{"out:number"}},
		{`"kind":"expr","inputs":{"v":{"type":"json","many":true}},` + envelope + `["get","v"]},` + anyJSON, []string{"v:json[]"}, []string{"out:json"}},
		{`"kind":"store"`, []string{"data:json"}, []string{"ref:ref"}},
		{`"kind":"load"`, []string{"ref:ref"}, []string{"data:json"}},
		{`"kind":"slot","name":"s","mode":"read","default":0`, nil, []string{"data:json"}},
		{`"kind":"slot","name":"s","mode":"write"`, []string{"data:json"}, []string{"data:json"}},
		{`"kind":"tool","tool":"t.read"`, []string{"q:json"}, []string{"r:json"}},
		{`"kind":"agent",` + worker + `"output":{"kind":"text"}`, nil, []string{"out:text"}},
		{`"kind":"agent","inputs":{"v":"json"},"prompt":"p","output":{"kind":"text"},"tools":["echo.v1","t.read","agent.context.local.v1"],
			"retry":{"attempts":2},"compact":{"maxLogBytes":40,"keepRecent":1}`, []string{"v:json"}, []string{"out:text"}},
		{`"kind":"classifier",` + worker + labels + `,"onMiss":"no"},"shadow":{"take":"yes"}`, nil, []string{"out:choice"}},
		{`"kind":"gate",` + worker + labels + `},"retry":{"attempts":3}`, nil, []string{"out:choice"}},
		{embed("organism"), []string{"x:number"}, []string{"y:json"}},
		{embed("repeat") + `,"maxRounds":3,"carry":{"y":"x"}`, []string{"x:number"}, []string{"y:json"}},
		{embed("each") + `,"over":"x","maxItems":3`, []string{"x:json"}, []string{"y:json"}},
		{`"kind":"spawn"`, []string{"manifest:program", "args:json"}, []string{"data:json", "digest:text"}},
	}
}

// childText is a program with the interface x to y that may fail and may ask.
const childText = `{"contract":"algal.organism.v1","key":"organism:child","name":"child","cells":[
{"id":"in","kind":"input","outputs":{"v":"json"}},
{"id":"ask","kind":"gate","inputs":{"v":"json"},"prompt":"c","output":{"kind":"choice","labels":["yes","no"]}},
{"id":"n","kind":"fn","fn":"inc.v1"},{"id":"either","kind":"fn","fn":"coalesce.v1"}],
"edges":[{"from":{"cell":"in","port":"v"},"to":{"cell":"n","port":"value"}},
{"from":{"cell":"n","port":"value"},"to":{"cell":"ask","port":"v"},"on":"fail"},
{"from":{"cell":"n","port":"value"},"to":{"cell":"either","port":"a"}},
{"from":{"cell":"ask","port":"out"},"to":{"cell":"either","port":"b"}}],
"interface":{"inputs":{"x":{"cell":"in","port":"v"}},"outputs":{"y":{"cell":"either","port":"value"}}}}`

// drawProgram draws a program that compiles: cells take only from cells drawn
// before them, but stand in the manifest in any order.
func drawProgram(t *rapid.T, child algal.Digest) string {
	var cells, edges, made []string // made: cell.port:type of what can be taken
	for _, s := range rapid.Permutation(sorts(child)).Draw(t, "sorts") {
		if rapid.Bool().Draw(t, "leave out") {
			continue
		}
		id := fmt.Sprintf("c%d", len(cells))
		cells = append(cells, `{"id":"`+id+`",`+s.members+`}`)
		for _, in := range s.ins {
			edges = append(edges, drawEdges(t, made, id, in)...)
		}
		for _, out := range s.outs {
			made = append(made, id+"."+out)
		}
	}
	budgets := ""
	if rapid.IntRange(0, 7).Draw(t, "tight") == 7 {
		budgets = fmt.Sprintf(`,"budgets":{"maxWork":%d,"maxSteps":%d,"maxAgentCalls":%d}`,
			rapid.SampledFrom([]int{3000, 1000, 400}).Draw(t, "maxWork"), rapid.IntRange(2, 12).Draw(t, "maxSteps"), rapid.IntRange(0, 3).Draw(t, "maxAgentCalls"))
	}
	return `{"contract":"algal.organism.v1","key":"organism:drawn","name":"drawn","cells":[` +
		strings.Join(rapid.Permutation(cells).Draw(t, "order"), ",") + `],"edges":[` + strings.Join(edges, ",") + `]` + budgets + `}`
}

// drawEdges feeds one port, or leaves it unfed.
func drawEdges(t *rapid.T, made []string, id, port string) []string {
	name, want, _ := strings.Cut(port, ":")
	want, many := strings.CutSuffix(want, "[]")
	most := 1
	if many {
		most = 3
	}
	failures := want == "json" && rapid.IntRange(0, 3).Draw(t, "failures") == 3 // a port takes values or failures
	var edges []string
	for _, port := range rapid.Permutation(made).Draw(t, "from") {
		from, have, _ := strings.Cut(port, ":")
		if len(edges) == most || !failures && !feeds(have, want) || rapid.IntRange(0, 3).Draw(t, "take") == 3 {
			continue
		}
		ends := []string{"}", "}", `,"guard":{"expr":{"contract":"algal.expr.v1","program":["eq",["get","value"],"yes"]}}}`}
		switch {
		case failures:
			ends = []string{`,"on":"fail"}`}
		case have == "choice":
			ends = append(ends, `,"guard":{"equals":"yes"}}`)
		}
		edges = append(edges, strings.TrimSuffix(edge(from, id+"."+name), "}")+rapid.SampledFrom(ends).Draw(t, "end"))
	}
	return edges
}

// feeds reports whether a drawn port may take from another. Numbers and programs
// are json ports to the contract.
func feeds(have, want string) bool {
	switch want {
	case "text":
		return have == "text" || have == "choice"
	case "json":
		return have != "ref"
	}
	return have == want
}

// oracle answers requests and tool calls from a drawn list, one after the other.
type oracle struct {
	answers []reply
	at      int
}

type reply struct {
	output string // JSON text, "" for an error
	err    algal.Error
	meta   runtime.Metadata
}

var replies = []reply{
	{output: `"yes"`}, {output: `"yes"`}, {output: `"yes"`}, {output: `"yes"`}, {output: `"yes"`}, {output: `"no"`}, {output: `"no"`},
	{output: `"no"`}, {output: `"maybe"`}, {output: `{"r":1}`}, {output: `{"r":1}`}, {output: `{"b":1,"a":2}`},
	{output: `{"tool":"echo.v1","inputs":{"value":[1]}}`}, {output: `{"tool":"t.read","inputs":{}}`}, {output: `{"tool":"t.read","inputs":{"z":1}}`},
	{output: `{"tool":"agent.context.local.v1","inputs":{"query":{"op":"inspect"}}}`},
	{output: `{"answers":{"keep_0":{"noul":0.2}}}`}, {output: `[]`},
	{output: `"yes"`, meta: runtime.Metadata{Executor: "elsewhere", Usage: canon.Object(canon.M("tokensIn", canon.Int(3))), Cached: true}},
	{output: `7`, meta: runtime.Metadata{NotRetryable: true}},
	{err: algal.Error{Code: algal.EffectFailed, Message: "no"}},
	{err: algal.Error{Code: algal.BudgetExhausted, Message: "lost", Uncertain: true}},
	{err: algal.Error{Code: algal.EffectSuspended, Message: "later", Wake: []string{"cap:inbox:" + string(canon.Null().Digest())}}},
	{err: algal.Error{Code: algal.EffectSuspended, Message: "later"}},
}

func drawOracle(t *rapid.T) *oracle {
	return &oracle{answers: rapid.Permutation(replies).Draw(t, "answers")}
}

// suspendAt makes one of the answers a suspension.
func (o *oracle) suspendAt(i int) {
	o.answers = slices.Insert(slices.Clone(o.answers), i, replies[len(replies)-1])
}

func (o *oracle) next() (canon.Value, runtime.Metadata, error) {
	r := o.answers[o.at%len(o.answers)]
	o.at++
	if r.output == "" {
		return canon.Value{}, r.meta, &r.err
	}
	v, err := canon.Parse(r.output, canon.Limits{})
	return v, r.meta, err
}

func (o *oracle) Describe() runtime.Description {
	return runtime.Description{ID: "oracle", Kinds: everyKind, Wildcard: true, Retryable: true}
}

func (o *oracle) Call(context.Context, *runtime.Request) (runtime.Answer, error) {
	v, meta, err := o.next()
	return runtime.Answer{Output: v, Metadata: meta}, err
}

var readSignature = func() *organism.Tool {
	v, _ := canon.Parse(`{"inputs":{"q":{"type":"json","optional":true}},"outputs":{"r":"json"},"effect":"read","cost":7,"maxOutputBytes":60}`, canon.Limits{})
	tool, _ := organism.ParseTool(v, "t.read") // both of a constant
	return tool
}()

// host is a world of the oracle over a fresh store that holds the child.
func (o *oracle) host(t *rapid.T) runtime.Host {
	store := cas.NewMemory()
	v, err := canon.Parse(childText, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	child, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutManifest(child.Normal()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutValue(child.Normal()); err != nil {
		t.Fatal(err)
	}
	return runtime.Host{
		Store:     store,
		Executors: []runtime.Executor{o},
		Tools: map[string]*runtime.HostTool{"t.read": {
			Signature: readSignature,
			Call: func(context.Context, runtime.ToolCall) (canon.Value, error) {
				v, _, err := o.next()
				return v, err
			},
		}},
	}
}
