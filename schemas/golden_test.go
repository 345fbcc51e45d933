package schemas_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// admittedOnly are golden documents that the readers admit although a part has not
// the form of the contract: admission takes any list for the tool calls of a cell
// (run.md §12 step 4), and the schema says what is in it (run.md §11). They are
// forgeries that verification refuses.
const admittedOnly = "evidence/mutants.jsonl E-50"

// TestGoldenDocuments is the first of the two tests of toolchain.md §2: every
// well-formed golden document is accepted.
func TestGoldenDocuments(t *testing.T) {
	found := documents(t)
	for _, kind := range names() {
		if len(found[kind]) == 0 && !slices.Contains(parts, kind) {
			t.Errorf("there is no golden document of %s", kind)
		}
	}
	forged := 0
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		t.Run(kind, func(t *testing.T) {
			s := schema(t, kind)
			for _, d := range found[kind] {
				err := s.Validate(d.value)
				if err != nil && strings.HasPrefix(d.from, admittedOnly) && strings.Contains(err.Error(), "/toolCalls/0") {
					forged++
				} else if err != nil {
					t.Errorf("%s is refused: %#v", d.from, err)
				}
			}
			t.Logf("%d documents", len(found[kind]))
		})
	}
	t.Logf("%d refused that have forged tool calls", forged)
}

// TestMalformedRequests holds the schema of requests, which takes almost anything,
// against those that are answered with being none.
func TestMalformedRequests(t *testing.T) {
	refused := 0
	for _, c := range read(t, "expr/requests.json").([]any) {
		request, response := at(c, "request").(string), at(c, "response").(string)
		if !strings.Contains(response, `request requires \"program\"`) {
			continue
		}
		refused++
		if schema(t, "expr-request").Validate(parse(t, request, request)) == nil {
			t.Errorf("%s is accepted", request)
		}
	}
	if refused == 0 {
		t.Error("there are none")
	}
	t.Logf("%d refused", refused)
}
