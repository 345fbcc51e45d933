package organism_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
	"github.com/algal-vm/algal/organism"
)

// needed are the members that no cell of everyKind can lose.
var needed = []string{"id", "kind", "outputs", "fn", "expr", "output", "tool", "prompt", "questions", "query", "manifest", "maxRounds",
	"over", "maxItems", "name", "mode", "inputs", "tools"}

// drawManifest draws a document that is admitted: some cells of everyKind without
// some of their optional members, in any member order.
func drawManifest(t *rapid.T, cells canon.Value) canon.Value {
	var list []canon.Value
	for _, cell := range cells.Elements() {
		if !rapid.Bool().Draw(t, "keep cell") {
			continue
		}
		for key := range cell.Members() {
			if !slices.Contains(needed, key) && rapid.Bool().Draw(t, "drop "+key) {
				cell = cell.Without(key)
			}
		}
		list = append(list, cell)
	}
	members := []canon.Member{
		canon.M("contract", canon.String(organism.Contract)), canon.M("key", canon.String("organism:t")),
		canon.M("name", canon.String(rapid.StringN(0, 20, 60).Draw(t, "name"))), canon.M("cells", canon.Array(list...)),
	}
	if rapid.Bool().Draw(t, "budgets") {
		members = append(members, canon.M("budgets", canon.Object(canon.M("maxSteps", canon.Int(rapid.IntRange(1, 1024).Draw(t, "steps"))))))
	}
	return shuffle(t, canon.Object(members...))
}

// shuffle puts the members of every object into any order.
func shuffle(t *rapid.T, v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindArray:
		var list []canon.Value
		for _, e := range v.Elements() {
			list = append(list, shuffle(t, e))
		}
		return canon.Array(list...)
	case canon.KindObject:
		var members []canon.Member
		for key, m := range v.Members() {
			members = append(members, canon.M(key, shuffle(t, m)))
		}
		return canon.Object(rapid.Permutation(members).Draw(t, "members")...)
	}
	return v
}

// sameManifest compares what two manifests tell, but for the texts they keep.
var sameManifest = cmp.Options{
	cmp.Comparer(canon.Equal),
	cmp.Comparer(func(a, b *expr.Program) bool {
		return (a == nil) == (b == nil) && (a == nil || canon.Equal(a.Source(), b.Source()))
	}),
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreUnexported(organism.Manifest{}, organism.Schema{}),
}

// checkFixedPoint demands that the normal form is its own normal form, in memory
// and read back, and tells what the document told.
func checkFixedPoint(t *rapid.T, m *organism.Manifest) {
	again, err := organism.ParseManifest(m.Normal())
	if err != nil {
		t.Fatalf("the normal form is refused: %v\n%v", err, m.Normal())
	}
	if diff := cmp.Diff(m, again, sameManifest); diff != "" {
		t.Fatalf("the normal form tells something else (-document +normal form)\n%s", diff)
	}
	read, err := canon.Parse(m.Normal().String(), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := organism.ParseManifest(read)
	if err != nil {
		t.Fatalf("the canonical text is refused: %v\n%v", err, m.Normal())
	}
	for _, other := range []*organism.Manifest{again, stored} {
		if !canon.Equal(other.Normal(), m.Normal()) || other.Digest() != m.Digest() || m.Digest() != m.Normal().Digest() {
			t.Fatalf("the normal form is no fixed point:\n%v\n%v", m.Normal(), other.Normal())
		}
	}
}

func TestNormalFormProperties(t *testing.T) {
	cells := parse(t, "["+everyKind+"]")
	rapid.Check(t, func(t *rapid.T) {
		v := drawManifest(t, cells)
		m, err := organism.ParseManifest(v)
		if err != nil {
			t.Fatalf("%v\n%v", err, v)
		}
		checkFixedPoint(t, m)
		other, err := organism.ParseManifest(shuffle(t, v))
		if err != nil || other.Digest() != m.Digest() {
			t.Fatalf("member order changes the digest: %v\n%v", err, v)
		}
	})
}

// TestChangedDocuments replaces a node of a document by something else. It is
// refused with a code of admission, or it has a fixed point like any other.
func TestChangedDocuments(t *testing.T) {
	whole := parse(t, document(everyKind, `"note":"n"`, `"budgets":{"maxWork":5}`,
		edges(`{"guard":{"equals":"x","field":"f"},`+edge("c.v", "e.x")[1:], `{"on":"fail",`+edge("c.v", "a.x")[1:]),
		`"interface":{"inputs":{"q":{"cell":"in","port":"q"}},"outputs":{"v":{"cell":"f","port":"value"}}}`))
	scraps := []canon.Value{canon.Null(), canon.Bool(false), canon.Bool(true), canon.Int(0), canon.Int(3), canon.Int(-1), canon.String(""), canon.String("a"),
		canon.String("json"), canon.String("choice"), canon.Array(), canon.Array(canon.String("a")), canon.Object(), canon.Object(canon.M("a", canon.String("text"))),
		parse(t, `{"type":"choice","labels":["x"]}`), parse(t, `{"contract":"algal.expr.v1","program":1}`)}
	admitted := 0
	rapid.Check(t, func(t *rapid.T) {
		v := replace(t, whole, rapid.IntRange(0, whole.Nodes()-1).Draw(t, "node"), rapid.SampledFrom(scraps).Draw(t, "scrap"))
		m, err := organism.ParseManifest(v)
		if err != nil {
			if code := algal.CodeOf(err); m != nil || code != algal.ParseFailed {
				t.Fatalf("%s: %v", code, err)
			}
			return
		}
		admitted++
		checkFixedPoint(t, m)
	})
	if admitted == 0 {
		t.Error("no changed document was admitted")
	}
}

// replace gives v with node number at, counted depth first, replaced.
func replace(t *rapid.T, v canon.Value, at int, scrap canon.Value) canon.Value {
	if at == 0 {
		return scrap
	}
	at--
	var list []canon.Value
	var members []canon.Member
	for i := range v.Len() {
		child := v.At(i)
		if n := child.Nodes(); at >= 0 && at < n {
			child = replace(t, child, at, scrap)
			at = -1
		} else {
			at -= n
		}
		list = append(list, child)
		if v.Is(canon.KindObject) {
			members = append(members, canon.M(v.Key(i), child))
		}
	}
	if v.Is(canon.KindObject) {
		return canon.Object(members...)
	}
	return canon.Array(list...)
}
