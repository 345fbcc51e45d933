package bundle_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPackRefuses(t *testing.T) {
	const absent = "sha256:00000000000000000000000000000000000000000000000000000000000000ff"
	// Where a row has two faults, the one of the earlier cell is reported.
	for name, c := range map[string]struct {
		cells []string
		code  algal.Code
		text  string
	}{
		"manifest malformed": {
			[]string{`{"id":"a","kind":"organism","manifest":"sha256:F"}`, embed("b", absent)},
			algal.ParseFailed, `cell "a".manifest must be a sha256:<64 lowercase hex> digest`,
		},
		"manifest absent": {
			[]string{embed("b", absent), `{"id":"a","kind":"organism","manifest":"x"}`},
			algal.StoreMiss, `cell "b" manifest ` + absent + ` not in store — pack needs the full closure`,
		},
		"repeat": {
			[]string{`{"id":"r","kind":"repeat","maxRounds":1,"manifest":"` + absent + `"}`},
			algal.StoreMiss, `cell "r" manifest ` + absent + ` not in store — pack needs the full closure`,
		},
		"each": {
			[]string{`{"id":"e","kind":"each","over":"x","maxItems":1,"manifest":"` + absent + `"}`},
			algal.StoreMiss, `cell "e" manifest ` + absent + ` not in store — pack needs the full closure`,
		},
		"reference malformed": {
			[]string{`{"id":"c","kind":"const","outputs":{"j":{"type":"json","value":"` + absent + `"},"r":{"type":"ref","value":null}}}`, embed("b", absent)},
			algal.ParseFailed, `const "c" ref value must be a sha256:<64 lowercase hex> digest`,
		},
		"payload absent": {
			[]string{refs("c", absent), embed("b", absent)},
			algal.StoreMiss, `const "c" ref ` + absent + ` not in store — pack needs the payload`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore()
			v, err := bundle.Pack(s.put(t, authored(t, "root", c.cells...)), s)
			refused(t, err, c.code, c.text)
			if v.Exists() {
				t.Error("a refusal gave a document")
			}
		})
	}
	_, err := bundle.Pack(absent, newStore())
	refused(t, err, algal.StoreMiss, "manifest "+absent+" not in store")
}

// lying answers every question with the same objects, or fails.
type lying struct {
	*store
	manifest, value canon.Value
	err             error
}

func (l lying) Manifest(d algal.Digest) (canon.Value, error) {
	if l.manifest.Exists() {
		return l.manifest, nil
	}
	return l.store.Manifest(d)
}

func (l lying) Value(algal.Digest) (canon.Value, error) { return l.value, l.err }

// TestPackChecksTheStore: Pack writes nothing that Install would refuse.
func TestPackChecksTheStore(t *testing.T) {
	s := newStore()
	seven, eight := canon.Int(7), canon.Int(8)
	root := s.put(t, authored(t, "root", refs("c", seven.Digest())))
	other := s.put(t, authored(t, "other"))
	normal, err := s.Manifest(other)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Pack(root, lying{store: s, manifest: normal})
	refused(t, err, algal.DigestMismatch, fmt.Sprintf("bundle manifest claims %s, hashes to %s", root, other))
	_, err = bundle.Pack(root, lying{store: s, manifest: canon.Null()})
	refused(t, err, algal.ParseFailed, "manifest must be an object")
	_, err = bundle.Pack(root, lying{store: s, value: eight})
	refused(t, err, algal.DigestMismatch, fmt.Sprintf("bundle value claims %s, hashes to %s", seven.Digest(), eight.Digest()))
	broken := errors.New("disk on fire")
	if _, err := bundle.Pack(root, lying{store: s, err: broken}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the fault of the store", err)
	}
}

// TestPackOrder: depth first in cell order, everything once; what only a running
// program reaches is left out.
func TestPackOrder(t *testing.T) {
	s := newStore()
	value := func(i int) algal.Digest { return s.putValue(t, canon.Int(i)) }
	leaf := s.put(t, authored(t, "leaf", refs("c", value(1), value(2))))
	left := s.put(t, authored(t, "left", refs("c", value(3)), embed("x", leaf)))
	right := s.put(t, authored(t, "right", embed("x", leaf), refs("c", value(2), value(4))))
	unseen := s.put(t, authored(t, "unseen"))
	root := s.put(t, authored(t, "root",
		`{"id":"r","kind":"repeat","maxRounds":2,"manifest":"`+string(left)+`"}`,
		`{"id":"d","kind":"const","outputs":{"m":{"type":"json","value":"`+string(unseen)+`"}}}`,
		`{"id":"e","kind":"each","over":"x","maxItems":2,"manifest":"`+string(right)+`"}`,
		refs("c", value(1)), embed("again", left)))
	var got []algal.Digest
	document := pack(t, root, s)
	for _, part := range []string{"manifests", "values"} {
		for key := range document.Get(part).Members() {
			got = append(got, algal.Digest(key))
		}
	}
	want := []algal.Digest{root, left, leaf, right, value(3), value(1), value(2), value(4)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.reads != len(want) {
		t.Errorf("%d reads for %d objects", s.reads, len(want))
	}
}

// TestPackInstallPack: what a bundle carries into an empty store packs to the same
// bytes, in whatever order and form its document was written.
func TestPackInstallPack(t *testing.T) {
	closures := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newStore()
		root, written := drawClosure(rt, t, s)
		first := pack(t, root, s)
		document := rewrite(rt, first, written)
		b, err := bundle.Parse(document)
		if err != nil {
			rt.Fatal(err)
		}
		fresh := newStore()
		m, v, err := b.Install(fresh)
		if err != nil || m != first.Get("manifests").Len() || v != first.Get("values").Len() || fresh.writes != m+v {
			rt.Fatalf("installed %d manifests and %d values in %d writes, %v, from %s", m, v, fresh.writes, err, document)
		}
		second := pack(t, root, fresh)
		if second.String() != first.String() {
			rt.Fatalf("packed again:\n%s\nat first:\n%s", second, first)
		}
		closures++
	})
	t.Logf("%d closures", closures)
}

// drawClosure fills s with a few values and manifests and returns the last manifest
// and all of them as they were written.
func drawClosure(rt *rapid.T, t *testing.T, s *store) (root algal.Digest, written map[algal.Digest]canon.Value) {
	var manifests, values []algal.Digest
	for i := range rapid.IntRange(0, 5).Draw(rt, "values") {
		values = append(values, s.putValue(t, canon.Object(canon.M(rapid.String().Draw(rt, "key"), canon.Int(i)))))
	}
	written = map[algal.Digest]canon.Value{}
	for i := range rapid.IntRange(1, 7).Draw(rt, "manifests") {
		var cells []string
		for c := range rapid.IntRange(0, 4).Draw(rt, "cells") {
			id := fmt.Sprintf("c%d", c)
			switch {
			case len(manifests) > 0 && rapid.Bool().Draw(rt, "embeds"):
				cells = append(cells, embed(id, rapid.SampledFrom(manifests).Draw(rt, "child")))
			case len(values) > 0:
				cells = append(cells, refs(id, rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(rt, "refs")...))
			}
		}
		v := authored(t, fmt.Sprintf("m%d", i), cells...)
		root = s.put(t, v)
		written[root] = v
		manifests = append(manifests, root)
	}
	return root, written
}

// rewrite shuffles the entries of a bundle and puts some manifests as written.
func rewrite(rt *rapid.T, document canon.Value, written map[algal.Digest]canon.Value) canon.Value {
	shuffled := func(part string) canon.Value {
		var members []canon.Member
		for key, v := range document.Get(part).Members() {
			if w, ok := written[algal.Digest(key)]; ok && rapid.Bool().Draw(rt, "as written") {
				v = w
			}
			members = append(members, canon.M(key, v))
		}
		return canon.Object(rapid.Permutation(members).Draw(rt, part)...)
	}
	return document.With(canon.M("manifests", shuffled("manifests")), canon.M("values", shuffled("values")))
}
