package organism_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// The tests here carry the numbers of the catalogue (conformance.md). They want a
// code and a part of the text, as it does.

type refusal struct {
	name, text string
	code       algal.Code
	part       string
}

func checkRefusals(t *testing.T, store cas.Store, refusals []refusal) {
	t.Helper()
	for _, r := range refusals {
		_, err := compile(parse(t, r.text), organism.Env{Store: store})
		if algal.CodeOf(err) != r.code || !strings.Contains(faultOf(err).Message, r.part) {
			t.Errorf("%s: %s %v, want %s %q", r.name, algal.CodeOf(err), err, r.code, r.part)
		}
	}
}

const echoCell = `{"id":"e","kind":"fn","fn":"echo.v1"}`

func TestG1Structure(t *testing.T) {
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"another contract", document("", `"contract":"algal.organism.v2"`), algal.ParseFailed, "manifest.contract"},
		{"a bad key", document("", `"key":"t"`), algal.ParseFailed, "organism:<kebab-key>"},
		{"an unknown key", document("", `"extra":1`), algal.ParseFailed, "unknown key"},
		{"too many cells", document(strings.TrimSuffix(strings.Repeat(echoCell+",", 65), ",")), algal.ParseFailed, "exceeds"},
	})
}

func TestG2Graph(t *testing.T) {
	viewer := func(view string) string {
		return document(`{"id":"a","kind":"agent","prompt":"","output":{"kind":"text"},"view":` + view + `}`)
	}
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"duplicate id", document(echoCell + "," + echoCell), algal.ManifestInvalid, "duplicate cell id"},
		{"cycle", document(echoCell, edges(edge("e.value", "e.value"))), algal.GraphCycle, "cycle"},
		{"unknown function", document(`{"id":"f","kind":"fn","fn":"nope.v1"}`), algal.FnUnknown, "nope.v1"},
		{"two edges into one input", document(`{"id":"l","kind":"load"},`+echoCell, edges(edge("l.data", "e.value"), edge("l.data", "e.value"))),
			algal.ManifestInvalid, "single-assignment"},
		{"view of an undeclared input", viewer(`{"inputs":["x"]}`), algal.ManifestInvalid, "undeclared input"},
		{"graph without cells", viewer(`{"graph":true}`), algal.ManifestInvalid, "view.graph requires view.cells"},
	})
}

func TestG3Guard(t *testing.T) {
	guarded := edges(`{"guard":{"equals":"x"},` + edge("l.data", "e.value")[1:])
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"equals on json", document(`{"id":"l","kind":"load"},`+echoCell, guarded), algal.GuardInvalid, "guard requires a choice producer"},
	})
}

func TestG4Types(t *testing.T) {
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"json into ref", document(`{"id":"l","kind":"load"},`+echoCell, edges(edge("e.value", "l.ref"))), algal.TypeMismatch, "cannot feed"},
	})
}

func TestG5Repeat(t *testing.T) {
	store := cas.NewMemory()
	child, bare := put(t, store, parse(t, leaf)), put(t, store, parse(t, document("")))
	repeat := func(d algal.Digest, members string) string {
		return document(`{"id":"r","kind":"repeat","manifest":"` + string(d) + `",` + members + `}`)
	}
	checkRefusals(t, store, []refusal{
		{"no rounds", repeat(child, `"maxRounds":0`), algal.ParseFailed, "maxRounds"},
		{"too many rounds", repeat(child, `"maxRounds":17`), algal.ParseFailed, "maxRounds"},
		{"an unknown key", repeat(child, `"maxRounds":1,"x":1`), algal.ParseFailed, "unknown key"},
		{"until of no interface output", repeat(child, `"maxRounds":1,"until":{"output":"x","equals":"y"}`), algal.InterfaceMismatch, "until.output"},
		{"child without interface", repeat(bare, `"maxRounds":1`), algal.InterfaceMismatch, "requires a sub-manifest with an interface"},
	})
}

func TestG12Carry(t *testing.T) {
	store := cas.NewMemory()
	// The types of the child's only input and output.
	child := func(in, out string) algal.Digest {
		return put(t, store, parse(t, document(
			`{"id":"in","kind":"input","outputs":{"v":`+in+`}},{"id":"k","kind":"input","outputs":{"v":`+out+`}}`,
			`"interface":{"inputs":{"v":{"cell":"in","port":"v"}},"outputs":{"w":{"cell":"k","port":"v"}}}`)))
	}
	repeat := func(d algal.Digest) string {
		return document(`{"id":"r","kind":"repeat","manifest":"` + string(d) + `","maxRounds":2,"carry":{"w":"v"}}`)
	}
	lists := func(port, consumer string) string {
		return document(`{"id":"i","kind":"input","outputs":{"v":`+port+`}},
			{"id":"g","kind":"gate","inputs":{"v":`+consumer+`},"prompt":"","output":{"kind":"choice","labels":["x"]}}`, edges(edge("i.v", "g.v")))
	}
	each := put(t, store, parse(t, document(`{"id":"in","kind":"input","outputs":{"x":"json","r":"ref","c":{"type":"cap","capability":"k"}}}`,
		`"interface":{"inputs":{"x":{"cell":"in","port":"x"}},"outputs":{"r":{"cell":"in","port":"r"},"c":{"cell":"in","port":"c"}}}`)))
	ofList := func(output, consumer string) string {
		return document(`{"id":"l","kind":"each","manifest":"`+string(each)+`","over":"x","maxItems":2},
			{"id":"g","kind":"gate","inputs":{"v":`+consumer+`},"prompt":"","output":{"kind":"choice","labels":["x"]}}`, edges(edge("l."+output, "g.v")))
	}
	capability, other := `{"type":"cap","capability":"k"}`, `{"type":"cap","capability":"j"}`
	checkRefusals(t, store, []refusal{
		{"json into text", repeat(child(`"text"`, `"json"`)), algal.TypeMismatch, "cannot feed"},
		{"another class", repeat(child(capability, other)), algal.TypeMismatch, "cannot feed"},
		{"the same class", repeat(child(capability, capability)), "", ""},
		{"choice into text", repeat(child(`"text"`, `"choice"`)), "", ""},
		{"a list of refs into a ref", ofList("r", `"ref"`), algal.TypeMismatch, "(ref[]) cannot feed"},
		{"a list of handles into a handle", ofList("c", capability), algal.TypeMismatch, "(cap[]) cannot feed"},
		{"a list of refs into json", ofList("r", `"json"`), algal.TypeMismatch, "(ref[]) cannot feed"},
		{"a list of refs into a list", ofList("r", `{"type":"ref","many":true}`), "", ""},
		{"a scalar into a list", lists(capability, `{"type":"cap","capability":"k","many":true}`), "", ""},
	})
}

func TestG13InterfaceOutput(t *testing.T) {
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"missing cell", document("", `"interface":{"outputs":{"v":{"cell":"x","port":"y"}}}`), algal.InterfaceMismatch, "x.y"},
	})
}

func TestG14EachOverCapability(t *testing.T) { // the half that compiling decides
	store := cas.NewMemory()
	child := put(t, store, parse(t, document(`{"id":"in","kind":"input","outputs":{"k":{"type":"cap","capability":"c"}}}`,
		`"interface":{"inputs":{"k":{"cell":"in","port":"k"}}}`)))
	checkRefusals(t, store, []refusal{
		{"each", document(`{"id":"a","kind":"each","manifest":"` + string(child) + `","over":"k","maxItems":1}`), algal.TypeMismatch, "capability inputs"},
	})
}

func TestG15Recall(t *testing.T) {
	recall := func(members string) string {
		return document(`{"id":"r","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"},` + members + `}`)
	}
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"k of 0", recall(`"k":0`), algal.ParseFailed, ".k must be"},
		{"k above the bound", recall(`"k":33`), algal.ParseFailed, ".k must be"},
		{"unknown embedder", recall(`"embedder":"remote"`), algal.ParseFailed, "unknown embedder"},
		{"foreign query", recall(`"query":{"contract":"algal.expr.v2","program":"q"}`), algal.ParseFailed, ".query.contract"},
		{"query over an undeclared input", recall(`"query":{"contract":"algal.expr.v1","program":["get","x"]}`), algal.ParseFailed, "unbound name"},
		{"rerank without a route that names one", recall(`"rerank":{"route":{"model":"m"}}`), algal.ParseFailed, "requires provider or preset"},
		{"take above k", recall(`"k":2,"rerank":{"route":{"preset":"p"},"take":3}`), algal.ParseFailed, "take must be"},
		{"an unknown key", recall(`"x":1`), algal.ParseFailed, "unknown key"},
	})
}

func TestM27ConstCannotMint(t *testing.T) {
	checkRefusals(t, cas.NewMemory(), []refusal{
		{"const", document(`{"id":"c","kind":"const","outputs":{"v":{"type":"cap","capability":"mailbox-send","value":"` + handle + `"}}}`),
			algal.ParseFailed, "cannot mint capability handles"},
	})
}

func TestM28MailboxClasses(t *testing.T) {
	v := parse(t, document(`{"id":"i","kind":"input","outputs":{"v":{"type":"cap","capability":"mailbox-send"}}},{"id":"t","kind":"tool","tool":"mailbox.receive.v1"}`,
		edges(edge("i.v", "t.mailbox"))))
	tools := map[string]*organism.Tool{}
	for name, text := range standardTools {
		tools[name] = mustTool(t, parse(t, text))
	}
	_, err := compile(v, organism.Env{Store: cas.NewMemory(), Tools: tools})
	checkFault(t, "send into receive", err, fault{algal.TypeMismatch, "edge 0: i.v (cap) cannot feed t.mailbox (cap)"})
}
