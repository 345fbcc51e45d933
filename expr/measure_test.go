package expr

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
)

// nearBounds makes values close to the bounds, on both sides of them.
func nearBounds(depth int) *rapid.Generator[canon.Value] {
	return rapid.Custom(func(t *rapid.T) canon.Value {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 {
			kind %= 3
		}
		switch kind {
		case 0:
			return canon.Int(rapid.IntRange(0, 12).Draw(t, "int"))
		case 1:
			s := rapid.SampledFrom([]string{"x", "é", "\x01"}).Draw(t, "unit")
			return canon.String(strings.Repeat(s, rapid.SampledFrom([]int{0, 10, 32768, 65535, 65536, 65537}).Draw(t, "length")))
		case 2:
			inner := rapid.SampledFrom([]string{"1", "[]", "{}"}).Draw(t, "inner")
			return wrap(nil, parseGen(t, inner), rapid.IntRange(26, 34).Draw(t, "levels"))
		case 3:
			return repeat(nearBounds(depth-1).Draw(t, "element"), rapid.SampledFrom([]int{0, 1, 3, 1023, 1024, 1025}).Draw(t, "count"))
		case 4:
			prefix := strings.Repeat("k", rapid.SampledFrom([]int{0, 65532, 65533}).Draw(t, "key"))
			if prefix != "" {
				return canon.Object(canon.M(prefix+"0000", nearBounds(depth-1).Draw(t, "member")))
			}
			return expandTemplate("$keys", canon.Array(canon.String(""), canon.Int(0),
				canon.Int(rapid.SampledFrom([]int{0, 1, 255, 256, 257}).Draw(t, "count")), nearBounds(depth-1).Draw(t, "member")))
		default:
			return canon.Array(rapid.SliceOfN(nearBounds(depth-1), 1, 3).Draw(t, "elements")...)
		}
	})
}

// plainMeasure is §7.2 word for word. Failures are named by their bound.
func plainMeasure(v canon.Value, level int) (size int, fault string) {
	if level > 32 {
		return 0, "value-depth"
	}
	add := func(n int, f string) bool {
		if size += n; f != "" {
			fault = f
		} else if size > 262144 {
			fault = "value-bytes"
		}
		return fault == ""
	}
	switch v.Kind() {
	case canon.KindString:
		if len(v.Text()) > 65536 {
			return 0, "string-bytes"
		}
		add(len(v.String()), "")
	case canon.KindArray:
		if v.Len() > 1024 {
			return 0, "list-len"
		}
		size = 2 + max(0, v.Len()-1)
		for _, e := range v.Elements() {
			if !add(plainMeasure(e, level+1)) {
				break
			}
		}
	case canon.KindObject:
		if v.Len() > 256 {
			return 0, "object-keys"
		}
		size = 2 + max(0, v.Len()-1)
		for _, key := range sortedKeys(v) {
			if len(key) > 65536 {
				return 0, "string-bytes"
			}
			if !add(len(canon.String(key).String())+1, "") || !add(plainMeasure(v.Get(key), level+1)) {
				break
			}
		}
	default:
		add(len(v.String()), "")
	}
	return size, fault
}

// plainDepth is §2.5 word for word.
func plainDepth(v canon.Value) int {
	if !v.Is(canon.KindArray) && !v.Is(canon.KindObject) {
		return 0
	}
	deepest := 0
	for i := range v.Len() {
		deepest = max(deepest, plainDepth(v.At(i)))
	}
	return 1 + deepest
}

// TestMeasureFollowsTheSpec holds the constant-time ways to the plain ones.
func TestMeasureFollowsTheSpec(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, repeated(5, func(t *rapid.T) {
		v := nearBounds(2).Draw(t, "value")
		level := rapid.IntRange(0, 2).Draw(t, "level")
		size, want := plainMeasure(v, level)
		got := ""
		if f := measure(v, level); f != nil {
			got = f.Record().Get("what").Text()
		}
		if got != want {
			t.Fatalf("%.80s at level %d: %q, want %q", v, level, got, want)
		}
		if want == "" && size != v.Size() {
			t.Fatalf("%.80s: size %d, want %d", v, v.Size(), size)
		}
		levels := rapid.IntRange(0, 35).Draw(t, "levels")
		if depth := plainDepth(v); nests(v, levels) != (depth > levels) || nests(v, depth) || depth > 0 && !nests(v, depth-1) {
			t.Fatalf("%.80s: depth is %d", v, depth)
		}
		counts[want]++
	}))
	t.Log(counts)
	if len(counts) < 5 {
		t.Error("too few kinds of outcomes")
	}
}

// TestResultsKeepTheirBounds watches every operation in the recorded
// evaluations: judging a result by size and depth alone, because its parts were
// judged before, is judging it by the full walk.
func TestResultsKeepTheirBounds(t *testing.T) {
	results, refused := 0, 0
	for name, o := range operations {
		eval := o.eval
		t.Cleanup(func() { o.eval = eval })
		o.eval = func(m *machine, n *node) (canon.Value, *Failure) {
			v, f := eval(m, n)
			if f != nil {
				return v, f
			}
			got := ""
			if f := bound(v); f != nil {
				got = f.Record().Get("what").Text()
				refused++
			}
			if _, want := plainMeasure(v, 0); got != want {
				t.Errorf("result of %s: %q, want %q", name, got, want)
			}
			results++
			return v, f
		}
	}
	for _, c := range readGolden(t, "expr/vectors.json") {
		program, env := c.Get("program"), c.Get("env")
		if c.Get("template").Bool() {
			program, env = expand(program), expand(env)
		}
		NewProgram(program).Run(env, int(c.Get("fuel").Float()))
	}
	t.Logf("%d results, %d of them refused", results, refused)
	if refused == 0 {
		t.Error("no result breaks a bound")
	}
}
