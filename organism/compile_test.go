package organism_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// leaf is a manifest that can be embedded: v goes in, value comes out.
const leafCells = `{"id":"in","kind":"input","outputs":{"v":"json"}},{"id":"e","kind":"fn","fn":"echo.v1"}`

var leaf = document(leafCells, `"edges":[{"from":{"cell":"in","port":"v"},"to":{"cell":"e","port":"value"}}]`,
	`"interface":{"inputs":{"v":{"cell":"in","port":"v"}},"outputs":{"value":{"cell":"e","port":"value"}}}`)

func embed(id string, d algal.Digest, members string) string {
	return `{"id":"` + id + `","kind":"organism","manifest":"` + string(d) + `"` + members + `}`
}

func edge(from, to string) string {
	end := func(s string) string {
		cell, port, _ := strings.Cut(s, ".")
		return `{"cell":"` + cell + `","port":"` + port + `"}`
	}
	return `{"from":` + end(from) + `,"to":` + end(to) + `}`
}

func edges(list ...string) string { return `"edges":[` + strings.Join(list, ",") + `]` }

func TestGraph(t *testing.T) {
	store := cas.NewMemory()
	child := put(t, store, parse(t, leaf))
	g, err := compile(parse(t, document(
		`{"id":"a","kind":"input","outputs":{"v":"json"}},`+embed("o", child, "")+`,{"id":"c","kind":"fn","fn":"coalesce.v1"}`,
		edges(edge("a.v", "o.v"), edge("o.value", "c.a"), `{"on":"fail",`+edge("o.value", "c.b")[1:], edge("a.v", "c.c")))),
		organism.Env{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if got := []int{g.Cell("a"), g.Cell("o"), g.Cell("c"), g.Cell("x")}; !cmp.Equal(got, []int{0, 1, 2, -1}) {
		t.Errorf("cells %v", got)
	}
	if diff := cmp.Diff([][]int{nil, {0}, {1, 2, 3}}, g.Inbound); diff != "" {
		t.Errorf("inbound (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][2]int{{0, 1}, {1, 2}, {1, 2}, {0, 2}}, ends(g)); diff != "" {
		t.Errorf("ends (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]bool{false, true, false}, g.Handled); diff != "" {
		t.Errorf("handled (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(organism.Ports{{Name: "v", Type: organism.JSON}}, g.Inputs[1]); diff != "" {
		t.Errorf("inputs of the embedding cell (-want +got)\n%s", diff)
	}
	if g.Children[0] != nil || g.Children[1] == nil || g.Children[1].Manifest.Digest() != child {
		t.Errorf("children %v", g.Children)
	}
	if diff := cmp.Diff([]string{"", "", ""}, g.Served); diff != "" {
		t.Errorf("served (-want +got)\n%s", diff)
	}
}

func ends(g *organism.Graph) (pairs [][2]int) {
	for i := range g.From {
		pairs = append(pairs, [2]int{g.From[i], g.To[i]})
	}
	return pairs
}

// TestSignatures lists the ports of every kind whose signature is its own or its
// child's.
func TestSignatures(t *testing.T) {
	store := cas.NewMemory()
	child := put(t, store, parse(t, document(`{"id":"in","kind":"input","outputs":{"list":"json","keep":{"type":"text","optional":true},"q":{"type":"choice","labels":["a","b"]}}},`+
		`{"id":"e","kind":"fn","fn":"label.v1"}`, edges(edge("in.keep", "e.value")),
		`"interface":{"inputs":{"l":{"cell":"in","port":"list"},"k":{"cell":"in","port":"keep"},"c":{"cell":"in","port":"q"}},"outputs":{"r":{"cell":"e","port":"value"}}}`)))
	program := `{"contract":"algal.expr.v1","program":1}`
	labels := organism.Port{Name: "r", Type: organism.Choice, Labels: []string{"a", "b"}}
	choice := organism.Port{Name: "c", Type: organism.Choice, Labels: []string{"a", "b"}}
	keep := organism.Port{Name: "k", Type: organism.Text, Optional: true}
	list := organism.Port{Name: "l", Type: organism.JSON}
	many := func(p organism.Port) organism.Port { p.Many = true; return p }
	optional := func(p organism.Port) organism.Port { p.Optional = true; return p }
	tests := []struct {
		cell            string
		inputs, outputs organism.Ports
	}{
		{`{"id":"a","kind":"store"}`, organism.Ports{{Name: "data", Type: organism.JSON}}, organism.Ports{{Name: "ref", Type: organism.Ref}}},
		{`{"id":"a","kind":"load"}`, organism.Ports{{Name: "ref", Type: organism.Ref}}, organism.Ports{{Name: "data", Type: organism.JSON}}},
		{`{"id":"a","kind":"spawn"}`, organism.Ports{{Name: "manifest", Type: organism.JSON}, {Name: "args", Type: organism.JSON, Optional: true}},
			organism.Ports{{Name: "data", Type: organism.JSON}, {Name: "digest", Type: organism.Text}}},
		{`{"id":"a","kind":"slot","name":"n","mode":"read"}`, nil, organism.Ports{{Name: "data", Type: organism.JSON}}},
		{`{"id":"a","kind":"slot","name":"n","mode":"write"}`, organism.Ports{{Name: "data", Type: organism.JSON}}, organism.Ports{{Name: "data", Type: organism.JSON}}},
		{`{"id":"a","kind":"decide","questions":{"q":{"type":"noul","instructions":"i"}}}`, nil, organism.Ports{{Name: "out", Type: organism.JSON}}},
		{`{"id":"a","kind":"recall","inputs":{"l":"json"},"query":` + program + `}`, organism.Ports{list},
			organism.Ports{{Name: "out", Type: organism.JSON}, {Name: "ref", Type: organism.Ref}}},
		{`{"id":"a","kind":"gate","prompt":"","output":{"kind":"choice","labels":["x"]}}`, nil,
			organism.Ports{{Name: "out", Type: organism.Choice, Labels: []string{"x"}}}},
		{`{"id":"a","kind":"expr","expr":` + program + `,"output":{"kind":"choice","labelsExpr":` + program + `}}`, nil,
			organism.Ports{{Name: "out", Type: organism.Choice}}},
		{embed("a", child, ""), organism.Ports{list, keep, choice}, organism.Ports{labels}},
		{`{"id":"a","kind":"repeat","manifest":"` + string(child) + `","maxRounds":2,"carry":{"r":"c"}}`,
			organism.Ports{list, keep, optional(choice)}, organism.Ports{labels}},
		{`{"id":"a","kind":"each","manifest":"` + string(child) + `","over":"c","maxItems":2}`,
			organism.Ports{list, keep, {Name: "c", Type: organism.JSON}}, organism.Ports{many(labels)}},
	}
	for _, test := range tests {
		// The child is read from the store: its ports come in canonical order.
		g, err := compile(parse(t, document(test.cell)), organism.Env{Store: store})
		if err != nil {
			t.Errorf("%s: %v", test.cell, err)
			continue
		}
		byName := cmp.Transformer("byName", func(ports organism.Ports) map[string]organism.Port {
			m := map[string]organism.Port{}
			for _, p := range ports {
				m[p.Name] = p
			}
			return m
		})
		if diff := cmp.Diff(test.inputs, g.Inputs[0], byName); diff != "" {
			t.Errorf("%s: inputs (-want +got)\n%s", test.cell, diff)
		}
		if diff := cmp.Diff(test.outputs, g.Outputs[0], byName); diff != "" {
			t.Errorf("%s: outputs (-want +got)\n%s", test.cell, diff)
		}
	}
}

// TestStoredChildHasCanonicalOrder holds for any store, also one that hands back
// the value it was given.
func TestStoredChildHasCanonicalOrder(t *testing.T) {
	m, err := admit(t, document(`{"id":"in","kind":"input","outputs":{"z":"json","a":"json"}}`,
		`"interface":{"inputs":{"z":{"cell":"in","port":"z"},"a":{"cell":"in","port":"a"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := compile(parse(t, document(embed("o", m.Digest(), ""))), organism.Env{Store: oneManifest{cas.NewMemory(), m.Normal()}})
	if err != nil {
		t.Fatal(err)
	}
	if g.Inputs[0][0].Name != "a" || g.Children[0].Outputs[0][0].Name != "a" {
		t.Errorf("ports %v", g.Inputs[0])
	}
}

type oneManifest struct {
	cas.Store
	normal canon.Value
}

func (s oneManifest) Manifest(d algal.Digest) (canon.Value, error) { return s.normal, nil }

// hub is a transport that installs manifests, or fails.
type hub struct {
	t       *testing.T
	has     map[algal.Digest][]string
	err     error
	fetches *int
}

func (h hub) Fetch(root algal.Digest, into cas.Store) (bool, error) {
	*h.fetches++
	for _, text := range h.has[root] {
		put(h.t, into, parse(h.t, text))
	}
	return h.has[root] != nil, h.err
}

func TestTransports(t *testing.T) {
	root := mustManifest(t, leaf).Digest()
	via := func(id string) string { return embed(id, root, `,"via":"hub"`) }
	missing := "organism cell \"a\" manifest " + string(root) + " not in store"
	tests := []struct {
		name    string
		has     map[algal.Digest][]string
		err     error
		text    string
		served  []string
		fetches int
	}{
		// The second cell finds the manifest in the store.
		{"delivers", map[algal.Digest][]string{root: {leaf}}, nil, "", []string{"hub", ""}, 1},
		{"fails", nil, errors.New("broken pipe"), "broken pipe", nil, 1},
		{"delivers another", map[algal.Digest][]string{root: {document("")}}, nil, missing, nil, 1},
		{"has none", nil, nil, `cell "a": transport "hub" has no bundle rooted at ` + string(root), nil, 1},
	}
	for _, test := range tests {
		fetches := 0
		env := organism.Env{
			Store:      cas.NewMemory(),
			Transports: map[string]organism.Transport{"hub": hub{t, test.has, test.err, &fetches}},
		}
		g, err := compile(parse(t, document(via("a")+","+via("b"))), env)
		if text := faultOf(err).Message; text != test.text {
			t.Errorf("%s: error %q, want %q", test.name, text, test.text)
		}
		if fetches != test.fetches {
			t.Errorf("%s: %d fetches", test.name, fetches)
		}
		if err == nil {
			if diff := cmp.Diff(test.served, g.Served); diff != "" {
				t.Errorf("%s: served (-want +got)\n%s", test.name, diff)
			}
		}
	}
}

func mustManifest(t testing.TB, text string) *organism.Manifest {
	t.Helper()
	m, err := admit(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCompileDepth covers §11.1 step 1, from any start.
func TestCompileDepth(t *testing.T) {
	store := cas.NewMemory()
	d := put(t, store, parse(t, leaf))
	chain := []algal.Digest{d}
	for i := range 65 {
		chain = append(chain, put(t, store, parse(t, document(embed(fmt.Sprintf("o%d", i), chain[i], ""),
			fmt.Sprintf(`"interface":{"inputs":{},"outputs":{"value":{"cell":"o%d","port":"value"}}}`, i)))))
	}
	env := organism.Env{Store: store, Functions: organism.Builtins()}
	tooDeep := fault{algal.DepthExceeded, "embedding chain exceeds compile depth 64"}
	for _, test := range []struct {
		embeddings, start int
		want              fault
	}{{64, 0, fault{}}, {65, 0, tooDeep}, {60, 4, fault{}}, {60, 5, tooDeep}, {0, 64, fault{}}, {0, 65, tooDeep}} {
		v, err := store.Manifest(chain[test.embeddings])
		if err != nil {
			t.Fatal(err)
		}
		m, err := organism.ParseManifest(v)
		if err != nil {
			t.Fatal(err)
		}
		_, err = organism.Compile(m, env, test.start)
		checkFault(t, fmt.Sprintf("%d embeddings from depth %d", test.embeddings, test.start), err, test.want)
	}
}

// counting counts the reads of manifests.
type counting struct {
	cas.Store
	reads *int
}

func (s counting) Manifest(d algal.Digest) (canon.Value, error) {
	*s.reads++
	return s.Store.Manifest(d)
}

// TestExpansion covers §11.2: every occurrence counts, though each manifest is
// read once, and the counters start anew with each compilation.
func TestExpansion(t *testing.T) {
	reads := 0
	store := counting{cas.NewMemory(), &reads}
	times := func(n int, prefix string, d algal.Digest) string {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = embed(fmt.Sprint(prefix, i), d, "")
		}
		return strings.Join(cells, ",")
	}
	iface := `"interface":{}`
	empty := put(t, store, parse(t, document("", iface)))
	count := fault{algal.BudgetExhausted, "expanded compilation count budget exceeded"}
	size := fault{algal.BudgetExhausted, "expanded compilation manifest byte budget exceeded"}
	// 31 manifests of 32 instances each, the root and 31 more cells.
	branch := put(t, store, parse(t, document(times(31, "o", empty), iface)))
	exact := document(times(31, "o", branch) + "," + times(31, "x", empty))
	over := document(times(31, "o", branch) + "," + times(32, "x", empty))
	wide := func(cells int) algal.Digest {
		list := make([]string, cells)
		for i := range list {
			list[i] = fmt.Sprintf(`{"id":"s%d","kind":"store"}`, i)
		}
		return put(t, store, parse(t, document(strings.Join(list, ","), iface)))
	}
	dense := put(t, store, parse(t, document(`{"id":"i","kind":"input","outputs":{"v":"text"}},{"id":"j","kind":"gate","inputs":{"m":{"type":"text","many":true}},"prompt":"","output":{"kind":"choice","labels":["a"]}}`,
		edges(strings.Split(strings.TrimSuffix(strings.Repeat(edge("i.v", "j.m")+"\n", 256), "\n"), "\n")...), iface)))
	denser := put(t, store, parse(t, document(embed("o", dense, "")+`,{"id":"l","kind":"load"},{"id":"s","kind":"store"}`, edges(edge("l.data", "s.data")), iface)))
	const store1 = `,{"id":"s","kind":"store"}`
	heavy := put(t, store, parse(t, document(`{"id":"k","kind":"const","outputs":{"v":{"type":"text","value":"`+strings.Repeat("x", 1_048_000)+`"}}}`, iface)))
	twice := put(t, store, parse(t, document(times(2, "o", heavy), iface)))
	tests := []struct {
		name, text string
		reads      int
		want       fault
	}{
		{"1024 instances", exact, 2, fault{}},
		{"1025 instances", over, 2, count},
		{"4096 cells", document(times(63, "o", wide(64)) + store1), 1, fault{}},
		{"4097 cells", document(times(63, "o", wide(64)) + "," + times(1, "x", wide(1))), 2, count},
		{"16384 edges", document(times(64, "o", dense)), 1, fault{}},
		{"16385 edges", document(times(63, "o", dense) + "," + times(1, "x", denser)), 2, count},
		{"64 MB", document(times(64, "o", heavy)), 1, fault{}},
		{"over 64 MB", document(times(63, "o", heavy) + "," + times(1, "x", twice)), 2, size},
	}
	env := organism.Env{Store: store, Functions: organism.Builtins()}
	for _, test := range tests {
		m := mustManifest(t, test.text)
		for range 2 {
			reads = 0
			_, err := organism.Compile(m, env, 0)
			checkFault(t, test.name, err, test.want)
			if reads != test.reads {
				t.Errorf("%s: %d reads, want %d", test.name, reads, test.reads)
			}
		}
	}
}

// TestStoreFaultPasses: what the store reports is the fault of the compilation.
func TestStoreFaultPasses(t *testing.T) {
	broken := algal.Errorf(algal.DigestMismatch, "object is not what it claims")
	_, err := compile(parse(t, document(embed("o", canon.Null().Digest(), ""))), organism.Env{Store: brokenStore{cas.NewMemory(), broken}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type brokenStore struct {
	cas.Store
	err error
}

func (s brokenStore) Manifest(algal.Digest) (canon.Value, error) { return canon.Value{}, s.err }

// TestCompileOrder shows which of several faults is reported.
func TestCompileOrder(t *testing.T) {
	store := cas.NewMemory()
	child := put(t, store, parse(t, leaf))
	bare := put(t, store, parse(t, document("")))
	unknownFn := `{"id":"f","kind":"fn","fn":"nope"}`
	agent := func(members string) string {
		return `{"id":"a","kind":"agent","prompt":"","output":{"kind":"text"},` + members + `}`
	}
	tests := []struct {
		name, text string
		want       fault
	}{
		{"ids before children", document(embed("o", "x", "") + "," + embed("o", "x", "")), fault{algal.ManifestInvalid, `duplicate cell id "o"`}},
		{"children before signatures", document(unknownFn + "," + embed("o", "x", "")),
			fault{algal.ParseFailed, `cell "o".manifest must be a sha256:<64 lowercase hex> digest`}},
		{"a child's faults before the next child", document(embed("o", put(t, store, parse(t, document(unknownFn))), "") + "," + embed("p", "x", "")),
			fault{algal.FnUnknown, `cell "f" references unknown fn "nope"`}},
		{"signatures in cell order", document(embed("o", bare, "") + "," + unknownFn),
			fault{algal.InterfaceMismatch, `organism cell "o" requires a sub-manifest with an interface`}},
		{"signatures before the interface", document(unknownFn, `"interface":{"outputs":{"v":{"cell":"x","port":"y"}}}`),
			fault{algal.FnUnknown, `cell "f" references unknown fn "nope"`}},
		{"the interface before edges", document(embed("o", child, ""), edges(edge("x.y", "o.v")), `"interface":{"outputs":{"v":{"cell":"o","port":"y"}}}`),
			fault{algal.InterfaceMismatch, `interface output "v" targets missing port "o.y"`}},
		{"edges before views", document(agent(`"view":{"graph":true}`), edges(edge("x.y", "a.v"))), fault{algal.ManifestInvalid, `edge 0: unknown from cell "x"`}},
		{"view inputs before graph", document(agent(`"view":{"graph":true,"inputs":["x"]}`)),
			fault{algal.ManifestInvalid, `cell "a" view.inputs references undeclared input "x"`}},
		{"views before cycles", document(agent(`"tools":["nope"]`)+`,{"id":"e","kind":"fn","fn":"echo.v1"}`, edges(edge("e.value", "e.value"))),
			fault{algal.ToolUnknown, `cell "a" declares unknown tool "nope"`}},
		{"producer's port before the consumer's", document(`{"id":"s","kind":"store"}`, edges(edge("s.x", "s.y"))),
			fault{algal.ManifestInvalid, `cell "s" has no output port "x"`}},
		{"types before the guard", document(`{"id":"l","kind":"load"},{"id":"m","kind":"load"}`, edges(`{"guard":{"equals":"x"},`+edge("l.data", "m.ref")[1:])),
			fault{algal.TypeMismatch, "edge 0: l.data (json) cannot feed m.ref (ref)"}},
		{"guard before fan-in", document(`{"id":"l","kind":"load"},{"id":"s","kind":"store"}`, edges(edge("l.data", "s.data"), `{"guard":{"equals":"x"},`+edge("l.data", "s.data")[1:])),
			fault{algal.GuardInvalid, "edge 1: guard requires a choice producer, got json"}},
		{"a cell in a cycle is its own ancestor", document(`{"id":"a","kind":"agent","inputs":{"x":"json"},"prompt":"","output":{"kind":"text"},"view":{"cells":["a"]}}`, edges(edge("a.out", "a.x"))),
			fault{algal.GraphCycle, "manifest graph contains a cycle; organisms must be acyclic"}},
		{"an empty label list", document(`{"id":"i","kind":"input","outputs":{"c":{"type":"choice","labels":[]}}},{"id":"j","kind":"gate","inputs":{"c":{"type":"text","many":true}},"prompt":"","output":{"kind":"choice","labels":["x"]}}`,
			edges(`{"guard":{"equals":"x"},`+edge("i.c", "j.c")[1:])), fault{algal.GuardInvalid, `edge 0: guard label "x" not in producer labels`}},
	}
	for _, test := range tests {
		_, err := compile(parse(t, test.text), organism.Env{Store: store})
		checkFault(t, test.name, err, test.want)
	}
}

// TestFeeds lists §11.9 row by row.
func TestFeeds(t *testing.T) {
	tests := []struct {
		producer, consumer string
		fits               bool
	}{
		{`"text"`, `"text"`, true},
		{`"text"`, `"json"`, true},
		{`"json"`, `"text"`, false},
		{`"json"`, `"choice"`, false},
		{`"text"`, `"choice"`, false},
		{`"choice"`, `"text"`, true},
		{`"choice"`, `"json"`, true},
		{`"choice"`, `{"type":"choice","labels":["a"]}`, true},
		{`{"type":"choice","labels":["a"]}`, `"choice"`, true},
		{`{"type":"choice","labels":["a"]}`, `{"type":"choice","labels":["b","a"]}`, true},
		{`{"type":"choice","labels":["a","b"]}`, `{"type":"choice","labels":["a"]}`, false},
		{`{"type":"choice","labels":[]}`, `{"type":"choice","labels":["a"]}`, true},
		{`{"type":"choice","labels":["a"]}`, `{"type":"choice","labels":[]}`, false},
		{`"ref"`, `"ref"`, true},
		{`"ref"`, `"json"`, false},
		{`"ref"`, `"text"`, false},
		{`"text"`, `"ref"`, false},
		{`"text"`, `{"type":"text","many":true}`, true},
		{`{"type":"json","schema":{"type":"string"}}`, `{"type":"json","schema":{"type":"number"}}`, true},
	}
	for _, test := range tests {
		_, err := compile(parse(t, document(`{"id":"i","kind":"input","outputs":{"v":`+test.producer+`}},
			{"id":"g","kind":"gate","inputs":{"v":`+test.consumer+`},"prompt":"","output":{"kind":"choice","labels":["x"]}}`, edges(edge("i.v", "g.v")))),
			organism.Env{Store: cas.NewMemory()})
		if (err == nil) != test.fits {
			t.Errorf("%s into %s: %v", test.producer, test.consumer, err)
		}
	}
}

// TestTypeTexts shows port types as messages do; a declared list may be empty.
func TestTypeTexts(t *testing.T) {
	for port, want := range map[string]string{
		`"text"`:                               "text",
		`"choice"`:                             "choice(*)",
		`{"type":"choice","labels":[]}`:        "choice()",
		`{"type":"choice","labels":["a","b"]}`: "choice(a|b)",
		`{"type":"cap","capability":"k"}`:      "cap",
	} {
		_, err := compile(parse(t, document(`{"id":"i","kind":"input","outputs":{"v":`+port+`}},{"id":"l","kind":"load"}`, edges(edge("i.v", "l.ref")))),
			organism.Env{Store: cas.NewMemory()})
		checkFault(t, port, err, fault{algal.TypeMismatch, "edge 0: i.v (" + want + ") cannot feed l.ref (ref)"})
	}
}
