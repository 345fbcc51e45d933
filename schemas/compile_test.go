package schemas_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/algal-vm/algal/schemas"
)

const (
	draft  = "https://json-schema.org/draft/2020-12/schema"
	suffix = ".schema.json"

	// base is where the files seem to lie, so that a relative $id has something to
	// be relative to. Nothing is ever fetched from it.
	base = "memory:///"
)

// embedded loads a schema by its place and nothing else: a reference out of the
// embedded files is an error.
type embedded struct{}

func (embedded) Load(url string) (any, error) {
	name, ok := strings.CutPrefix(url, base)
	if !ok {
		return nil, fmt.Errorf("%s is not embedded", url)
	}
	text, err := schemas.Files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

var compiled sync.Map // of kind to *jsonschema.Schema

// schema compiles a kind, or with NAME#DEFINITION a definition of it.
func schema(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	if s, ok := compiled.Load(kind); ok {
		return s.(*jsonschema.Schema)
	}
	place := base + kind + suffix
	if name, definition, is := strings.Cut(kind, "#"); is {
		place = base + name + suffix + "#/$defs/" + definition
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(embedded{})
	s, err := c.Compile(place)
	if err != nil {
		t.Fatal(err)
	}
	compiled.Store(kind, s)
	return s
}

// names returns the names of the files without their ending.
var names = sync.OnceValue(func() []string {
	files, err := fs.Glob(schemas.Files, "*"+suffix)
	if err != nil {
		panic(err) // only a bad pattern can fail
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, suffix)
	}
	return files
})

// parts are the files that are not contracts.
var parts = []string{"common", "effect-receipt", "ports"}

func TestFiles(t *testing.T) {
	readme := string(readFile(t, "README.md"))
	for _, name := range names() {
		document, err := embedded{}.Load(base + name + suffix)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, _ := document.(map[string]any)
		if s["$schema"] != draft || s["$id"] != name+suffix {
			t.Errorf("%s: $schema %v, $id %v", name, s["$schema"], s["$id"])
		}
		for _, key := range []string{"title", "description", "$comment"} {
			if text, _ := s[key].(string); text == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
		if !strings.Contains(readme, "]("+name+suffix+")") {
			t.Errorf("README.md does not list %s", name)
		}
		schema(t, name)
		for _, definition := range members(s["$defs"]) {
			schema(t, name+"#"+definition)
		}
		checkSchema(t, name, s)
	}
	if len(names()) <= len(parts) {
		t.Error("there are no contracts")
	}
	t.Logf("%d files, %d of them parts", len(names()), len(parts))
}

// keywords of a schema by what their values are. A name that is none of them is a
// mistake: the draft would ignore it.
var (
	annotations = []string{"$schema", "$id", "$comment", "title", "description"}
	assertions  = []string{"type", "enum", "const", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "dependentRequired"}
	applicators = []string{"items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"}
	listsOf     = []string{"allOf", "anyOf", "oneOf"}
	mapsOf      = []string{"$defs", "properties", "dependentSchemas"}
	open        = []string{
		"effect-answer/$defs/toolCall",     // "further members are ignored", run.md §8.1.1
		"effect-answer/$defs/answers",      // "extra members are accepted", run.md §8.3
		"effect-answer/$defs/noulAnswer",   // the same
		"effect-answer/$defs/choiceAnswer", // the same
		"effect-answer/$defs/scoreAnswer",  // the same
		"expr-request/$defs/eval",          // "unknown members are ignored", expr.md §12.1
		"expr-request/$defs/check",         // the same
		"organism/$defs/cell",              // closed by the kinds that it refers to
		"ports/$defs/schema1",              // "all other keywords are kept", organism.md §5.2
		"ports/$defs/portRules",            // closed by the roles that refer to it
		"ports/$defs/keywords",             // closed by the versions that refer to it
	}
)

// checkSchema walks a schema: its keywords are known, its references are relative,
// and an object that has members of its own is closed.
func checkSchema(t *testing.T, at string, s any) {
	t.Helper()
	m, ok := s.(map[string]any)
	if !ok {
		if _, ok := s.(bool); !ok {
			t.Errorf("%s is no schema: %v", at, s)
		}
		return
	}
	described := m["type"] == "object" && m["properties"] != nil && !strings.Contains(at, "/if/")
	if described && m["additionalProperties"] == nil && !slices.Contains(open, at) {
		t.Errorf("%s has members and is not closed", at)
	}
	for _, key := range members(m) {
		value, at := m[key], at+"/"+key
		switch {
		case slices.Contains(annotations, key), slices.Contains(assertions, key):
		case key == "$ref":
			if text, _ := value.(string); text == "" || strings.Contains(text, ":") || strings.Contains(text, "//") {
				t.Errorf("%s: %v is not relative", at, value)
			}
		case slices.Contains(applicators, key):
			checkSchema(t, at, value)
		case slices.Contains(listsOf, key):
			list, _ := value.([]any)
			for _, e := range list {
				checkSchema(t, at, e)
			}
		case slices.Contains(mapsOf, key):
			for _, name := range members(value) {
				checkSchema(t, at+"/"+name, value.(map[string]any)[name])
			}
		default:
			t.Errorf("%s is no keyword we use", at)
		}
	}
}
