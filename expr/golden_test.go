package expr

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
)

// readGolden parses a golden file, which is a list of cases.
func readGolden(t testing.TB, name string) []canon.Value {
	t.Helper()
	v, err := canon.Parse(string(golden.Read(t, name)), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cases := elementsOf(v)
	if len(cases) == 0 {
		t.Fatalf("no cases in %s", name)
	}
	return cases
}

// TestVectors replays all evaluations of expr.md §13.1: value or failure record,
// and the fuel burned.
func TestVectors(t *testing.T) {
	values, failures, groups := 0, 0, map[string]int{}
	for _, c := range readGolden(t, "expr/vectors.json") {
		id, program, env, want := c.Get("id").Text(), c.Get("program"), c.Get("env"), c.Get("expect")
		if c.Get("template").Bool() {
			program, env = expand(program), expand(env)
		}
		v, burned, f := NewProgram(program).Run(env, int(c.Get("fuel").Float()))
		if burned != int(want.Get("burned").Float()) {
			t.Errorf("%s: burned %d, want %s", id, burned, want.Get("burned"))
		}
		group, _, _ := strings.Cut(id, "/")
		groups[group]++
		if record := want.Get("error"); record.Exists() {
			failures++
			if f == nil || !canon.Equal(f.Record(), record) {
				t.Errorf("%s: got %s %v, want failure %s", id, v, f, record)
			}
			continue
		}
		values++
		if f != nil {
			t.Errorf("%s: failure %s", id, f)
			continue
		}
		checkResult(t, id, v, want)
	}
	t.Logf("%d values and %d failures agree, in %d groups", values, failures, len(groups))
	if values == 0 || failures == 0 {
		t.Fatal("one kind of case is missing")
	}
}

func checkResult(t *testing.T, id string, v, want canon.Value) {
	t.Helper()
	text := v.String()
	if digest := want.Get("valueDigest"); digest.Exists() {
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); !digest.IsText(got) {
			t.Errorf("%s: digest %s, want %s", id, got, digest.Text())
		}
		if len(text) != int(want.Get("valueBytes").Float()) {
			t.Errorf("%s: %d bytes, want %s", id, len(text), want.Get("valueBytes"))
		}
		return
	}
	if text != want.Get("canonical").Text() || !canon.Equal(v, want.Get("value")) {
		t.Errorf("%s: got %s, want %s", id, text, want.Get("canonical").Text())
	}
	if v.Size() != len(text) {
		t.Errorf("%s: size %d of %d bytes", id, v.Size(), len(text))
	}
}

// expand replaces the templates of §13.1, which describe large inputs.
func expand(v canon.Value) canon.Value {
	if v.Is(canon.KindObject) && v.Len() == 1 && strings.HasPrefix(v.Key(0), "$") {
		return expandTemplate(v.Key(0), v.At(0))
	}
	switch v.Kind() {
	case canon.KindArray:
		return canon.Array(expandAll(v)...)
	case canon.KindObject:
		var members []canon.Member
		for key, m := range v.Members() {
			members = append(members, canon.M(key, expand(m)))
		}
		return canon.Object(members...)
	}
	return v
}

func expandAll(l canon.Value) []canon.Value {
	elements := elementsOf(l)
	for i, e := range elements {
		elements[i] = expand(e)
	}
	return elements
}

func expandTemplate(form string, of canon.Value) canon.Value {
	at := func(i int) canon.Value { return of.At(i) }
	count := func(i int) int { return int(of.At(i).Float()) }
	switch form {
	case "$str":
		return canon.String(strings.Repeat(expand(at(0)).Text(), count(1)))
	case "$rep":
		return repeat(expand(at(0)), count(1))
	case "$nest":
		return wrap(nil, expand(at(0)), count(1))
	case "$wrap":
		return wrap(elementsOf(at(0)), expand(at(1)), count(2))
	case "$seq":
		return sequence(count(0), count(1))
	case "$keys":
		var members []canon.Member
		for i := range count(2) {
			members = append(members, canon.M(fmt.Sprintf("%s%04d", at(0).Text(), count(1)+i), expand(at(3))))
		}
		return canon.Object(members...)
	case "$pair":
		return canon.Object(canon.M(expand(at(0)).Text(), expand(at(1))))
	case "$cat":
		return expandCat(expandAll(of))
	case "$merge":
		v := canon.Object()
		for _, e := range expandAll(of) {
			for key, m := range e.Members() {
				v = v.With(canon.M(key, m))
			}
		}
		return v
	}
	panic("unknown template " + form)
}

func expandCat(parts []canon.Value) canon.Value {
	if parts[0].Is(canon.KindString) {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text())
		}
		return canon.String(b.String())
	}
	var elements []canon.Value
	for _, p := range parts {
		elements = append(elements, elementsOf(p)...)
	}
	return canon.Array(elements...)
}

// repeat is a list of n times v.
func repeat(v canon.Value, n int) canon.Value {
	elements := make([]canon.Value, n)
	for i := range elements {
		elements[i] = v
	}
	return canon.Array(elements...)
}

// wrap puts v into n lists, behind prefix.
func wrap(prefix []canon.Value, v canon.Value, n int) canon.Value {
	for range n {
		v = canon.Array(append(append([]canon.Value(nil), prefix...), v)...)
	}
	return v
}

// sequence is the list of n integers from first on.
func sequence(first, n int) canon.Value {
	elements := make([]canon.Value, n)
	for i := range elements {
		elements[i] = canon.Int(first + i)
	}
	return canon.Array(elements...)
}

// TestChecks replays the static checks of §13.2.
func TestChecks(t *testing.T) {
	accepted, refused := 0, 0
	for _, c := range readGolden(t, "expr/check.json") {
		program := c.Get("program")
		if c.Get("template").Bool() {
			program = expand(program)
		}
		var names []string
		for _, name := range c.Get("names").Elements() {
			names = append(names, name.Text())
		}
		f, want := NewProgram(program).Check(names), c.Get("expect").Get("error")
		switch {
		case f == nil && !want.Exists():
			accepted++
		case f != nil && canon.Equal(f.Record(), want):
			refused++
		default:
			t.Errorf("%s: got %v, want %s", c.Get("id").Text(), f, c.Get("expect"))
		}
	}
	t.Logf("%d programs accepted, %d refused", accepted, refused)
	if accepted == 0 || refused == 0 {
		t.Fatal("one kind of case is missing")
	}
}

// TestIngestVectors holds ingestion to the recorded bit patterns.
func TestIngestVectors(t *testing.T) {
	n, changed := 0, 0
	for _, c := range readGolden(t, "expr/ingest.json") {
		in, out := bits(t, c.Get("in")), bits(t, c.Get("out"))
		v, err := canon.Number(in)
		if err != nil {
			t.Fatal(err)
		}
		if text := c.Get("text").Text(); v.String() != text {
			t.Errorf("%x is written %s, want %s", in, v, text)
		}
		got := ingest(v)
		if math.Float64bits(got.Float()) != math.Float64bits(out) || got.String() != c.Get("outText").Text() {
			t.Errorf("%s: ingested as %s, want %s", v, got, c.Get("outText").Text())
		}
		n++
		if got != v {
			changed++
		}
	}
	t.Logf("%d numbers ingested, %d of them change", n, changed)
	if changed == 0 {
		t.Fatal("no number changes")
	}
}

func bits(t *testing.T, v canon.Value) float64 {
	t.Helper()
	b, err := strconv.ParseUint(v.Text(), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(b)
}

// TestRequests answers the raw requests of §13.2.
func TestRequests(t *testing.T) {
	counts := map[string]int{}
	for _, c := range readGolden(t, "expr/requests.json") {
		mode, request := c.Get("mode").Text(), c.Get("request").Text()
		answer := EvalRequest
		if mode == "check" {
			answer = CheckRequest
		}
		if got, want := answer(request), c.Get("response").Text(); got != want {
			t.Errorf("%s %s\n got %s\nwant %s", mode, request, got, want)
		}
		counts[mode]++
	}
	t.Logf("%d evaluations and %d checks answered", counts["eval"], counts["check"])
	if counts["eval"] == 0 || counts["check"] == 0 {
		t.Fatal("one kind of request is missing")
	}
}
