package schemas_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/algal-vm/algal/internal/golden"
)

// TestMutations is the second of the two tests of toolchain.md §2. A golden
// document that shows most of a kind is changed at every member that the contract
// types: the member taken away, null in its place, values of other types, and in
// closed objects a further member beside it; also a text that is none of those that
// the member may have, and in open maps a name of no form. The schema refuses each.
// Then other documents of the kind are changed where they show a member that none
// before had. And no schema refuses what the reader of the kind admits.
func TestMutations(t *testing.T) {
	used := map[*exemption]bool{}
	found := documents(t)
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(untested, kind) {
			t.Run(kind, func(t *testing.T) { mutateKind(t, kind, found[kind], used) })
		}
	}
	t.Run("exemptions", func(t *testing.T) {
		if !golden.HasShared(t) {
			t.Log("not checked: some are of what only third-party documents show")
			return
		}
		for kind, list := range exemptions {
			for i, e := range list {
				if !used[&list[i]] {
					t.Errorf("%s: no golden document needs the exemption of %q, %s (%s)", kind, e.path, e.allowed, e.section)
				}
			}
		}
	})
}

// largest is the size of a document, in bytes of JSON, up to which it may be the one
// that is changed everywhere.
const largest = 5_000

func mutateKind(t testing.TB, kind string, found []document, used map[*exemption]bool) {
	m := &mutator{t: t, kind: kind, schema: schema(t, kind), used: used, seen: map[string]bool{}}
	var all []shown
	for _, d := range bySize(found) {
		all = append(all, shown{d, m.shapes(d.value)})
	}
	richest := all[0]
	for _, s := range all {
		if len(s.shapes) > len(richest.shapes) && s.size <= largest {
			richest = s
		}
	}
	m.run(richest.document)
	whole := m.mutants
	m.onlyNew = true
	others := 0
	for _, s := range all {
		if slices.ContainsFunc(s.shapes, m.isNew) {
			m.run(s.document)
			others++
		}
	}
	t.Logf("%d mutants of %s, %d more of %d other documents", whole, richest.from, m.mutants-whole, others)
	if m.mutants == 0 {
		t.Fatal("nothing was changed")
	}
}

// shown is a document and what it shows.
type shown struct {
	document
	shapes []string
}

// mutator changes a document in place, one change at a time, and takes each back.
type mutator struct {
	t      testing.TB
	kind   string
	schema *jsonschema.Schema
	used   map[*exemption]bool

	root    any
	from    string
	seen    map[string]bool // shapes that were changed
	onlyNew bool            // leave those alone
	mutants int
}

func (m *mutator) run(d document) {
	m.t.Helper()
	m.root, m.from = d.value, d.from
	if m.schema.Validate(m.root) != nil {
		return // TestGoldenDocuments reports it
	}
	m.visit([]string{tag("", nil, m.root)}, m.root, func(v any) { m.root = v })
}

// visit changes the value at path, which set replaces, and everything below it.
func (m *mutator) visit(path []string, v any, set func(any)) {
	shape := m.shape(path, v)
	fresh := !m.onlyNew || m.isNew(shape)
	m.seen[shape] = true
	if fresh {
		m.replace(path, v, set)
	}
	if m.allows(path, anything) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if fresh {
			m.extend(path, v)
		}
		for _, key := range members(v) {
			m.member(path, v, key)
		}
	case []any:
		for i, e := range v {
			m.visit(append(slices.Clone(path), tag("*", v, e)), e, func(n any) { v[i] = n })
		}
	}
}

func (m *mutator) member(path []string, object map[string]any, key string) {
	value := object[key]
	below := m.below(path, object, key)
	removal := m.removal(path, object, below)
	if !m.onlyNew || m.isNew(removal) {
		m.seen[removal] = true
		delete(object, key)
		if m.allows(path, entries) {
			m.change(path, entries, "without "+key)
		} else {
			m.change(below, absence, "taken away")
		}
		object[key] = value
	}
	m.visit(below, value, func(v any) { object[key] = v })
}

// below returns the path of a member; the entries of a map are all alike.
func (m *mutator) below(path []string, object map[string]any, key string) []string {
	name := key
	if m.allows(path, entries) {
		name = "*"
	}
	return append(slices.Clone(path), tag(name, object, object[key]))
}

// samples has a value of every type. The string is no id, no digest, and no word of
// any list; it is tried in place of strings too.
var samples = []struct {
	allowed string
	value   any
}{
	{"null", nil}, {"boolean", true}, {"integer", json.Number("7")}, {"fraction", json.Number("0.5")},
	{"string", formless}, {"array", []any{}}, {"object", map[string]any{}},
}

const formless = "no such thing"

func (m *mutator) replace(path []string, v any, set func(any)) {
	own := typeOf(v)
	for _, s := range samples {
		if s.allowed == own && own != "string" || own == "fraction" && s.allowed == "integer" {
			continue
		}
		set(s.value)
		allowed := s.allowed
		if m.allows(path, anything) {
			allowed = anything
		}
		m.change(path, allowed, s.allowed+" in its place")
	}
	set(v)
}

func (m *mutator) extend(path []string, object map[string]any) {
	if m.allows(path, entries) {
		if keys := members(object); len(keys) > 0 {
			object[formless] = object[keys[0]]
			m.change(path, anyName, "with an entry of another name")
			delete(object, formless)
		}
		return
	}
	const key = "no-such-member"
	for _, value := range []any{nil, json.Number("7"), "no such thing", map[string]any{}} {
		object[key] = value
		m.change(path, further, "with a further member")
	}
	delete(object, key)
}

func (m *mutator) allows(path []string, allowed string) bool {
	return exempted(m.kind, path, allowed) != nil
}

// change looks at the document as it is changed now: it is refused, unless the
// change is exempted. An exemption must be needed somewhere.
func (m *mutator) change(path []string, allowed, what string) {
	m.t.Helper()
	accepted := m.schema.Validate(m.root) == nil
	if !accepted && admits(m.t, m.kind, path, m.root) {
		m.t.Errorf("%s: %q is refused %s, and the reader admits it", m.from, strings.Join(path, "/"), what)
	}
	if e := exempted(m.kind, path, allowed); e != nil {
		if accepted {
			m.used[e] = true
		}
		return
	}
	m.mutants++
	if accepted {
		m.t.Errorf("%s: %q is accepted %s", m.from, strings.Join(path, "/"), what)
	}
}

// shapes lists what a document shows: the paths of its members with their types.
func (m *mutator) shapes(v any) []string {
	found := map[string]bool{}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		found[m.shape(path, v)] = true
		if m.allows(path, anything) {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for key := range v {
				below := m.below(path, v, key)
				found[m.removal(path, v, below)] = true
				walk(below, v[key])
			}
		case []any:
			for _, e := range v {
				walk(append(slices.Clone(path), tag("*", v, e)), e)
			}
		}
	}
	walk([]string{tag("", nil, v)}, v)
	return slices.Sorted(maps.Keys(found))
}

// removal names the absence of the member that lies at below.
func (m *mutator) removal(path []string, object map[string]any, below []string) string {
	name, _, _ := strings.Cut(below[len(below)-1], "(")
	return m.shape(path, object) + " without " + name
}

// isNew tells a shape that was not changed before, unless it belongs to a document
// within this one whose kind is tested by itself.
func (m *mutator) isNew(shape string) bool {
	owner, _, _ := strings.Cut(shape, " ")
	return !m.seen[shape] && owner == m.kind
}

// shape names a member and its type, alike wherever the same part of a contract
// stands.
func (m *mutator) shape(path []string, v any) string {
	owner, part, kind := m.kind, m.kind, m.kind
	for {
		inner, rest, ok := descend(kind, path)
		if !ok {
			return owner + " " + part + " " + strings.Join(path, "/") + " " + typeOf(v) + emptiness(v)
		}
		if len(rest) < len(path) { // else only the exemptions are shared
			part = inner
			if slices.Contains(names(), inner) {
				owner = inner
			}
		}
		kind, path = inner, rest
	}
}

// emptiness keeps an empty list or map, which shows little, from standing for others.
func emptiness(v any) string {
	if m, is := v.(map[string]any); is && len(m) == 0 {
		return " empty"
	}
	if l, is := v.([]any); is && len(l) == 0 {
		return " empty"
	}
	return ""
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "fraction"
		}
	}
	return "integer"
}

// tag names a step of a path. Records whose members depend on what they are have
// that in parentheses: the kind, status, type or the like of an object, the code of an
// expression's error, and the version of a schema declaration.
func tag(name string, parent, v any) string {
	if name == "schema" {
		if version, is := at(parent, "schemaVersion").(json.Number); is {
			return name + "(v" + version.String() + ")"
		}
		return name + "(v1)"
	}
	for _, key := range []string{"kind", "status", "state", "verdict", "type", "capability", "code"} {
		if s, is := at(v, key).(string); is && (key != "code" || strings.HasPrefix(s, "EXPR_")) {
			return name + "(" + s + ")"
		}
	}
	return name
}
