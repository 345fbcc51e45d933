package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/runtime"
)

const (
	textAgent = `"kind":"agent","prompt":"","output":{"kind":"text"}`
	yesGate   = `"kind":"gate","prompt":"","output":{"kind":"choice","labels":["yes","no"]}`
)

// TestCharges holds the table of run.md §5: what each kind of cell costs. The cell
// under test is "c", fed by a literal of which it takes port v.
func TestCharges(t *testing.T) {
	// Sizes that the charges are made of.
	const activation, attempt, getFuel = 100, 500, 4 // of ["get","v"] (expr.md)
	emptyContext, valueContext := len(`{"inputs":{},"turn":0}`), len(`{"inputs":{"v":"four"},"turn":0}`)
	for _, c := range []struct {
		name, cell, port string
		value            string
		answers          []string
		want             int
	}{
		{"const", literal("c", `"four"`), "", `0`, nil, activation},
		{"input", `{"id":"c","kind":"input","outputs":{"p":"json"}}`, "", `0`, nil, activation},
		{"fn", echo("c"), "value", `1`, nil, activation + 10},
		{"fn that fails", `{"id":"c","kind":"fn","fn":"inc.v1"}`, "value", `"x"`, nil, activation + 5},
		{"expr", `{"id":"c","kind":"expr","inputs":{"v":"json"},"expr":` + program(`["get","v"]`) + `,"output":{"kind":"json","schema":{"type":"string"}}}`, "v", `"four"`, nil, activation + getFuel},
		{"expr that fails", `{"id":"c","kind":"expr","inputs":{"v":"json"},"expr":` + program(`["add",["get","v"],1]`) + `,"output":{"kind":"text"}}`, "v", `"x"`, nil, activation + getFuel + 3},
		{"store", `{"id":"c","kind":"store"}`, "data", `"four"`, nil, activation + 6},
		{"slot write", `{"id":"c","kind":"slot","mode":"write","name":"s"}`, "data", `[1,2]`, nil, activation + 5},
		{"slot read", `{"id":"c","kind":"slot","mode":"read","name":"s","default":"four"}`, "", `0`, nil, activation},
		{"agent", `{"id":"c",` + textAgent + `}`, "", `0`, []string{`"answer"`}, activation + attempt + emptyContext + 8},
		{"agent with an input", `{"id":"c",` + textAgent + `,"inputs":{"v":"json"}}`, "v", `"four"`, []string{`""`}, activation + attempt + valueContext + 2},
		{"an answer that does not bind", `{"id":"c",` + textAgent + `}`, "", `0`, []string{`[1]`}, activation + attempt + emptyContext + 3},
		{"an answer over the bound", `{"id":"c",` + textAgent + `,"budget":{"maxOutputBytes":4}}`, "", `0`, []string{`"long"`}, activation + attempt + emptyContext},
		{"two attempts", `{"id":"c",` + yesGate + `,"retry":{"attempts":3}}`, "", `0`, []string{`"maybe"`, `"yes"`}, activation + 2*(attempt+emptyContext) + 7 + 5},
		{"a context over the bound", `{"id":"c",` + textAgent + `,"budget":{"maxContextBytes":5}}`, "", `0`, []string{`""`}, activation},
		{"tool", `{"id":"c","kind":"tool","tool":"t"}`, "p", `1`, nil, activation + 7 + len(`{"o":"out"}`)},
		{"tool over its bound", `{"id":"c","kind":"tool","tool":"large"}`, "p", `1`, nil, activation},
		{"tool that fails", `{"id":"c","kind":"tool","tool":"broken"}`, "p", `1`, nil, activation},
		{"agent that calls a function", `{"id":"c",` + textAgent + `,"tools":["echo.v1"]}`, "", `0`,
			[]string{`{"inputs":{"value":1},"tool":"echo.v1"}`, `"x"`},
			activation + 2*attempt + emptyContext + len(`{"inputs":{"value":1},"tool":"echo.v1"}`) + 10 +
				len(`{"inputs":{},"toolLog":[{"fn":"echo.v1","inputs":{"value":1},"output":{"value":1}}],"turn":1}`) + 3},
		{"agent that calls a host tool", `{"id":"c",` + textAgent + `,"tools":["t"]}`, "", `0`,
			[]string{`{"inputs":{"p":1},"tool":"t"}`, `"x"`},
			activation + 2*attempt + emptyContext + len(`{"inputs":{"p":1},"tool":"t"}`) + 7 + len(`{"o":"out"}`) +
				len(`{"inputs":{},"toolLog":[{"fn":"t","inputs":{"p":1},"output":{"o":"out"}}],"turn":1}`) + 3},
		{"recall", `{"id":"c","kind":"recall","query":` + program(`"q"`) + `}`, "", `0`, []string{`{"hits":[]}`}, activation + 1 + attempt + len(`{"inputs":{}}`) + len(`{"hits":[]}`)},
		{"labelsExpr", `{"id":"c","kind":"gate","prompt":"","inputs":{"v":"json"},"output":{"kind":"choice","labelsExpr":` + program(`["get","v"]`) + `}}`, "v", `["a"]`,
			[]string{`"a"`}, activation + getFuel + attempt + len(`{"inputs":{"v":["a"]},"turn":0}`) + 3},
		{"local context", `{"id":"c",` + textAgent + `,"tools":["agent.context.local.v1"]}`, "", `0`, []string{`""`},
			activation + len(`""`) + len(`"{}"`) + attempt + emptyContext + 2},
	} {
		const signature = `{"inputs":{"p":"json"},"outputs":{"o":"text"},"effect":"read","cost":7,"maxOutputBytes":%d}`
		host := runtime.Host{Tools: map[string]*runtime.HostTool{
			"t":      tool(t, fmt.Sprintf(signature, 64), reply{output: `{"o":"out"}`}, nil),
			"large":  tool(t, fmt.Sprintf(signature, 10), reply{output: `{"o":"out"}`}, nil),
			"broken": tool(t, fmt.Sprintf(signature, 64), reply{err: algal.Errorf(algal.ToolFailed, "no")}, nil),
		}}
		if c.answers != nil {
			host.Executors = []runtime.Executor{answering(c.answers...)}
		}
		list := ""
		if c.port != "" {
			list = edges("v.v c." + c.port)
		}
		receipt := run(t, document(literal("v", c.value)+","+c.cell, list), `{}`, host)
		same(t, c.name+": work", cell(receipt, "c").Get("work"), fmt.Sprint(c.want))
		same(t, c.name+": units", receipt.Get("work").Get("units"), fmt.Sprint(c.want+activation))
	}
}

// TestNestedCharges: an enclosing cell has no cost of its own, and its work is all
// that was spent inside, guards included (§5).
func TestNestedCharges(t *testing.T) {
	store := cas.NewMemory()
	child := embed(t, store, passing)
	text := document(literal("v", `[1,2]`)+`,{"id":"o","kind":"organism",`+child+`},{"id":"r","kind":"repeat","maxRounds":2,`+child+`},{"id":"e","kind":"each","over":"x","maxItems":2,`+child+`}`,
		edges("v.v o.x", "v.v r.x", "v.v e.x"))
	receipt := run(t, text, `{}`, runtime.Host{Store: store})
	for path, want := range map[string]string{"o": `200`, "r": `300`, "e": `300`, "e/i1/in": `100`, "r/r1/in": `100`, "o/in": `100`} {
		same(t, path, cell(receipt, path).Get("work"), want)
	}
	same(t, "all", receipt.Get("work"), `{"agentCalls":0,"steps":9,"units":900}`)
	same(t, "rounds", cell(receipt, "r").Get("rounds"), `2`)
	same(t, "items", cell(receipt, "e").Get("items"), `2`)
	same(t, "one round is not told", cell(receipt, "o").Get("rounds"), "")

	guarded := strings.Replace(passing, `"edges":[]`, `"edges":[`+edges(`in.v out.value "guard":{"expr":`+program(`true`)+`}`)+`]`, 1)
	guarded = strings.Replace(guarded, `}}],"edges"`, `}},`+echo("out")+`],"edges"`, 1)
	child = embed(t, store, guarded)
	receipt = run(t, document(literal("v", `1`)+`,{"id":"o","kind":"organism",`+child+`}`, edges("v.v o.x")), `{}`, runtime.Host{Store: store})
	same(t, "with a guard inside", cell(receipt, "o").Get("work"), `311`) // 100 + 100 + 1 + 110
}

// TestBudgets holds §5.1: what exhausts each budget, and where that lands.
func TestBudgets(t *testing.T) {
	budget := func(text string) string { return `"budgets":{` + text + `}` }
	const exhausted = algal.BudgetExhausted
	two := literal("a", "1") + "," + literal("b", "1")

	steps := run(t, document(two, "", budget(`"maxSteps":1`)), `{}`, runtime.Host{})
	failed(t, "maxSteps", steps, exhausted, "maxSteps exhausted", "b")
	same(t, "maxSteps: no record", cell(steps, "b"), "")
	same(t, "maxSteps: work", steps.Get("work"), `{"agentCalls":0,"steps":1,"units":100}`)
	skip := run(t, document(echo("s")+","+literal("b", "1"), "", budget(`"maxSteps":1`)), `{}`, runtime.Host{})
	same(t, "a skip is no step", skip.Get("outcome"), `"complete"`)

	work := run(t, document(two, "", budget(`"maxWork":99`)), `{}`, runtime.Host{})
	failed(t, "maxWork", work, exhausted, "maxWork exhausted", "a")
	same(t, "maxWork: the cell keeps its record", cell(work, "a").Get("status"), `"committed"`)
	if got := events(work); got != "start, commit a, end failed" {
		t.Errorf("maxWork: %s", got)
	}
	same(t, "maxWork is inclusive", run(t, document(two, "", budget(`"maxWork":200`)), `{}`, runtime.Host{}).Get("outcome"), `"complete"`)

	failing := document(literal("a", `"x"`)+`,{"id":"f","kind":"fn","fn":"inc.v1"},`+echo("h"), edges("a.v f.value", "f.value h.value "+onFail), budget(`"maxWork":204`))
	handled := run(t, failing, `{}`, runtime.Host{})
	failed(t, "maxWork outlives no fail edge", handled, exhausted, "maxWork exhausted", "f")
	same(t, "maxWork: the failed cell keeps its record", cell(handled, "f").Get("failure").Get("code"), `"FN_FAILED"`)

	agents := `{"id":"a",` + textAgent + `},{"id":"b",` + textAgent + `},` + echo("h")
	calls := run(t, document(agents, edges("b.out h.value "+onFail), budget(`"maxAgentCalls":1`)), `{}`, asks(answering(`"x"`)))
	same(t, "maxAgentCalls can be handled", cell(calls, "h").Get("outputs").Get("value"), `{"code":"BUDGET_EXHAUSTED","message":"maxAgentCalls exhausted"}`)
	same(t, "maxAgentCalls: work", cell(calls, "b").Get("work"), `100`)
	none := run(t, document(`{"id":"a",`+textAgent+`}`, "", budget(`"maxAgentCalls":0`)), `{}`, asks(answering(`"x"`)))
	failed(t, "maxAgentCalls 0", none, exhausted, "maxAgentCalls exhausted", "a")

	small := run(t, document(`{"id":"a",`+textAgent+`}`, "", budget(`"maxContextBytes":21`)), `{}`, asks(answering(`"x"`)))
	failed(t, "maxContextBytes", small, exhausted, "context view 22B exceeds maxContextBytes 21B", "a")
	same(t, "maxContextBytes: no attempt", small.Get("work"), `{"agentCalls":0,"steps":1,"units":100}`)
	own := document(`{"id":"a",`+textAgent+`,"budget":{"maxContextBytes":22}}`, "", budget(`"maxContextBytes":21`))
	same(t, "a cell's own bound replaces it", run(t, own, `{}`, asks(answering(`"x"`))).Get("outcome"), `"complete"`)

	retried := run(t, document(`{"id":"a",`+textAgent+`,"retry":{"attempts":2}}`, "", budget(`"maxOutputBytes":4`)), `{}`, asks(answering(`"long"`, `"ok"`)))
	same(t, "maxOutputBytes is retried", cell(retried, "a").Get("outputs"), `{"out":"ok"}`)
	over := run(t, document(`{"id":"a",`+textAgent+`}`, "", budget(`"maxOutputBytes":4`)), `{}`, asks(answering(`"long"`)))
	failed(t, "maxOutputBytes", over, exhausted, "effect output 6B exceeds maxOutputBytes 4B", "a")

	store := cas.NewMemory()
	nested := document(literal("v", "1")+`,{"id":"o","kind":"organism",`+embed(t, store, passing)+`}`, edges("v.v o.x"), budget(`"maxDepth":0`))
	deep := run(t, nested, `{}`, runtime.Host{Store: store})
	failed(t, "maxDepth", deep, algal.DepthExceeded, "depth 1 exceeds maxDepth 0", "o")
	same(t, "maxDepth: no cell inside", cell(deep, "o/in"), "")
	same(t, "maxDepth: the enclosing cell", cell(deep, "o").Get("failure"), `{"code":"DEPTH_EXCEEDED","message":"depth 1 exceeds maxDepth 0"}`)
}
