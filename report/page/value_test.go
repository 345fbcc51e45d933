package page_test

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/report/page"
)

// written returns what write writes, and its text as a reader of XML reads it.
func written(t interface{ Fatal(...any) }, write func(*page.Builder)) (markup, text string) {
	var b page.Builder
	b.Open("div")
	write(&b)
	b.Close()
	var read strings.Builder
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), read.String()
		}
		if err != nil {
			t.Fatal(err, b.String())
		}
		if text, ok := token.(xml.CharData); ok {
			read.Write(text)
		}
	}
}

// TestTextIsSeen: no text hides, reorders or becomes markup.
func TestTextIsSeen(t *testing.T) {
	for _, c := range []struct{ text, shown string }{
		{`</script><script>"'&`, "&lt;/script&gt;&lt;script&gt;&quot;&#39;&amp;"},
		{"a\x00b\x1b\r\x7f", `a␀b␛␍\u007f`},
		{"a\tb\nc", "a\tb\nc"},
		{"\u202egpj.exe", `\u202egpj.exe`},
		{"\u2066\u2069\u200e\u200f\u061c", `\u2066\u2069\u200e\u200f\u061c`},
		{"pay\u200bment\ufeff\u00ad", `pay\u200bment\ufeff\u00ad`},
		{"\u2028\u2029\u0085", `\u2028\u2029\u0085`},
		{"\U000e0041\ufe0f\u3164", `\udb40\udc41\ufe0f\u3164`},
		{"\uffff\U0001fffe", `\uffff\ud83f\udffe`},
		{"\xff", "\ufffd"},
		{"žluťoučký 漢字 🙂 e\u0301", "žluťoučký 漢字 🙂 e\u0301"},
	} {
		markup, _ := written(t, func(b *page.Builder) { b.Text(c.text) })
		if want := "<div>" + c.shown + "</div>"; markup != want {
			t.Errorf("%q is written %s, not %s", c.text, markup, want)
		}
		markup, _ = written(t, func(b *page.Builder) { b.Leaf("i", page.A("title", c.text)) })
		if want := `<div><i title="` + c.shown + `"/></div>`; markup != want {
			t.Errorf("as an attribute %q is written %s, not %s", c.text, markup, want)
		}
	}
}

// TestValueReadsBack: what a page shows of a whole value is its JSON text, and
// nothing in it is unseen.
func TestValueReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := canon.Object(
			canon.M(rapid.String().Draw(t, "key"), canon.String(rapid.String().Draw(t, "text"))),
			canon.M("list", canon.Array(canon.Int(rapid.Int().Draw(t, "int")), canon.Null())))
		markup, text := written(t, func(b *page.Builder) { b.Value(v, 1<<20) })
		back, err := canon.Parse(text, canon.Limits{})
		if err != nil || !canon.Equal(v, back) {
			t.Fatalf("%s reads back as %s, %v", v, back, err)
		}
		for _, r := range markup {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q is on the page: %s", r, markup)
			}
		}
	})
}

func TestValueIsCut(t *testing.T) {
	v := canon.Array(canon.String(`"""` + strings.Repeat("<", 1000)))
	markup, text := written(t, func(b *page.Builder) { b.Value(v, 40) })
	block := markup[len("<div><pre>"):strings.Index(markup, "</pre>")]
	if len(block) > 40 || !strings.HasSuffix(block, "&lt;&lt;") {
		t.Errorf("40 bytes have become %d: %s", len(block), block)
	}
	const want = "[\n  \"\\\"\\\"\\\"<<" + "Cut after 13 bytes: the value has 1,010 bytes in canonical form. The whole is in "
	if text != want+string(v.Digest())+"." {
		t.Errorf("the text is %q", text)
	}
	plain := canon.Array(slices.Repeat([]canon.Value{canon.Int(1)}, 100)...)
	if markup, _ := written(t, func(b *page.Builder) { b.Value(plain, 40) }); !strings.Contains(markup, ">Cut after 40 bytes: ") {
		t.Errorf("a value without markup is written %s", markup)
	}
	whole, _ := written(t, func(b *page.Builder) { b.Value(canon.Array(), 2) })
	if whole != "<div><pre>[]</pre></div>" {
		t.Errorf("what fits is written %s", whole)
	}
	none, _ := written(t, func(b *page.Builder) { b.Value(canon.Value{}, 100) })
	if none != "<div></div>" {
		t.Errorf("what is absent is written %s", none)
	}
}

func TestPassageAndCut(t *testing.T) {
	d := canon.Null().Digest()
	_, text := written(t, func(b *page.Builder) { b.Passage("one\ntwo", 7, d) })
	if text != "one\ntwo" {
		t.Errorf("a passage that fits is %q", text)
	}
	_, text = written(t, func(b *page.Builder) { b.Passage("one\ntwo", 5, d) })
	if want := "one\ntCut after 5 bytes: the text has 7 bytes. The whole is in " + string(d) + "."; text != want {
		t.Errorf("a passage that is cut is %q", text)
	}
	for bound, want := range map[int]string{-1: "…", 0: "…", 3: "…", 4: "<…", 5: "<b", 9: "<b"} {
		if _, text := written(t, func(b *page.Builder) { b.Cut("<b", bound) }); text != want {
			t.Errorf("%d bytes of <b are %q", bound, text)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1,000 bytes", 67108864: "67,108,864 bytes"} {
		if got := page.Bytes(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}
