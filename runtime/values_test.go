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

func text(n int) string { return `"` + strings.Repeat("x", n-2) + `"` } // a JSON string of n bytes

// TestReferences holds run.md §6.1 and §7.5: references must be there, a load gives
// what a store kept.
func TestReferences(t *testing.T) {
	store := cas.NewMemory()
	kept, err := store.PutValue(parse(t, `{"k":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	absent := canon.String("absent").Digest()
	input := `{"id":"i","kind":"input","outputs":{"r":"ref"}},{"id":"l","kind":"load"}`
	host := runtime.Host{Store: store}
	arg := func(v string) string { return `{"i":{"r":` + v + `}}` }

	loaded := run(t, document(input, edges("i.r l.ref")), arg(`"`+string(kept)+`"`), host)
	same(t, "load", cell(loaded, "l").Get("outputs"), `{"data":{"k":[1]}}`)
	failed(t, "absent", run(t, document(input, edges("i.r l.ref")), arg(`"`+string(absent)+`"`), host),
		algal.InputMissing, "i.r: ref "+string(absent)+" not in store", "i")
	failed(t, "malformed", run(t, document(input, edges("i.r l.ref")), arg(`"sha256:1"`), host),
		algal.TypeMismatch, "i.r: expected a sha256 ref token", "i")
	constant := `{"id":"c","kind":"const","outputs":{"a":{"type":"text","value":"x"},"r":{"type":"ref","value":"` + string(absent) + `"}}}`
	failed(t, "const", run(t, document(constant, ""), `{}`, host), algal.InputMissing, "c.r: ref "+string(absent)+" not in store", "c")

	// A recalled reference was checked by nobody: the load finds out.
	recall := `{"id":"q","kind":"recall","query":` + program(`"x"`) + `},{"id":"l","kind":"load"}`
	hit := `{"hits":[{"id":"` + string(absent) + `","source":"value:` + string(absent) + `","seq":0,"score":1,"text":"t","ref":"` + string(absent) + `"}]}`
	host.Executors = []runtime.Executor{answering(hit)}
	failed(t, "recalled", run(t, document(recall, edges("q.ref l.ref")), `{}`, host), algal.InputMissing, "l: ref "+string(absent)+" not in store", "l")

	stored := run(t, document(literal("v", `{"b":1,"a":2}`)+`,{"id":"s","kind":"store"},{"id":"l","kind":"load"}`, edges("v.v s.data", "s.ref l.ref")), `{}`, host)
	same(t, "store", cell(stored, "s").Get("outputs"), `{"ref":"`+string(parse(t, `{"a":2,"b":1}`).Digest())+`"}`)
	same(t, "store and load", cell(stored, "l").Get("outputs"), `{"data":{"a":2,"b":1}}`)
}

// TestPayloadBounds holds §6 and §7.5: 262,144 bytes are the most that passes a port.
// What lies in the store may be larger, and a load then fails.
func TestPayloadBounds(t *testing.T) {
	const most = 262_144
	store := cas.NewMemory()
	large, err := store.PutValue(parse(t, text(most+1)))
	if err != nil {
		t.Fatal(err)
	}
	host := runtime.Host{Store: store}
	input := `{"id":"i","kind":"input","outputs":{"v":"json","r":"ref"}},`
	failed(t, "port", run(t, document(input+echo("e"), ""), `{"i":{"v":`+text(most+1)+`}}`, host), algal.BudgetExhausted,
		"i.v: value 262145B exceeds maxValueBytes 262144B — pin large payloads through a store cell", "i")
	failed(t, "load", run(t, document(input+`{"id":"l","kind":"load"}`, edges("i.r l.ref")), `{"i":{"r":"`+string(large)+`"}}`, host), algal.BudgetExhausted,
		"l: payload 262145B exceeds maxBlobBytes 262144B", "l")
	for _, kind := range []string{`"kind":"store"`, `"kind":"slot","mode":"write","name":"s"`} {
		receipt := run(t, document(input+`{"id":"x",`+kind+`}`, edges("i.v x.data")), `{"i":{"v":`+text(most)+`}}`, host)
		same(t, kind, cell(receipt, "x").Get("work"), fmt.Sprint(100+most))
	}
}

// TestSlots holds §7.6: what a read gives, in a run and in a replay.
func TestSlots(t *testing.T) {
	store := cas.NewMemory()
	if err := store.SetSlot("s", parse(t, `"stored"`)); err != nil {
		t.Fatal(err)
	}
	read := func(more string) string {
		return document(`{"id":"r","kind":"slot","mode":"read","name":"s"`+more+`}`, "")
	}
	host := runtime.Host{Store: store}
	same(t, "stored", cell(run(t, read(``), `{}`, host), "r"), `{"outputs":{"data":"stored"},"slot":{"mode":"read","name":"s"},"status":"committed","work":100}`)
	same(t, "stored before default", cell(run(t, read(`,"default":1`), `{}`, host), "r").Get("outputs").Get("data"), `"stored"`)
	same(t, "default", cell(run(t, read(`,"default":null`), `{}`, runtime.Host{}), "r").Get("outputs").Get("data"), `null`)
	failed(t, "neither", run(t, read(``), `{}`, runtime.Host{}), algal.InputMissing, `slot cell "r": slot "s" is empty and declares no default`, "r")

	replayed := func(replay *runtime.Replay, text string) canon.Value {
		t.Helper()
		result, err := runtime.Run(t.Context(), manifest(t, text), canon.Value{}, runtime.Host{Store: store}, replay)
		if err != nil {
			t.Fatal(err)
		}
		return result.Receipt()
	}
	recorded := replayed(&runtime.Replay{SlotReads: map[string]canon.Value{"r": parse(t, `"recorded"`)}}, read(``))
	same(t, "recorded", cell(recorded, "r").Get("outputs").Get("data"), `"recorded"`)
	missing := replayed(&runtime.Replay{SlotReads: map[string]canon.Value{"r": {}}}, read(`,"default":1`))
	same(t, "recorded as missing, whatever the default", cell(missing, "r").Get("failure").Get("code"), `"INPUT_MISSING"`)

	write := document(literal("v", `"written"`)+`,{"id":"w","kind":"slot","mode":"write","name":"s"}`, edges("v.v w.data"))
	kept := replayed(&runtime.Replay{SlotWritten: map[string]bool{"w": true}}, write)
	same(t, "a write that was done gives its output", cell(kept, "w").Get("outputs"), `{"data":"written"}`)
	if v, _ := store.Slot("s"); !v.IsText("stored") {
		t.Errorf("it was done again: %s", v)
	}
	run(t, write, `{}`, host)
	if v, _ := store.Slot("s"); !v.IsText("written") {
		t.Errorf("slot holds %s", v)
	}
}

// TestInputs holds §7.1 and §2: arguments are kept as they are, and read port by
// port.
func TestInputs(t *testing.T) {
	cells := `{"id":"i","kind":"input","outputs":{"a":"text","b":"json","c":{"type":"choice","labels":["x"]}}},` + echo("e")
	list := edges("i.b e.value")
	args := `{"i":{"b":null,"unknown":[1]},"e":{"value":7},"nobody":{}}`
	receipt := run(t, document(cells, list), args, runtime.Host{})
	same(t, "args", receipt.Get("args"), args)
	same(t, "null is a value", cell(receipt, "e").Get("outputs"), `{"value":null}`)
	same(t, "what was not given is no output", cell(receipt, "i").Get("outputs"), `{"b":null}`)
	nothing := run(t, document(cells, list), `{}`, runtime.Host{})
	same(t, "nothing given", nothing.Get("cells"), `{"e":{"status":"skipped","work":0},"i":{"status":"committed","work":100}}`)
	failed(t, "ports in declared order", run(t, document(cells, list), `{"i":{"c":"y","a":1}}`, runtime.Host{}), algal.TypeMismatch, "i.a: expected text", "i")
	failed(t, "labels", run(t, document(cells, list), `{"i":{"c":"y"}}`, runtime.Host{}), algal.TypeMismatch, `i.c: "y" not in declared labels`, "i")
}
