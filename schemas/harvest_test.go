package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/algal-vm/algal/internal/golden"
)

// document is a golden document of one kind.
type document struct {
	from  string
	value any
	size  int // bytes of JSON, about
}

// bySize sorts documents, the small ones first.
func bySize(found []document) []document {
	return slices.SortedStableFunc(slices.Values(found), func(a, b document) int { return a.size - b.size })
}

// harvest collects the well-formed golden documents by kind. What the golden data
// records as refused on admission is not among them.
type harvest struct {
	t      testing.TB
	byKind map[string][]document
}

var (
	harvested  map[string][]document
	harvesting sync.Once
)

// documents returns the golden documents by kind.
func documents(t testing.TB) map[string][]document {
	t.Helper()
	harvesting.Do(func() {
		h := harvest{t, map[string][]document{}}
		h.stores()
		h.receipts()
		h.random()
		h.evidence()
		h.manifests()
		h.comparisons()
		h.expressions()
		h.unstored()
		harvested = h.byKind
	})
	if harvested == nil {
		t.Fatal("the golden documents could not be collected")
	}
	return harvested
}

func (h *harvest) add(kind, from string, v any) {
	if v != nil {
		h.byKind[kind] = append(h.byKind[kind], document{from, v, len(render(h.t, v))})
	}
}

func (h *harvest) text(kind, from, text string) { h.add(kind, from, parse(h.t, from, text)) }

func (h *harvest) files(kind string, patterns ...string) {
	for _, p := range patterns {
		for _, name := range golden.Glob(h.t, p) {
			h.text(kind, name, string(golden.Read(h.t, name)))
		}
	}
}

// places says what lies where in a store (store.md §1, process.md §1, journal.md
// §1, mailbox.md §4, custody.md §1).
var places = []struct{ pattern, kind string }{
	{"manifests/*.json", "organism"},
	{"runs/*.json", "run-receipt"},
	{"effects/*.json", "effect-receipt"},
	{"processes/*/head.json", "process-head"},
	{"processes/*/.creating.json", "process-creation"},
	{"processes/.lock", "process-creation-owner"},
	{".process-creation/creation-owners/*.json", "process-creation-owner"},
	{".lock", "process-owner"},
	{"owners/*.json", "process-owner"},
	{".process-creation/.lock", "process-owner"},
	{".process-creation/owners/*.json", "process-owner"},
	{".mailbox-admission/.lock", "process-owner"},
	{"processes/*/.lock", "process-owner"},
	{"processes/*/owners/*.json", "process-owner"},
	{"processes/*/journals/*/header.json", "process-journal"},
	{"processes/*/journals/*/entries/*.json", "effect-head"},
	{"processes/*/journals/*/recoveries/*.json", "recovery-attempt"},
	{"mailboxes/*/config.json", "mailbox"},
	{"mailboxes/*/messages/*.json", "message-claim"},
	{"mailboxes/*/pending/*.json", "delivery-marker"},
	{"mailboxes/*/consumed/*.json", "delivery-marker"},
	{"capabilities/*.json", "capability"},
	{"*.bundle.json", "bundle"},
}

// recorded tells the records that share the place of all values.
var recorded = map[any]string{
	"algal.process.v1":               "process",
	"algal.process-effect-record.v1": "effect-record",
}

// malformed are the stores of which the golden index says that reading them fails.
var malformed = []string{"stores/objects-damaged", "stores/custody-legacy-lock"}

func (h *harvest) stores() {
	for _, root := range []struct {
		pattern           string
		nearest, farthest int // levels below the root at which files lie
	}{{"stores/*", 1, 4}, {"processes/*/store", 2, 6}, {"processes/*/snapshots/*", 2, 6}} {
		for depth := root.nearest; depth <= root.farthest; depth++ {
			for _, name := range golden.Glob(h.t, root.pattern+strings.Repeat("/*", depth)) {
				segments := strings.Split(name, "/")
				cut := strings.Count(root.pattern, "/") + 1
				store := strings.Join(segments[:cut], "/")
				if !slices.Contains(malformed, store) {
					h.stored(name, strings.Join(segments[cut:], "/"), func() string { return string(golden.Read(h.t, name)) })
				}
			}
		}
	}
	if !golden.HasShared(h.t) {
		return
	}
	for _, name := range golden.Glob(h.t, "demo/*.store.json") {
		for file, text := range at(read(h.t, name), "files").(map[string]any) {
			h.stored(name+": "+file, file, func() string { return text.(string) })
		}
	}
}

// stored adds a file of a store if its place or its contract says what it is.
func (h *harvest) stored(from, file string, read func() string) {
	if ok, _ := path.Match("values/*.json", file); ok {
		v := parse(h.t, from, read())
		if kind := recorded[at(v, "contract")]; kind != "" {
			h.add(kind, from, v)
		}
		return
	}
	for _, place := range places {
		if ok, _ := path.Match(place.pattern, file); ok {
			h.text(place.kind, from, read())
		}
	}
}

func (h *harvest) receipts() {
	h.files("run-receipt", "receipts/*/receipt.json", "receipts/*/resumed.receipt.json", "replay-comparison/*/revised.receipt.json")
	h.files("organism", "receipts/*/manifest.json", "receipts/*/manifest.normalized.json", "receipts/*/module-*.json")
	h.files("tools-file", "receipts/*/tools.json", "processes/*/tools.json")
	h.files("bundle", "receipts/*/bundle.json")
	for _, name := range golden.Glob(h.t, "receipts/*/requests.json") {
		for _, r := range read(h.t, name).([]any) {
			h.add("effect-request", name, at(r, "request"))
		}
	}
	for _, c := range at(read(h.t, "receipts/failures.json"), "cases").([]any) {
		from := "receipts/failures.json " + at(c, "name").(string)
		h.add("organism", from, at(c, "manifest"))
		h.list("organism", from, at(c, "modules"))
		h.add("tools-file", from, at(c, "tools"))
		if at(c, "receiptParse") == nil {
			h.add("run-receipt", from, at(c, "receipt"))
		}
	}
	if golden.HasShared(h.t) {
		h.files("run-receipt", "examples/expected/*.receipt.json")
		h.files("bundle", "examples/bundles/*.bundle.json")
		h.files("tools-file", "demo/*.tools.json")
		h.files("effect-request", "demo/*.request.json")
	}
}

func (h *harvest) list(kind, from string, v any) {
	list, _ := v.([]any)
	for _, e := range list {
		h.add(kind, from, e)
	}
}

func (h *harvest) entries(kind, from string, v any) {
	m, _ := v.(map[string]any)
	for _, key := range members(m) {
		h.add(kind, from+" "+key, m[key])
	}
}

func (h *harvest) random() {
	for _, line := range lines(h.t, "random/runs.jsonl") {
		from := "random/runs.jsonl " + at(line, "id").(string)
		h.entries("organism", from, at(line, "manifests"))
		h.add("run-receipt", from, at(line, "receipt"))
		h.add("tools-file", from, at(line, "tools"))
		if at(line, "receipt") != nil {
			h.add("organism", from, at(line, "manifest"))
		}
	}
	for _, line := range lines(h.t, "random/manifests.jsonl") {
		from := "random/manifests.jsonl " + at(line, "id").(string)
		h.entries("organism", from, at(line, "manifests"))
		h.add("tools-file", from, at(line, "tools"))
		if at(line, "stage") != "parse" {
			h.add("organism", from, at(line, "input"))
		}
	}
}

func (h *harvest) evidence() {
	h.files("process-evidence", "evidence/*.evidence.json", "processes/*/*.evidence.json", "bench/*.evidence.json")
	h.files("evidence-report", "evidence/*.evidence-report.json", "processes/*/*.evidence-report.json")
	for _, c := range read(h.t, "processes/evidence-cases/cases.json").([]any) {
		name := "processes/evidence-cases/" + at(c, "file").(string)
		if at(c, "report") != nil && (golden.HasShared(h.t) || !golden.ThirdParty(h.t, name)) {
			h.files("process-evidence", name)
			h.add("evidence-report", name, at(c, "report"))
		}
	}
	for _, file := range []string{"random/evidence.jsonl", "random/mutants.jsonl", "evidence/mutants.jsonl"} {
		for _, line := range lines(h.t, file) {
			from := file + " " + at(line, "id").(string)
			h.add("evidence-report", from, at(line, "report"))
			// The mutants that verify or are admitted.
			stage := at(at(line, "expect"), "stage")
			if file == "random/evidence.jsonl" || at(line, "accepted") == true || stage == "survivor" || stage == "semantic" {
				h.add("process-evidence", from, at(line, "document"))
			}
		}
	}
	for _, d := range h.byKind["process-evidence"] {
		h.entries("process", d.from, at(d.value, "records"))
		h.entries("run-receipt", d.from, at(d.value, "receipts"))
		h.entries("organism", d.from, at(at(d.value, "program"), "manifests"))
		h.add("bundle", d.from, at(d.value, "program"))
	}
}

func (h *harvest) manifests() {
	for _, c := range read(h.t, "vectors/manifest-normalise.json").([]any) {
		from := "vectors/manifest-normalise.json " + at(c, "name").(string)
		h.add("organism", from, at(c, "input"))
		h.text("organism", from+" normalised", at(c, "canonical").(string))
	}
	for _, c := range read(h.t, "vectors/compile.json").([]any) {
		from := "vectors/compile.json " + at(c, "name").(string)
		h.add("organism", from, at(c, "input"))
		for _, stored := range at(c, "stored").([]any) {
			h.add("organism", from, at(stored, "manifest"))
		}
	}
	if golden.HasShared(h.t) {
		for name, digest := range read(h.t, "vectors/example-manifest-digests.json").(map[string]any) {
			if _, is := digest.(string); is {
				h.files("organism", path.Join("examples", name))
			}
		}
	}
}

func (h *harvest) comparisons() {
	h.files("comparison", "replay-comparison/*/comparison.json")
	for _, name := range golden.Glob(h.t, "processes/*/scenario.json") {
		for _, c := range at(read(h.t, name), "commands").([]any) {
			stdout, _ := at(c, "stdout").(string)
			if argv := at(c, "argv").([]any); len(argv) > 1 && argv[0] == "process" && argv[1] == "replay" && stdout != "" {
				h.text("comparison", name, stdout)
			}
		}
	}
}

// malformedRequest are the answers that say a request is none (expr.md §12.1).
var malformedRequest = []any{"request is not valid JSON", `request requires "program"`}

func (h *harvest) expressions() {
	for _, c := range read(h.t, "expr/requests.json").([]any) {
		from := "expr/requests.json " + at(c, "request").(string)
		response := parse(h.t, from, at(c, "response").(string))
		h.response(from, response.(map[string]any))
		if !slices.Contains(malformedRequest, at(at(response, "err"), "what")) {
			h.text("expr-request", from, at(c, "request").(string))
		}
	}
	for _, c := range read(h.t, "expr/vectors.json").([]any) {
		from := "expr/vectors.json " + at(c, "id").(string)
		expect := at(c, "expect").(map[string]any)
		if failure, failed := expect["error"]; failed {
			h.response(from, map[string]any{"ok": false, "fuel": expect["burned"], "err": failure})
		} else if value, whole := expect["value"]; whole { // else only the digest of a large value is recorded
			h.response(from, map[string]any{"ok": true, "fuel": expect["burned"], "value": value})
		}
		if at(c, "template") != nil {
			continue
		}
		request := map[string]any{"program": at(c, "program"), "env": at(c, "env"), "fuel": at(c, "fuel")}
		h.add("expr-request", from, request)
		if fuel, _ := at(c, "fuel").(json.Number).Int64(); fuel <= 1_000_000 { // else answered, but no budget
			h.add("expr-request#eval", from, request)
		}
	}
	for _, c := range read(h.t, "expr/check.json").([]any) {
		from := "expr/check.json " + at(c, "id").(string)
		if failure := at(at(c, "expect"), "error"); failure != nil {
			h.response(from, map[string]any{"ok": false, "err": failure})
		} else {
			h.response(from, map[string]any{"ok": true})
		}
		if at(c, "template") == nil {
			request := map[string]any{"program": at(c, "program"), "names": at(c, "names")}
			h.add("expr-request", from, request)
			h.add("expr-request#check", from, request)
		}
	}
}

// errorForms names the definitions of error records by code and, where a code has
// two, operation.
var errorForms = map[any]string{
	"EXPR_OP": "operationError", "EXPR_ARITY": "arityError", "EXPR_TYPE": "typeError", "EXPR_ARG": "argumentError",
	"EXPR_NUM": "numberError", "EXPR_DIV_ZERO": "divisionError", "EXPR_BOUNDS": "boundsError", "EXPR_FUEL": "fuelError",
	"EXPR_PARSE": "parseError", "EXPR_PATH": "nameError",
	"EXPR_PARSE let": "binderError", "EXPR_PARSE map": "binderError", "EXPR_PARSE filter": "binderError", "EXPR_PARSE fold": "binderError",
	"EXPR_PATH nth": "indexError",
}

// response adds an answer of the evaluator, also as the form that it is.
func (h *harvest) response(from string, response map[string]any) {
	h.add("expr-response", from, response)
	_, burned := response["fuel"]
	form := map[[2]bool]string{
		{true, true}: "value", {false, true}: "failure", {true, false}: "checked", {false, false}: "refused",
	}[[2]bool{response["ok"] == true, burned}]
	h.add("expr-response#"+form, from, response)
	if failure := response["err"]; failure != nil {
		code, operation := at(failure, "code").(string), at(failure, "op")
		form := errorForms[code]
		if op, is := operation.(string); is && errorForms[code+" "+op] != "" {
			form = errorForms[code+" "+op]
		}
		h.add("expr-response#"+form, from, failure)
	}
}

// unstored derives the kinds that lie in no file: an envelope is a claim without its
// id (mailbox.md §3.3), an answer is the output of a provider's effect receipt (run.md
// §8.7).
func (h *harvest) unstored() {
	for _, d := range h.byKind["message-claim"] {
		envelope := maps.Clone(d.value.(map[string]any))
		delete(envelope, "id")
		h.add("message-envelope", d.from, envelope)
	}
	forms := h.answerForms()
	for _, d := range h.byKind["run-receipt"] {
		for _, e := range at(d.value, "effects").([]any) {
			h.add("effect-receipt", d.from, e)
			output, answered := e.(map[string]any)["output"]
			if !answered || strings.HasPrefix(at(e, "executor").(string), "tool:") {
				continue
			}
			h.byKind["effect-answer"] = append(h.byKind["effect-answer"], document{from: d.from, value: output}) // null is an answer
			if form := forms[at(e, "requestDigest")]; form != "" {
				h.add(form, d.from, output)
				h.list("effect-answer#hit", d.from, at(output, "hits"))
			}
			if _, is := at(output, "tool").(string); is && at(output, "inputs") != nil {
				h.add("effect-answer#toolCall", d.from, output)
			}
		}
	}
	for _, d := range h.byKind["tools-file"] {
		h.add("tools-file#export", d.from, d.value)
	}
}

// answerForms says by request digest which form the answer to a recorded request has,
// where the kind of the request says it.
func (h *harvest) answerForms() map[any]string {
	forms := map[any]string{}
	for _, name := range golden.Glob(h.t, "receipts/*/requests.json") {
		for _, r := range read(h.t, name).([]any) {
			switch at(at(r, "request"), "kind") {
			case "recall":
				forms[at(r, "digest")] = "effect-answer#hits"
			case "decide":
				forms[at(r, "digest")] = "effect-answer#answers"
			}
		}
	}
	return forms
}

// parse reads a JSON text as the validator wants it.
func parse(t testing.TB, from, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	return v
}

func read(t testing.TB, name string) any {
	t.Helper()
	return parse(t, name, string(golden.Read(t, name)))
}

func lines(t testing.TB, name string) []any {
	t.Helper()
	var list []any
	for _, line := range golden.Lines(t, name) {
		list = append(list, parse(t, name, line))
	}
	return list
}

// at returns a member, nil where there is none.
func at(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// members returns the names of a JSON object in order, none of anything else.
func members(v any) []string {
	m, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// render writes a document as JSON.
func render(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
