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

// local is an agent that sees "é" and a long text and may read them again. Its
// prompt is an entry of 10 bytes.
func local(t *testing.T) string {
	return document(`{"id":"src","kind":"const","outputs":{"v":{"type":"text","value":"é"},"w":{"type":"text","value":"`+strings.Repeat("ab", 2500)+`"}}},
		{"id":"a","kind":"agent","inputs":{"v":"text","w":"text"},"prompt":"find é now","output":{"kind":"text"},"tools":["agent.context.local.v1"]}`,
		edges("src.v a.v", "src.w a.w"))
}

// query asks the local context once and gives the result, or the cell's failure.
func query(t *testing.T, q string) (result, failure canon.Value) {
	t.Helper()
	receipt := run(t, local(t), `{}`, asks(answering(`{"inputs":{"query":`+q+`},"tool":"agent.context.local.v1"}`, `"done"`)))
	a := cell(receipt, "a")
	return a.Get("toolCalls"), a.Get("failure")
}

// TestLocalQueries holds the operations of run.md §9.6. Entry 0 is the prompt, of 11
// bytes; entry 1 the inputs.
func TestLocalQueries(t *testing.T) {
	inputs := `{"v":"é","w":"` + strings.Repeat("ab", 2500) + `"}`
	text := func(from, to int) string { return canon.String(inputs[from:to]).String() }
	for q, want := range map[string]string{
		`{"op":"read","index":0}`:                                `{"kind":"instruction","label":"agent-instruction","text":"find é now"}`,
		`{"op":"slice","index":0,"startByte":0,"endByte":0}`:     `""`,
		`{"op":"slice","index":0,"startByte":5,"endByte":7}`:     `"é"`,
		`{"op":"slice","index":0,"startByte":11,"endByte":11}`:   `""`,
		`{"op":"slice","index":1,"startByte":0,"endByte":4096}`:  text(0, 4096),
		`{"op":"slice","index":1,"startByte":10,"endByte":4106}`: text(10, 4106),
		`{"op":"search","query":"é"}`:                            `{"complete":true,"matches":[{"endByte":7,"index":0,"startByte":5},{"endByte":8,"index":1,"startByte":6}],"scannedBytes":` + fmt.Sprint(11+len(inputs)) + `}`,
		`{"op":"search","query":"é","maxResults":1}`:             `{"complete":false,"matches":[{"endByte":7,"index":0,"startByte":5}],"scannedBytes":` + fmt.Sprint(11+len(inputs)) + `}`,
		`{"op":"search","query":"nd","maxScanBytes":6}`:          `{"complete":false,"matches":[{"endByte":4,"index":0,"startByte":2}],"scannedBytes":5}`, // é is not split
		`{"op":"search","query":"absent"}`:                       `{"complete":true,"matches":[],"scannedBytes":` + fmt.Sprint(11+len(inputs)) + `}`,
	} {
		calls, failure := query(t, q)
		same(t, q+": failure", failure, "")
		same(t, q, calls.At(0).Get("output").Get("result"), want)
	}
	calls, _ := query(t, `{"op":"search","query":"aba"}`)
	matches := calls.At(0).Get("output").Get("result").Get("matches")
	same(t, "matches do not overlap", canon.Array(matches.At(0), matches.At(1)), `[{"endByte":18,"index":1,"startByte":15},{"endByte":22,"index":1,"startByte":19}]`)
	if matches.Len() != 16 {
		t.Errorf("%d matches, want at most 16", matches.Len())
	}
}

// TestLocalInspect: the entries of a snapshot, page by page, each a value of the
// store.
func TestLocalInspect(t *testing.T) {
	store := cas.NewMemory()
	host := asks(answering(`{"inputs":{"query":{"op":"inspect","limit":1}},"tool":"agent.context.local.v1"}`,
		`{"inputs":{"query":{"op":"inspect","offset":1}},"tool":"agent.context.local.v1"}`,
		`{"inputs":{"query":{"op":"inspect","offset":99}},"tool":"agent.context.local.v1"}`, `"done"`))
	host.Store = store
	receipt := run(t, local(t), `{}`, host)
	page := func(i int) canon.Value {
		return cell(receipt, "a").Get("toolCalls").At(i).Get("output").Get("result")
	}
	same(t, "first: next", page(0).Get("nextOffset"), `1`)
	same(t, "first: total", page(0).Get("totalEntries"), `2`)
	same(t, "second: next", page(1).Get("nextOffset"), `null`)
	same(t, "second: total", page(1).Get("totalEntries"), `3`) // the first call is an entry by now
	same(t, "beyond", page(2).Without("snapshot"), `{"entries":[],"nextOffset":null,"offset":99,"totalEntries":4}`)
	labels := []string{"permitted-inputs", "tool-0"}
	for i, e := range page(1).Get("entries").Elements() {
		entry, err := store.Value(algal.Digest(e.Get("digest").Text()))
		if err != nil || !entry.Get("schema").IsText("algal.agent-context-entry.v1") || !entry.Get("label").IsText(labels[i]) ||
			float64(len(entry.Get("text").Text())) != e.Get("bytes").Float() || !canon.Equal(entry.Get("kind"), e.Get("kind")) || e.Get("index").Float() != float64(i+1) {
			t.Errorf("entry %s holds %s, %v", e, entry, err)
		}
	}
	snapshot, err := store.Value(algal.Digest(page(1).Get("snapshot").Text()))
	if err != nil || !snapshot.Get("schema").IsText("algal.agent-context.v1") || snapshot.Get("entries").Len() != 3 {
		t.Errorf("snapshot %s, %v", snapshot, err)
	}
}

// TestLocalFaults holds every text of §9.6, in the order in which a query is read.
func TestLocalFaults(t *testing.T) {
	const parsing, budget, denied = algal.ParseFailed, algal.BudgetExhausted, algal.CapabilityDenied
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	for _, c := range []struct {
		q    string
		code algal.Code
		text string
	}{
		{`[]`, parsing, "agent context query must be an object"},
		{`"inspect"`, parsing, "agent context query must be an object"},
		{`{"op":"zap","a":` + long(4096) + `,"b":` + long(4096) + `}`, budget, "agent context query: exceeds 8192 JSON bytes"},
		{`{"op":"zap","a":` + list(8) + `,"b":` + list(8) + `}`, budget, "agent context query: exceeds 16 JSON nodes"},
		{`{"op":"zap","a":[[[0]]]}`, budget, "agent context query: exceeds nesting depth 2"},
		{`{"op":"zap","a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0}`, budget, "agent context query: object exceeds 8 entries"},
		{`{"op":"zap","a":` + list(9) + `}`, budget, "agent context query: array exceeds 8 entries"},
		{`{"op":"zap","a":` + long(4097) + `}`, budget, "agent context query: string exceeds 4096 bytes"},
		{`{"op":"zap",` + long(4097) + `:0}`, budget, "agent context query: key exceeds 4096 bytes"},
		{`{"op":"zap","a":[0,` + long(4097) + `]}`, budget, "agent context query: string exceeds 4096 bytes"},
		{`{"op":"zap"}`, parsing, "context operation must be inspect, read, slice, or search"},
		{`{}`, parsing, "context operation must be inspect, read, slice, or search"},
		{`{"op":"inspect","z":1,"index":0}`, parsing, `context inspect has unknown key "index"`},
		{`{"op":"read","index":0,"offset":0}`, parsing, `context read has unknown key "offset"`},
		{`{"op":"slice","query":""}`, parsing, `context slice has unknown key "query"`},
		{`{"op":"search","index":0}`, parsing, `context search has unknown key "index"`},
		{`{"op":"inspect","offset":-1,"limit":0}`, parsing, "context offset must be an integer in [0, 1024]"},
		{`{"op":"inspect","offset":1025}`, parsing, "context offset must be an integer in [0, 1024]"},
		{`{"op":"inspect","offset":null}`, parsing, "context offset must be an integer in [0, 1024]"},
		{`{"op":"inspect","limit":0}`, parsing, "context limit must be an integer in [1, 64]"},
		{`{"op":"inspect","limit":65}`, parsing, "context limit must be an integer in [1, 64]"},
		{`{"op":"read"}`, parsing, "context index must be an integer in [0, 1023]"},
		{`{"op":"read","index":1024}`, parsing, "context index must be an integer in [0, 1023]"},
		{`{"op":"read","index":2}`, denied, "agent context scope does not authorize this operation"},
		{`{"op":"read","index":1}`, budget, "context read exceeds byte limit; use slice"},
		{`{"op":"slice","startByte":-1,"endByte":-1}`, parsing, "context index must be an integer in [0, 1023]"},
		{`{"op":"slice","index":7,"startByte":-1,"endByte":-1}`, parsing, "context startByte must be an integer in [0, 1048576]"},
		{`{"op":"slice","index":7,"startByte":0}`, parsing, "context endByte must be an integer in [0, 1048576]"},
		{`{"op":"slice","index":7,"startByte":0,"endByte":1048577}`, parsing, "context endByte must be an integer in [0, 1048576]"},
		{`{"op":"slice","index":7,"startByte":0,"endByte":1}`, denied, "agent context scope does not authorize this operation"},
		{`{"op":"slice","index":0,"startByte":12,"endByte":13}`, parsing, "slice start must be an integer in [0, 11]"},
		{`{"op":"slice","index":0,"startByte":3,"endByte":2}`, parsing, "slice end must be an integer in [3, 11]"},
		{`{"op":"slice","index":0,"startByte":3,"endByte":12}`, parsing, "slice end must be an integer in [3, 11]"},
		{`{"op":"slice","index":1,"startByte":0,"endByte":4097}`, budget, "context slice exceeds byte limit"},
		{`{"op":"slice","index":0,"startByte":6,"endByte":7}`, parsing, "context slice must use UTF-8 boundaries"},
		{`{"op":"slice","index":0,"startByte":5,"endByte":6}`, parsing, "context slice must use UTF-8 boundaries"},
		{`{"op":"search"}`, parsing, "context search query must be a string of at most 1024 characters"},
		{`{"op":"search","query":` + long(1025) + `}`, parsing, "context search query must be a string of at most 1024 characters"},
		{`{"op":"search","query":"","maxResults":0}`, parsing, "context search query must not be empty"},
		{`{"op":"search","query":"x","maxResults":0}`, parsing, "context maxResults must be an integer in [1, 128]"},
		{`{"op":"search","query":"x","maxResults":129}`, parsing, "context maxResults must be an integer in [1, 128]"},
		{`{"op":"search","query":"x","maxResults":17,"maxScanBytes":0}`, parsing, "context maxScanBytes must be an integer in [1, 8388608]"},
		{`{"op":"search","query":"x","maxScanBytes":8388609}`, parsing, "context maxScanBytes must be an integer in [1, 8388608]"},
		{`{"op":"search","query":"x","maxResults":17}`, parsing, "result limit must be an integer in [1, 16]"},
	} {
		_, failure := query(t, c.q)
		if !failure.Get("code").IsText(string(c.code)) || !failure.Get("message").IsText(c.text) {
			t.Errorf("%.80s: %s, want %s %s", c.q, failure, c.code, c.text)
		}
	}
}

// TestLocalCapture: what a turn shows is charged and kept before the request, and
// its prompt says how to read it.
func TestLocalCapture(t *testing.T) {
	f := answering(`"done"`)
	run(t, local(t), `{}`, asks(f))
	prompt := f.asked[0].Record.Get("prompt").Text()
	head, rest, _ := strings.Cut(prompt, "\n")
	if head != "find é now" || len(rest) != 507 || !strings.HasPrefix(rest, `Read exact permitted inputs`) {
		t.Errorf("prompt of %d bytes behind %q", len(rest), head)
	}
	tight := strings.Replace(local(t), `"edges":`, `"budgets":{"maxWork":5000},"edges":`, 1)
	receipt := run(t, tight, `{}`, asks(answering(`"done"`)))
	failed(t, "capture", receipt, algal.BudgetExhausted, "local context capture exceeds remaining work", "a")
	same(t, "nothing was asked", receipt.Get("work"), `{"agentCalls":0,"steps":2,"units":200}`)

	var ports, list []string // the same long text on five ports
	for _, port := range []string{"p", "q", "r", "s", "t"} {
		ports, list = append(ports, `"`+port+`":"json"`), append(list, "i.v a."+port)
	}
	large := document(`{"id":"i","kind":"input","outputs":{"v":"json"}},{"id":"a",`+textAgent+`,"tools":["agent.context.local.v1"],"inputs":{`+strings.Join(ports, ",")+`}}`,
		edges(list...), `"budgets":{"maxWork":9000000}`)
	failed(t, "a large entry", run(t, large, `{"i":{"v":`+text(250_000)+`}}`, asks(answering(`"x"`))), algal.BudgetExhausted,
		"local context entry exceeds 1048576 bytes", "a")

	other := document(`{"id":"a",`+textAgent+`,"tools":["agent.context.local.v1"]}`, "")
	undeclared := run(t, other, `{}`, asks(answering(`{"inputs":{"query":{"op":"inspect"},"x":1},"tool":"agent.context.local.v1"}`)))
	failed(t, "an undeclared input", undeclared, algal.TypeMismatch, "tool agent.context.local.v1 received undeclared input x", "a")
	missing := run(t, other, `{}`, asks(answering(`{"inputs":{},"tool":"agent.context.local.v1"}`)))
	failed(t, "no query", missing, algal.EffectFailed, `cell "a" tool call to agent.context.local.v1 missing required input "query"`, "a")
	if runtime.IsToolEffect(missing.Get("effects").At(0)) || missing.Get("effects").Len() != 1 {
		t.Errorf("effects %s", missing.Get("effects"))
	}
}
