package bundle_test

// Group B of the conformance catalogue. B-7 is in golden_test.go.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
)

// valueClosure puts a program with n distinct payloads into s, each named twice.
func valueClosure(t *testing.T, s *store, n int) algal.Digest {
	digests := make([]algal.Digest, n)
	for i := range digests {
		digests[i] = s.putValue(t, canon.Int(i))
	}
	var cells []string
	for _, twice := range []string{"a", "b"} {
		for i := 0; i < n; i += 32 {
			cells = append(cells, refs(fmt.Sprintf("%s%d", twice, i), digests[i:min(i+32, n)]...))
		}
	}
	return s.put(t, authored(t, "root", cells...))
}

// manifestClosure puts a chain of n manifests into s, each embedding the next twice.
func manifestClosure(t *testing.T, s *store, n int) algal.Digest {
	d := s.put(t, authored(t, "leaf"))
	for i := range n - 1 {
		d = s.put(t, authored(t, fmt.Sprintf("m%d", i), embed("a", d), embed("b", d)))
	}
	return d
}

func TestB1PackBounds(t *testing.T) {
	for _, kind := range []struct {
		name    string
		closure func(*testing.T, *store, int) algal.Digest
		others  int // reads of the other kind
		text    string
	}{
		{"values", valueClosure, 1, "bundle value count"},
		{"manifests", manifestClosure, 0, "bundle exceeds 512 manifests"},
	} {
		for n := 511; n <= 513; n++ {
			s := newStore()
			v, err := bundle.Pack(kind.closure(t, s, n), s)
			if n > 512 {
				refused(t, err, algal.BudgetExhausted, kind.text)
			} else if err != nil || v.Get(kind.name).Len() != n {
				t.Errorf("%d %s: packed %d, %v", n, kind.name, v.Get(kind.name).Len(), err)
			}
			if want := min(n, 512) + kind.others; s.reads != want {
				t.Errorf("%d %s: %d reads, want %d", n, kind.name, s.reads, want)
			}
		}
	}
}

func TestB2ParseEntryBound(t *testing.T) {
	for _, member := range []string{"manifests", "values"} {
		document := fmt.Sprintf(`{"contract":"algal.bundle.v1","root":"sha256:%064x","manifests":{}}`, 0)
		// The 513th entry has no digest for a key: it must not be looked at.
		v := parse(t, document).With(canon.M(member, parse(t, entries(513, 512))))
		_, err := bundle.Parse(v)
		refused(t, err, algal.BudgetExhausted, "bundle."+member+" exceeds 512 entries")
		v = v.With(canon.M(member, parse(t, entries(512, -1))))
		if b, err := bundle.Parse(v); err != nil || len(b.Manifests)+len(b.Values) != 512 {
			t.Errorf("512 %s: %v", member, err)
		}
	}
}

// carrier returns a bundle document with one trivial manifest and a value.
func carrier(t *testing.T, manifest func(canon.Value) canon.Value, v canon.Value) canon.Value {
	t.Helper()
	s := newStore()
	written := authored(t, "root")
	root := s.put(t, written)
	if manifest != nil {
		written = manifest(written)
	} else {
		written = pack(t, root, s).Get("manifests").At(0)
	}
	return canon.Object(
		canon.M("contract", canon.String(bundle.Contract)),
		canon.M("root", canon.String(string(root))),
		canon.M("manifests", canon.Object(canon.M(string(root), written))),
		canon.M("values", canon.Object(canon.M(string(v.Digest()), v))),
	)
}

const structure = "bundle depth/node bound exceeded: at most depth 64 and 1000000 values"

// check holds a document to the wanted verdict, as value and as text, and sees that
// a refused one writes nothing.
func check(t *testing.T, document canon.Value, want string) {
	t.Helper()
	fromValue, err := bundle.Parse(document)
	fromText, textErr := bundle.ParseText(document.String())
	if want != "" {
		refused(t, err, algal.BudgetExhausted, want)
		refused(t, textErr, algal.BudgetExhausted, want)
		return
	}
	if err != nil || textErr != nil {
		t.Errorf("refused: %v, %v", err, textErr)
		return
	}
	for _, b := range []*bundle.Bundle{fromValue, fromText} {
		s := newStore()
		if m, v, err := b.Install(s); err != nil || m != 1 || v != 1 || s.writes != 2 {
			t.Errorf("installed %d and %d in %d writes, %v", m, v, s.writes, err)
		}
	}
}

func TestB3ValueDepth(t *testing.T) {
	nested := func(n int) canon.Value {
		return parse(t, strings.Repeat("[", n)+"0"+strings.Repeat("]", n))
	}
	check(t, carrier(t, nil, nested(62)), "")
	check(t, carrier(t, nil, nested(63)), structure)

	s := newStore()
	root := s.put(t, authored(t, "root", refs("c", s.putValue(t, nested(62)), s.putValue(t, nested(63)))))
	_, err := bundle.Pack(root, s)
	refused(t, err, algal.BudgetExhausted, structure)
}

// zeros returns an array of n numbers.
func zeros(n int) canon.Value {
	elements := make([]canon.Value, n)
	zero := canon.Int(0)
	for i := range elements {
		elements[i] = zero
	}
	return canon.Array(elements...)
}

func TestB4Nodes(t *testing.T) {
	room := bundle.MaxNodes - carrier(t, nil, zeros(0)).Nodes()
	check(t, carrier(t, nil, zeros(room)), "")
	check(t, carrier(t, nil, zeros(room+1)), structure)

	// The sum of what is packed; the third value is not read any more.
	s := newStore()
	root := s.put(t, authored(t, "root", refs("c", s.putValue(t, zeros(600_000)), s.putValue(t, zeros(600_001)), s.putValue(t, zeros(0)))))
	_, err := bundle.Pack(root, s)
	refused(t, err, algal.BudgetExhausted, structure)
	if s.reads != 3 {
		t.Errorf("%d reads, want 3", s.reads)
	}
}

func TestB4Bytes(t *testing.T) {
	const tooLong = "bundle exceeds 67108864 bytes"
	room := bundle.MaxBytes - carrier(t, nil, canon.String("")).Size()
	long := strings.Repeat("x", room+1)
	check(t, carrier(t, nil, canon.String(long[:room])), "")
	check(t, carrier(t, nil, canon.String(long)), tooLong)

	// A text within the bound whose canonical form is not: 1e20 has 21 digits there.
	text := `"` + long[:bundle.MaxBytes-9_000_000] + `"` + strings.Repeat(",1e20", 600_000)
	_, err := bundle.ParseText("[" + text + "]")
	refused(t, err, algal.BudgetExhausted, tooLong)

	// The sum of what is packed; the third value is not read any more.
	s := newStore()
	half := func(c string) algal.Digest {
		return s.putValue(t, canon.String(c+long[:bundle.MaxBytes/2]))
	}
	root := s.put(t, authored(t, "root", refs("c", half("a"), half("b"), s.putValue(t, canon.Int(0)))))
	_, err = bundle.Pack(root, s)
	refused(t, err, algal.BudgetExhausted, tooLong)
	if s.reads != 3 {
		t.Errorf("%d reads, want 3", s.reads)
	}
}

func TestB5NormalFormBeyondBounds(t *testing.T) {
	asWritten := func(v canon.Value) canon.Value { return v }
	room := bundle.MaxNodes - carrier(t, asWritten, zeros(0)).Nodes()
	b, err := bundle.Parse(carrier(t, asWritten, zeros(room)))
	if err != nil {
		t.Fatal(err)
	}
	s := newStore()
	_, _, err = b.Install(s)
	refused(t, err, algal.BudgetExhausted, structure)
	if s.writes != 0 {
		t.Errorf("%d writes", s.writes)
	}
}

func TestB6PartialImport(t *testing.T) {
	full := newStore()
	payload := full.putValue(t, canon.String("payload"))
	leaf := full.put(t, authored(t, "leaf", refs("c", payload)))
	root := full.put(t, authored(t, "root", embed("sub", leaf)))
	document := pack(t, root, full)

	noLeaf := document.With(canon.M("manifests", document.Get("manifests").Without(string(leaf))))
	partial := newStore()
	install(t, noLeaf.String(), partial)
	_, err := bundle.Pack(root, partial)
	refused(t, err, algal.StoreMiss, fmt.Sprintf(`cell "sub" manifest %s not in store — pack needs the full closure`, leaf))

	noValues := document.Without("values")
	partial = newStore()
	install(t, noValues.String(), partial)
	_, err = bundle.Pack(root, partial)
	refused(t, err, algal.StoreMiss, fmt.Sprintf(`const "c" ref %s not in store — pack needs the payload`, payload))

	// What a store has stays, so two partial bundles make a whole.
	install(t, noLeaf.String(), partial)
	if again := pack(t, root, partial); again.String() != document.String() {
		t.Errorf("packed %s, want %s", again, document)
	}
}

func TestB8Counts(t *testing.T) {
	s := newStore()
	root := valueClosure(t, s, 5)
	if m, v := install(t, pack(t, root, s).String(), newStore()); m != 1 || v != 5 {
		t.Errorf("installed %d manifests and %d values, want 1 and 5", m, v)
	}
}
