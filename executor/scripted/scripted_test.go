package scripted_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func newExecutor(t testing.TB, responses, id string) *scripted.Executor {
	t.Helper()
	e, err := scripted.New(executortest.JSON(t, responses), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestIdentity covers the computed vectors of run.md §8.5.1 and journal.md §6.
func TestIdentity(t *testing.T) {
	vectors := map[string]algal.Digest{
		`{"a":"memo"}`: "sha256:bbc58a71a9711b732a036971f8d3536a1f8db91d7c40867ddb23bd4442597b6a",
		`{"ask":"a"}`:  "sha256:81b8851cbcc9638bd499ff9515ff337f5b5a381deaabf41f015625f2a491722a",
	}
	for _, row := range goldenrun.Parse(t, "digests.json").Elements() {
		if row.Get("what").IsText("cache identity of the scripted executor") {
			vectors[row.Get("input").Get("responses").String()] = algal.Digest(row.Get("digest").Text())
		}
	}
	if len(vectors) != 3 {
		t.Errorf("%d vectors, want 3", len(vectors))
	}
	for responses, want := range vectors {
		d := newExecutor(t, responses, "").Describe()
		if d.Identity != string(want) || d.Configuration != want || d.ID != "scripted" {
			t.Errorf("%s: %+v, want %s", responses, d, want)
		}
	}
	named := newExecutor(t, `{"a":"memo"}`, "notes").Describe()
	if named.ID != "notes" || named.Configuration == vectors[`{"a":"memo"}`] {
		t.Errorf("a named executor shares the identity: %+v", named)
	}
}

func TestDescription(t *testing.T) {
	d := newExecutor(t, `{}`, "").Describe()
	for _, k := range []runtime.EffectKind{"agent", "classifier", "gate", "decide", "recall"} {
		if !d.Admits(k) {
			t.Errorf("%s is not admitted", k)
		}
	}
	if !d.Wildcard || !d.Cacheable || !d.Retryable {
		t.Errorf("%+v", d)
	}
}

func TestNotAnObject(t *testing.T) {
	if _, err := scripted.New(executortest.JSON(t, `[]`), ""); algal.CodeOf(err) != algal.ParseFailed || err.Error() != "responses must be an object" {
		t.Error(err)
	}
}

const question = algal.Digest("sha256:0000000000000000000000000000000000000000000000000000000000000001")

// answers asks for a cell n times and returns the answers, "!" and the message for
// an error.
func answers(t testing.TB, e *scripted.Executor, cell string, digest algal.Digest, n int) []string {
	var got []string
	for range n {
		a, err := e.Call(t.Context(), &runtime.Request{CellID: cell, Digest: digest})
		if err != nil {
			if algal.CodeOf(err) != algal.EffectUnbound || algal.AsError(err).Uncertain || a.NotRetryable {
				t.Errorf("%s is not a retryable EFFECT_UNBOUND", err)
			}
			got = append(got, "!"+err.Error())
			continue
		}
		if diff := cmp.Diff(runtime.Metadata{}, a.Metadata, cmp.Comparer(canon.Equal)); diff != "" {
			t.Errorf("metadata: %s", diff)
		}
		got = append(got, a.Output.String())
	}
	return got
}

func TestAnswers(t *testing.T) {
	missing := func(cell string) string {
		return `!no scripted response for cell "` + cell + `" (digest ` + string(question) + `)`
	}
	responses := `{"one":"x","nil":null,"queue":[1,null,[2]],"empty":[],"` + string(question) + `":[8,9]}`
	other := algal.Digest("sha256:" + strings.Repeat("f", 64))
	cases := []struct {
		name, cell string
		digest     algal.Digest
		want       []string
	}{
		{"a scalar answers every time", "one", other, []string{`"x"`, `"x"`}},
		{"null is an answer", "nil", other, []string{"null", "null"}},
		{"a list is a queue", "queue", other, []string{"1", "null", "[2]", strings.ReplaceAll(missing("queue"), string(question), string(other))}},
		{"a digest answers whole", "one", question, []string{"[8,9]", "[8,9]"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := newExecutor(t, responses, "")
			if diff := cmp.Diff(c.want, answers(t, e, c.cell, c.digest, len(c.want))); diff != "" {
				t.Error(diff)
			}
		})
	}
	e := newExecutor(t, `{"queue":[],"other":[1]}`, "")
	for _, cell := range []string{"queue", "absent"} {
		if diff := cmp.Diff([]string{missing(cell)}, answers(t, e, cell, question, 1)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestQueuesAreApart interleaves cells at random: each sees its own queue in order.
func TestQueuesAreApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := newExecutor(t, `{"a":[0,1,2,3],"b":[0,1,2,3]}`, "")
		seen := map[string]int{}
		for _, cell := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 12).Draw(r, "cells") {
			a, err := e.Call(t.Context(), &runtime.Request{CellID: cell, Digest: question})
			if i := seen[cell]; i < 4 && (err != nil || a.Output.Float() != float64(i)) || i >= 4 && err == nil {
				r.Fatalf("call %d of %s: %v, %v", i, cell, a.Output, err)
			}
			seen[cell]++
		}
	})
}
