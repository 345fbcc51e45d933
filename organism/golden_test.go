package organism_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
)

// parse reads a JSON text that may nest deeper than a document may.
func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 1000})
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// vectors returns the entries of a golden list and logs how many there are.
func vectors(t testing.TB, name string) []canon.Value {
	t.Helper()
	return entries(t, name, parse(t, string(golden.Read(t, name))))
}

func entries(t testing.TB, name string, list canon.Value) []canon.Value {
	t.Helper()
	var all []canon.Value
	for _, e := range list.Elements() {
		all = append(all, e)
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no entries", name)
	}
	t.Logf("%d entries of %s", len(all), name)
	return all
}

// fault is an error as the vectors write it.
type fault struct {
	Code    algal.Code
	Message string
}

func faultOf(err error) fault {
	if err == nil {
		return fault{}
	}
	return fault{algal.CodeOf(err), err.Error()}
}

// wantFault reads the member error of an entry; none means success.
func wantFault(e canon.Value) fault {
	f := e.Get("error")
	return fault{algal.Code(f.Get("code").Text()), f.Get("message").Text()}
}

func checkFault(t *testing.T, name string, err error, want fault) {
	t.Helper()
	if diff := cmp.Diff(want, faultOf(err)); diff != "" {
		t.Errorf("%s: fault (-want +got)\n%s", name, diff)
	}
}

func TestManifestNormalise(t *testing.T) {
	for _, e := range vectors(t, "vectors/manifest-normalise.json") {
		name := e.Get("name").Text()
		m, err := organism.ParseManifest(e.Get("input"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(e.Get("canonical").Text(), m.Normal().String()); diff != "" {
			t.Errorf("%s: normal form (-want +got)\n%s", name, diff)
		}
		if got, want := string(m.Digest()), e.Get("digest").Text(); got != want {
			t.Errorf("%s: digest %s, want %s", name, got, want)
		}
	}
}

func TestManifestParseErrors(t *testing.T) {
	for _, e := range vectors(t, "vectors/manifest-parse-errors.json") {
		m, err := organism.ParseManifest(e.Get("input"))
		checkFault(t, e.Get("name").Text(), err, wantFault(e))
		if m != nil {
			t.Errorf("%s: a refused manifest is returned", e.Get("name").Text())
		}
	}
}

func TestExampleManifestDigests(t *testing.T) {
	list := parse(t, string(golden.Read(t, "vectors/example-manifest-digests.json")))
	if list.Len() == 0 {
		t.Fatal("no entries")
	}
	golden.NeedShared(t) // the examples are third-party data
	for name, want := range list.Members() {
		m, err := organism.ParseManifest(parse(t, string(golden.Read(t, "examples/"+name))))
		switch {
		case want.Is(canon.KindObject):
			checkFault(t, name, err, wantFault(canon.Object(canon.M("error", want))))
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case string(m.Digest()) != want.Text():
			t.Errorf("%s: digest %s, want %s", name, m.Digest(), want.Text())
		}
	}
	t.Logf("%d example manifests", list.Len())
}

// noBundle is a transport that has nothing.
type noBundle struct{}

func (noBundle) Fetch(algal.Digest, cas.Store) (bool, error) { return false, nil }

// put admits a manifest and keeps its normal form.
func put(t testing.TB, s cas.Store, v canon.Value) algal.Digest {
	t.Helper()
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.PutManifest(m.Normal())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// compile admits and compiles a document with the built-in functions.
func compile(v canon.Value, env organism.Env) (*organism.Graph, error) {
	m, err := organism.ParseManifest(v)
	if err != nil {
		return nil, err
	}
	if env.Functions == nil {
		env.Functions = organism.Builtins()
	}
	return organism.Compile(m, env, 0)
}

func TestCompileVectors(t *testing.T) {
	overridden := 0
	for _, e := range vectors(t, "vectors/compile.json") {
		name := e.Get("name").Text()
		env := organism.Env{Store: cas.NewMemory()}
		for _, s := range e.Get("stored").Elements() {
			if d := put(t, env.Store, s.Get("manifest")); string(d) != s.Get("digest").Text() {
				t.Fatalf("%s: stored manifest has digest %s", name, d)
			}
		}
		want := wantFault(e)
		switch name {
		case "via-no-bundle": // presupposes a transport
			env.Transports = map[string]organism.Transport{"hub": noBundle{}}
		case "constructor-port": // its note overrides the recorded result
			overridden++
			want = fault{algal.ManifestInvalid, `cell "a" has no output port "constructor"`}
		}
		g, err := compile(e.Get("input"), env)
		checkFault(t, name, err, want)
		if (g == nil) != (err != nil) {
			t.Errorf("%s: graph %v with error %v", name, g, err)
		}
	}
	t.Logf("%d of them by their note, against the recorded result", overridden)
	if overridden != 1 {
		t.Error("the entry with an overriding note is missing")
	}
}

// TestRandomManifests admits and compiles the seeded random documents.
func TestRandomManifests(t *testing.T) {
	const name = "random/manifests.jsonl"
	stages := map[string]int{}
	for _, line := range golden.Lines(t, name) {
		e := parse(t, line)
		id := e.Get("id").Text()
		env := organism.Env{Store: cas.NewMemory(), Tools: map[string]*organism.Tool{}}
		for _, v := range e.Get("manifests").Members() {
			put(t, env.Store, v)
		}
		for tool, v := range e.Get("tools").Members() {
			env.Tools[tool] = mustTool(t, v.Get("signature"))
		}
		for tool, text := range standardTools {
			env.Tools[tool] = mustTool(t, parse(t, text))
		}
		g, err := compile(e.Get("input"), env)
		checkFault(t, id, err, wantFault(e))
		if err == nil && string(g.Manifest.Digest()) != e.Get("digest").Text() {
			t.Errorf("%s: digest %s, want %s", id, g.Manifest.Digest(), e.Get("digest"))
		}
		stages[e.Get("stage").Text()]++
	}
	if len(stages) == 0 {
		t.Fatalf("%s holds no entries", name)
	}
	t.Logf("%d refused when read, %d when compiled, %d admitted", stages["parse"], stages["compile"], stages[""])
}

func mustTool(t *testing.T, v canon.Value) *organism.Tool {
	t.Helper()
	tool, err := organism.ParseTool(v, "tool signature")
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// standardTools are the host tools of every run (evidence.md §1.1, run.md §9.6).
var standardTools = map[string]string{
	"mailbox.receive.v1": `{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-receive","type":"cap"}},` +
		`"maxOutputBytes":262144,"outputs":{"id":{"type":"text"},"message":{"type":"json"}}}`,
	"mailbox.send.v1": `{"cost":100,"effect":"write","inputs":{"mailbox":{"capability":"mailbox-send","type":"cap"},"message":{"type":"json"}},` +
		`"maxOutputBytes":256,"outputs":{"id":{"type":"text"}}}`,
	"agent.context.local.v1": `{"cost":100,"effect":"read","inputs":{"query":{"type":"json"}},"maxOutputBytes":262144,` +
		`"outputs":{"result":{"type":"json"}}}`,
}

func TestRegistryVectors(t *testing.T) {
	all := parse(t, string(golden.Read(t, "vectors/registry.json")))
	signatures := all.Get("signatures")
	functions := organism.Builtins()
	if signatures.Len() == 0 || signatures.Len() != len(functions) {
		t.Errorf("%d signatures for %d functions", signatures.Len(), len(functions))
	}
	for ref, want := range signatures.Members() {
		fn := functions[ref]
		if fn == nil {
			t.Errorf("%s is missing", ref)
			continue
		}
		if diff := cmp.Diff(portsOf(t, want.Get("inputs")), fn.Inputs); diff != "" {
			t.Errorf("%s inputs (-want +got)\n%s", ref, diff)
		}
		if diff := cmp.Diff(portsOf(t, want.Get("outputs")), fn.Outputs); diff != "" {
			t.Errorf("%s outputs (-want +got)\n%s", ref, diff)
		}
		if fn.Cost != int(want.Get("cost").Float()) {
			t.Errorf("%s costs %d, want %v", ref, fn.Cost, want.Get("cost"))
		}
	}
	t.Logf("%d signatures", signatures.Len())
	for _, call := range entries(t, "calls of vectors/registry.json", all.Get("calls")) {
		ref := call.Get("fn").Text()
		name := ref + call.Get("inputs").String()
		out, err := functions[ref].Call(call.Get("inputs"))
		checkFault(t, name, err, wantFault(call))
		if !canon.Equal(out, call.Get("outputs")) {
			t.Errorf("%s: outputs %v, want %v", name, out, call.Get("outputs"))
		}
	}
}

// portsOf reads a port map through a tool signature.
func portsOf(t *testing.T, v canon.Value) organism.Ports {
	t.Helper()
	signature := canon.Object(canon.M("inputs", v), canon.M("outputs", canon.Object()), canon.M("effect", canon.String("read")),
		canon.M("cost", canon.Int(0)), canon.M("maxOutputBytes", canon.Int(1)))
	return mustTool(t, signature).Inputs
}

func TestCapabilityVectors(t *testing.T) {
	all := parse(t, string(golden.Read(t, "vectors/capabilities.json")))
	for _, e := range entries(t, "mint of vectors/capabilities.json", all.Get("mint")) {
		handle, err := organism.MintHandle(e.Get("class").Text(), e.Get("descriptor"))
		if err != nil || handle != e.Get("handle").Text() {
			t.Errorf("minting %v gave %s, %v", e, handle, err)
		}
	}
	for _, e := range entries(t, "parse of vectors/capabilities.json", all.Get("parse")) {
		h, err := organism.ParseHandle(e.Get("value"), e.Get("expected").Text(), "capability handle")
		checkFault(t, e.String(), err, wantFault(e))
		want := e.Get("result")
		if h.Class != want.Get("capability").Text() || string(h.Digest) != want.Get("digest").Text() {
			t.Errorf("%v: got %v", e, h)
		}
		if err == nil && h.String() != want.Get("handle").Text() {
			t.Errorf("%v: handle %v", e, h)
		}
	}
	for _, e := range entries(t, "wake of vectors/capabilities.json", all.Get("wake")) {
		handles, err := organism.ParseWake(e.Get("value"))
		checkFault(t, e.String(), err, wantFault(e))
		var want []string
		for _, h := range e.Get("result").Elements() {
			want = append(want, h.Text())
		}
		if diff := cmp.Diff(want, handles); diff != "" {
			t.Errorf("%v (-want +got)\n%s", e, diff)
		}
	}
}
