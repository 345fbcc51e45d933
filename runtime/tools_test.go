package runtime_test

import (
	"context"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// TestToolCall holds run.md §9.3 and §9.4: the effect record of a call, and what
// the tool is given.
func TestToolCall(t *testing.T) {
	var calls []runtime.ToolCall
	const signature = `{"inputs":{"city":"text"},"outputs":{},"effect":"read","cost":0,"maxOutputBytes":2}`
	host := runtime.Host{Tools: map[string]*runtime.HostTool{"weather.read": tool(t, signature, reply{output: `{}`}, &calls)}}
	text := document(`{"id":"c","kind":"const","outputs":{"v":{"type":"text","value":"Oslo"}}},{"id":"look","kind":"tool","tool":"weather.read"}`, edges("c.v look.city"))
	receipt := run(t, text, `{}`, host)
	const request = "sha256:941e12fdf5b6fce9ca44e09a36235c96725cf385d9ed09698b7357520fc7b374" // §9.3
	if calls[0].RequestDigest != request || calls[0].IdempotencyKey != request {
		t.Errorf("call %+v", calls[0])
	}
	same(t, "inputs", calls[0].Inputs, `{"city":"Oslo"}`)
	same(t, "effect", receipt.Get("effects"), `[{"executor":"tool:weather.read","output":{},"requestDigest":"`+request+`"}]`)
	same(t, "cell", cell(receipt, "look"), `{"effectDigest":"`+request+`","status":"committed","work":102}`)

	host.Process = "worker"
	run(t, text, `{}`, host)
	if calls[1].RequestDigest != request || calls[1].IdempotencyKey == request {
		t.Errorf("in a process: call %+v", calls[1])
	}
}

// TestIdempotencyKey are the vectors of run.md §9.4 and process.md §9, whose
// request is one of no tool.
func TestIdempotencyKey(t *testing.T) {
	for process, want := range map[string]algal.Digest{
		"worker": "sha256:37feefb5e72f242a60a80b242034aa013d7c2d243b8643c551c0c6cb0aa426e6",
		"demo":   "sha256:58c98ed75bbe462ca4b774b27c2ab5072b3eae1c9abb13bcd6d21e18a3b63c0c",
	} {
		zeros := canon.String("sha256:0000000000000000000000000000000000000000000000000000000000000000")
		key := canon.Object(canon.M("contract", canon.String("algal.process-effect.v1")), canon.M("process", canon.String(process)), canon.M("requestDigest", zeros))
		if key.Digest() != want {
			t.Errorf("%s: the formula gives %s, want %s", process, key.Digest(), want)
		}
		// The run uses that formula for its own requests.
		var calls []runtime.ToolCall
		host := probe(t, ``, &calls)
		host.Process = process
		run(t, document(`{"id":"p","kind":"tool","tool":"probe"}`, ""), `{}`, host)
		if want := key.With(canon.M("requestDigest", canon.String(string(calls[0].RequestDigest)))).Digest(); calls[0].IdempotencyKey != want {
			t.Errorf("%s: key %s, want %s", process, calls[0].IdempotencyKey, want)
		}
	}
}

// TestToolFaults holds §9.5 for a tool cell: what becomes of what a tool gives.
func TestToolFaults(t *testing.T) {
	const signature = `{"inputs":{},"outputs":{"o":"text"},"effect":"write","cost":5,"maxOutputBytes":20}`
	const done = `"executor":"tool:t"`
	for _, c := range []struct {
		name         string
		reply        reply
		code         algal.Code
		message      string
		effect, work string
	}{
		{"coded", reply{err: algal.Errorf(algal.CapabilityDenied, "not admitted")}, algal.CapabilityDenied, "not admitted",
			`{"error":{"code":"CAPABILITY_DENIED","message":"not admitted"},` + done + `}`, `100`},
		{"uncoded", reply{err: errPlain}, algal.ToolFailed, "the line is dead",
			`{"error":{"code":"TOOL_FAILED","message":"the line is dead"},` + done + `}`, `100`},
		{"uncertain", reply{err: &algal.Error{Code: algal.ToolFailed, Message: "lost", Uncertain: true}}, algal.ToolFailed, "lost",
			`{"error":{"code":"TOOL_FAILED","message":"lost"},` + done + `,"retryable":false}`, `100`},
		{"not an object", reply{output: `[1]`}, algal.ToolFailed, "t: output must be a JSON object of ports",
			`{"error":{"code":"TOOL_FAILED","message":"t: output must be a JSON object of ports"},` + done + `}`, `100`},
		{"nothing", reply{}, algal.ToolFailed, "t: output must be a JSON object of ports",
			`{"error":{"code":"TOOL_FAILED","message":"t: output must be a JSON object of ports"},` + done + `}`, `100`},
		{"too long", reply{output: `{"o":"0123456789abcdef"}`}, algal.BudgetExhausted, `tool cell "c" output 24B exceeds 20B`,
			`{` + done + `,"output":{"o":"0123456789abcdef"}}`, `100`},
		{"of another type", reply{output: `{"o":1}`}, algal.TypeMismatch, "c.o: expected text", `{` + done + `,"output":{"o":1}}`, `112`},
		{"of an undeclared port", reply{output: `{"p":1}`}, algal.TypeMismatch, `c: produced undeclared output "p"`, `{` + done + `,"output":{"p":1}}`, `112`},
		{"declared ports are checked first", reply{output: `{"a":1,"o":1}`}, algal.TypeMismatch, "c.o: expected text", `{` + done + `,"output":{"a":1,"o":1}}`, `118`},
	} {
		host := runtime.Host{Tools: map[string]*runtime.HostTool{"t": tool(t, signature, c.reply, nil)}}
		receipt := run(t, document(`{"id":"c","kind":"tool","tool":"t"}`, ""), `{}`, host)
		failed(t, c.name, receipt, c.code, c.message, "c")
		same(t, c.name+": effect", receipt.Get("effects").At(0).Without("requestDigest"), c.effect)
		same(t, c.name+": work", cell(receipt, "c").Get("work"), c.work)
		same(t, c.name+": nothing else is kept", cell(receipt, "c").Get("effectDigest"), "")
	}
	for output, want := range map[string]string{`{"o":1}`: "c.o: expected text", `{"p":1}`: `c: produced undeclared output "p"`} {
		host := asks(answering(`{"inputs":{},"tool":"t"}`))
		host.Tools = map[string]*runtime.HostTool{"t": tool(t, signature, reply{output: output}, nil)}
		receipt := run(t, document(`{"id":"c",`+textAgent+`,"tools":["t"]}`, ""), `{}`, host)
		failed(t, "of an agent: "+output, receipt, algal.TypeMismatch, want, "c")
	}
	signed := runtime.Host{Tools: map[string]*runtime.HostTool{"t": tool(t, signature, reply{}, nil)}}
	signed.Tools["t"].Call = nil
	receipt := run(t, document(`{"id":"c","kind":"tool","tool":"t"}`, ""), `{}`, signed)
	failed(t, "a signature only", receipt, algal.CapabilityDenied, `tool "t" has a signature only`, "c")
}

// TestStrictReplay: in a strict replay a tool without a record fails its cell, and
// there is no effect receipt (§9.5, §13.1).
func TestStrictReplay(t *testing.T) {
	var calls []runtime.ToolCall
	host := probe(t, ``, &calls)
	host.Store = cas.NewMemory()
	m := manifest(t, document(`{"id":"p","kind":"tool","tool":"probe"}`, ""))
	result, err := runtime.Run(t.Context(), m, canon.Value{}, host, &runtime.Replay{StrictTools: true})
	if err != nil {
		t.Fatal(err)
	}
	receipt := result.Receipt()
	request := receipt.Get("events").At(1).Get("digest").Text()
	failed(t, "strict", receipt, algal.EffectUnbound, "replay has no tool receipt for "+request, "p")
	if receipt.Get("effects").Len() != 0 || len(calls) != 0 {
		t.Errorf("%d effects, %d calls", receipt.Get("effects").Len(), len(calls))
	}
	if result, err = runtime.Run(t.Context(), m, canon.Value{}, host, &runtime.Replay{}); err != nil || len(calls) != 1 || result.Outcome != runtime.Complete {
		t.Errorf("not strict: %v, %d calls", err, len(calls))
	}
}

// TestReservedTool holds §1.1 steps 1 and 2, and the reserved tool as a plain cell.
func TestReservedTool(t *testing.T) {
	const name = "agent.context.local.v1"
	const local = `{"inputs":{"query":"json"},"outputs":{"result":"json"},"effect":"read","cost":100,"maxOutputBytes":262144}`
	text := document(literal("q", `{"op":"inspect"}`)+`,{"id":"c","kind":"tool","tool":"`+name+`"}`, edges("q.v c.query"))
	functions := organism.Registry{name: organism.Builtins()["echo.v1"]}
	_, err := start(t, text, `{}`, runtime.Host{Functions: functions})
	refused(t, "a function of that name", err, algal.CapabilityDenied, "local context tool name is reserved by the runtime")
	other := tool(t, `{"inputs":{},"outputs":{},"effect":"read","cost":1,"maxOutputBytes":9}`, reply{output: `{}`}, nil)
	_, err = start(t, text, `{}`, runtime.Host{Tools: map[string]*runtime.HostTool{name: other}})
	refused(t, "another signature", err, algal.CapabilityDenied, "local context tool signature is reserved by the runtime")
	supplied := tool(t, local, reply{output: `{"result":1}`}, nil)
	supplied.Call = func(context.Context, runtime.ToolCall) (canon.Value, error) {
		t.Error("the supplied implementation was called")
		return canon.Value{}, nil
	}
	for _, host := range []runtime.Host{{}, {Tools: map[string]*runtime.HostTool{name: supplied}}} {
		failed(t, "as a cell", run(t, text, `{}`, host), algal.CapabilityDenied, "local context requires a declared agent cell", "c")
	}
}
