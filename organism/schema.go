package organism

import (
	"math"
	"slices"

	"github.com/algal-vm/algal/canon"
)

// Schema is a JSON schema with its version (§5). Version 1 is what stands
// without a schemaVersion.
type Schema struct {
	Version int
	Normal  canon.Value // the declaration as written

	root *shape
}

// NewSchema wraps a declaration that the runtime itself derives. It must be of the
// form that admission demands, but may nest deeper; keywords that the version does
// not know have no effect.
func NewSchema(declaration canon.Value, version int) *Schema {
	return &Schema{version, declaration, newShape(declaration, version)}
}

// schema admits a declaration.
func (r *reader) schema(v canon.Value, path string, version int) *Schema {
	r.keep(canon.AsObject(v, path))
	if r.err == nil {
		d := declaration{r, v, path, version}
		if version == 1 {
			d.checkVersion1()
		} else {
			d.check(1)
		}
	}
	if r.err != nil {
		return nil
	}
	return NewSchema(v, version)
}

// schemaVersion reads the version that stands beside a schema (§4.1 step 5).
func (o object) schemaVersion() int {
	v := o.get("schemaVersion")
	if !v.Exists() {
		return 1
	}
	if n := v.Float(); n != 2 && n != 3 {
		o.refuse("%s.schemaVersion must be 2 or 3", o.path)
	}
	if !o.has("schema") {
		o.refuse("%s.schemaVersion requires a schema", o.path)
	}
	return int(v.Float())
}

// typeSet is a set of JSON type names.
type typeSet uint8

const (
	typeObject typeSet = 1 << iota
	typeArray
	typeString
	typeNumber
	typeInteger
	typeBoolean
	typeNull
)

var typeNames = map[string]typeSet{
	"object": typeObject, "array": typeArray, "string": typeString, "number": typeNumber,
	"integer": typeInteger, "boolean": typeBoolean, "null": typeNull,
}

// parseTypes reads the keyword type: one name, a union of distinct names, or
// nothing, which means object. The empty set stands for any other form.
func parseTypes(v canon.Value) typeSet {
	switch v.Kind() {
	case canon.Absent:
		return typeObject
	case canon.KindString:
		return typeNames[v.Text()]
	}
	var set typeSet
	for _, e := range v.Elements() {
		t := typeNames[e.Text()]
		if t == 0 || set&t != 0 {
			return 0
		}
		set |= t
	}
	return set
}

// kindTypes gives the types that a value of each kind has; an integral number is
// an integer besides.
var kindTypes = [...]typeSet{
	canon.KindObject: typeObject, canon.KindArray: typeArray, canon.KindString: typeString,
	canon.KindNumber: typeNumber, canon.KindBool: typeBoolean, canon.KindNull: typeNull,
}

// maxSafeInteger bounds the magnitude of an integer of version 3.
const maxSafeInteger = 1<<53 - 1

// admits reports whether v has one of the types.
func (t typeSet) admits(v canon.Value, version int) bool {
	if t&kindTypes[v.Kind()] != 0 {
		return true
	}
	if t&typeInteger == 0 || !v.Is(canon.KindNumber) {
		return false
	}
	n := v.Float()
	return n == math.Trunc(n) && (version < 3 || math.Abs(n) <= maxSafeInteger)
}

// shape is a declaration made ready for checking values.
type shape struct {
	version              int
	types                typeSet
	declared             canon.Value // the keyword type, for the text of a mismatch
	enum                 []canon.Value
	minimum, maximum     float64
	minLength, maxLength int
	format               *format
	required             []string
	properties           []property // in UTF-8 order of their names
	closed               bool
	unique               bool
	items                *shape
}

type property struct {
	name  string
	shape *shape
}

func newShape(v canon.Value, version int) *shape {
	declared := v.Get("type")
	s := &shape{
		version: version, types: parseTypes(declared), declared: declared,
		minimum: math.Inf(-1), maximum: math.Inf(1), maxLength: math.MaxInt,
	}
	required, properties := v.Get("required"), v.Get("properties")
	s.required = make([]string, 0, required.Len())
	for _, name := range required.Elements() {
		s.required = append(s.required, name.Text())
	}
	s.properties = make([]property, 0, properties.Len())
	for name, p := range properties.Members() {
		s.properties = append(s.properties, property{name, newShape(p, version)})
	}
	slices.SortFunc(s.properties, func(a, b property) int { return canon.CompareUTF8(a.name, b.name) })
	if version >= 2 {
		s.addVersion2(v)
	}
	if version >= 3 {
		s.addVersion3(v)
	}
	return s
}

func (s *shape) addVersion2(v canon.Value) {
	for _, e := range v.Get("enum").Elements() {
		s.enum = append(s.enum, e)
	}
	if m := v.Get("minimum"); m.Exists() {
		s.minimum = m.Float()
	}
	if m := v.Get("maximum"); m.Exists() {
		s.maximum = m.Float()
	}
	if items := v.Get("items"); items.Exists() {
		s.items = newShape(items, s.version)
	}
}

func (s *shape) addVersion3(v canon.Value) {
	s.minLength = int(v.Get("minLength").Float())
	if m := v.Get("maxLength"); m.Exists() {
		s.maxLength = int(m.Float())
	}
	s.format = formats[v.Get("format").Text()]
	s.closed = v.Get("additionalProperties").Exists()
	s.unique = v.Get("uniqueItems").Exists()
}

// property finds a declared property.
func (s *shape) property(name string) (*shape, bool) {
	i, found := slices.BinarySearchFunc(s.properties, name, func(p property, name string) int {
		return canon.CompareUTF8(p.name, name)
	})
	if !found {
		return nil, false
	}
	return s.properties[i].shape, true
}
