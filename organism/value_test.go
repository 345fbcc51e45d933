package organism_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
)

const handle = "cap:mailbox-send:sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"

func TestCheckValue(t *testing.T) {
	token := string(canon.Null().Digest())
	integer := organism.NewSchema(parse(t, `{"type":"integer"}`), 1)
	ports := map[string]organism.Port{
		"text":    {Type: organism.Text},
		"json":    {Type: organism.JSON},
		"schema":  {Type: organism.JSON, Schema: integer},
		"any":     {Type: organism.Choice},
		"choice":  {Type: organism.Choice, Labels: []string{"a", "b"}},
		"none":    {Type: organism.Choice, Labels: []string{}},
		"ref":     {Type: organism.Ref},
		"cap":     {Type: organism.Cap, Capability: "mailbox-send"},
		"texts":   {Type: organism.Text, Many: true},
		"choices": {Type: organism.Choice, Labels: []string{"a"}, Many: true},
		"schemas": {Type: organism.JSON, Schema: integer, Many: true},
		"caps":    {Type: organism.Cap, Capability: "mailbox-receive", Many: true},
	}
	longest := `"` + strings.Repeat("x", organism.MaxValueBytes-2) + `"`
	tests := []struct {
		port, value, text string
	}{
		{"json", longest, ""},
		{"text", longest, ""},
		{"text", `[` + longest + `]`, "c.p: value 262146B exceeds maxValueBytes 262144B — pin large payloads through a store cell"},
		{"texts", `[` + longest + `]`, "c.p: value 262146B exceeds maxValueBytes 262144B — pin large payloads through a store cell"},
		{"text", `""`, ""},
		{"text", `null`, "c.p: expected text"},
		{"json", `null`, ""},
		{"schema", `1.5`, "expected integer"},
		{"any", `"x"`, ""},
		{"any", `["x"]`, "c.p: expected choice label"},
		{"choice", `"b"`, ""},
		{"choice", `"a\"b"`, `c.p: "a"b" not in declared labels`},
		{"none", `""`, `c.p: "" not in declared labels`},
		{"ref", `"` + token + `"`, ""},
		{"ref", `"` + token + `0"`, "c.p: expected a sha256 ref token"},
		{"ref", `1`, "c.p: expected a sha256 ref token"},
		{"cap", `"` + handle + `"`, ""},
		{"cap", `{}`, "c.p must be an opaque capability handle"},
		{"cap", `"x"`, "c.p is not a valid capability handle"},
		{"texts", `["a","b"]`, ""},
		{"texts", `[]`, ""},
		{"texts", `"a"`, "c.p: expected a list"},
		{"texts", `["a",1]`, "c.p[1]: expected text"},
		{"choices", `["a","c"]`, `c.p[1]: "c" not in declared labels`},
		{"schemas", `[1,"x"]`, "expected integer"},
		{"caps", `["` + handle + `"]`, "c.p[0] carries mailbox-send, expected mailbox-receive"},
	}
	for _, test := range tests {
		p := ports[test.port]
		want := fault{algal.TypeMismatch, test.text}
		switch {
		case test.text == "":
			want = fault{}
		case strings.Contains(test.text, "maxValueBytes"):
			want.Code = algal.BudgetExhausted
		}
		checkFault(t, test.port+" of "+test.value[:min(len(test.value), 80)], p.CheckValue(parse(t, test.value), "c.p"), want)
	}
}

// TestCheckValueAllocates nothing when the value is right, whatever the port.
func TestCheckValueAllocates(t *testing.T) {
	record := organism.NewSchema(parse(t, `{"type":"array","items":{"required":["id"],"additionalProperties":false,`+
		`"properties":{"id":{"type":"string","format":"slug","minLength":1},"n":{"type":["integer","null"],"enum":[1,null]}}}}`), 3)
	tests := []struct {
		port  organism.Port
		value string
	}{
		{organism.Port{Type: organism.Text, Many: true}, `["a","b"]`},
		{organism.Port{Type: organism.Choice, Labels: []string{"a"}}, `"a"`},
		{organism.Port{Type: organism.Ref}, `"` + string(canon.Null().Digest()) + `"`},
		{organism.Port{Type: organism.Cap, Capability: "mailbox-send"}, `"` + handle + `"`},
		{organism.Port{Type: organism.JSON, Schema: record}, `[{"id":"a-b","n":1},{"id":"c","n":null}]`},
	}
	for _, test := range tests {
		v := parse(t, test.value)
		if n := testing.AllocsPerRun(100, func() {
			if err := test.port.CheckValue(v, "c.p"); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s port: %v allocations", test.port.Type, n)
		}
	}
}

// cellOf admits a document of one cell.
func cellOf(t *testing.T, cell string) *organism.Cell {
	t.Helper()
	m, err := admit(t, document(cell))
	if err != nil {
		t.Fatal(err)
	}
	return m.Cells[0]
}

func TestBind(t *testing.T) {
	contract := func(output string) *organism.OutputContract {
		return &cellOf(t, `{"id":"a","kind":"agent","prompt":"","output":`+output+`}`).Model.Output
	}
	text, record := contract(`{"kind":"text"}`), contract(`{"kind":"json","schema":{"required":["a"]}}`)
	choice, lenient := contract(`{"kind":"choice","labels":["x","y"]}`), contract(`{"kind":"choice","labels":["x","y"],"onMiss":"y"}`)
	tests := []struct {
		contract         *organism.OutputContract
		raw, bound, text string
	}{
		{text, `"t"`, `"t"`, ""},
		{text, `{}`, "", `cell "a": expected text output`},
		{record, `{"a":1,"b":2}`, `{"a":1,"b":2}`, ""},
		{record, `{"b":2}`, "", "missing required field"},
		{record, `[]`, "", "expected object"},
		{choice, `"y"`, `"y"`, ""},
		{choice, `{"b":1,"a":"z"}`, "", `cell "a": output {"a":"z","b":1} is not a declared label`},
		{choice, `"z"`, "", `cell "a": output "z" is not a declared label`},
		{lenient, `"x"`, `"x"`, ""},
		{lenient, `["x"]`, `"y"`, ""},
	}
	for _, test := range tests {
		bound, err := test.contract.Bind(parse(t, test.raw), "a")
		want := fault{}
		if test.text != "" {
			want = fault{algal.EffectUnparseable, test.text}
		}
		checkFault(t, test.raw, err, want)
		if bound.String() != test.bound {
			t.Errorf("%s binds to %s, want %s", test.raw, bound, test.bound)
		}
	}
}

func TestResolveLabels(t *testing.T) {
	const envelope = `{"contract":"algal.expr.v1","program":["get","s"]}`
	plain := cellOf(t, `{"id":"c","kind":"classifier","inputs":{"s":"json"},"prompt":"p","output":{"kind":"choice","labelsExpr":`+envelope+`}}`)
	strict := cellOf(t, `{"id":"c","kind":"classifier","inputs":{"s":"json"},"prompt":"p","output":{"kind":"choice","labelsExpr":`+envelope+
		`,"onMiss":"m"},"shadow":{"take":"s"}}`)
	if plain.Model.Output.LabelsExpr == nil || plain.Outputs.Find("out").Labels != nil {
		t.Error("a computed label list must leave the port without labels")
	}
	tests := []struct {
		cell             *organism.Cell
		result, contract string
		text             string
	}{
		{plain, `["b","a"]`, `{"kind":"choice","labels":["b","a"]}`, ""},
		{plain, `{}`, "", `cell "c" labelsExpr result must be an array`},
		{plain, `["a",1]`, "", `cell "c" labelsExpr result[1] must be a string of at most 64 characters`},
		{plain, `[]`, "", `cell "c" labelsExpr result must have 1..32 entries`},
		{plain, `[` + strings.Repeat(`"a",`, 32) + `1]`, "", `cell "c" labelsExpr result[32] must be a string of at most 64 characters`},
		{plain, `[` + strings.Repeat(`"a",`, 32) + `"a"]`, "", `cell "c" labelsExpr result must have 1..32 entries`},
		{plain, `["a","a"]`, "", `cell "c" labelsExpr result must be unique`},
		{strict, `["a"]`, "", `cell "c" onMiss "m" is not in the resolved labels`},
		{strict, `["m"]`, "", `cell "c" shadow.take "s" is not in the resolved labels`},
		{strict, `["s","m"]`, `{"kind":"choice","labels":["s","m"],"onMiss":"m"}`, ""},
	}
	for _, test := range tests {
		c, err := organism.ResolveLabels(parse(t, test.result), test.cell)
		want := fault{}
		if test.text != "" {
			want = fault{algal.ExprFailed, test.text}
		}
		checkFault(t, test.result, err, want)
		if c.Normal.String() != test.contract {
			t.Errorf("%s: contract %s, want %s", test.result, c.Normal, test.contract)
		}
		if err == nil {
			if bound, err := c.Bind(canon.String(c.Labels[0]), "c"); err != nil || bound.Text() != c.Labels[0] {
				t.Errorf("%s: a resolved label binds to %v, %v", test.result, bound, err)
			}
		}
	}
}

// TestDecideContract compares the derived contract with run.md §8.3 and, through
// the digest of a request, with the recorded order leak of organism.md §7.12.
func TestDecideContract(t *testing.T) {
	questions := parse(t, `{"z":{"type":"noul"},"a":{"type":"choice"},"10":{"type":"score"},"9":{"type":"noul"}}`)
	number, text := `{"type":"number"}`, `{"type":"string"}`
	noul := `{"properties":{"noul":` + number + `,"type":` + text + `},"required":["noul"],"type":"object"}`
	graded := func(name, answer string) string {
		return `{"properties":{"` + name + `":` + answer + `,"confidence":` + number + `,"probabilities":{"type":"object"},"type":` + text +
			`},"required":["` + name + `","confidence","probabilities"],"type":"object"}`
	}
	want := parse(t, `{"kind":"json","schema":{"type":"object","required":["answers"],"properties":{"answers":{"type":"object","required":["9","10","z","a"],"properties":{`+
		`"z":`+noul+`,"a":`+graded("choice", text)+`,"10":`+graded("score", number)+`,"9":`+noul+`}}}}}`)
	c := organism.DecideContract(questions)
	if diff := cmp.Diff(want.String(), c.Normal.String()); diff != "" {
		t.Errorf("contract (-want +got)\n%s", diff)
	}
	answer := `{"answers":{"9":{"noul":1},"10":{"score":1,"confidence":1,"probabilities":{}},"z":{"noul":0},"a":{"choice":"x","confidence":1,"probabilities":{}},"more":1}}`
	if _, err := c.Bind(parse(t, answer), "d"); err != nil {
		t.Errorf("a full answer is refused: %v", err)
	}
	_, err := c.Bind(parse(t, `{"answers":{}}`), "d")
	checkFault(t, "no answers", err, fault{algal.EffectUnparseable, "missing required field"})
}

// TestDecideOrderLeak rebuilds the two request digests of organism.md §7.12: one
// for the manifest as written, one for its canonical form.
func TestDecideOrderLeak(t *testing.T) {
	golden.NeedShared(t)
	text := string(golden.Read(t, "examples/decide-cell.algal.json"))
	args := parse(t, string(golden.Read(t, "examples/decide-cell.args.json")))
	written := parse(t, text)
	for want, v := range map[algal.Digest]canon.Value{
		"sha256:7fbdce21318a9a29eb9c0f6c923851c1fe9c1aad0e37b611553e96349dcc4165": written,
		"sha256:882658a7362cd5e68cc19e5a65f9e660d18d1a7a308fb18f9201a048b6e69b5b": written.Sorted(),
	} {
		m, err := organism.ParseManifest(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := decideRequest(t, m, args).Digest(); got != want {
			t.Errorf("request digest %s, want %s", got, want)
		}
	}
}

// decideRequest builds the effect request of the only decide cell, whose inputs
// come straight from input cells (run.md §8.2).
func decideRequest(t *testing.T, m *organism.Manifest, args canon.Value) canon.Value {
	t.Helper()
	for _, c := range m.Cells {
		if c.Kind != organism.KindDecide {
			continue
		}
		var inputs []canon.Member
		for _, e := range m.Edges {
			if e.To.Cell == c.ID {
				inputs = append(inputs, canon.M(e.To.Port, args.Get(e.From.Cell).Get(e.From.Port)))
			}
		}
		return canon.Object(
			canon.M("contract", canon.String("algal.effect.v1")), canon.M("cellId", canon.String(c.ID)),
			canon.M("kind", canon.String("decide")), canon.M("prompt", canon.String(c.Model.Prompt)),
			canon.M("context", canon.Object(canon.M("inputs", canon.Object(inputs...)), canon.M("turn", canon.Int(0)))),
			canon.M("output", organism.DecideContract(c.Model.Questions).Normal),
			canon.M("budget", canon.Object(canon.M("maxContextBytes", canon.Int(m.Budgets.MaxContextBytes)),
				canon.M("maxOutputBytes", canon.Int(m.Budgets.MaxOutputBytes)))),
			canon.M("route", c.Model.Route), canon.M("questions", c.Model.Questions))
	}
	t.Fatal("no decide cell")
	return canon.Value{}
}

// TestFunctionRules covers what the vectors leave open, and inputs that no checked
// caller hands in.
func TestFunctionRules(t *testing.T) {
	tests := []struct{ fn, inputs, outputs, text string }{
		{"pick.v1", `{"record":{},"field":"constructor"}`, `{"value":null}`, ""},
		{"pick.v1", `{"record":{},"field":"__proto__"}`, `{"value":null}`, ""},
		{"pick.v1", `{"record":1,"field":1}`, "", "pick.v1: field must be text"},
		{"pick.v1", `{}`, "", "pick.v1: field must be text"},
		{"inc.v1", `{"value":1.7976931348623157e308}`, `{"value":1.7976931348623157e308}`, ""},
		{"inc.v1", `{}`, "", "inc.v1: value must be a finite number"},
		{"join.v1", `{"items":["a",1,null]}`, `{"value":"a\n1\nnull"}`, ""},
		{"join.v1", `{}`, `{"value":""}`, ""},
		{"assert.v1", `{"value":1,"expect":2}`, "", "assert.v1: value 1 != expect 2"},
		{"assert.v1", `{}`, `{"value":null}`, ""},
		{"assert.v1", `{"value":"` + strings.Repeat("é", 300) + `","expect":1}`, "", `assert.v1: value "` + strings.Repeat("é", 199) + ` != expect 1`},
		{"push.v1", `{"list":[1]}`, `{"value":[1,null]}`, ""},
		{"format.v1", `{}`, `{"value":"null"}`, ""},
		{"tag.v1", `{"tag":"aZé","value":{"b":1,"a":2}}`, `{"value":"AZé: {\"a\":2,\"b\":1}"}`, ""},
		{"label.v1", `{}`, `{"value":"b"}`, ""},
		{"coalesce.v1", `{"b":0,"a":false}`, `{"value":false}`, ""},
	}
	for _, test := range tests {
		out, err := organism.Builtins()[test.fn].Call(parse(t, test.inputs))
		want := fault{}
		if test.text != "" {
			want = fault{algal.FnFailed, test.text}
		}
		checkFault(t, test.fn+test.inputs, err, want)
		if test.outputs != "" && !canon.Equal(out, parse(t, test.outputs)) {
			t.Errorf("%s%s gives %v, want %s", test.fn, test.inputs, out, test.outputs)
		}
	}
}

// signature is a tool signature with one member replaced or, with an empty text,
// left out.
func signature(key, text string) string {
	members := []string{}
	for _, m := range [][2]string{{"inputs", `{"q":"text"}`}, {"outputs", `{"r":"json"}`}, {"effect", `"read"`}, {"cost", "0"}, {"maxOutputBytes", "1"}} {
		if m[0] == key {
			m[1] = text
		}
		if m[1] != "" {
			members = append(members, `"`+m[0]+`":`+m[1])
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestParseTool(t *testing.T) {
	const what = "tool signature"
	tests := []struct{ text, want string }{
		{`[]`, what + " must be an object"},
		{`{"x":1}`, what + ` has unknown key "x"`},
		{`{}`, what + ` requires "effect"`},
		{`{"effect":1}`, what + ".effect must be read|write"},
		{`{"effect":"read"}`, what + ` requires "cost"`},
		{`{"effect":"read","cost":1000001}`, what + ".cost must be an integer 0..1000000"},
		{`{"effect":"read","cost":1.5}`, what + ".cost must be an integer 0..1000000"},
		{`{"effect":"read","cost":1}`, what + ` requires "maxOutputBytes"`},
		{`{"effect":"read","cost":1,"maxOutputBytes":0}`, what + ".maxOutputBytes must be an integer 1..262144"},
		{`{"effect":"read","cost":1,"maxOutputBytes":1}`, what + ` requires "inputs"`},
		{`{"effect":"read","cost":1,"maxOutputBytes":1,"inputs":{}}`, what + ` requires "outputs"`},
		{signature("inputs", `{"A":1}`), what + ".inputs port name must be a lowercase kebab-case id"},
		{signature("inputs", `{"a":{}}`), what + `.inputs.a requires "type"`},
		{signature("outputs", `{"a":{"type":"text","many":true}}`), what + ".outputs.a: many is only valid on input ports"},
	}
	for _, test := range tests {
		tool, err := organism.ParseTool(parse(t, test.text), what)
		checkFault(t, test.text, err, fault{algal.ParseFailed, test.want})
		if tool != nil {
			t.Errorf("%s: a refused signature is returned", test.text)
		}
	}
	tool := mustTool(t, parse(t, signature("effect", `"write"`)))
	if want := `{"cost":0,"effect":"write","inputs":{"q":{"type":"text"}},"maxOutputBytes":1,"outputs":{"r":{"type":"json"}}}`; tool.Normal().String() != want {
		t.Errorf("normal form %s, want %s", tool.Normal(), want)
	}
	if !tool.Write || tool.Cost != 0 || tool.MaxOutputBytes != 1 || len(tool.Inputs) != 1 || tool.Outputs.Find("r") == nil {
		t.Errorf("tool %+v", tool)
	}
}

// TestRandomToolSignatures reads the signatures of the changed evidence documents
// that the reference refused for one.
func TestRandomToolSignatures(t *testing.T) {
	const name = "random/mutants.jsonl"
	refused, admitted := 0, 0
	for _, line := range golden.Lines(t, name) {
		if !strings.Contains(line, "tool signature") && !strings.Contains(line, `"accepted":true`) {
			continue
		}
		e := parse(t, line)
		var err error
		for _, signature := range e.Get("document").Get("tools").Members() {
			if _, fault := organism.ParseTool(signature, "tool signature"); err == nil {
				err = fault
			}
			admitted++
		}
		want := wantFault(e)
		if strings.HasPrefix(want.Message, "tool signature") {
			refused++
		} else {
			want = fault{}
		}
		checkFault(t, e.Get("id").Text(), err, want)
	}
	if refused == 0 || admitted == 0 {
		t.Fatalf("%s holds no signatures", name)
	}
	t.Logf("%d documents refused, %d signatures read", refused, admitted)
}

// TestMintHandle refuses a class that is none.
func TestMintHandle(t *testing.T) {
	for class, want := range map[string]string{
		"Mailbox":               "capability class must be a lowercase kebab-case id",
		strings.Repeat("a", 65): "capability class must be a string of at most 64 characters",
	} {
		_, err := organism.MintHandle(class, canon.Null())
		checkFault(t, class, err, fault{algal.ParseFailed, want})
	}
}
