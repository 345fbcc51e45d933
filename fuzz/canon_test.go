package fuzz

import (
	"errors"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/plain"
)

// FuzzCanon: an accepted text has a canonical text that is a fixed point, equal to
// that of the plain canonicaliser; a refused text has the code of its fault, and
// what one canonicaliser refuses so does the other.
func FuzzCanon(f *testing.F) {
	for _, line := range seedTexts(f, "vectors/canonical.json", "json") {
		f.Add(line)
	}
	for _, line := range seedTexts(f, "vectors/canonical-lone-surrogates.json", "json") {
		f.Add(line)
	}
	for _, text := range []string{"[1,]", `{"a":1,"a":{"10":1,"9":2}}`, "1e400", "\ufeff1", "\"\xff\"", strings.Repeat("[", 70)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := canon.ParseDocument(text, canon.Limits{})
		if err != nil {
			refusedCanon(t, text, d, err)
			return
		}
		v := d.Value
		canonical := v.String()
		if want, err := plain.Canonical(text); err != nil || want != canonical {
			t.Fatalf("plain canonicaliser: %q, %v; got %q", want, err, canonical)
		}
		if v.Size() != len(canonical) || d.Canonical != (canonical == text) {
			t.Fatalf("size %d of %d bytes, canonical %v", v.Size(), len(canonical), d.Canonical)
		}
		again, err := canon.ParseDocument(canonical, canon.Limits{})
		if err != nil || !again.Canonical || again.Duplicates || again.Value.String() != canonical {
			t.Fatalf("the canonical text is no fixed point: %+v, %v", again, err)
		}
		if !canon.Equal(v, again.Value) || v.Digest() != again.Value.Digest() || v.Digest() != canon.DigestText(canonical) {
			t.Fatal("digests differ")
		}
		if v.Nodes() != again.Value.Nodes() || v.Depth() != again.Value.Depth() {
			t.Fatal("measures differ")
		}
	})
}

func refusedCanon(t *testing.T, text string, d canon.Document, err error) {
	t.Helper()
	var fault *canon.Fault
	if !errors.As(err, &fault) || d != (canon.Document{}) {
		t.Fatalf("refused with %v and %+v", err, d)
	}
	_, plainErr := plain.Canonical(text)
	if fault.Kind == canon.FaultSyntax && plainErr == nil {
		t.Fatalf("refused as syntax, the plain canonicaliser admits it: %v", err)
	}
	if fault.Bounds() && plainErr != nil && !strings.Contains(plainErr.Error(), "exceeded max depth") {
		t.Fatalf("a malformed text is refused as %v: %v", err, plainErr)
	}
}

// seedTexts returns a member of every entry of a golden list.
func seedTexts(f *testing.F, name, member string) []string {
	f.Helper()
	var texts []string
	list, err := canon.Parse(string(golden.Read(f, name)), canon.Limits{Depth: 100})
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range list.Elements() {
		texts = append(texts, textOf(e.Get(member)))
	}
	if len(texts) == 0 {
		f.Fatalf("%s has no seeds", name)
	}
	return texts
}

// textOf is a string's content, or the text of any other value.
func textOf(v canon.Value) string {
	if v.Is(canon.KindString) {
		return v.Text()
	}
	return v.String()
}
