//go:build unix

package disk

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"pgregory.net/rapid"
)

// slowCheck is the walk of store.md §2 to the letter.
func slowCheck(b structure, v canon.Value) string {
	type item struct {
		value canon.Value
		depth int
	}
	nodes, stack := 0, []item{{v, 0}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if nodes++; nodes > b.nodes || top.depth > b.depth {
			return "store JSON depth/count exceeded"
		}
		for i := range top.value.Len() {
			stack = append(stack, item{top.value.At(i), top.depth + 1})
			if len(stack) > b.nodes {
				return "store JSON count exceeded"
			}
		}
	}
	return ""
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func genValue(depth int) *rapid.Generator[canon.Value] {
	return rapid.Custom(func(t *rapid.T) canon.Value {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 && kind > 1 {
			kind = 0
		}
		switch kind {
		case 0:
			return canon.Int(rapid.IntRange(-10, 10).Draw(t, "number"))
		case 1:
			return canon.String(rapid.SampledFrom([]string{"", `"`, `\`, `\"`, "[", ":", "a:b", "]}"}).Draw(t, "string"))
		case 2:
			return canon.Array()
		case 3:
			return canon.Array(rapid.SliceOfN(genValue(depth-1), 1, 9).Draw(t, "elements")...)
		}
		var members []canon.Member
		for i, v := range rapid.SliceOfN(genValue(depth-1), 1, 4).Draw(t, "members") {
			members = append(members, canon.M(strings.Repeat(`k"`, i)+":", v))
		}
		return canon.Object(members...)
	})
}

// TestStructureOrder holds both forms of the walk, over a value and over a text,
// to the slow one, with bounds small enough to be met.
func TestStructureOrder(t *testing.T) {
	texts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 30 {
			b := structure{nodes: rapid.IntRange(1, 9).Draw(t, "nodes"), depth: rapid.IntRange(0, 3).Draw(t, "depth")}
			v := genValue(5).Draw(t, "value").Sorted() // the text has its members in this order
			want := slowCheck(b, v)
			texts[want]++
			if got := message(b.check(v)); got != want {
				t.Fatalf("check(%s) with %+v = %q, want %q", v, b, got, want)
			}
			if want == "" {
				continue // fault is asked only about texts beyond a bound
			}
			text := spaced(v, rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space"))
			if got := message(b.fault(text)); got != want {
				t.Fatalf("fault(%s) with %+v = %q, want %q", text, b, got, want)
			}
		}
	})
	for _, want := range []string{"", "store JSON depth/count exceeded", "store JSON count exceeded"} {
		if texts[want] == 0 {
			t.Errorf("no case with %q", want)
		}
	}
	t.Logf("%v", texts)
}

// spaced returns a text of v with white space between its tokens.
func spaced(v canon.Value, space string) string {
	around := strings.NewReplacer(",", space+","+space, "[", "["+space, `":`, `"`+space+":"+space)
	text := space + around.Replace(v.String()) + space
	if parsed, err := canon.Parse(text, canon.Limits{}); err != nil || !canon.Equal(parsed, v) {
		return v.String() // a string held what was replaced
	}
	return text
}

// TestStructureBounds are the computed cases of store.md §2.
func TestStructureBounds(t *testing.T) {
	const (
		both  = "store JSON depth/count exceeded"
		count = "store JSON count exceeded"
	)
	flat := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	nested := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	for _, c := range []struct{ name, text, want string }{
		{"999,999 scalars", flat(999_999), ""},
		{"1,000,000 scalars", flat(1_000_000), both},
		{"1,000,001 scalars", flat(1_000_001), count},
		{"object of 1,000,001 in an object", `{"a":{"b":` + flat(1_000_001) + `}}`, count},
		{"64 arrays around a scalar", nested(64, "1"), ""},
		{"65 arrays around a scalar", nested(65, "1"), both},
		{"65 arrays, the innermost empty", nested(65, ""), ""},
		{"66 arrays, the innermost empty", nested(66, ""), both},
		{"a million levels", nested(1_000_000, ""), both},
		{"too deep behind too wide", "[" + nested(66, "") + "," + flat(1_000_001) + "]", count},
		{"too wide behind too deep", "[" + flat(1_001_000) + "," + nested(66, "") + "]", both},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := parse(c.text)
			if message(err) != c.want || c.want != "" && algal.CodeOf(err) != algal.BudgetExhausted {
				t.Errorf("read: %s %v, want %q", algal.CodeOf(err), err, c.want)
			}
			if c.want == "" && v.String() != c.text {
				t.Error("read something else")
			}
			v, err = canon.Parse(c.text, canon.Limits{Depth: 2_000})
			if err != nil {
				return // deeper than any value that is built here
			}
			if got := message(admissible(v)); got != c.want {
				t.Errorf("written: %q, want %q", got, c.want)
			}
		})
	}
}

// TestTextFaultsFirst: a fault of the text precedes the bounds, wherever it stands.
func TestTextFaultsFirst(t *testing.T) {
	deep := strings.Repeat("[", 70)
	for text, want := range map[string]string{
		deep:             "store file contains invalid JSON",
		deep + "\xff":    "store file contains invalid UTF-8",
		"[1e999," + deep: "store file contains invalid JSON",
		"[1e999]":        "store value is not a JSON value",
		"[" + deep + strings.Repeat("]", 70) + ",1e999]": "store value is not a JSON value",
		`["\ud800"]`: "store file contains invalid JSON",
		"":           "store file contains invalid JSON",
		"\ufeff1":    "store file contains invalid JSON",
		"1 2":        "store file contains invalid JSON",
	} {
		if _, err := parse(text); algal.CodeOf(err) != algal.ParseFailed || err.Error() != want {
			t.Errorf("%.20q: %s %v, want %q", text, algal.CodeOf(err), err, want)
		}
	}
}

func TestSlotNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a.b_c-d9": true, "a" + strings.Repeat(".", 63): true, "a" + strings.Repeat("x", 64): false,
		"": false, "A": false, "1a": false, ".a": false, "a/b": false, "a\n": false, "é": false, "aB": false,
	} {
		if isSlotName(name) != want {
			t.Errorf("isSlotName(%q) = %v", name, !want)
		}
	}
}
