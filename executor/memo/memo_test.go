package memo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// fake is an executor whose answers the test decides.
type fake struct {
	description runtime.Description
	answer      runtime.Answer
	err         error
	calls       int
}

func (f *fake) Describe() runtime.Description { return f.description }

func (f *fake) Call(context.Context, *runtime.Request) (runtime.Answer, error) {
	f.calls++
	return f.answer, f.err
}

var sameValues = cmp.Comparer(canon.Equal)

func request() *runtime.Request {
	return &runtime.Request{
		Digest:         digest,
		CellID:         "a",
		Output:         organism.OutputContract{Kind: organism.Text},
		MaxOutputBytes: 16,
	}
}

// digest is the request digest of store.md §6.1.
const digest = algal.Digest("sha256:6ae0f660046dadcf5fe8462c0e00a062db4c8d67be82f4098c5ea4208d19b076")

// TestHit shows what is stored and what a second call serves.
func TestHit(t *testing.T) {
	usage := executortest.JSON(t, `{"model":"m","tokensIn":3}`)
	inner := &fake{
		description: runtime.Description{ID: "e", Cacheable: true, Identity: "id1", Configuration: digest},
		answer: runtime.Answer{Output: canon.String("yes"), Metadata: runtime.Metadata{
			Executor: "served", Usage: usage, NotRetryable: true, Configuration: digest,
		}},
	}
	store := cas.NewMemory()
	e := memo.Wrap(store, inner)
	if diff := cmp.Diff(inner.description, e.Describe()); diff != "" {
		t.Error(diff)
	}
	first, err := e.Call(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inner.answer, first, sameValues); diff != "" {
		t.Errorf("the live answer: %s", diff)
	}
	kept, err := store.Effect("id1", digest)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"executor":"served","output":"yes","requestDigest":"` + string(digest) + `","usage":{"model":"m","tokensIn":3}}`
	if kept.String() != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
	second, err := e.Call(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	hit := runtime.Answer{Output: canon.String("yes"), Metadata: runtime.Metadata{Executor: "served", Usage: usage, Cached: true}}
	if diff := cmp.Diff(hit, second, sameValues); diff != "" {
		t.Errorf("the hit: %s", diff)
	}
	if inner.calls != 1 {
		t.Errorf("%d calls", inner.calls)
	}
}

// TestKept lists which answers are kept (store.md §6.4).
func TestKept(t *testing.T) {
	choice := organism.OutputContract{Kind: organism.Choice, Labels: []string{"y"}}
	anything := organism.OutputContract{Kind: organism.JSON, Schema: organism.NewSchema(executortest.JSON(t, `{"type":["object","array","null"]}`), 1)}
	cases := []struct {
		name     string
		output   string
		contract organism.OutputContract
		err      error
		kept     bool
	}{
		{"bound", `"y"`, choice, nil, true},
		{"not bound", `"n"`, choice, nil, false},
		{"null", `null`, anything, nil, true},
		{"at the byte bound", `["1234567890123456"]`, anything, nil, true},
		{"beyond the byte bound", `["12345678901234567"]`, anything, nil, false},
		{"tool call", `{"tool":1,"inputs":2}`, anything, nil, false},
		{"no inputs", `{"tool":1}`, anything, nil, true},
		{"an error", `"y"`, choice, algal.Errorf(algal.EffectFailed, "no"), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			q := request()
			q.Output, q.MaxOutputBytes = c.contract, 20
			inner := &fake{
				description: runtime.Description{ID: "e", Cacheable: true},
				answer:      runtime.Answer{Output: executortest.JSON(t, c.output)},
				err:         c.err,
			}
			store := cas.NewMemory()
			if _, err := memo.Wrap(store, inner).Call(t.Context(), q); !errors.Is(err, c.err) {
				t.Error(err)
			}
			kept, err := store.Effect("e", q.Digest)
			if err != nil || kept.Exists() != c.kept {
				t.Errorf("kept %s, %v", kept, err)
			}
			if c.kept && !kept.Get("executor").IsText("e") {
				t.Errorf("kept under another name: %s", kept)
			}
		})
	}
}

// TestRecordedError shows that a memo of an error is a miss, and stays.
func TestRecordedError(t *testing.T) {
	store := cas.NewMemory()
	failed := executortest.JSON(t, `{"error":{"code":"EFFECT_FAILED","message":"x"},"executor":"e","requestDigest":"`+string(digest)+`"}`)
	if err := store.PutEffect("e", failed); err != nil {
		t.Fatal(err)
	}
	inner := &fake{description: runtime.Description{ID: "e", Cacheable: true}, answer: runtime.Answer{Output: canon.String("yes")}}
	e := memo.Wrap(store, inner)
	for range 2 {
		if a, err := e.Call(t.Context(), request()); err != nil || a.Cached || !a.Output.IsText("yes") {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if kept, _ := store.Effect("e", digest); inner.calls != 2 || !canon.Equal(kept, failed) {
		t.Errorf("%d calls, kept %s", inner.calls, kept)
	}
}

func TestNotCacheable(t *testing.T) {
	inner := &fake{description: runtime.Description{ID: "e"}}
	if got := memo.Wrap(cas.NewMemory(), inner); got != runtime.Executor(inner) {
		t.Errorf("%T", got)
	}
}

// damaged is a store whose memo cannot be used.
type damaged struct {
	cas.Store
	get, put error
}

func (d *damaged) Effect(string, algal.Digest) (canon.Value, error) { return canon.Value{}, d.get }
func (d *damaged) PutEffect(string, canon.Value) error              { return d.put }

func TestDamagedStore(t *testing.T) {
	fault := algal.Errorf(algal.DigestMismatch, "effect file R claims request OTHER")
	inner := &fake{
		description: runtime.Description{ID: "e", Cacheable: true},
		answer:      runtime.Answer{Output: canon.String("yes"), Metadata: runtime.Metadata{Configuration: digest}},
	}
	if _, err := memo.Wrap(&damaged{get: fault}, inner).Call(t.Context(), request()); !errors.Is(err, fault) || inner.calls != 0 {
		t.Errorf("%v after %d calls", err, inner.calls)
	}
	answer, err := memo.Wrap(&damaged{put: fault}, inner).Call(t.Context(), request())
	if !errors.Is(err, fault) || answer.Output.Exists() || answer.Configuration != digest {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestRecordedRun is case 36 of run.md §18: the second run on one store.
func TestRecordedRun(t *testing.T) {
	for _, r := range executortest.Recordings(t) {
		if r.Name != "36-cached" {
			continue
		}
		host := r.Host(t)
		var receipt canon.Value
		for range 2 {
			script, err := scripted.New(r.Executors[0].Responses, "")
			if err != nil {
				t.Fatal(err)
			}
			host.Executors = []runtime.Executor{memo.Wrap(host.Store, script)}
			receipt = executortest.Run(t, r.Manifest, r.Args, host)
		}
		if diff := cmp.Diff(r.Receipt.String(), receipt.String()); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("case 36-cached is missing")
}

// TestX6 is X-6 of conformance.md. The reference suite puts the effects of a first
// run into the memo by itself, tool calls included, and records the second run;
// here two runs through the memo must do as well.
func TestX6(t *testing.T) {
	golden.NeedShared(t)
	examples := 0
	for _, e := range goldenrun.Parse(t, "examples/index.json").Get("entries").Elements() {
		if !e.Get("cacheMarker").Is(canon.KindString) {
			continue
		}
		examples++
		read := func(v canon.Value) canon.Value { return goldenrun.Parse(t, "examples/"+v.Text()) }
		manifest, args := read(e.Get("manifest")), read(e.Get("args"))
		run := func(store cas.Store) canon.Value {
			script, err := scripted.New(read(e.Get("responses")), "")
			if err != nil {
				t.Fatal(err)
			}
			return executortest.Run(t, manifest, args, runtime.Host{Store: store, Executors: []runtime.Executor{memo.Wrap(store, script)}})
		}
		filled := cas.NewMemory()
		script, err := scripted.New(read(e.Get("responses")), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, effect := range read(e.Get("receipt")).Get("effects").Elements() {
			if err := filled.PutEffect(script.Describe().Identity, effect); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(read(e.Get("cache").Get("receipt")).String(), run(filled).String()); diff != "" {
			t.Error(diff)
		}
		store := cas.NewMemory()
		if diff := cmp.Diff(read(e.Get("receipt")).String(), run(store).String()); diff != "" {
			t.Error(diff)
		}
		again := run(store)
		if !again.Get("outcome").IsText("complete") || hits(again) == 0 {
			t.Errorf("%d hits: %s", hits(again), again)
		}
	}
	t.Logf("%d examples", examples)
	if examples == 0 {
		t.Error("no example is cached")
	}
}

// hits counts the effects of a receipt that came from the memo.
func hits(receipt canon.Value) int {
	n := 0
	for _, effect := range receipt.Get("effects").Elements() {
		if effect.Get("cached").Bool() {
			n++
		}
	}
	return n
}
