package chain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 100})
	if err != nil {
		t.Fatalf("%v in %.80s", err, text)
	}
	return v
}

// with returns v with a member set to the value of a JSON text, or removed where
// that is empty.
func with(t testing.TB, v canon.Value, key, text string) canon.Value {
	t.Helper()
	if text == "" {
		return v.Without(key)
	}
	return v.With(canon.M(key, parse(t, text)))
}

// hash is a digest that ends in n, as JSON text.
func hash(n int) string { return fmt.Sprintf(`"sha256:%064x"`, n) }

// handles is a JSON list of n wake handles, ascending.
func handles(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"cap:wait:sha256:%064x"`, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// suspendedRecord has every member there is.
var suspendedRecord = `{"args":{"c":{"p":1}},"cause":"manual","contract":"algal.process.v1","generation":2,"manifestDigest":` + hash(1) +
	`,"maxGenerations":3,"name":"demo","previous":` + hash(2) + `,"receipt":` + hash(3) + `,"status":"suspended","wake":` + handles(2) + `}`

// recordFault is one thing wrong with a record: a member and what it is set to.
type recordFault struct {
	key, value string
	code       algal.Code
	text       string
}

// recordFaults lists a fault for the checks of process.md §2.2 in their order.
func recordFaults() []recordFault {
	deep := `{"c":{"p":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}}`
	wide := `{"c":{"p":[` + strings.TrimSuffix(strings.Repeat("0,", 99_990), ",") + `]}}`
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	const mismatch, parsing, typing, budget = algal.ReceiptMismatch, algal.ParseFailed, algal.TypeMismatch, algal.BudgetExhausted
	return []recordFault{
		{"args", deep, budget, "process JSON depth/count exceeded"},
		{"args", wide, budget, "process JSON depth/count exceeded"},
		{"name", long(512_000), budget, "process JSON byte limit exceeded"},
		{"extra", `1`, parsing, `process has unknown key "extra"`},
		{"contract", `"algal.process.v2"`, mismatch, "invalid process contract"},
		{"contract", ``, mismatch, "invalid process contract"},
		{"status", `7`, mismatch, "invalid process status"},
		{"status", `"escaped"`, mismatch, "invalid process status"},
		{"status", ``, mismatch, "invalid process status"},
		{"wake", ``, parsing, "wake capabilities must contain 1..16 handles"},
		{"wake", `{}`, parsing, "wake capabilities must contain 1..16 handles"},
		{"wake", handles(17), parsing, "wake capabilities must contain 1..16 handles"},
		{"wake", `["x"]`, typing, "wake capabilities[0] is not a valid capability handle"},
		{"wake", `[7]`, typing, "wake capabilities[0] must be an opaque capability handle"},
		{"wake", `["cap:w:sha256:` + strings.Repeat("0", 64) + `","cap:w:sha256:` + strings.Repeat("0", 64) + `"]`, parsing, "wake capabilities must be unique"},
		{"wake", `["cap:x:sha256:` + strings.Repeat("0", 64) + `","cap:w:sha256:` + strings.Repeat("0", 64) + `"]`, mismatch, "process wake handles must be sorted"},
		{"name", `"Demo"`, parsing, "process name must be a lowercase kebab-case id"},
		{"name", ``, parsing, "process name must be a string of at most 64 characters"},
		{"name", long(65), parsing, "process name must be a string of at most 64 characters"},
		{"manifestDigest", `"sha256:1"`, parsing, "process manifestDigest must be a sha256:<64 lowercase hex> digest"},
		{"args", `{"c":{"p":` + long(249_987) + `}}`, budget, "process JSON byte limit exceeded"},
		{"args", ``, parsing, "process args must be an object"},
		{"args", `[]`, parsing, "process args must be an object"},
		{"args", `{"C":{}}`, parsing, "process args cell must be a lowercase kebab-case id"},
		{"args", `{"c":[]}`, parsing, "process args.c must be an object"},
		{"args", `{"c":{"P":1}}`, parsing, "process args port must be a lowercase kebab-case id"},
		{"maxGenerations", `0`, parsing, "maxGenerations must be an integer in [1, 64]"},
		{"maxGenerations", `65`, parsing, "maxGenerations must be an integer in [1, 64]"},
		{"generation", `1.5`, parsing, "generation must be an integer in [0, 64]"},
		{"generation", `-1`, parsing, "generation must be an integer in [0, 64]"},
		{"generation", `"2"`, parsing, "generation must be an integer in [0, 64]"},
		{"generation", `4`, mismatch, "process generation exceeds limit"},
		{"previous", `null`, parsing, "process previous must be a sha256:<64 lowercase hex> digest"},
		{"receipt", `null`, parsing, "process receipt must be a sha256:<64 lowercase hex> digest"},
		{"cause", `null`, typing, "process cause must be an opaque capability handle"},
		{"cause", `"later"`, typing, "process cause is not a valid capability handle"},
		{"generation", `0`, mismatch, "initial process must be ready generation zero"},
		{"previous", ``, mismatch, "process generation requires parent and cause"},
		{"cause", ``, mismatch, "process generation requires parent and cause"},
		{"status", `"ready"`, mismatch, "process generation requires parent and cause"},
		{"status", `"complete"`, mismatch, "terminal process cannot carry wake evidence"},
		{"receipt", ``, mismatch, "process outcome requires a receipt"},
	}
}

// TestRecordRules puts each fault alone into a record, then any two: the earlier
// check decides (process.md §2.2).
func TestRecordRules(t *testing.T) {
	good := parse(t, suspendedRecord)
	if _, err := chain.ParseRecord(good); err != nil {
		t.Fatal(err)
	}
	faults, pairs := recordFaults(), 0
	for i, first := range faults {
		check := func(v canon.Value, second string) {
			t.Helper()
			r, err := chain.ParseRecord(v)
			if r != nil || algal.CodeOf(err) != first.code || err.Error() != first.text {
				t.Errorf("%s = %.60s%s: %v %v, want %s %s", first.key, first.value, second, algal.CodeOf(err), err, first.code, first.text)
			}
		}
		check(with(t, good, first.key, first.value), "")
		for _, second := range faults[i+1:] {
			if second.key == first.key || len(first.value)+len(second.value) > 100_000 {
				continue
			}
			check(with(t, with(t, good, second.key, second.value), first.key, first.value), fmt.Sprintf(" and %s = %.60s", second.key, second.value))
			pairs++
		}
	}
	t.Logf("%d faults, %d pairs", len(faults), pairs)
}

func TestRecordIsAnObject(t *testing.T) {
	for _, text := range []string{`[]`, `null`, `"process"`} {
		r, err := chain.ParseRecord(parse(t, text))
		if r != nil || algal.CodeOf(err) != algal.ParseFailed || err.Error() != "process must be an object" {
			t.Errorf("%s: %v %v", text, algal.CodeOf(err), err)
		}
	}
	for size, want := range map[int]string{512_000: `process has unknown key "x"`, 512_001: "process JSON byte limit exceeded"} {
		_, err := chain.ParseRecord(parse(t, `{"x":"`+strings.Repeat("x", size-len(`{"x":""}`))+`"}`))
		if err == nil || err.Error() != want {
			t.Errorf("%d bytes: %v, want %s", size, err, want)
		}
	}
	deep := parse(t, strings.Repeat("[", 66)+strings.Repeat("]", 66))
	if _, err := chain.ParseRecord(deep); algal.CodeOf(err) != algal.BudgetExhausted {
		t.Errorf("the bounds come first: %v", err)
	}
}

// TestInitialRecord: what must be absent at generation zero (§2.2 step 10).
func TestInitialRecord(t *testing.T) {
	ready := parse(t, readyRecord)
	if _, err := chain.ParseRecord(ready); err != nil {
		t.Fatal(err)
	}
	for _, e := range [][2]string{
		{"status", `"uncertain"`}, {"status", `"complete"`}, {"previous", hash(2)}, {"receipt", hash(3)}, {"cause", `"start"`}, {"wake", handles(1)},
	} {
		_, err := chain.ParseRecord(with(t, ready, e[0], e[1]))
		if algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != "initial process must be ready generation zero" {
			t.Errorf("%s = %s: %v", e[0], e[1], err)
		}
	}
}

// TestRecordBounds: what is just inside the bounds, and what a record tells.
func TestRecordBounds(t *testing.T) {
	good := parse(t, suspendedRecord)
	for _, e := range [][2]string{
		{"wake", handles(16)}, {"wake", `[]`}, {"maxGenerations", `64`}, {"generation", `3.0`}, {"name", `"a` + strings.Repeat("-", 63) + `"`},
		{"args", `{"c":{"p":"` + strings.Repeat("x", 249_986) + `"}}`}, {"args", `{}`}, {"cause", `"cap:any-class:sha256:` + strings.Repeat("f", 64) + `"`},
		{"args", `{"c":{"p":` + strings.Repeat("[", 61) + strings.Repeat("]", 61) + `}}`}, {"status", `"uncertain"`},
	} {
		v := with(t, good, e[0], e[1])
		r, err := chain.ParseRecord(v)
		if err != nil {
			t.Errorf("%s = %.60s: %v", e[0], e[1], err)
		} else if !canon.Equal(r.Value(), v) || r.Value().Digest() != v.Digest() {
			t.Errorf("%s = %.60s: the record was changed", e[0], e[1])
		}
	}
	terminal := with(t, good, "wake", `[]`)
	for _, status := range []chain.Status{chain.Complete, chain.Failed, chain.Stuck} {
		if _, err := chain.ParseRecord(with(t, terminal, "status", `"`+string(status)+`"`)); err != nil || !status.Terminal() || !status.Known() {
			t.Errorf("%s: %v", status, err)
		}
	}
	waits := with(t, with(t, good, "wake", handles(1)), "status", `"failed"`)
	if _, err := chain.ParseRecord(waits); err == nil || err.Error() != "terminal process cannot carry wake evidence" {
		t.Errorf("one handle: %v", err)
	}
	first := with(t, with(t, good, "generation", `1`), "previous", ``)
	if _, err := chain.ParseRecord(first); err == nil || err.Error() != "process generation requires parent and cause" {
		t.Errorf("generation 1 without parent: %v", err)
	}
	for _, status := range []chain.Status{chain.Ready, chain.Uncertain, chain.Suspended, "", "escaped"} {
		if status.Terminal() || status.Known() == (status == "" || status == "escaped") {
			t.Errorf("%q is terminal or not known", status)
		}
	}
	r, err := chain.ParseRecord(good)
	if err != nil {
		t.Fatal(err)
	}
	want := &chain.Record{
		Name: "demo", ManifestDigest: digest(1), Args: parse(t, `{"c":{"p":1}}`), MaxGenerations: 3, Generation: 2, Status: chain.Suspended,
		Wake: []string{"cap:wait:" + string(digest(0)), "cap:wait:" + string(digest(1))}, Previous: digest(2), Receipt: digest(3), Cause: chain.CauseManual,
	}
	if diff := cmp.Diff(want, r, cmp.Comparer(canon.Equal), cmpopts.IgnoreUnexported(chain.Record{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func digest(n int) algal.Digest { return algal.Digest(fmt.Sprintf("sha256:%064x", n)) }

const readyRecord = `{"args":{},"contract":"algal.process.v1","generation":0,"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","maxGenerations":2,"name":"demo","status":"ready","wake":[]}`

// TestRecordVectors are those of process.md §2.4.
func TestRecordVectors(t *testing.T) {
	ready := parse(t, readyRecord)
	intent := ready.With(
		canon.M("cause", canon.String("start")), canon.M("generation", canon.Int(1)), canon.M("status", canon.String("uncertain")),
		canon.M("previous", canon.String("sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28")))
	outcome := intent.With(
		canon.M("status", canon.String("complete")), canon.M("previous", canon.String("sha256:39876289bb1df31a6d91ad71bf1d4924683e1c39199585dfce7101cd5cbd7a9e")),
		canon.M("receipt", canon.String("sha256:a122aec62483adca41256f9085d7b1358bc8271c894dbaa518e2f8cd7de12268")))
	for want, v := range map[algal.Digest]canon.Value{
		"sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28": ready,
		"sha256:39876289bb1df31a6d91ad71bf1d4924683e1c39199585dfce7101cd5cbd7a9e": intent,
		"sha256:04be9760b20539ec2d26c5451219f6e657feaadc4ae8429259ca28dc3174a7d4": outcome,
	} {
		if _, err := chain.ParseRecord(v); err != nil || v.Digest() != want {
			t.Errorf("%s: %v, digest %s", v, err, v.Digest())
		}
	}
}
