package cas_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// TestSealed: every use but reading is refused and remembered (evidence.md §4).
func TestSealed(t *testing.T) {
	v, d := canon.Int(1), canon.Int(1).Digest()
	for name, use := range map[string]func(*cas.Sealed) error{
		"PutValue":    func(s *cas.Sealed) error { _, err := s.PutValue(v); return err },
		"PutManifest": func(s *cas.Sealed) error { _, err := s.PutManifest(v); return err },
		"PutReceipt":  func(s *cas.Sealed) error { _, err := s.PutReceipt(v); return err },
		"Effect":      func(s *cas.Sealed) error { _, err := s.Effect("e", d); return err },
		"PutEffect":   func(s *cas.Sealed) error { return s.PutEffect("e", v) },
		"Slot":        func(s *cas.Sealed) error { _, err := s.Slot("s"); return err },
		"SetSlot":     func(s *cas.Sealed) error { return s.SetSlot("s", v) },
	} {
		var s cas.Sealed
		if s.Tried() {
			t.Errorf("%s: tried before", name)
		}
		if err := use(&s); algal.CodeOf(err) != algal.CapabilityDenied || err.Error() != "process evidence sources cannot be changed" || !s.Tried() {
			t.Errorf("%s: %v, tried %v", name, err, s.Tried())
		}
	}
	r := cas.NewRecorder(cas.NewMemory())
	if _, err := r.PutValue(v); algal.CodeOf(err) != algal.CapabilityDenied || !r.Tried() {
		t.Errorf("a recorder is not sealed: %v", err)
	}
}

// TestRecorder: exactly what was read is recorded, once, and what was not there.
func TestRecorder(t *testing.T) {
	source := cas.NewMemory()
	kept, unread, absent := parse(t, `{"kept":1}`), parse(t, `{"unread":1}`), parse(t, `{"absent":1}`).Digest()
	r := cas.NewRecorder(source)
	for _, p := range objectPlaces {
		put(t, source, p, kept)
		put(t, source, p, unread)
	}
	for range 2 { // the second time changes nothing
		for _, p := range objectPlaces {
			got, err := p.get(r, kept.Digest())
			if err != nil || !canon.Equal(got, kept) {
				t.Errorf("%s: %s, %v", p.name, got, err)
			}
			if p.name == "receipt" {
				continue
			}
			if got, err := p.get(r, absent); err != nil || got.Exists() {
				t.Errorf("absent %s: %s, %v", p.name, got, err)
			}
		}
	}
	for name, found := range map[string]map[algal.Digest]canon.Value{"values": r.Values(), "manifests": r.Manifests(), "receipts": r.Receipts()} {
		if len(found) != 1 || !canon.Equal(found[kept.Digest()], kept) {
			t.Errorf("%s recorded: %v", name, found)
		}
	}
	for name, missing := range map[string]map[algal.Digest]bool{"values": r.MissingValues(), "manifests": r.MissingManifests()} {
		if len(missing) != 1 || !missing[absent] {
			t.Errorf("%s missing: %v", name, missing)
		}
	}
	if r.Size() != 3*kept.Size() || r.Err() != nil {
		t.Errorf("size %d, want %d; %v", r.Size(), 3*kept.Size(), r.Err())
	}
}

// changing answers every read with the next of its answers.
type changing struct {
	cas.Store
	answers []canon.Value
	at      int
}

func (c *changing) next() (canon.Value, error) {
	v := c.answers[c.at%len(c.answers)]
	c.at++
	return v, nil
}

func (c *changing) Value(algal.Digest) (canon.Value, error)    { return c.next() }
func (c *changing) Manifest(algal.Digest) (canon.Value, error) { return c.next() }
func (c *changing) Receipt(algal.Digest) (canon.Value, error)  { return c.next() }

// TestRecorderFaults holds the refusals of evidence.md §5 step 3. Each is kept
// aside, whatever becomes of the error.
func TestRecorderFaults(t *testing.T) {
	v, other := parse(t, `{"v":1}`), parse(t, `{"v":2}`)
	deep := canon.Int(0)
	for range 65 {
		deep = canon.Array(deep)
	}
	long := func(n int) canon.Value { return canon.String(strings.Repeat("x", n-2)) }
	const changed, wrong = "source dependency changed during evidence export", "source dependency digest mismatch"
	for _, c := range []struct {
		name, place string
		answers     []canon.Value
		code        algal.Code
		text        string
	}{
		{"another value", "value", []canon.Value{v, other}, algal.ReceiptMismatch, changed},
		{"gone", "value", []canon.Value{v, {}}, algal.ReceiptMismatch, changed},
		{"there after all", "manifest", []canon.Value{{}, v}, algal.ReceiptMismatch, changed},
		{"wrong digest", "manifest", []canon.Value{other}, algal.DigestMismatch, wrong},
		{"wrong receipt", "receipt", []canon.Value{other}, algal.DigestMismatch, wrong},
		{"no receipt", "receipt", []canon.Value{{}}, algal.StoreMiss, "receipt " + string(v.Digest()) + " is not in the store"},
		{"deep", "value", []canon.Value{deep}, algal.BudgetExhausted, "exceeds 67108864 bytes, depth 64 or 1000000 values"},
		{"large manifest", "manifest", []canon.Value{long(1_048_577)}, algal.BudgetExhausted, "exceeds 1048576 bytes, depth 64 or 1000000 values"},
		{"large receipt", "receipt", []canon.Value{long(16_000_001)}, algal.BudgetExhausted, "exceeds 16000000 bytes, depth 64 or 1000000 values"},
	} {
		r := cas.NewRecorder(&changing{answers: c.answers})
		var err error
		for _, p := range objectPlaces {
			for range c.answers {
				if p.name == c.place {
					_, err = p.get(r, v.Digest())
				}
			}
		}
		if algal.CodeOf(err) != c.code || !strings.HasSuffix(err.Error(), c.text) {
			t.Errorf("%s: %v %v, want %s %s", c.name, algal.CodeOf(err), err, c.code, c.text)
		}
		if r.Err() != err {
			t.Errorf("%s: the recording says %v", c.name, r.Err())
		}
	}
	broken := cas.NewRecorder(failing{})
	for range 2 {
		if _, err := broken.Value(v.Digest()); err != errBroken || broken.Err() != errBroken {
			t.Errorf("%v, the recording says %v", err, broken.Err())
		}
	}
	if len(broken.MissingValues()) != 0 {
		t.Error("a failed read was taken for a miss")
	}
}

// TestRecorderBounds: the bounds on one object and on their sum are inclusive.
func TestRecorderBounds(t *testing.T) {
	source := cas.NewMemory()
	r := cas.NewRecorder(source)
	text := func(n int) canon.Value { return canon.String(strings.Repeat("x", n-2)) }
	for _, c := range []struct {
		place int
		v     canon.Value
		want  string
	}{
		{1, text(1_048_576), "<nil>"},
		{2, text(16_000_000), "<nil>"},
		{0, text(canon.MaxBytes - 1_048_576 - 16_000_000), "<nil>"},
		{0, canon.Int(1), "process evidence exceeds 67108864 bytes"},
	} {
		p := objectPlaces[c.place]
		if _, err := p.get(r, put(t, source, p, c.v)); fmt.Sprint(err) != c.want {
			t.Errorf("%s of %d bytes: %v, want %s", p.name, c.v.Size(), err, c.want)
		}
	}
}

// TestRecorderCounts: the counts of evidence.md §5 are inclusive. Reading again
// what is recorded stays possible at the bound.
func TestRecorderCounts(t *testing.T) {
	source := cas.NewMemory()
	for _, c := range []struct {
		place string
		most  int
		there bool
		text  string
	}{
		{"value", 641, true, "process evidence exceeds 641 values"},
		{"manifest", 512, true, "process evidence exceeds 512 manifests"},
		{"receipt", 64, true, "process evidence exceeds 64 receipts"},
		{"value", 512, false, "process evidence exceeds 512 missing values"},
		{"manifest", 512, false, "process evidence exceeds 512 missing manifests"},
	} {
		for _, p := range objectPlaces {
			if p.name != c.place {
				continue
			}
			r := cas.NewRecorder(source)
			var digests []algal.Digest
			for i := range c.most + 1 {
				v := canon.String(fmt.Sprint(c.there, i))
				if c.there {
					put(t, source, p, v)
				}
				digests = append(digests, v.Digest())
			}
			for _, d := range digests[:c.most] {
				if _, err := p.get(r, d); err != nil {
					t.Fatalf("%s: %v", c.text, err)
				}
			}
			if _, err := p.get(r, digests[0]); err != nil {
				t.Errorf("%s: read again: %v", c.text, err)
			}
			if _, err := p.get(r, digests[c.most]); algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != c.text {
				t.Errorf("%v, want %s", err, c.text)
			}
		}
	}
}
