// Package castest holds the one suite of tests that every [cas.Store] passes,
// whatever keeps its objects (store.md §4 to §8). What only some stores do, such as
// bounds and damage, is tested beside these stores.
package castest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// Suite runs the suite. open returns a new empty store. Its effect receipt
// contract, if it has one, must admit {"executor":E,"output":V,"requestDigest":R}.
func Suite(t *testing.T, open func(t *testing.T) cas.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, cas.Store)
	}{
		{"objects", objects},
		{"places", places},
		{"absent", absent},
		{"order", order},
		{"effects", effectMemo},
		{"slots", slots},
		{"overlay", overlay},
		{"concurrent", concurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// manifest is the normal form of the worked vector of store.md §5.
const manifest = `{"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},` +
	`"cells":[{"id":"out","kind":"const","outputs":{"value":{"type":"json","value":"ok"}}}],` +
	`"contract":"algal.organism.v1","edges":[],"key":"organism:demo","name":"Demo"}`

const manifestDigest = "sha256:da7ea81eb5b8ab4bff084b0ef7f8693d6844933ac786e5a360e71c291a532f29"

// vectors are the worked vectors of store.md §4.4, and one value of each kind.
var vectors = map[string]algal.Digest{
	`{"a":1}`:                      "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
	`{"b":1,"a":[1,2,{"z":null}]}`: "sha256:c37e4b596c6f78ef248a550ad50e4999047c3d51d63e0255339d0e733423de84",
	`{"x":1}`:                      "sha256:5041bf1f713df204784353e82f6a4a535931cb64f1f4b4a5aeaffcb720918b22",
	strings.Repeat("[", 64) + "1" + strings.Repeat("]", 64): "sha256:36127fd491fb6253bca865d070b1c735abaf9d9b4d8a225ea3392e9c36ad193a",
	`null`: "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
	`true`: "", `-0.5`: "", `""`: "", `"h\u00e9llo \ud83d\ude00"`: "", `[]`: "", `{}`: "", `{"":{"10":1,"9":2}}`: "",
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// place is one of the three places of objects.
type place struct {
	name string
	get  func(algal.Digest) (canon.Value, error)
	put  func(canon.Value) (algal.Digest, error)
}

func placesOf(s cas.Store) []place {
	return []place{
		{"values", s.Value, s.PutValue},
		{"receipts", s.Receipt, s.PutReceipt},
		{"manifests", s.Manifest, s.PutManifest},
	}
}

// expect reads and compares; an absent want means that nothing is there.
func expect(t *testing.T, what string, want canon.Value, read func() (canon.Value, error)) {
	t.Helper()
	got, err := read()
	if err != nil || !canon.Equal(got, want) {
		t.Errorf("%s: read %.200s, %v, want %.200s", what, got, err, want)
	}
}

func objects(t *testing.T, s cas.Store) {
	for text, digest := range vectors {
		v := parse(t, text)
		for _, p := range placesOf(s)[:2] {
			for range 2 { // a repeated put is no different
				d, err := p.put(v)
				if err != nil || d != v.Digest() || digest != "" && d != digest {
					t.Errorf("%s: put %.60s = %s, %v, want %s", p.name, text, d, err, v.Digest())
				}
			}
			expect(t, p.name, v, func() (canon.Value, error) { return p.get(v.Digest()) })
		}
	}
	normal := parse(t, manifest)
	for range 2 {
		if d, err := s.PutManifest(normal); err != nil || d != manifestDigest {
			t.Errorf("PutManifest = %s, %v", d, err)
		}
	}
	expect(t, "manifest", normal, func() (canon.Value, error) { return s.Manifest(manifestDigest) })
}

// places are apart: an object is found only where it was put.
func places(t *testing.T, s cas.Store) {
	v := parse(t, manifest)
	for i, p := range placesOf(s) {
		for _, later := range placesOf(s)[i:] {
			expect(t, later.name, canon.Value{}, func() (canon.Value, error) { return later.get(v.Digest()) })
		}
		if _, err := p.put(v); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		expect(t, p.name, v, func() (canon.Value, error) { return p.get(v.Digest()) })
	}
}

func absent(t *testing.T, s cas.Store) {
	none := canon.DigestText("never stored")
	for _, p := range placesOf(s) {
		expect(t, p.name, canon.Value{}, func() (canon.Value, error) { return p.get(none) })
	}
	expect(t, "effect", canon.Value{}, func() (canon.Value, error) { return s.Effect("e", none) })
	expect(t, "slot", canon.Value{}, func() (canon.Value, error) { return s.Slot("never-set") })
}

// order: what is read back has canonical member order, since that is how it was
// written.
func order(t *testing.T, s cas.Store) {
	v := parse(t, `{"b":1,"a":{"z":1,"y":2},"2":0}`)
	d, err := s.PutValue(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetSlot("s", v); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() (canon.Value, error){
		"value": func() (canon.Value, error) { return s.Value(d) },
		"slot":  func() (canon.Value, error) { return s.Slot("s") },
	} {
		got, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if keys := fmt.Sprint(keys(got), keys(got.Get("a"))); keys != "[2 a b] [y z]" {
			t.Errorf("%s: member order %s", name, keys)
		}
	}
}

func keys(v canon.Value) (list []string) {
	for key := range v.Members() {
		list = append(list, key)
	}
	return list
}

func memo(request algal.Digest, output int) canon.Value {
	return canon.Object(
		canon.M("executor", canon.String("e")),
		canon.M("output", canon.Int(output)),
		canon.M("requestDigest", canon.String(string(request))),
	)
}

// effectMemo: the first memo of a key wins, and a key is an identity and a request.
func effectMemo(t *testing.T, s cas.Store) {
	request, other := parse(t, `{"q":1}`).Digest(), parse(t, `{"q":2}`).Digest()
	for _, put := range []struct {
		identity string
		memo     canon.Value
	}{{"id1", memo(request, 1)}, {"id1", memo(request, 2)}, {"id2", memo(request, 3)}, {"id1", memo(other, 4)}, {"id1", memo(request, 1)}} {
		if err := s.PutEffect(put.identity, put.memo); err != nil {
			t.Errorf("PutEffect(%s, %s) = %v", put.identity, put.memo, err)
		}
	}
	for _, c := range []struct {
		identity string
		request  algal.Digest
		want     canon.Value
	}{{"id1", request, memo(request, 1)}, {"id2", request, memo(request, 3)}, {"id1", other, memo(other, 4)}, {"id2", other, canon.Value{}}, {"", request, canon.Value{}}} {
		expect(t, "effect of "+c.identity, c.want, func() (canon.Value, error) { return s.Effect(c.identity, c.request) })
	}
	err := s.PutEffect("id1", memo("sha256:../../outside", 1))
	if algal.CodeOf(err) != algal.ParseFailed {
		t.Errorf("PutEffect with a malformed request = %v", err)
	}
}

func slots(t *testing.T, s cas.Store) {
	for _, text := range []string{`{"a":1}`, `[1]`, `null`, `"x"`} {
		v := parse(t, text)
		if err := s.SetSlot("memo", v); err != nil {
			t.Fatal(err)
		}
		expect(t, "slot", v, func() (canon.Value, error) { return s.Slot("memo") })
	}
	if err := s.SetSlot("a-1", canon.Int(7)); err != nil {
		t.Fatal(err)
	}
	expect(t, "first slot", canon.String("x"), func() (canon.Value, error) { return s.Slot("memo") })
	expect(t, "second slot", canon.Int(7), func() (canon.Value, error) { return s.Slot("a-1") })
}

// overlay: a replay overlay reads the objects of the store and nothing else, and
// never writes to it (store.md §8).
func overlay(t *testing.T, s cas.Store) {
	v, normal := parse(t, `{"a":1}`), parse(t, manifest)
	request := canon.DigestText("request")
	puts := func(s cas.Store, object canon.Value, slot canon.Value, output int) {
		for _, p := range placesOf(s)[:2] {
			if _, err := p.put(object); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.PutEffect("e", memo(request, output)); err != nil {
			t.Fatal(err)
		}
		if err := s.SetSlot("live", slot); err != nil {
			t.Fatal(err)
		}
	}
	puts(s, v, canon.String("live"), 1)
	if _, err := s.PutManifest(normal); err != nil {
		t.Fatal(err)
	}
	o := cas.NewOverlay(s)
	expect(t, "value of the source", v, func() (canon.Value, error) { return o.Value(v.Digest()) })
	expect(t, "receipt of the source", v, func() (canon.Value, error) { return o.Receipt(v.Digest()) })
	expect(t, "manifest of the source", normal, func() (canon.Value, error) { return o.Manifest(manifestDigest) })
	expect(t, "slot of the source", canon.Value{}, func() (canon.Value, error) { return o.Slot("live") })
	expect(t, "effect of the source", canon.Value{}, func() (canon.Value, error) { return o.Effect("e", request) })

	later := parse(t, `{"later":1}`)
	puts(o, later, canon.Null(), 2)
	expect(t, "slot of the overlay", canon.Null(), func() (canon.Value, error) { return o.Slot("live") })
	expect(t, "effect of the overlay", memo(request, 2), func() (canon.Value, error) { return o.Effect("e", request) })
	expect(t, "value of the overlay", later, func() (canon.Value, error) { return o.Value(later.Digest()) })
	expect(t, "live slot", canon.String("live"), func() (canon.Value, error) { return s.Slot("live") })
	expect(t, "live effect", memo(request, 1), func() (canon.Value, error) { return s.Effect("e", request) })
	expect(t, "live value", canon.Value{}, func() (canon.Value, error) { return s.Value(later.Digest()) })
}

// concurrent: eight writers of one value and of one slot, and readers that poll.
// A read gives nothing or one whole version.
func concurrent(t *testing.T, s cas.Store) {
	const writers, rounds = 8, 4
	shared := canon.String(strings.Repeat("shared ", 10_000))
	version := func(n int) canon.Value {
		return canon.Array(canon.Int(n), canon.String(strings.Repeat(fmt.Sprint(n), 10_000)))
	}
	whole := func(v canon.Value) bool {
		return !v.Exists() || v.Len() == 2 && canon.Equal(v, version(int(v.At(0).Float())))
	}
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for r := range rounds {
				if d, err := s.PutValue(shared); err != nil || d != shared.Digest() {
					t.Errorf("PutValue = %s, %v", d, err)
				}
				if err := s.SetSlot("slot", version(w*rounds+r)); err != nil {
					t.Errorf("SetSlot = %v", err)
				}
				if got, err := s.Slot("slot"); err != nil || !got.Exists() || !whole(got) {
					t.Errorf("slot after it was set: %.40s, %v", got, err)
				}
				expect(t, "value after it was put", shared, func() (canon.Value, error) { return s.Value(shared.Digest()) })
			}
		})
	}
	reading.Go(func() {
		for polls := 0; ; polls++ {
			select {
			case <-done:
				return
			default:
			}
			if got, err := s.Value(shared.Digest()); err != nil || got.Exists() && !canon.Equal(got, shared) {
				t.Errorf("poll %d of the value: %.40s, %v", polls, got, err)
			}
			if got, err := s.Slot("slot"); err != nil || !whole(got) {
				t.Errorf("poll %d of the slot: %.40s, %v", polls, got, err)
			}
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()
}
