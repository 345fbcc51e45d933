package schemas_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
	"github.com/algal-vm/algal/verify"
)

// readers admit documents of the kinds that are pure values. The mutation test
// holds each mutant against them too: what a reader admits the schema accepts.
var readers = map[string]func(canon.Value) error{
	"organism":          func(v canon.Value) error { _, err := organism.ParseManifest(v); return err },
	"run-receipt":       runtime.ParseReceipt,
	"effect-receipt":    runtime.ParseEffect,
	"comparison":        replay.ParseComparison,
	"process":           func(v canon.Value) error { _, err := chain.ParseRecord(v); return err },
	"bundle":            func(v canon.Value) error { _, err := bundle.Parse(v); return err },
	"tools-file#export": func(v canon.Value) error { _, err := hostfile.Signatures(v); return err },
}

// stricter are the places where the contract says more than its reader checks.
var stricter = map[string][]string{
	"run-receipt": {"/cells/*/toolCalls/*"}, // run.md §12 step 4
	"bundle":      {"/manifests/*"},         // bundle.md §2
}

// admits reports whether the reader of a kind admits a document, false where there is
// none or where it checks less than the contract.
func admits(t testing.TB, kind string, path []string, document any) bool {
	t.Helper()
	reader := readers[kind]
	if reader == nil {
		return false
	}
	for _, place := range stricter[kind] {
		pattern := strings.Split(place, "/")
		if len(path) >= len(pattern) && matches(pattern, path[:len(pattern)]) {
			return false
		}
	}
	v, err := canon.Parse(render(t, document), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return reader(v) == nil
}

// TestEvidence holds the schema against the reader of evidence documents: what it
// admits, verified or not, the schema accepts.
func TestEvidence(t *testing.T) {
	s := schema(t, "process-evidence")
	admitted, refused, both := 0, 0, 0
	for _, file := range []string{"random/evidence.jsonl", "random/mutants.jsonl", "evidence/mutants.jsonl"} {
		for _, line := range lines(t, file) {
			from := file + " " + at(line, "id").(string)
			document := at(line, "document")
			if document == nil {
				continue // a text or a template, no JSON document
			}
			accepted := s.Validate(document) == nil
			if _, err := verify.Parse(strings.TrimSuffix(render(t, document), "\n")); err != nil {
				refused++
				if !accepted {
					both++
				}
				continue
			}
			admitted++
			if !accepted && !strings.HasPrefix(from, admittedOnly) {
				t.Errorf("%s is refused, and the reader admits it", from)
			}
		}
	}
	if admitted == 0 || refused == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d admitted; of %d that the reader refuses the schema refuses %d", admitted, refused, both)
}

// unsaid are parts of the messages of what a schema of an organism cannot say. Each
// stands in a $comment.
var unsaid = []string{
	"exceeds schema depth 4", ".program: EXPR_", "is not a declared label", "must be a declared label",
	"view.cells must be unique", "rerank.take must be an integer", "JSON depth exceeds 64",
}

// TestRefusedManifests holds the schema against the manifests that are refused on
// admission: it refuses what it can.
func TestRefusedManifests(t *testing.T) {
	s := schema(t, "organism")
	used := map[string]bool{}
	refused := 0
	check := func(from string, document any, message string) {
		if s.Validate(document) != nil {
			refused++
			return
		}
		i := slices.IndexFunc(unsaid, func(part string) bool { return strings.Contains(message, part) })
		if i < 0 {
			t.Errorf("%s is accepted: %s", from, message)
			return
		}
		used[unsaid[i]] = true
	}
	for _, c := range read(t, "vectors/manifest-parse-errors.json").([]any) {
		check(at(c, "name").(string), at(c, "input"), at(at(c, "error"), "message").(string))
	}
	for _, c := range lines(t, "random/manifests.jsonl") {
		if at(c, "stage") == "parse" {
			check(at(c, "id").(string), at(c, "input"), at(at(c, "error"), "message").(string))
		}
	}
	for _, part := range unsaid {
		if !used[part] {
			t.Errorf("no manifest is accepted for %q", part)
		}
	}
	if refused == 0 {
		t.Error("no manifest was refused")
	}
	t.Logf("%d refused, the others for %d reasons that a schema cannot say", refused, len(used))
}

// unsaidDeclaration are the reasons that a schema of declarations cannot say.
var unsaidDeclaration = []string{
	"at most 256 canonical JSON bytes", "must match the schema type", "minimum exceeds maximum", "minLength exceeds maxLength",
	"exceeds 8 nested levels",
}

// TestRefusedDeclarations does the same with the schema declarations of the original.
func TestRefusedDeclarations(t *testing.T) {
	golden.NeedShared(t)
	s := schema(t, "ports#consumerPort")
	refused := 0
	for file, version := range map[string]any{"schema-admission": nil, "schema-v2-admission": json.Number("2"), "schema-v3-admission": json.Number("3")} {
		for _, c := range read(t, "fixtures/"+file+".json").([]any) {
			name, reason := at(c, "name").(string), at(c, "reason")
			port := map[string]any{"type": "json", "schema": at(c, "schema")}
			if version != nil {
				port["schemaVersion"] = version
			}
			if v := at(c, "version"); v != nil {
				port["schemaVersion"] = v
			}
			switch accepted := s.Validate(port) == nil; {
			case name == "array-type" && version == nil: // admitted, organism.md §5.5
				if !accepted {
					t.Errorf("%s is refused", name)
				}
			case !accepted:
				refused++
			case reason == nil || !slices.ContainsFunc(unsaidDeclaration, func(part string) bool { return strings.Contains(reason.(string), part) }):
				t.Errorf("%s %s is accepted: %v", file, name, reason)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	t.Logf("%d refused", refused)
}
