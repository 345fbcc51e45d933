package organism_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// TestAdmissionOrder shows which of several faults is reported where the vectors
// have only one.
func TestAdmissionOrder(t *testing.T) {
	many := func(n int, entry string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + "]"
	}
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	agent := func(members string) string {
		return document(`{"id":"a","kind":"agent","prompt":"p","output":{"kind":"text"},` + members + `}`)
	}
	kind := func(kind, members string) string {
		return document(`{"id":"a","kind":"` + kind + `","prompt":"p",` + members + `}`)
	}
	port := func(p string) string { return document(`{"id":"a","kind":"input","outputs":{"v":` + p + `}}`) }
	const cell, v = "manifest.cells[0]", "manifest.cells[0].outputs.v"
	tests := []struct{ name, text, want string }{
		{"cells before edges", `{"cells":1,"edges":1}`, "manifest.cells must be an array"},
		{"edges before the number of cells", `{"edges":1,"cells":` + many(65, "1") + `}`, "manifest.edges must be an array"},
		{"cells before edges by number", `{"edges":` + many(257, "1") + `,"cells":` + many(65, "1") + `}`, "manifest.cells exceeds 64"},
		{"number before size", `{"cells":` + many(65, deep) + `}`, "manifest.cells exceeds 64"},
		{"size before members", `{"cells":[],"x":` + deep + `}`, "JSON depth exceeds 64"},
		{"members before contract", `{"cells":[],"x":1}`, `manifest has unknown key "x"`},
		{"contract before key", `{"cells":[],"key":1}`, `manifest requires "contract"`},
		{"key before name", document("", `"name":1,"key":"x"`), `manifest.key must match "organism:<kebab-key>"`},
		{"key of two words", document("", `"key":"organism:Two"`), `manifest.key must match "organism:<kebab-key>"`},
		{"name before budgets", document("", `"name":1,"budgets":1`), "manifest.name must be a string of at most 120 characters"},
		{"unknown budget before its range", document("", `"budgets":{"maxSteps":0,"x":1}`), `budgets has unknown key "x"`},
		{"budgets in the order of the table", document("", `"budgets":{"maxDepth":9,"maxWork":0}`), "budgets.maxWork must be an integer in [1, 100000000]"},
		{"budgets before cells", document("1", `"budgets":1`), "budgets must be an object"},
		{"cells before edges' content", document("1", `"edges":[1]`), cell + " must be an object"},
		{"edges before note", document("", `"edges":[1],"note":1`), "manifest.edges[0] must be an object"},
		{"note before interface", document("", `"note":1,"interface":1`), "manifest.note must be a string of at most 2000 characters"},
		{"interface inputs before outputs", document("", `"interface":{"outputs":1,"inputs":1}`), "interface.inputs must be an object"},
		{"interface side by number", document("", `"interface":{"inputs":`+manyMembers(33, "{}")+`}`), "interface.inputs exceeds 32 ports"},

		{"id before kind", document(`{"kind":"zap","id":1}`), cell + ".id must be a string of at most 64 characters"},
		{"kind before members", document(`{"id":"a","kind":"zap","x":1}`), cell + `.kind: unknown "zap"`},
		{"members before content", document(`{"id":"a","kind":"fn","x":1}`), cell + ` has unknown key "x"`},

		{"ports by number before names", document(`{"id":"a","kind":"input","outputs":` + manyMembers(33, "1") + `}`), cell + ".outputs exceeds 32 ports"},
		{"port name before type", document(`{"id":"a","kind":"input","outputs":{"A":1}}`), cell + ".outputs port name must be a lowercase kebab-case id"},
		{"port in member order", document(`{"id":"a","kind":"input","outputs":{"z":1,"a":1}}`), cell + ".outputs.z must be an object"},
		{"port members before type", port(`{"x":1}`), v + ` has unknown key "x"`},
		{"port type before optional", port(`{"optional":1}`), v + ` requires "type"`},
		{"optional before many", port(`{"type":"text","many":1,"optional":1}`), v + ".optional must be a boolean"},
		{"many before labels", port(`{"type":"text","labels":1,"many":1}`), v + ".many must be a boolean"},
		{"labels' content before their number", port(`{"type":"text","labels":` + many(33, "1") + `}`), v + ".labels[0] must be a string of at most 64 characters"},
		{"labels' number before type", port(`{"type":"text","labels":` + many(33, `"a"`) + `}`), v + ".labels exceeds 32"},
		{"labels before schemaVersion", port(`{"type":"text","schemaVersion":1,"labels":[]}`), v + `.labels requires type "choice"`},
		{"schemaVersion before schema", port(`{"type":"text","schema":1,"schemaVersion":1}`), v + ".schemaVersion must be 2 or 3"},
		{"schema's type before its form", port(`{"type":"text","schema":1}`), v + `.schema requires type "json"`},
		{"schema before capability", port(`{"type":"json","schema":1,"capability":1}`), v + ".schema must be an object"},
		{"capability's type before its form", port(`{"type":"text","capability":1}`), v + `.capability requires type "cap"`},
		{"type before producer", port(`{"type":"cap","many":true}`), v + `.capability is required for type "cap"`},
		{"const value before type", document(`{"id":"a","kind":"const","outputs":{"v":{"x":1}}}`), v + ` requires "value"`},
		{"const cap before many", document(`{"id":"a","kind":"const","outputs":{"v":{"type":"cap","capability":"c","value":1,"many":true}}}`),
			v + ": const cells cannot mint capability handles"},

		{"output before program", document(`{"id":"a","kind":"expr","expr":{"contract":"algal.expr.v1","program":[]},"output":1}`), cell + ".output must be an object"},
		{"envelope before output", document(`{"id":"a","kind":"expr","expr":{"contract":"x","program":[]},"output":1}`), cell + `.expr.contract must be "algal.expr.v1"`},
		{"onMiss label before onMiss at all", document(`{"id":"a","kind":"expr","expr":{"contract":"algal.expr.v1","program":[]},"output":{"kind":"choice","labels":["x"],"onMiss":"y"}}`),
			cell + `.output.onMiss "y" is not a declared label`},
		{"onMiss before program", document(`{"id":"a","kind":"expr","expr":{"contract":"algal.expr.v1","program":[]},"output":{"kind":"choice","labels":["x"],"onMiss":"x"}}`),
			cell + ".output.onMiss has no meaning on expr cells — a program returns exact values"},
		{"schemaVersion before the absence of schema", document(`{"id":"a","kind":"agent","prompt":"","output":{"kind":"json","schemaVersion":2}}`),
			cell + ".output.schemaVersion requires a schema"},

		{"view before output", kind("agent", `"view":1,"output":1`), cell + ".view must be an object"},
		{"output before route", kind("agent", `"route":1,"output":1`), cell + ".output must be an object"},
		{"route before budget", agent(`"budget":1,"route":1`), cell + ".route must be an object"},
		{"budget before tools", agent(`"tools":1,"budget":1`), cell + ".budget must be an object"},
		{"budget in the order of the table", agent(`"budget":{"maxEffectMs":0,"maxContextBytes":0}`), cell + ".budget.maxContextBytes must be an integer in [1, 262144]"},
		{"tools before compact", agent(`"compact":1,"tools":1`), cell + ".tools must be an array"},
		{"tools' number before repetition", agent(`"tools":` + many(17, `"x"`)), cell + ".tools must have 1..16 entries"},
		{"compact before retry", agent(`"retry":1,"compact":1`), cell + ".compact must be an object"},
		{"compact size before mode", agent(`"compact":{"mode":1,"maxLogBytes":0}`), cell + ".compact.maxLogBytes must be an integer in [1, 262144]"},
		{"compact mode before keepRecent", agent(`"compact":{"maxLogBytes":1,"keepRecent":9,"mode":1}`), cell + ".compact.mode must be elide"},
		{"compact keepRecent before route", agent(`"compact":{"maxLogBytes":1,"route":1,"keepRecent":9}`), cell + ".compact.keepRecent must be an integer in [0, 8]"},
		{"retry before compact's need of tools", agent(`"compact":{"maxLogBytes":1},"retry":{}`), cell + `.retry requires "attempts"`},
		{"compact is agent-only before its need of tools", kind("gate", `"compact":{"maxLogBytes":1},"output":{"kind":"text"}`),
			cell + ": compact is agent-only — only tool-bearing cells accumulate a log"},
		{"gate's tools before its output", kind("gate", `"shadow":1,"output":{"kind":"text"}`),
			cell + ": gate cells take no tools or shadow — a gate is an approval point, not a worker"},
		{"classifier's output before its shadow", kind("classifier", `"shadow":1,"output":{"kind":"text"}`), cell + `: classifier output must be {kind:"choice"}`},

		{"view entries before their number", agent(`"view":{"cells":` + many(17, `"a"`) + `,"graph":1}`), cell + ".view.cells must have 1..16 entries"},
		{"view entry's form", agent(`"view":{"cells":[1]}`), cell + ".view.cells[0] must be an object"},
		{"view cells before graph", agent(`"view":{"graph":1,"cells":[]}`), cell + ".view.cells must have 1..16 entries"},
		{"view input", agent(`"view":{"inputs":["a","A"]}`), cell + ".view.inputs[1] must be a lowercase kebab-case id"},

		{"questions before view", document(`{"id":"a","kind":"decide","questions":{},"view":1}`), cell + ".questions requires 1..64 questions"},
		{"instructions before members", document(`{"id":"a","kind":"decide","questions":{"q":{"type":"noul","instructions":"","x":1}}}`),
			cell + `.questions["q"].instructions must not be empty`},
		{"criteria by number before keys", document(`{"id":"a","kind":"decide","questions":{"q":{"type":"choice","instructions":"i","criteria":{}}}}`),
			cell + `.questions["q"].criteria requires 1..32 entries`},
		{"index-like question first", document(`{"id":"a","kind":"decide","questions":{"z":1,"7":1}}`), cell + `.questions["7"] must be an object`},

		{"k before take", document(`{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"x"},"rerank":1,"k":0}`), cell + ".k must be an integer in [1, 32]"},
		{"rerank members before route", document(`{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"x"},"rerank":{"take":99,"x":1}}`),
			cell + `.rerank has unknown key "x"`},
		{"via last", document(`{"id":"a","kind":"each","manifest":"","over":"v","maxItems":0,"via":1}`), cell + ".maxItems must be an integer in [1, 64]"},
		{"carry by number", document(`{"id":"a","kind":"repeat","manifest":"","maxRounds":1,"carry":` + manyMembers(33, "1") + `}`), cell + ".carry exceeds 32 entries"},
		{"carry key before value", document(`{"id":"a","kind":"repeat","manifest":"","maxRounds":1,"carry":{"A":1}}`), cell + ".carry key must be a lowercase kebab-case id"},
		{"slot default's mode before its size", document(`{"id":"a","kind":"slot","name":"n","mode":"write","default":"` + strings.Repeat("x", 262143) + `"}`),
			cell + ".default is only valid on read-mode slot cells"},
		{"slot default's size", document(`{"id":"a","kind":"slot","name":"n","mode":"read","default":"` + strings.Repeat("x", 262143) + `"}`),
			cell + ".default exceeds maxValueBytes 262144B"},

		{"from before to", document("", `"edges":[{"to":1,"from":1}]`), "manifest.edges[0].from must be an object"},
		{"guard before on", document("", `"edges":[{"on":1,"guard":1,"from":{"cell":"a","port":"b"},"to":{"cell":"a","port":"b"}}]`), "manifest.edges[0].guard must be an object"},
		{"an unknown on as text", document("", `"edges":[{"on":[null,[1,{"a":1}],"x"],"from":{"cell":"a","port":"b"},"to":{"cell":"a","port":"b"}}]`),
			`manifest.edges[0].on: unknown ",1,[object Object],x" — the only value is "fail"`},
	}
	for _, test := range tests {
		want := fault{algal.ParseFailed, test.want}
		if test.want == "JSON depth exceeds 64" {
			want.Code = algal.BudgetExhausted
		}
		_, err := admit(t, test.text)
		checkFault(t, test.name, err, want)
	}
	t.Logf("%d documents", len(tests))
}

// manyMembers is an object of n members.
func manyMembers(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"p%d":%s`, i, value)
	}
	return "{" + b.String()[1:] + "}"
}

// TestSizeCheck covers §1.3: both bounds, and which of them is met first.
func TestSizeCheck(t *testing.T) {
	slot := func(value string) string {
		return document(`{"id":"a","kind":"const","outputs":{"v":{"type":"json","value":` + value + `}}}`)
	}
	nested := func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }
	frame := parse(t, slot(`""`)).Size()
	filler := strings.Repeat("x", organism.MaxManifestBytes-frame-len(`,"budgets":`)-len(budgets)-len(`,"edges":[]`))
	bytes := fault{algal.BudgetExhausted, "manifest bytes"}
	depth := fault{algal.BudgetExhausted, "JSON depth exceeds 64"}
	long := strings.Repeat("x", organism.MaxManifestBytes)
	tests := []struct {
		name, text string
		want       fault
	}{
		{"59 arrays around a scalar", slot(nested(59)), fault{}},
		{"60 arrays around a scalar", slot(nested(60)), depth},
		{"normal form of exactly the bound", slot(`"` + filler + `"`), fault{}},
		{"normal form one above it", slot(`"` + filler + `x"`), bytes},
		{"as given above it", slot(`"` + long + `"`), bytes},
		{"bytes before depth", slot(`["` + long + `",` + nested(60) + `]`), bytes},
		{"depth before bytes", slot(`[` + nested(60) + `,"` + long + `"]`), depth},
		{"a key before the value below it", slot(`{"` + long + `":` + nested(60) + `}`), bytes},
		{"many elements before the first", slot(`[` + nested(60) + strings.Repeat(`,1`, organism.MaxManifestBytes) + `]`), bytes},
	}
	for _, test := range tests {
		m, err := admit(t, test.text)
		checkFault(t, test.name, err, test.want)
		if m != nil && test.name == "normal form of exactly the bound" && m.Normal().Size() != organism.MaxManifestBytes {
			t.Errorf("%s has %d bytes", test.name, m.Normal().Size())
		}
	}
}

// budgets is the text of the default budgets.
const budgets = `{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000}`

// TestMemberOrder shows that a manifest from a document keeps the document's
// order, and one that was read back has canonical order (canonical.md §1.1).
func TestMemberOrder(t *testing.T) {
	text := document(`{"id":"in","kind":"input","outputs":{"z":"text","a":"json"}},
		{"id":"d","kind":"decide","inputs":{"y":"json","b":"json"},"questions":{"z":{"type":"noul","instructions":"i","criteria":{}},"a":{"type":"noul","instructions":"i"}}},
		{"id":"r","kind":"repeat","manifest":"","maxRounds":1,"carry":{"z":"p","a":"q"}}`,
		`"interface":{"outputs":{"z":{"cell":"in","port":"z"},"a":{"cell":"in","port":"a"}}}`)
	order := func(m *organism.Manifest) []string {
		var names []string
		for _, p := range m.Cells[0].Outputs {
			names = append(names, p.Name)
		}
		for _, p := range m.Cells[1].Inputs {
			names = append(names, p.Name)
		}
		for name := range m.Cells[1].Model.Questions.Members() {
			names = append(names, name)
		}
		for _, c := range m.Cells[2].Repeat.Carry {
			names = append(names, c.Output)
		}
		for _, p := range m.Interface.Outputs {
			names = append(names, p.Name)
		}
		return names
	}
	read, err := admit(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"z", "a", "y", "b", "z", "a", "z", "a", "z", "a"}, order(read)); diff != "" {
		t.Errorf("from a document (-want +got)\n%s", diff)
	}
	again, err := organism.ParseManifest(read.Normal())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(order(read), order(again)); diff != "" {
		t.Errorf("from the normal form in memory (-want +got)\n%s", diff)
	}
	stored, err := admit(t, read.Normal().String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "z", "b", "y", "a", "z", "a", "z", "a", "z"}, order(stored)); diff != "" {
		t.Errorf("from the canonical text (-want +got)\n%s", diff)
	}
	if read.Digest() != stored.Digest() {
		t.Errorf("digests differ: %s, %s", read.Digest(), stored.Digest())
	}
}

// TestNeutralForms lists what does not influence the digest (§10), and what does.
func TestNeutralForms(t *testing.T) {
	digest := func(cells string, members ...string) algal.Digest {
		m, err := admit(t, document(cells, members...))
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest()
	}
	agent := func(members string) string {
		return `{"id":"a","kind":"agent","prompt":"","output":{"kind":"text"}` + members + `}`
	}
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"short port form", `{"id":"a","kind":"input","outputs":{"v":"text"}}`, `{"id":"a","kind":"input","outputs":{"v":{"type":"text"}}}`, true},
		{"false flags", `{"id":"a","kind":"input","outputs":{"v":{"type":"text","many":false,"optional":false}}}`, `{"id":"a","kind":"input","outputs":{"v":"text"}}`, true},
		{"empty inputs", agent(`,"inputs":{}`), agent(``), true},
		{"the whole view", agent(`,"view":{"inputs":"*","graph":false}`), agent(``), true},
		{"view cell as an object", agent(`,"view":{"cells":[{"cell":"b"}]}`), agent(`,"view":{"cells":["b"]}`), true},
		{"an agent's shadow", agent(`,"shadow":[1]`), agent(``), true},
		{"integers with a fraction", agent(`,"budget":{"maxTurns":1.0}`), agent(`,"budget":{"maxTurns":1}`), true},
		{"empty route", agent(`,"route":{}`), agent(``), false},
		{"empty budget", agent(`,"budget":{}`), agent(``), false},
		{"retry", agent(`,"retry":{"attempts":2}`), agent(``), false},
		{"empty labels", `{"id":"a","kind":"input","outputs":{"v":{"type":"choice","labels":[]}}}`, `{"id":"a","kind":"input","outputs":{"v":"choice"}}`, false},
		{"empty schema", `{"id":"a","kind":"input","outputs":{"v":{"type":"json","schema":{}}}}`, `{"id":"a","kind":"input","outputs":{"v":"json"}}`, false},
		{"order of tools", agent(`,"tools":["b","a"]`), agent(`,"tools":["a","b"]`), false},
		{"k of recall", `{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"},"k":8}`,
			`{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"}}`, false},
		{"empty inputs of recall", `{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"},"inputs":{}}`,
			`{"id":"a","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"}}`, true},
	}
	for _, test := range tests {
		if same := digest(test.a) == digest(test.b); same != test.same {
			t.Errorf("%s: same digest %v, want %v", test.name, same, test.same)
		}
	}
	if digest("", `"budgets":{"maxWork":1000000}`, `"edges":[]`) != digest("") {
		t.Error("defaults written out give another digest")
	}
	if digest("", `"note":""`) == digest("") {
		t.Error("an empty note gives the same digest")
	}
}

// TestNormalFormIsShared shows that a document in normal form stays the value it
// was, so that its digest needs no writing.
func TestNormalFormIsShared(t *testing.T) {
	m, err := admit(t, document(everyKind))
	if err != nil {
		t.Fatal(err)
	}
	text := m.Normal().String()
	v := parse(t, text)
	again, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	if again.Normal() != v {
		t.Error("the normal form was built anew")
	}
	if again.Digest() != canon.DigestText(text) {
		t.Error("digest differs")
	}
}

// everyKind is a list of cells of every kind, with most of their members.
const everyKind = `
{"id":"in","kind":"input","outputs":{"q":"text","n":{"type":"json","schema":{"type":"integer","minimum":0},"schemaVersion":2},"k":{"type":"cap","capability":"mailbox-send"}}},
{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":{"b":1,"a":[null]}},"l":{"type":"choice","labels":["x","y"],"value":"x"}}},
{"id":"f","kind":"fn","fn":"echo.v1"},
{"id":"e","kind":"expr","inputs":{"x":"json"},"expr":{"contract":"algal.expr.v1","program":["get","x"]},"output":{"kind":"json","schema":{}}},
{"id":"t","kind":"tool","tool":"mailbox.send.v1","budget":{"maxEffectMs":5}},
{"id":"a","kind":"agent","inputs":{"x":{"type":"json","optional":true}},"prompt":"p","output":{"kind":"text"},"tools":["pick.v1"],
 "view":{"inputs":["x"],"cells":["f",{"cell":"c","ports":["v"]}],"graph":true,"note":"n"},"route":{"model":"m"},"compact":{"maxLogBytes":9,"keepRecent":1},
 "budget":{"maxTurns":3},"retry":{"attempts":2},"shadow":1},
{"id":"cl","kind":"classifier","prompt":"p","output":{"kind":"choice","labels":["x","y"],"onMiss":"x"},"shadow":{"take":"y"}},
{"id":"g","kind":"gate","inputs":{"s":"json"},"prompt":"p","output":{"kind":"choice","labelsExpr":{"contract":"algal.expr.v1","program":["get","s"]}}},
{"id":"d","kind":"decide","prompt":"p","questions":{"q":{"type":"noul","instructions":"i","criteria":{}},"r":{"type":"choice","instructions":"i","criteria":{"x":null}},
 "s":{"type":"score","instructions":"i","criteria":["a"]}}},
{"id":"r","kind":"recall","query":{"contract":"algal.expr.v1","program":"q"},"embedder":"gateway:m","k":3,"rerank":{"route":{"preset":"p"},"take":2}},
{"id":"o","kind":"organism","manifest":"x","via":"hub"},
{"id":"rp","kind":"repeat","manifest":"x","maxRounds":2,"carry":{"z":"y"},"until":{"output":"z","equals":"done","field":"f"}},
{"id":"ea","kind":"each","manifest":"x","over":"y","maxItems":3},
{"id":"st","kind":"store"},{"id":"ld","kind":"load"},{"id":"sp","kind":"spawn"},
{"id":"sr","kind":"slot","name":"n","mode":"read","default":null},{"id":"sw","kind":"slot","name":"n","mode":"write"}`

// TestCellFields compares what a manifest tells the runtime with its document.
func TestCellFields(t *testing.T) {
	m, err := admit(t, document(everyKind, `"budgets":{"maxDepth":0}`))
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]*organism.Cell{}
	for _, c := range m.Cells {
		cells[c.ID] = c
	}
	same := func(name string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.Comparer(canon.Equal)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	same("budgets", m.Budgets, organism.Budgets{MaxSteps: 256, MaxAgentCalls: 16, MaxWork: 1_000_000, MaxContextBytes: 65_536, MaxOutputBytes: 65_536})
	same("const", cells["c"].Values, []canon.Value{parse(t, `{"b":1,"a":[null]}`), canon.String("x")})
	same("const ports", cells["c"].Outputs, organism.Ports{{Name: "v", Type: organism.JSON}, {Name: "l", Type: organism.Choice, Labels: []string{"x", "y"}}})
	same("capability", cells["in"].Outputs.Find("k").Capability, "mailbox-send")
	same("schema", cells["in"].Outputs.Find("n").Schema.Version, 2)
	same("tool", cells["t"].Budget, organism.CellBudget{MaxEffectMs: 5})
	same("view", cells["a"].Model.View, organism.View{
		Inputs: []string{"x"}, Cells: []organism.ViewCell{{Cell: "f"}, {Cell: "c", Ports: []string{"v"}, HasPorts: true}},
		Graph: true, Note: "n", HasNote: true,
	})
	same("compact", *cells["a"].Model.Compact, organism.Compact{MaxLogBytes: 9, KeepRecent: 1})
	same("route", cells["a"].Model.Route, parse(t, `{"model":"m"}`))
	same("attempts", cells["a"].Model.Attempts, 2)
	same("no retry", cells["cl"].Model.Attempts, 1)
	same("shadow", cells["cl"].Model.Shadow, "y")
	same("an agent's shadow", cells["a"].Model.HasShadow, false)
	same("whole view", cells["g"].Model.View, organism.View{AllInputs: true})
	same("questions", cells["d"].Model.Questions.Get("q"), parse(t, `{"type":"noul","instructions":"i"}`))
	same("recall", *cells["r"].Recall, organism.Recall{K: 3, Embedder: "gateway:m", Rerank: &organism.Rerank{Route: parse(t, `{"preset":"p"}`), Take: 2}})
	same("repeat", *cells["rp"].Repeat, organism.Repeat{MaxRounds: 2, Carry: []organism.Carry{{Output: "z", Input: "y"}},
		Until: &organism.Until{Output: "z", Equals: "done", Field: "f", HasField: true}})
	same("each", *cells["ea"].Each, organism.Each{Over: "y", MaxItems: 3})
	same("via", cells["o"].Via, "hub")
	same("slot with a null default", *cells["sr"].Slot, organism.Slot{Name: "n", Default: canon.Null()})
	same("slot without a default", *cells["sw"].Slot, organism.Slot{Name: "n", Write: true})
}
