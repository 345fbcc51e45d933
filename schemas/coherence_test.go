package schemas_test

import (
	"maps"
	"strings"
	"testing"
)

const (
	aDigest  = `"sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	aHandle  = `"cap:mailbox-receive:sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	aSender  = `"cap:mailbox-send:sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	aHit     = `{"id":` + aDigest + `,"source":"s","seq":0,"score":1,"text":"t"}`
	aTool    = `{"inputs":{},"outputs":{},"effect":"read","cost":0,"maxOutputBytes":1}`
	aReceipt = `{"requestDigest":` + aDigest + `,"executor":"e","output":1}`
)

// TestCoherence gives members of golden documents values of their type that do not go
// with the rest, or that do.
func TestCoherence(t *testing.T) {
	found := documents(t)
	for _, c := range []struct {
		kind, where string // a document of the kind with these members, or from nothing
		set         string // members it gets
		accepted    bool
		section     string
	}{
		{"process", `{"status":"ready"}`, `{"generation":1}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"ready"}`, `{"wake":[` + aHandle + `]}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"ready"}`, `{"previous":` + aDigest + `}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"ready"}`, `{"receipt":` + aDigest + `}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"ready"}`, `{"cause":"start"}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"uncertain"}`, `{"generation":0}`, false, "process.md §2.2 step 10"},
		{"process", `{"status":"uncertain"}`, `{"status":"complete","receipt":` + aDigest + `,"wake":[]}`, true, "process.md §4"},
		{"process", `{"status":"complete"}`, `{"status":"stuck"}`, true, "process.md §4"},
		{"process", `{"status":"complete"}`, `{"status":"suspended","wake":[` + aHandle + `]}`, true, "process.md §4"},
		{"process", `{"status":"complete"}`, `{"wake":[` + aHandle + `]}`, false, "process.md §2.2 step 11"},
		{"process", `{"status":"failed"}`, `{"wake":[` + aHandle + `]}`, false, "process.md §2.2 step 11"},
		{"process", `{"status":"complete"}`, `{"status":"stuck","wake":[` + aHandle + `]}`, false, "process.md §2.2 step 11"},
		{"process", `{"status":"suspended"}`, `{"wake":[` + aHandle + `,` + aHandle + `]}`, false, "organism.md §13.4"},

		{"process", `{"status":"uncertain"}`, `{"maxGenerations":64,"generation":64}`, true, "process.md §2.1"},
		{"process", `{"status":"uncertain"}`, `{"maxGenerations":65,"generation":65}`, false, "process.md §2.1"},

		{"effect-record", `{"state":"started"}`, `{"receipt":` + aReceipt + `}`, false, "journal.md §2.3"},
		{"effect-record", `{"state":"started"}`, `{"state":"completed"}`, false, "journal.md §2.3"},
		{"effect-record", `{"state":"started"}`, `{"state":"completed","receipt":` + aReceipt + `}`, true, "journal.md §2.3"},
		{"effect-record", `{}`, `{"recovery":"always"}`, false, "journal.md §2.3"},

		{"run-receipt", `{}`, `{"cells":{"` + strings.Repeat("p", 4096) + `":{"status":"skipped","work":0}}}`, true, "run.md §12 step 4"},
		{"run-receipt", `{}`, `{"cells":{"` + strings.Repeat("p", 4097) + `":{"status":"skipped","work":0}}}`, false, "run.md §12 step 4"},

		{"ports#schema2", "", `{"type":"array","items":{}}`, true, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":["null","array"],"items":{}}`, true, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":"string","items":{}}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":["null","string"],"items":{}}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":["null","string"],"minimum":1}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":["null","array"],"format":"slug"}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":["null","array"],"properties":{},"additionalProperties":false}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"items":{}}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":"integer","minimum":1,"maximum":2}`, true, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":["null","number"],"maximum":2}`, true, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":"string","minimum":1}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":"string","maximum":1}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"maximum":1}`, false, "organism.md §5.3"},
		{"ports#schema2", "", `{"type":"string","maxLength":1}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"string","minLength":1,"maxLength":1,"format":"slug"}`, true, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":["null","string"],"maxLength":1}`, true, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"number","minLength":1}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"number","maxLength":1}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"number","format":"slug"}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"array","uniqueItems":true}`, true, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"object","uniqueItems":true}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"array","uniqueItems":false}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"properties":{},"additionalProperties":false}`, true, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":["null","object"],"properties":{},"additionalProperties":false}`, true, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"array","properties":{},"additionalProperties":false}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"additionalProperties":false}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"properties":{},"additionalProperties":true}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"properties":{"a":{"type":"string","maximum":1}}}`, false, "organism.md §5.3"},
		{"ports#schema3", "", `{"type":"array","items":{"type":"string","maximum":1}}`, false, "organism.md §5.3"},

		{"effect-receipt", `{}`, `{"output":1,"error":{"code":"INTERNAL","message":"m"}}`, false, "run.md §12 step 5"},
		{"effect-receipt", `{"executor":"tool:mailbox.receive.v1","retryable":false}`, `{"wake":[` + aHandle + `],"error":{"code":"INTERNAL","message":"m"}}`, false, "run.md §12 step 5"},
		{"effect-receipt", `{"executor":"scripted"}`, `{"wake":[` + aHandle + `],"output":1}`, false, "run.md §12 step 5"},

		{"capability", `{"capability":"mailbox-send"}`, `{"handle":` + aHandle + `}`, false, "mailbox.md §3.2"},
		{"capability", `{"capability":"mailbox-receive"}`, `{"handle":` + aSender + `}`, false, "mailbox.md §3.2"},
		{"mailbox", `{}`, `{"send":` + aHandle + `}`, false, "mailbox.md §3.1"},
		{"mailbox", `{}`, `{"receive":` + aSender + `}`, false, "mailbox.md §3.1"},

		{"comparison", `{"verdict":"identical"}`, `{"divergence":{"kind":"work","path":null,"original":null,"revised":null}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"identical"}`, `{"effectsMatch":false}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"identical"}`, `{"effectsMatch":null}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"identical"}`, `{"added":["x"]}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"identical"}`, `{"revisedReceipt":null}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"identical"}`, `{"reason":{"code":"missing-input","path":"p"}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"diverged"}`, `{"revisedReceipt":null}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"diverged"}`, `{"added":["x","x"]}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"diverged"}`, `{"divergence":{"kind":"cell","path":null,"original":null,"revised":{"status":"failed","digest":` + aDigest + `}}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"diverged"}`, `{"divergence":{"kind":"cell","path":"p","original":null,"revised":null}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"diverged"}`, `{"divergence":{"kind":"effects","path":null,"original":null,"revised":null}}`, true, "run.md §15.1"},
		{"comparison", `{"verdict":"could-not-replay"}`, `{"reason":null}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"could-not-replay"}`, `{"reason":{"code":"missing-effect"}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"could-not-replay"}`, `{"reason":{"path":"p"}}`, false, "run.md §15.2"},
		{"comparison", `{"verdict":"could-not-replay"}`, `{"revisedReceipt":` + aDigest + `,"reason":{"code":"manifest-invalid"}}`, false, "run.md §15.3"},
		{"comparison", `{"verdict":"could-not-replay"}`, `{"revisedReceipt":` + aDigest + `,"reason":{"code":"missing-input","path":"p"}}`, true, "run.md §15.3"},

		{"evidence-report", `{}`, `{"file":"a.json","seen":"first"}`, true, "toolchain.md §1.2, §4"},
		{"evidence-report", `{}`, `{"seen":"same"}`, true, "toolchain.md §4"},
		{"evidence-report", `{}`, `{"seen":"advanced"}`, true, "toolchain.md §4"},
		{"evidence-report", `{}`, `{"seen":"never"}`, false, "toolchain.md §4"},
		{"evidence-report", `{}`, `{"file":1}`, false, "toolchain.md §1.2"},
		{"evidence-report", `{}`, `{"ok":false}`, false, "evidence.md §4"},
		{"evidence-report", `{}`, `{"status":"stuck"}`, true, "process.md §4"},

		{"process-evidence", `{}`, `{"program":{"contract":"algal.bundle.v1","root":` + aDigest + `,"manifests":{},"values":{}}}`, true, "evidence.md §1"},
		{"process-evidence", `{}`, `{"program":{"contract":"algal.bundle.v1","root":` + aDigest + `,"manifests":{}}}`, false, "evidence.md §1"},
		{"process-evidence", `{}`, `{"records":{}}`, false, "evidence.md §1"},
		{"process-evidence", `{}`, `{"missing":{"manifests":[],"values":[` + aDigest + `,` + aDigest + `]}}`, false, "evidence.md §3 step 7"},
		{"process-evidence", `{}`, `{"tools":{"` + strings.Repeat("n", 128) + `":` + aTool + `}}`, true, "evidence.md §1.1"},
		{"process-evidence", `{}`, `{"tools":{"` + strings.Repeat("n", 129) + `":` + aTool + `}}`, false, "evidence.md §1.1"},
		{"process-evidence", `{}`, `{"tools":{"":` + aTool + `}}`, false, "evidence.md §1.1"},
		{"process-evidence", `{}`, `{"tools":{"a\u0000":` + aTool + `}}`, false, "evidence.md §1.1"},

		{"tools-file", "", `{"` + strings.Repeat("n", 128) + `":{"signature":` + aTool + `,"exec":"cmd:x"}}`, true, "run.md §9.2"},
		{"tools-file", "", `{"` + strings.Repeat("n", 129) + `":{"signature":` + aTool + `,"exec":"cmd:x"}}`, false, "run.md §9.2"},
		{"tools-file", `{}`, `{"mailbox.receive.v1":{"signature":` + aTool + `,"exec":"cmd:x"}}`, false, "cli.md §1.2"},
		{"tools-file", `{}`, `{"mailbox.send.v1":{"signature":` + aTool + `,"exec":"cmd:x"}}`, false, "cli.md §1.2"},
		{"tools-file", `{}`, `{"x":{"signature":` + aTool + `,"exec":"cmd:"}}`, false, "run.md §9.2"},
		{"tools-file", `{}`, `{"x":{"signature":` + aTool + `,"exec":"cmd:x"}}`, true, "run.md §9.2"},

		{"effect-answer#answers", `{}`, `{"answers":{"q":{"noul":1,"type":"noul"}}}`, true, "run.md §8.3"},
		{"effect-answer#answers", `{}`, `{"answers":{"q":{"noul":1,"type":1}}}`, false, "run.md §8.3"},
		{"effect-answer#answers", `{}`, `{"answers":{"q":{"choice":"a","confidence":1,"probabilities":{},"type":1}}}`, false, "run.md §8.3"},
		{"effect-answer#answers", `{}`, `{"answers":{"q":{"score":1,"confidence":1,"probabilities":{},"type":1}}}`, false, "run.md §8.3"},

		{"expr-response", `{"ok":false}`, `{"err":{"code":"EXPR_PARSE","op":"let","what":"op head must be a string"}}`, false, "expr.md §9"},
		{"expr-response#arityError", `{}`, `{"got":-1}`, false, "expr.md §9"},
		{"expr-response#arityError", `{}`, `{"op":"list"}`, true, "expr.md §8.6"},
		{"expr-response#operationError", `{}`, `{"op":"add"}`, false, "expr.md §5"},
		{"expr-response#typeError", `{}`, `{"arg":-1}`, false, "expr.md §8"},
		{"expr-response#fuelError", `{}`, `{"cost":0}`, false, "expr.md §7.1"},

		{"effect-request", `{"kind":"agent"}`, `{"kind":"decide"}`, false, "run.md §8.2"},
		{"effect-request", `{"kind":"agent"}`, `{"kind":"recall"}`, false, "run.md §8.2"},
		{"effect-request", `{"kind":"agent"}`, `{"recall":{"query":"q","k":1,"embedder":"local"}}`, false, "run.md §8.2"},
		{"effect-request", `{"kind":"agent"}`, `{"questions":{"q":{"type":"noul","instructions":"i"}}}`, false, "run.md §8.2"},
		{"effect-request", `{"kind":"agent"}`, `{"context":{"hits":[],"query":"q"}}`, false, "run.md §8.1"},
		{"effect-request", `{"kind":"agent"}`, `{"context":{"inputs":{},"turn":0}}`, true, "run.md §8.1"},
		{"effect-request", `{"kind":"agent"}`, `{"context":{"inputs":{},"turn":0,"toolLog":[]}}`, false, "run.md §8.1 step 5c"},
		{"effect-request", `{"kind":"agent"}`, `{"context":{"inputs":{},"turn":0,"cells":{"a":null}}}`, true, "run.md §8.1 step 4"},
		{"effect-request", `{"kind":"decide"}`, `{"context":{"query":"q","hits":[` + aHit + `,` + aHit + `]}}`, true, "run.md §7.9"},
		{"effect-request", `{"kind":"decide"}`, `{"context":{"query":"q","hits":[` + aHit + `,` + aHit + `],"turn":0}}`, false, "run.md §7.9"},
		{"effect-request", `{"kind":"decide"}`, `{"output":{"kind":"text"}}`, false, "run.md §8.3"},
		{"effect-request", `{"kind":"recall"}`, `{"recall":{"query":"q","k":1,"embedder":"gateway:` + strings.Repeat("m", 56) + `"}}`, true, "organism.md §7.8"},
		{"effect-request", `{"kind":"recall"}`, `{"recall":{"query":"q","k":1,"embedder":"gateway:` + strings.Repeat("m", 57) + `"}}`, false, "organism.md §7.8"},
		{"effect-request", `{"kind":"recall"}`, `{"recall":{"query":"q","k":1,"embedder":"gateway:"}}`, false, "organism.md §7.8"},
		{"effect-request", `{"kind":"recall"}`, `{"output":{"kind":"json","schema":{}}}`, false, "run.md §7.9"},
		{"effect-request", `{"kind":"agent"}`, `{"output":{"kind":"choice","labelsExpr":{"contract":"algal.expr.v1","program":1}}}`, false, "run.md §8.2"},
	} {
		document := map[string]any{}
		if c.where != "" {
			document = having(t, found[c.kind], c.where)
		}
		maps.Copy(document, parse(t, c.kind, c.set).(map[string]any))
		if accepted := schema(t, c.kind).Validate(document) == nil; accepted != c.accepted {
			t.Errorf("%s %s with %s: accepted %v, by %s %v", c.kind, c.where, c.set, accepted, c.section, c.accepted)
		}
		if !c.accepted && admits(t, c.kind, []string{""}, document) {
			t.Errorf("%s %s with %s: the reader admits it", c.kind, c.where, c.set)
		}
	}
}

// having returns a copy of the first document with the members.
func having(t *testing.T, found []document, where string) map[string]any {
	t.Helper()
	want := parse(t, "where", where).(map[string]any)
	for _, d := range found {
		object := d.value.(map[string]any)
		all := true
		for key, value := range want {
			all = all && object[key] == value
		}
		if all {
			return maps.Clone(object)
		}
	}
	t.Fatalf("no golden document has %s", where)
	return nil
}
