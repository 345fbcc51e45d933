package cas_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// place is a kind of object with its two operations.
type place struct {
	name string
	put  func(cas.Store, canon.Value) (algal.Digest, error)
	get  func(cas.Store, algal.Digest) (canon.Value, error)
}

var objectPlaces = []place{
	{"value", cas.Store.PutValue, cas.Store.Value},
	{"manifest", cas.Store.PutManifest, cas.Store.Manifest},
	{"receipt", cas.Store.PutReceipt, cas.Store.Receipt},
}

// checkHolds wants a store to give a value under a digest, or nothing at all.
func checkHolds(t *testing.T, what string, s cas.Store, p place, d algal.Digest, want canon.Value) {
	t.Helper()
	got, err := p.get(s, d)
	if err != nil || got.Exists() != want.Exists() || !canon.Equal(got, want) {
		t.Errorf("%s: %s %s is %s, %v; want %s", what, p.name, d, got, err, want)
	}
}

func put(t *testing.T, s cas.Store, p place, v canon.Value) algal.Digest {
	t.Helper()
	d, err := p.put(s, v)
	if err != nil || d != v.Digest() {
		t.Fatalf("put %s %s: %s, %v", p.name, v, d, err)
	}
	return d
}

func TestMemoryObjects(t *testing.T) {
	s := cas.NewMemory()
	v := parse(t, `{"b":1,"a":[1,2,{"z":null}]}`)
	for i, p := range objectPlaces {
		for _, later := range objectPlaces[i:] {
			checkHolds(t, "before", s, later, v.Digest(), canon.Value{}) // a place does not answer for another
		}
		d := put(t, s, p, v)
		if d != "sha256:c37e4b596c6f78ef248a550ad50e4999047c3d51d63e0255339d0e733423de84" {
			t.Errorf("digest %s", d) // store.md §4.4
		}
		checkHolds(t, "after", s, p, d, v)
		put(t, s, p, parse(t, v.String())) // again
		got, err := p.get(s, d)
		if err != nil || got.Key(0) != "a" {
			t.Errorf("%s: read back as %s, which begins with %q", p.name, got, got.Key(0)) // as from a file
		}
	}
}

func memoOf(t *testing.T, request algal.Digest, output string) canon.Value {
	return parse(t, `{"executor":"e","output":`+output+`,"requestDigest":"`+string(request)+`"}`)
}

// TestEffectMemo is S-15: the first memo of a request wins, per executor identity.
func TestEffectMemo(t *testing.T) {
	for name, s := range map[string]cas.Store{"memory": cas.NewMemory(), "overlay": cas.NewOverlay(cas.NewMemory())} {
		request := parse(t, `{"q":1}`).Digest()
		if v, err := s.Effect("id1", request); err != nil || v.Exists() {
			t.Errorf("%s: %s, %v before any put", name, v, err)
		}
		first := memoOf(t, request, `"A"`)
		for _, put := range []struct {
			identity string
			memo     canon.Value
		}{{"id1", first}, {"id1", memoOf(t, request, `"B"`)}, {"id2", memoOf(t, request, `"C"`)}} {
			if err := s.PutEffect(put.identity, put.memo); err != nil {
				t.Fatal(err)
			}
			if v, err := s.Effect("id1", request); err != nil || !canon.Equal(v, first) {
				t.Errorf("%s: S-15: %s, %v; want the first", name, v, err)
			}
		}
		if v, err := s.Effect("id2", request); err != nil || !v.Get("output").IsText("C") {
			t.Errorf("%s: %s, %v; want that of id2", name, v, err)
		}
		err := s.PutEffect("id1", parse(t, `{"output":1,"requestDigest":"sha256:1"}`))
		if algal.CodeOf(err) != algal.ParseFailed || err.Error() != "effect request digest must be a sha256:<64 lowercase hex> digest" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEffectKey(t *testing.T) {
	request := parse(t, `{"q":1}`).Digest()
	const want = "sha256:ca73e420a85c10ee528e014896cf5d4180a3fcbf6bf5b944130d495818678eb3" // store.md §6.1
	if got := cas.EffectKey("id1", request); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if cas.EffectKey("id2", request) == want {
		t.Error("the identity is not in the key")
	}
}

func checkSlot(t *testing.T, what string, s cas.Store, name, want string) {
	t.Helper()
	v, err := s.Slot(name)
	if err != nil || v.String() != want {
		t.Errorf("%s: slot %s is %q, %v; want %q", what, name, v, err, want)
	}
}

func set(t *testing.T, s cas.Store, name, text string) {
	t.Helper()
	if err := s.SetSlot(name, parse(t, text)); err != nil {
		t.Fatal(err)
	}
}

func TestMemorySlots(t *testing.T) {
	s := cas.NewMemory()
	checkSlot(t, "before", s, "a", "")
	set(t, s, "a", `{"y":1,"x":2}`)
	checkSlot(t, "after", s, "a", `{"x":2,"y":1}`)
	set(t, s, "a", `null`)
	checkSlot(t, "a slot may hold null", s, "a", `null`)
	checkSlot(t, "another", s, "b", "")
}

// TestOverlay: objects are looked up below, everything else is not, and nothing is
// written there (store.md §8).
func TestOverlay(t *testing.T) {
	below := cas.NewMemory()
	v, own := parse(t, `{"from":"below"}`), parse(t, `{"from":"overlay"}`)
	o := cas.NewOverlay(below)
	for _, p := range objectPlaces {
		d := put(t, below, p, v)
		checkHolds(t, "read through", o, p, d, v)
		put(t, o, p, own)
		checkHolds(t, "own", o, p, own.Digest(), own)
		checkHolds(t, "below", below, p, own.Digest(), canon.Value{})
		checkHolds(t, "neither", o, p, parse(t, `0`).Digest(), canon.Value{})
	}
	request := parse(t, `{"q":1}`).Digest()
	if err := below.PutEffect("e", memoOf(t, request, `1`)); err != nil {
		t.Fatal(err)
	}
	if v, err := o.Effect("e", request); err != nil || v.Exists() {
		t.Errorf("the memo below is seen: %s, %v", v, err)
	}
	if err := o.PutEffect("e", memoOf(t, request, `2`)); err != nil {
		t.Fatal(err)
	}
	if v, _ := below.Effect("e", request); v.Get("output").Float() != 1 {
		t.Errorf("the memo below is now %s", v)
	}
}

// TestOverlaySlots is S-14.
func TestOverlaySlots(t *testing.T) {
	below := cas.NewMemory()
	set(t, below, "s", `"live"`)
	o := cas.NewOverlay(below)
	checkSlot(t, "S-14: a live slot", o, "s", "")
	set(t, o, "s", `null`)
	checkSlot(t, "S-14: set to null", o, "s", `null`)
	checkSlot(t, "S-14: below", below, "s", `"live"`)
}

// failing is a store whose reads fail.
type failing struct{ cas.Store }

var errBroken = algal.Errorf(algal.IOFailed, "broken")

func (failing) Value(algal.Digest) (canon.Value, error)    { return canon.Value{}, errBroken }
func (failing) Manifest(algal.Digest) (canon.Value, error) { return canon.Value{}, errBroken }
func (failing) Receipt(algal.Digest) (canon.Value, error)  { return canon.Value{}, errBroken }

// TestOverlayFaults: what is written is found without the source, and the source's
// fault is not taken for an absence.
func TestOverlayFaults(t *testing.T) {
	o := cas.NewOverlay(failing{})
	v := parse(t, `1`)
	for _, p := range objectPlaces {
		if got, err := p.get(o, v.Digest()); err != errBroken || got.Exists() {
			t.Errorf("%s: %s, %v", p.name, got, err)
		}
		put(t, o, p, v)
		checkHolds(t, "written", o, p, v.Digest(), v)
	}
}

// TestConcurrentUse: stores are safe for concurrent use; the race detector sees it.
func TestConcurrentUse(t *testing.T) {
	o := cas.NewOverlay(cas.NewMemory())
	request := parse(t, `{"q":1}`).Digest()
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			v := canon.String(strings.Repeat("x", n%3))
			for _, p := range objectPlaces {
				if d, err := p.put(o, v); err != nil || d != v.Digest() {
					t.Errorf("%s, %v", d, err)
				}
				checkHolds(t, "at once", o, p, v.Digest(), v)
			}
			if err := o.SetSlot("s", canon.Int(n)); err != nil {
				t.Error(err)
			}
			if err := o.PutEffect("e", memoOf(t, request, fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
			memo, _ := o.Effect("e", request)
			if slot, err := o.Slot("s"); err != nil || !slot.Exists() || !memo.Exists() {
				t.Errorf("%s, %s, %v", slot, memo, err)
			}
		})
	}
	group.Wait()
}
