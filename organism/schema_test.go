package organism_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// document is a manifest with the given cells, written as JSON, and further
// members.
func document(cells string, members ...string) string {
	members = append([]string{`"contract":"algal.organism.v1"`, `"key":"organism:t"`, `"name":"T"`, `"cells":[` + cells + `]`}, members...)
	return "{" + strings.Join(members, ",") + "}"
}

// admit parses a document.
func admit(t testing.TB, text string) (*organism.Manifest, error) {
	t.Helper()
	return organism.ParseManifest(parse(t, text))
}

// schemaPaths are the two places of a schema: on a port, and in an output
// contract. %s stands for the members schema and schemaVersion.
var schemaPaths = map[string]string{
	"manifest.cells[0].outputs.v": `{"id":"a","kind":"input","outputs":{"v":{"type":"json",%s}}}`,
	"manifest.cells[0].output":    `{"id":"a","kind":"agent","prompt":"p","output":{"kind":"json",%s}}`,
}

// declare admits a schema in both places and gives the faults by path.
func declare(t *testing.T, schema, version string) map[string]error {
	t.Helper()
	members := `"schema":` + schema
	if version != "" {
		members += `,"schemaVersion":` + version
	}
	faults := map[string]error{}
	for path, cell := range schemaPaths {
		_, err := admit(t, document(fmt.Sprintf(cell, members)))
		faults[path] = err
	}
	return faults
}

func TestSchemaFixturesVersion1(t *testing.T) {
	for _, e := range vectors(t, "fixtures/schema-admission.json") {
		name := e.Get("name").Text()
		for path, err := range declare(t, e.Get("schema").String(), "") {
			// Unions came after this fixture was written.
			if admitted := name == "array-type"; (err == nil) != admitted {
				t.Errorf("%s at %s: error %v", name, path, err)
			}
			if err != nil && (algal.CodeOf(err) != algal.ParseFailed || !strings.HasPrefix(err.Error(), path+".schema.")) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

func TestSchemaFixturesDeclarations(t *testing.T) {
	for file, version := range map[string]string{"schema-v2-admission": "2", "schema-v3-admission": "3"} {
		for _, e := range vectors(t, "fixtures/"+file+".json") {
			version := version
			if v := e.Get("version"); v.Exists() {
				version = v.String()
			}
			for path, err := range declare(t, e.Get("schema").String(), version) {
				if algal.CodeOf(err) != algal.ParseFailed || !strings.HasPrefix(err.Error(), path+".schema") ||
					!strings.HasSuffix(err.Error(), e.Get("reason").Text()) {
					t.Errorf("%s %s at %s: error %v", file, e.Get("name"), path, err)
				}
			}
		}
	}
}

func TestSchemaFixturesValues(t *testing.T) {
	checks := 0
	for file, version := range map[string]int{"schema-v2-values": 2, "schema-v3-values": 3} {
		for _, e := range vectors(t, "fixtures/"+file+".json") {
			version := version
			if v := e.Get("version"); v.Exists() {
				version = int(v.Float())
			}
			for path, err := range declare(t, e.Get("schema").String(), fmt.Sprint(version)) {
				if err != nil {
					t.Errorf("%s at %s is refused: %v", e.Get("name"), path, err)
				}
			}
			s := organism.NewSchema(e.Get("schema"), version)
			for _, v := range e.Get("good").Elements() {
				if fault := s.Check(v); fault != "" {
					t.Errorf("%s: %v is refused: %s", e.Get("name"), v, fault)
				}
				checks++
			}
			for _, pair := range e.Get("bad").Elements() {
				if got, want := s.Check(pair.At(0)), pair.At(1).Text(); got != want {
					t.Errorf("%s: %v gives %q, want %q", e.Get("name"), pair.At(0), got, want)
				}
				checks++
			}
		}
	}
	if checks == 0 {
		t.Fatal("no value was checked")
	}
	t.Logf("%d values", checks)
}

const wrongType = "must name a supported JSON type or a nonempty unique union"

// TestSchemaDeclarationOrder shows which of several faults is reported.
func TestSchemaDeclarationOrder(t *testing.T) {
	// A schema of so many levels.
	nested := func(levels int) string {
		return strings.Repeat(`{"type":"array","items":`, levels-1) + `{}` + strings.Repeat(`}`, levels-1)
	}
	tests := []struct{ name, version, schema, want string }{
		{"1: at the depth", "", `{"type":1,"x":[[[[]]]]}`, ".type " + wrongType},
		{"1: depth of any keyword", "", `{"type":1,"x":[[[[[]]]]]}`, ".x.0.0.0.0 exceeds schema depth 4"},
		{"1: type before required", "", `{"required":1,"type":"x"}`, ".type " + wrongType},
		{"1: empty union", "", `{"type":[]}`, ".type " + wrongType},
		{"1: repeated type", "", `{"type":["null","null"]}`, ".type " + wrongType},
		{"1: required before properties", "", `{"properties":1,"required":1}`, ".required must be an array"},
		{"1: required entry", "", `{"required":["a",1]}`, ".required entry must be a string of at most 64 characters"},
		{"1: children in member order", "", `{"properties":{"b":{"type":1},"a":1}}`,
			".properties.b.type " + wrongType},
		{"1: child is no schema", "", `{"properties":{"a":1}}`, ".properties.a must be an object"},
		{"2: eight levels", "2", nested(8), ""},
		{"2: nine levels", "2", nested(9), strings.Repeat(".items", 8) + ": schema exceeds 8 nested levels"},
		{"2: smallest unknown keyword, quoted", "2", `{"type":1,"z":1,"a\"b":1}`, `: unknown schema keyword "a\"b"`},
		{"2: keyword of version 3", "2", `{"minLength":1}`, `: unknown schema keyword "minLength"`},
		{"2: required before properties", "2", `{"required":["a","a"],"properties":1}`,
			".required must list at most 64 distinct names of at most 64 UTF-16 code units"},
		{"2: parent before children", "2", `{"properties":{"a":{"type":1}},"enum":[]}`, ".enum must list 1 to 32 distinct values"},
		{"2: children in UTF-8 order", "2", `{"properties":{"b":{"type":1},"a":{"type":2}}}`,
			".properties.a.type " + wrongType},
		{"2: properties before items", "2", `{"type":["array","object"],"items":{"type":1},"properties":{"z":{"type":1}}}`,
			".properties.z.type " + wrongType},
		{"2: items before enum", "2", `{"enum":[],"items":{}}`, ".items requires type array"},
		{"2: enum before minimum", "2", `{"minimum":1,"enum":[]}`, ".enum must list 1 to 32 distinct values"},
		{"2: enum value by value", "2", `{"type":"string","enum":[1,[]]}`, ".enum values must match the schema type"},
		{"2: minimum before maximum", "2", `{"type":"string","maximum":"x","minimum":"x"}`, ".minimum must be a finite number"},
		{"2: type before order", "2", `{"minimum":2,"maximum":1}`, ".minimum and maximum require type number or integer"},
		{"3: lengths before format", "3", `{"format":1,"minLength":1}`, ".minLength and maxLength require type string"},
		{"3: format before uniqueItems", "3", `{"uniqueItems":1,"format":"name"}`, ".format requires type string"},
		{"3: uniqueItems before additionalProperties", "3", `{"additionalProperties":1,"uniqueItems":true}`, ".uniqueItems requires type array"},
		{"3: closed without properties", "3", `{"additionalProperties":false}`, ".additionalProperties requires a properties map"},
		{"3: bounded integer in enum", "3", `{"type":"integer","enum":[9007199254740992]}`, ".enum values must match the schema type"},
		{"2: unbounded integer in enum", "2", `{"type":"integer","enum":[9007199254740992]}`, ""},
	}
	for _, test := range tests {
		for path, err := range declare(t, test.schema, test.version) {
			want := fault{algal.ParseFailed, path + ".schema" + test.want}
			if test.want == "" {
				want = fault{}
			}
			checkFault(t, test.name, err, want)
		}
	}
}

// TestSchemaCheckOrder covers what the fixtures leave open: version 1, and which
// of several faults is reported.
func TestSchemaCheckOrder(t *testing.T) {
	tests := []struct {
		version              int
		schema, value, fault string
	}{
		{1, `{}`, `[]`, "expected object"},
		{1, `{"type":["string","null"]}`, `1`, "expected string|null"},
		{1, `{"type":"number"}`, `1`, ""},
		{1, `{"type":"integer"}`, `9007199254740993`, ""},
		{1, `{"type":"integer"}`, `1.5`, "expected integer"},
		{1, `{"type":["array","object"],"required":["a"]}`, `[]`, "missing required field"},
		{1, `{"required":["a"],"properties":{"b":{"type":"null"}}}`, `{"b":1}`, "missing required field"},
		{1, `{"properties":{"b":{"type":"null"},"a":{"type":"string"}}}`, `{"b":1,"a":1}`, "expected string"},
		{1, `{"type":"string","enum":["x"],"items":{}}`, `"y"`, ""},
		{1, `{"properties":{"a":{}}}`, `{"a":null}`, "expected object"},
		{2, `{"type":"number","minimum":0,"enum":[-1]}`, `-1`, "number below minimum"},
		{2, `{"type":"number","enum":[0]}`, `-0`, ""},
		{2, `{"type":["array","object"],"required":["a"],"items":{}}`, `[1]`, "missing required field"},
		{2, `{"type":"array","items":{"type":"array","items":{"type":"null"}}}`, `[[],[null,1]]`, "item 1: item 1: expected null"},
		{3, `{"type":"string","minLength":2,"format":"name"}`, `"É"`, "text shorter than minLength"},
		{3, `{"type":"string","maxLength":1}`, `"😀"`, ""},
		{3, `{"type":"string","format":"name"}`, `"É"`, "text is not a name"},
		{3, `{"properties":{"a":{"type":"null"}},"additionalProperties":false}`, `{"a":1,"b":1}`, "undeclared field"},
		{3, `{"properties":{"a":{"type":"null"}},"additionalProperties":false,"required":["c"]}`, `{"b":1}`, "missing required field"},
		{3, `{"type":"array","uniqueItems":true,"items":{"type":"null"}}`, `[1,1]`, "repeated item"},
		{3, `{"type":"array","uniqueItems":true,"items":{"type":"null"}}`, `[1,2]`, "item 0: expected null"},
		{3, `{"type":"array","uniqueItems":true,"items":{}}`, `[{"a":1,"b":2},{"b":2,"a":1}]`, "repeated item"},
		{3, `{"type":"string","format":"slug"}`, `"a--b"`, "text is not a slug"},
		{3, `{"type":"string","format":"slug"}`, `"-a"`, "text is not a slug"},
		{3, `{"type":"string","format":"slug"}`, `"a-"`, "text is not a slug"},
		{3, `{"type":"string","format":"slug"}`, `""`, "text is not a slug"},
		{3, `{"type":"string","format":"slug"}`, `"0-a9"`, ""},
		{3, `{"type":"string","format":"uri"}`, `"https://"`, ""},
		{3, `{"type":"string","format":"uri"}`, `"a:"`, "text is not a uri"},
		{3, `{"type":"string","format":"uri"}`, `":a"`, "text is not a uri"},
		{3, `{"type":"string","format":"uri"}`, `"1a:b"`, "text is not a uri"},
		{3, `{"type":"string","format":"uri"}`, `"a:b c"`, "text is not a uri"},
		{3, `{"type":"string","format":"uri"}`, `"a"`, "text is not a uri"},
		{3, `{"type":"string","format":"uri"}`, `"A+.-9:~!$&'()*+,;=:@/?#[]%-._"`, ""},
	}
	for _, test := range tests {
		version := ""
		if test.version > 1 {
			version = fmt.Sprint(test.version)
		}
		for path, err := range declare(t, test.schema, version) {
			if err != nil {
				t.Fatalf("%s at %s is refused: %v", test.schema, path, err)
			}
		}
		if got := organism.NewSchema(parse(t, test.schema), test.version).Check(parse(t, test.value)); got != test.fault {
			t.Errorf("version %d %s: %s gives %q, want %q", test.version, test.schema, test.value, got, test.fault)
		}
	}
}

// TestSchemaFormatBounds checks the lengths that the formats admit.
func TestSchemaFormatBounds(t *testing.T) {
	for format, longest := range map[string]string{
		"name": strings.Repeat("a", 64),
		"slug": strings.Repeat("a", 128),
		"uri":  "a:" + strings.Repeat("a", 2046),
	} {
		s := organism.NewSchema(parse(t, `{"type":"string","format":"`+format+`"}`), 3)
		if fault := s.Check(canon.String(longest)); fault != "" {
			t.Errorf("%s of %d characters: %s", format, len(longest), fault)
		}
		if fault := s.Check(canon.String(longest + "a")); fault != "text is not a "+format {
			t.Errorf("%s of %d characters: %q", format, len(longest)+1, fault)
		}
	}
}
