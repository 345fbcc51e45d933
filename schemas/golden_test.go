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
