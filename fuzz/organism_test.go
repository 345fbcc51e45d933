package fuzz

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
)

// FuzzOrganism: an admitted manifest's normal form is admitted, is its own normal
// form and keeps the digest; compiling it does not depend on which form was read;
// a refused one has a known code.
func FuzzOrganism(f *testing.F) {
	for _, name := range []string{"vectors/manifest-normalise.json", "vectors/manifest-parse-errors.json", "vectors/compile.json"} {
		for _, text := range seedTexts(f, name, "input") {
			f.Add(text)
		}
	}
	for i, line := range golden.Lines(f, "random/manifests.jsonl") {
		if v, err := canon.Parse(line, canon.Limits{Depth: 100}); err == nil && i%3 == 0 {
			f.Add(v.Get("input").String())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := canon.Parse(text, canon.Limits{})
		if err != nil {
			return
		}
		m, err := organism.ParseManifest(v)
		if err != nil {
			if m != nil || !algal.CodeOf(err).Known() || algal.CodeOf(err) == algal.Internal {
				t.Fatalf("refused with %v, %v", m, err)
			}
			return
		}
		stored, err := canon.Parse(m.Normal().String(), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := organism.ParseManifest(stored)
		if err != nil || !canon.Equal(again.Normal(), m.Normal()) || again.Digest() != m.Digest() || m.Digest() != stored.Digest() {
			t.Fatalf("normal form %s: %v", m.Normal(), err)
		}
		env := organism.Env{Functions: organism.Builtins(), Store: cas.NewMemory()}
		_, errDocument := organism.Compile(m, env, 0)
		_, errStored := organism.Compile(again, env, 0)
		if algal.CodeOf(errDocument) != algal.CodeOf(errStored) {
			t.Fatalf("compiles as %v from the document and %v from the store", errDocument, errStored)
		}
	})
}
