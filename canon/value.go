package canon

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal"
)

// Kind tells what a [Value] is. The zero Kind is that of the absent value.
type Kind uint8

// The kinds of values. Absent is what a lookup of a missing member gives; it is
// not a JSON value and never stands inside one.
const (
	Absent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

func (k Kind) String() string { return kindNames[k] }

// Value is an immutable JSON value, or nothing at all: the zero Value is absent.
// Values are small and are passed by value; copies share the tree. They may be
// read by any number of goroutines.
//
// Size, depth and node count are known from construction, so bounds cost nothing
// to check.
type Value struct{ n *node }

// node is the shared part of a value. Scalars carry no container part, which
// keeps the many small nodes of a document small.
type node struct {
	kind   Kind
	truth  bool
	sorted bool   // every object below is in canonical member order
	depth  uint32 // of the deepest descendant, 0 for a scalar
	nodes  uint32 // values in the tree, this one included
	size   int    // bytes of the canonical text
	number float64
	text   string // string: its content; number: canonical text; container: canonical text, "" if not at hand
	*kids         // arrays and objects only
}

type kids struct {
	values []Value
	keys   []string // objects: keys[i] names values[i], in member order
	order  []uint32 // objects: indices in canonical order, nil when member order is canonical
}

var (
	nullNode  = &node{kind: KindNull, sorted: true, nodes: 1, size: len("null")}
	trueNode  = &node{kind: KindBool, truth: true, sorted: true, nodes: 1, size: len("true")}
	falseNode = &node{kind: KindBool, sorted: true, nodes: 1, size: len("false")}
)

// Null returns the JSON null.
func Null() Value { return Value{nullNode} }

// Bool returns a JSON boolean.
func Bool(b bool) Value {
	if b {
		return Value{trueNode}
	}
	return Value{falseNode}
}

// Int returns a JSON number. The integer is rounded to the nearest binary64.
func Int(i int) Value { return finite(float64(i)) }

// Number returns a JSON number, or an error of code PARSE_FAILED when f is not
// finite: JSON has no such value (canonical.md §1).
func Number(f float64) (Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return Value{}, algal.Errorf(algal.ParseFailed, "number %v is not a JSON value", f)
	}
	return finite(f), nil
}

func finite(f float64) Value {
	text := FormatNumber(f)
	return Value{&node{kind: KindNumber, sorted: true, nodes: 1, size: len(text), number: f, text: text}}
}

// String returns a JSON string. Bytes of s that are not UTF-8 become U+FFFD: a
// value holds Unicode scalar values only (canonical.md §2.4).
func String(s string) Value {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return Value{&node{kind: KindString, sorted: true, nodes: 1, size: QuotedSize(s), text: s}}
}

// Array returns a JSON array. The elements, which must not be absent, are copied:
// the slice stays the caller's to use again.
func Array(elements ...Value) Value {
	n := &node{kind: KindArray}
	n.kids = &kids{values: slices.Clone(elements)}
	n.measure()
	return Value{n}
}

// Member is one member of an object.
type Member struct {
	Key   string
	Value Value
}

// M is short for a [Member].
func M(key string, v Value) Member { return Member{key, v} }

// Object returns a JSON object with the given members, in the member order of
// canonical.md §1.1. A later member with a key given before replaces the value
// and keeps the place; an absent value leaves its member out.
func Object(members ...Member) Value {
	k := &kids{values: make([]Value, 0, len(members)), keys: make([]string, 0, len(members))}
	for _, m := range members {
		if m.Value.n != nil {
			k.keys = append(k.keys, m.Key)
			k.values = append(k.values, m.Value)
		}
	}
	n := &node{kind: KindObject}
	n.kids = k
	k.arrange()
	n.measure()
	return Value{n}
}

// arrange brings parallel keys and values into member order without duplicates
// and computes the canonical order. It reports whether the keys were canonical as
// they stood, and whether there were duplicates.
func (k *kids) arrange() (canonical, duplicates bool) {
	if ascending(k.keys) {
		return true, false
	}
	order := make([]uint32, len(k.keys))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return CompareKeys(k.keys[a], k.keys[b]) })
	duplicates = k.mergeDuplicates(order)
	if duplicates || hasIndexKey(k.keys, order) {
		k.rebuild(order)
	} else {
		k.order = order
	}
	return false, duplicates
}

// mergeDuplicates gives the first occurrence of each key the value of the last.
// Later occurrences are marked by an absent value.
func (k *kids) mergeDuplicates(order []uint32) bool {
	found := false
	for i := 1; i < len(order); i++ {
		first := order[i-1]
		for i < len(order) && k.keys[order[i]] == k.keys[first] {
			k.values[first] = k.values[order[i]]
			k.values[order[i]] = Value{}
			found = true
			i++
		}
	}
	return found
}

func hasIndexKey(keys []string, order []uint32) bool {
	if len(order) == 0 {
		return false
	}
	_, ok := arrayIndex(keys[order[0]])
	return ok
}

// rebuild drops merged duplicates, puts array-index keys first and recomputes
// the order; order is the canonical order over the old positions.
func (k *kids) rebuild(order []uint32) {
	keys, values := make([]string, 0, len(k.keys)), make([]Value, 0, len(k.keys))
	for _, i := range order {
		if _, ok := arrayIndex(k.keys[i]); ok && k.values[i].n != nil {
			keys, values = append(keys, k.keys[i]), append(values, k.values[i])
		}
	}
	for i, key := range k.keys {
		if _, ok := arrayIndex(key); !ok && k.values[i].n != nil {
			keys, values = append(keys, key), append(values, k.values[i])
		}
	}
	k.keys, k.values, k.order = keys, values, nil
	if !ascending(keys) {
		k.order = order[:len(keys)]
		for i := range k.order {
			k.order[i] = uint32(i)
		}
		slices.SortFunc(k.order, func(a, b uint32) int { return CompareKeys(keys[a], keys[b]) })
	}
}

func ascending(keys []string) bool {
	for i := 1; i < len(keys); i++ {
		if CompareKeys(keys[i-1], keys[i]) >= 0 {
			return false
		}
	}
	return true
}

// measure computes size, depth, node count and order of a container from its
// children.
func (n *node) measure() {
	n.size, n.nodes, n.depth, n.sorted = 2, 1, 1, n.order == nil
	if len(n.values) > 1 {
		n.size += len(n.values) - 1
	}
	for _, v := range n.values {
		c := v.n
		n.size += c.size
		n.nodes = saturate(n.nodes, c.nodes)
		n.depth = max(n.depth, c.depth+1)
		n.sorted = n.sorted && c.sorted
	}
	for _, key := range n.keys {
		n.size += QuotedSize(key) + 1
	}
	if len(n.values) == 0 {
		n.depth = 0
	}
}

// saturate adds node counts. A tree that shares subtrees can have more nodes than
// can be counted; every bound is far below that.
func saturate(a, b uint32) uint32 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint32
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return v.n.kind
}

// Exists reports whether v is a value at all.
func (v Value) Exists() bool { return v.n != nil }

// Is reports whether v is of kind k.
func (v Value) Is(k Kind) bool { return v.Kind() == k }

// Bool returns the truth of a boolean, false for any other value.
func (v Value) Bool() bool { return v.n != nil && v.n.truth }

// Float returns the number v holds, 0 for any other value.
func (v Value) Float() float64 {
	if v.n == nil {
		return 0
	}
	return v.n.number
}

// Text returns the content of a string, "" for any other value.
func (v Value) Text() string {
	if v.Kind() != KindString {
		return ""
	}
	return v.n.text
}

// IsText reports whether v is exactly the string s.
func (v Value) IsText(s string) bool { return v.Kind() == KindString && v.n.text == s }

// Len returns the number of elements or members, 0 for a scalar.
func (v Value) Len() int {
	if v.n == nil || v.n.kids == nil {
		return 0
	}
	return len(v.n.values)
}

// At returns element i of an array, or the value of member i of an object in
// member order.
func (v Value) At(i int) Value { return v.n.values[i] }

// Key returns the key of member i of an object in member order.
func (v Value) Key(i int) string { return v.n.keys[i] }

// Elements iterates over an array.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != KindArray {
			return
		}
		for i, e := range v.n.values {
			if !yield(i, e) {
				return
			}
		}
	}
}

// Members iterates over an object in member order: array-index keys by number,
// then the others as first inserted (canonical.md §1.1).
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != KindObject {
			return
		}
		for i, key := range v.n.keys {
			if !yield(key, v.n.values[i]) {
				return
			}
		}
	}
}

// CanonicalMembers iterates over an object in canonical order (§3.2).
func (v Value) CanonicalMembers() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != KindObject {
			return
		}
		for i := range v.n.keys {
			at := v.n.canonicalIndex(i)
			if !yield(v.n.keys[at], v.n.values[at]) {
				return
			}
		}
	}
}

func (k *kids) canonicalIndex(i int) int {
	if k.order == nil {
		return i
	}
	return int(k.order[i])
}

// linearLookup is the number of members up to which comparing every key beats
// a binary search.
const linearLookup = 12

// Get returns the member of an object with the given key. It is absent when
// there is none or v is no object.
func (v Value) Get(key string) Value {
	if v.Kind() != KindObject {
		return Value{}
	}
	k := v.n.kids
	if len(k.keys) <= linearLookup {
		for i, have := range k.keys {
			if have == key {
				return k.values[i]
			}
		}
		return Value{}
	}
	i, found := slices.BinarySearchFunc(k.keys, key, CompareKeys)
	if k.order != nil {
		i, found = slices.BinarySearchFunc(k.order, key, func(at uint32, key string) int {
			return CompareKeys(k.keys[at], key)
		})
	}
	if !found {
		return Value{}
	}
	return k.values[k.canonicalIndex(i)]
}

// Size returns the number of bytes of the canonical text.
func (v Value) Size() int {
	if v.n == nil {
		return 0
	}
	return v.n.size
}

// Depth returns the depth of the deepest node, the root being 0. An empty
// container counts as its own depth: [] has depth 0, [[]] has 1.
func (v Value) Depth() int {
	if v.n == nil {
		return 0
	}
	return int(v.n.depth)
}

// Nodes returns the number of values in the tree, v included; keys do not count.
func (v Value) Nodes() int {
	if v.n == nil {
		return 0
	}
	return int(v.n.nodes)
}

// Sorted returns v with every object in canonical member order, as reading back
// its canonical text would give it. It is v itself when it is already so.
func (v Value) Sorted() Value {
	if v.n == nil || v.n.sorted {
		return v
	}
	k := &kids{values: make([]Value, len(v.n.values))}
	if v.n.kind == KindObject {
		k.keys = make([]string, len(v.n.keys))
	}
	for i := range v.n.values {
		at := i
		if v.n.kind == KindObject {
			at = v.n.canonicalIndex(i)
			k.keys[i] = v.n.keys[at]
		}
		k.values[i] = v.n.values[at].Sorted()
	}
	n := *v.n
	n.kids, n.sorted = k, true
	return Value{&n}
}

// Without returns the object v lacking the member key; v itself when there is
// no such member.
func (v Value) Without(key string) Value {
	if !v.Get(key).Exists() {
		return v
	}
	members := make([]Member, 0, v.Len())
	for k, m := range v.Members() {
		if k != key {
			members = append(members, Member{k, m})
		}
	}
	return Object(members...)
}

// With returns the object v with the given members set: a new key goes to the
// end, an existing one keeps its place.
func (v Value) With(set ...Member) Value {
	members := make([]Member, 0, v.Len()+len(set))
	for k, m := range v.Members() {
		members = append(members, Member{k, m})
	}
	return Object(append(members, set...)...)
}

// Equal reports whether two values have the same canonical text. Absent equals
// only absent.
func Equal(a, b Value) bool {
	if a.n == b.n {
		return true
	}
	if a.n == nil || b.n == nil || a.n.kind != b.n.kind || a.n.size != b.n.size {
		return false
	}
	switch a.n.kind {
	case KindBool:
		return a.n.truth == b.n.truth
	case KindNumber, KindString:
		return a.n.text == b.n.text
	case KindArray:
		if a.n.text != "" && b.n.text != "" {
			return a.n.text == b.n.text
		}
		return slices.EqualFunc(a.n.values, b.n.values, Equal)
	case KindObject:
		if a.n.text != "" && b.n.text != "" {
			return a.n.text == b.n.text
		}
		return equalMembers(a.n, b.n)
	}
	return true
}

func equalMembers(a, b *node) bool {
	if len(a.keys) != len(b.keys) || a.nodes != b.nodes {
		return false
	}
	for i := range a.keys {
		x, y := a.canonicalIndex(i), b.canonicalIndex(i)
		if a.keys[x] != b.keys[y] || !Equal(a.values[x], b.values[y]) {
			return false
		}
	}
	return true
}
