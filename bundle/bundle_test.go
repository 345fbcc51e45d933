package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
)

const digestRule = " must be a sha256:<64 lowercase hex> digest"

// entries returns an object of n entries; the key of entry bad is no digest.
func entries(n, bad int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"sha256:%064x":null`, i)
		if i == bad {
			list[i] = strings.Replace(list[i], "sha256", "SHA256", 1)
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestParseRefuses has one fault a row, in the order of bundle.md §2. A row whose
// document holds later faults too shows that the first is reported.
func TestParseRefuses(t *testing.T) {
	root := fmt.Sprintf(`"root":"sha256:%064x"`, 1)
	const contract = `"contract":"algal.bundle.v1"`
	for name, c := range map[string]struct {
		document string
		code     algal.Code
		text     string
	}{
		"array":              {`[]`, algal.ParseFailed, "bundle must be an object"},
		"null":               {`null`, algal.ParseFailed, "bundle must be an object"},
		"unknown member":     {`{"contract":"x","b\"":1,"a":1}`, algal.ParseFailed, `bundle: unknown key "b""`},
		"index-like member":  {`{"b":1,"7":1}`, algal.ParseFailed, `bundle: unknown key "7"`},
		"no contract":        {`{}`, algal.ParseFailed, `expected contract "algal.bundle.v1"`},
		"other contract":     {`{"contract":"algal.bundle.v2"}`, algal.ParseFailed, `expected contract "algal.bundle.v1"`},
		"contract no string": {`{"contract":["algal.bundle.v1"]}`, algal.ParseFailed, `expected contract "algal.bundle.v1"`},
		"no root":            {`{` + contract + `,"manifests":1}`, algal.ParseFailed, `bundle requires "root"`},
		"null root":          {`{` + contract + `,"root":null}`, algal.ParseFailed, "bundle.root" + digestRule},
		"short root":         {`{` + contract + `,"root":"sha256:00"}`, algal.ParseFailed, "bundle.root" + digestRule},
		"no manifests":       {`{` + contract + `,` + root + `,"values":1}`, algal.ParseFailed, `bundle requires "manifests"`},
		"null manifests":     {`{` + contract + `,` + root + `,"manifests":null}`, algal.ParseFailed, "bundle.manifests must be an object"},
		"many manifests":     {`{` + contract + `,` + root + `,"manifests":` + entries(513, 0) + `}`, algal.BudgetExhausted, "bundle.manifests exceeds 512 entries"},
		"manifest key":       {`{` + contract + `,` + root + `,"manifests":` + entries(512, 511) + `,"values":1}`, algal.ParseFailed, "bundle.manifests key" + digestRule},
		"null values":        {`{` + contract + `,` + root + `,"manifests":{},"values":null}`, algal.ParseFailed, "bundle.values must be an object"},
		"many values":        {`{` + contract + `,` + root + `,"manifests":{},"values":` + entries(513, 0) + `}`, algal.BudgetExhausted, "bundle.values exceeds 512 entries"},
		"value key":          {`{` + contract + `,` + root + `,"manifests":{},"values":` + entries(512, 511) + `}`, algal.ParseFailed, "bundle.values key" + digestRule},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := bundle.Parse(parse(t, c.document))
			refused(t, err, c.code, c.text)
			if b != nil {
				t.Error("a refused document gave a bundle")
			}
			if b, err = bundle.ParseText(c.document); b != nil {
				t.Error("a refused text gave a bundle")
			}
			refused(t, err, c.code, c.text)
		})
	}
	_, err := bundle.Parse(canon.Value{})
	refused(t, err, algal.ParseFailed, "bundle must be an object")
}

func TestParseKeepsDocumentOrder(t *testing.T) {
	key := func(i int) string { return fmt.Sprintf("sha256:%064x", i) }
	document := fmt.Sprintf(`{"values":{"%s":1,"%s":2},"manifests":{"%s":[],"%s":{}},"root":"%s","contract":"algal.bundle.v1"}`,
		key(9), key(3), key(8), key(2), key(7))
	b, err := bundle.ParseText(document)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range append(b.Manifests, b.Values...) {
		got = append(got, string(e.Digest)+e.Value.String())
	}
	want := []string{key(8) + "[]", key(2) + "{}", key(9) + "1", key(3) + "2"}
	if strings.Join(got, " ") != strings.Join(want, " ") || b.Root != algal.Digest(key(7)) {
		t.Errorf("got  %v, root %s\nwant %v, root %s", got, b.Root, want, key(7))
	}
	// Without values there are none (bundle.md §1).
	b, err = bundle.ParseText(fmt.Sprintf(`{"contract":"algal.bundle.v1","root":"%s","manifests":{}}`, key(7)))
	if err != nil || len(b.Manifests)+len(b.Values) != 0 {
		t.Errorf("minimal bundle: %v, %v", b, err)
	}
}

// TestParseTextReportsTextFaults leaves the wording of a text fault to the reader.
func TestParseTextReportsTextFaults(t *testing.T) {
	deep := strings.Repeat("[", 70)
	for name, c := range map[string]struct {
		text string
		kind canon.FaultKind
	}{
		"empty":              {"", canon.FaultSyntax},
		"byte-order mark":    {"\uFEFF{}", canon.FaultSyntax},
		"no UTF-8":           {"{\"\xff\":1}", canon.FaultEncoding},
		"deep and malformed": {deep, canon.FaultSyntax},
	} {
		b, err := bundle.ParseText(c.text)
		if fault, ok := err.(*canon.Fault); !ok || fault.Kind != c.kind || algal.CodeOf(err) != algal.ParseFailed || b != nil {
			t.Errorf("%s: %v, %v; want a text fault of kind %d", name, b, err, c.kind)
		}
	}
	_, err := bundle.ParseText(deep + strings.Repeat("]", 70))
	refused(t, err, algal.BudgetExhausted, "bundle depth/node bound exceeded: at most depth 64 and 1000000 values")
}
