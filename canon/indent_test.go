package canon_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
)

func TestIndented(t *testing.T) {
	v, err := canon.Parse(`{"b":[1,{"x":"\"\n"},[]],"a":{},"0":null}`, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "0": null,
  "b": [
    1,
    {
      "x": "\"\n"
    },
    []
  ],
  "a": {}
}`
	if got := v.Indented(); got != want {
		t.Errorf("got %s", got)
	}
	if got := (canon.Value{}).Indented(); got != "" {
		t.Errorf("the absent value gives %q", got)
	}
}

// TestIndentedReadsBack: an indented text is laid out as encoding/json does it, and
// gives the value again, members in the same order.
func TestIndentedReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := valueGen(4).Draw(t, "value")
		text := v.Indented()
		var compact, indented bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil || indented.String() != text {
			t.Fatalf("%v\n got %s\nwant %s", err, text, indented.String())
		}
		back, err := canon.Parse(text, canon.Limits{})
		if err != nil || !canon.Equal(v, back) || back.Indented() != text {
			t.Fatalf("%s reads back as %s, %v", text, back, err)
		}
		for i := range v.Len() {
			if v.Is(canon.KindObject) && v.Key(i) != back.Key(i) {
				t.Fatalf("%s: member %d is %q, not %q", text, i, back.Key(i), v.Key(i))
			}
		}
	})
}

// TestIndentedPrefix: every prefix is one of the whole text, cut between characters
// and as long as it may be.
func TestIndentedPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := valueGen(4).Draw(t, "value")
		all := v.Indented()
		n := rapid.IntRange(0, len(all)+2).Draw(t, "bytes")
		text, whole := v.IndentedPrefix(n)
		if want := canon.TruncateUTF8(all, n); text != want {
			t.Fatalf("the first %d bytes of %s are %q, not %q", n, all, text, want)
		}
		if whole != (text == all) {
			t.Fatalf("%d bytes of %s: whole is %t", n, all, whole)
		}
	})
}

// TestIndentedPrefixBetweenCharacters: characters of every length, cut everywhere.
func TestIndentedPrefixBetweenCharacters(t *testing.T) {
	v := canon.Object(canon.M("é€😀", canon.Array(canon.String("€€€€"), canon.String("😀😀"))))
	for _, v := range []canon.Value{v, canon.String("€€"), canon.String("😀😀😀"), canon.String("éé")} {
		all := v.Indented()
		for n := range len(all) + 2 {
			text, whole := v.IndentedPrefix(n)
			if want := canon.TruncateUTF8(all, n); text != want || whole != (n >= len(all)) {
				t.Errorf("the first %d bytes of %s are %q, %t, not %q", n, all, text, whole, want)
			}
		}
	}
}

// TestIndentedPrefixOfLargeValue: what is not shown is not written either.
func TestIndentedPrefixOfLargeValue(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	list := make([]canon.Value, 1<<15)
	for i := range list {
		list[i] = canon.String(long[:64])
	}
	v := canon.Array(canon.Array(list...), canon.Object(canon.M(long, canon.String(long))), canon.String(long))
	prefixIsCheap(t, v)
	prefixIsCheap(t, canon.Object(canon.M(long, canon.String(long))))
	prefixIsCheap(t, canon.Array(canon.String(long)))
}

func prefixIsCheap(t *testing.T, v canon.Value) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v.IndentedPrefix(100)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<10 {
		t.Errorf("100 bytes of a value of %d take %d", v.Size(), allocated)
	}
}
