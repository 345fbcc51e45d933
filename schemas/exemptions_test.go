package schemas_test

import "strings"

// untested are the kinds that take almost anything (toolchain.md §2). The forms that
// they name in definitions are tested.
var untested = []string{"effect-answer", "expr-request"}

// What an exemption allows at its path.
const (
	anything = "anything"        // type any JSON: neither it nor what is in it is changed
	entries  = "entries"         // open map: entries come and go, each still has its type
	further  = "further members" // members that the contract does not name are kept
	anyName  = "any name"        // open map whose entries may have any name
	absence  = "absence"         // optional
	text     = "string"          // any string, or a string besides another type
	// Otherwise the name of a type that the member may have besides.
)

// exemption says where a change leaves a document well-formed. In a path * stands
// for any step, and a step without parentheses for every record of that name.
type exemption struct{ path, allowed, section string }

// mounted says that the value at a path is of another kind, or of a named form, and
// has its exemptions. The empty path gives the exemptions of another form besides.
var mounted = map[string][]struct{ path, kind string }{
	"run-receipt":   {{"/effects/*", "effect-receipt"}, {"/cells/*/toolCalls/*", "tool call"}},
	"effect-record": {{"/receipt", "effect-receipt"}},
	"bundle":        {{"/manifests/*", "organism"}},
	"process-evidence": {
		{"/records/*", "process"}, {"/receipts/*", "run-receipt"}, {"/program", "bundle"}, {"/tools/*", "signature"},
	},
	"tools-file":         {{"/*/signature", "signature"}},
	"tools-file#export":  {{"", "tools-file"}},
	"effect-answer#hits": {{"/hits/*", "hit"}},
	"effect-answer#hit":  {{"", "hit"}},
	"signature":          {{"/inputs/*", "consumer"}, {"/outputs/*", "producer"}},
	"organism": {
		{"/cells/*/inputs/*", "consumer"}, {"/cells/*(input)/outputs/*", "producer"}, {"/cells/*(const)/outputs/*", "constant"},
		{"/cells/*/output", "output"}, {"/cells/*/questions", "questions"}, {"/edges/*/guard", "guard"},
		{"/cells/*/route", "route"}, {"/cells/*/compact/route", "route"}, {"/cells/*/rerank/route", "route"},
	},
	"effect-request": {
		{"/context/toolLog/*", "tool call"}, {"/context/graph/edges/*/guard", "guard"}, {"/context/hits/*", "hit"},
		{"(agent)/output", "output"}, {"(classifier)/output", "output"}, {"(gate)/output", "output"},
		{"/questions", "questions"}, {"/route", "route"},
	},
	"consumer": {{"", "port"}},
	"producer": {{"", "port"}},
	"constant": {{"", "port"}},
	"port":     {{"/schema(v1)", "schema 1"}, {"/schema(v2)", "schema 2"}, {"/schema(v3)", "schema 3"}},
	"output":   {{"/schema(v1)", "schema 1"}, {"/schema(v2)", "schema 2"}, {"/schema(v3)", "schema 3"}},
	"schema 1": {{"/properties/*", "schema 1"}},
	"schema 2": {{"/properties/*", "schema 2"}, {"/items", "schema 2"}, {"", "keywords"}},
	"schema 3": {{"/properties/*", "schema 3"}, {"/items", "schema 3"}, {"", "keywords"}},
}

var exemptions = map[string][]exemption{
	"process": {
		{"/args", entries, "process.md §2.1"},
		{"/args/*", entries, "process.md §2.1"},
		{"/args/*/*", anything, "process.md §2.1"},
		{"(uncertain)/receipt", absence, "process.md §4"},
	},
	"effect-record": {
		{"/previous", absence, "journal.md §2.3"},
		{"/executor", text, "journal.md §2.3"},
	},
	"effect-receipt": {
		{"/output", anything, "run.md §8.7"},
		{"/usage", absence, "run.md §8.7"},
		{"/usage/*", absence, "run.md §8.7"},
		{"/cached", absence, "run.md §8.7"},
		{"/retryable", absence, "run.md §8.7"},
		{"/wake", absence, "run.md §8.7"},
		{"/configurationDigest", absence, "run.md §8.7"},
		{"/executor", text, "run.md §12 step 5"},
		{"/error/message", text, "run.md §12 step 5"},
		{"/usage/model", text, "run.md §12 step 5"},
	},
	"capability": {
		{"/nonce", text, "mailbox.md §3.2"},
	},
	"process-owner": {
		{"/process", text, "custody.md §7"},
	},
	"message-envelope": {
		{"/value", anything, "mailbox.md §3.3"},
	},
	"message-claim": {
		{"/value", anything, "mailbox.md §3.3"},
	},
	"run-receipt": {
		{"/args", entries, "run.md §2"},
		{"/args/*", entries, "run.md §2"},
		{"/args/*/*", anything, "run.md §2"},
		{"/failure", absence, "run.md §11"},
		{"/failure/path", absence, "run.md §11"},
		{"/cells", entries, "run.md §11"},
		{"/cells/*/outputs", absence, "run.md §11"},
		{"/cells/*/outputs", entries, "run.md §4.6"},
		{"/cells/*/outputs/*", anything, "run.md §4.6"},
		{"/cells/*/failure", absence, "run.md §12 step 4"},
		{"/cells/*/effectDigest", absence, "run.md §11"},
		{"/cells/*/toolCalls", absence, "run.md §11"},
		{"/cells/*/shadowOut", absence, "run.md §11"},
		{"/cells/*/shadowOut", anything, "run.md §8.1 step 5i"},
		{"/cells/*/rounds", absence, "run.md §11"},
		{"/cells/*/items", absence, "run.md §11"},
		{"/cells/*/via", absence, "run.md §11"},
		{"/cells/*/slot", absence, "run.md §12 step 4"},
		{"/events/*/path", absence, "run.md §12 step 6"},
		{"/events/*/digest", absence, "run.md §12 step 6"},
		{"/events/*/outcome", absence, "run.md §12 step 6"},
		{"/runtime/version", text, "run.md §12 step 2"},
		{"/manifestKey", text, "run.md §12 step 2"},
		{"/args", anyName, "run.md §2"},
		{"/args/*", anyName, "run.md §2"},
		{"/failure/message", text, "run.md §12 step 3"},
		{"/failure/path", text, "run.md §12 step 3"},
		{"/cells", anyName, "run.md §12 step 4"},
		{"/cells/*/outputs", anyName, "run.md §12 step 4"},
		{"/cells/*/failure/message", text, "run.md §12 step 4"},
		{"/cells/*/slot/name", text, "run.md §12 step 4"},
		{"/cells/*/via", text, "run.md §12 step 4"},
		{"/events/*/path", text, "run.md §12 step 6"},
		{"/events/*/outcome", text, "run.md §12 step 6"},
	},
	"tool call": {
		{"/inputs", entries, "run.md §8.1.1"},
		{"/inputs/*", anything, "run.md §8.1.1"},
		{"/output", anything, "run.md §8.1 step 5h"},
		{"/fn", text, "run.md §8.1 step 5h"},
		{"/inputs", anyName, "run.md §8.1.1"},
	},
	"comparison": {
		{"/revision", "null", "run.md §15.2"},
		{"/divergence", "null", "run.md §15.2"},
		{"/divergence/detail", absence, "run.md §15.2"},
		{"/divergence/path", text, "run.md §15.2"},
		{"/divergence/original", "null", "run.md §15.2"},
		{"/divergence/revised", "null", "run.md §15.2"},
		{"/effectsMatch", "null", "run.md §15.2"},
		{"/effectsMatch", "boolean", "run.md §15.2"},
		{"/outcomes/revised", "null", "run.md §15.2"},
		{"/outcomes/revised", text, "run.md §15.2"},
		{"/revisedReceipt", "null", "run.md §15.2"},
		{"/reason/detail", absence, "run.md §15.2"},
		{"/reason/request", absence, "run.md §15.2"},
		{"/prefix/*/path", text, "run.md §15.3"},
		{"/added/*", text, "run.md §15.3"},
		{"/outcomes/original", text, "run.md §15.3"},
		{"/divergence/detail", text, "run.md §15.3"},
		{"/divergence/original/status", text, "run.md §15.3"},
		{"/divergence/revised/status", text, "run.md §15.3"},
		{"/reason/detail", text, "run.md §15.3"},
		{"/reason/path", text, "run.md §15.3"},
	},
	"bundle": {
		{"/manifests", entries, "bundle.md §1"},
		{"/values", absence, "bundle.md §1"},
		{"/values", entries, "bundle.md §1"},
		{"/values/*", anything, "bundle.md §1"},
	},
	"process-evidence": {
		{"/records", entries, "evidence.md §1"},
		{"/receipts", entries, "evidence.md §1"},
		{"/tools", entries, "evidence.md §1"},
		{"/tools", anyName, "evidence.md §1.1"},
	},
	"tools-file": {
		{"", entries, "run.md §9.2"},
	},
	"tools-file#export": {
		{"/*/exec", absence, "cli.md §2.4"},
	},
	"signature": {
		{"/inputs", entries, "organism.md §4.2"},
		{"/outputs", entries, "organism.md §4.2"},
	},
	"constant": {
		{"/value", anything, "organism.md §7.2"},
	},
	"port": {
		{"/optional", absence, "organism.md §4.1"},
		{"/many", absence, "organism.md §4.1"},
		{"/labels", absence, "organism.md §4.1"},
		{"/schema", absence, "organism.md §4.1"},
		{"/schemaVersion", absence, "organism.md §5.1"},
		{"/labels/*", text, "organism.md §4.1"},
	},
	"schema 1": {
		{"", further, "organism.md §5.2"},
		{"/description", anything, "organism.md §5.2"},
		{"/additionalProperties", anything, "organism.md §5.2"},
		{"/items", anything, "organism.md §5.2"},
		{"/enum", anything, "organism.md §5.2"},
		{"/properties", entries, "organism.md §5.2"},
		{"/*", absence, "organism.md §5.2"},
		{"/properties", anyName, "organism.md §5.2"},
		{"/required/*", text, "organism.md §5.2"},
	},
	"schema 2": {
		{"/items", absence, "organism.md §5.3"},
	},
	"schema 3": {
		{"/items", absence, "organism.md §5.3"},
	},
	"keywords": {
		{"/properties", entries, "organism.md §5.3"},
		{"/*", absence, "organism.md §5.3"},
		{"/minimum", "fraction", "organism.md §5.3"},
		{"/maximum", "fraction", "organism.md §5.3"},
		{"/enum/*", "null", "organism.md §5.3"},
		{"/enum/*", "boolean", "organism.md §5.3"},
		{"/enum/*", "integer", "organism.md §5.3"},
		{"/enum/*", "fraction", "organism.md §5.3"},
		{"/enum/*", text, "organism.md §5.3"},
		{"/properties", anyName, "organism.md §5.3"},
		{"/required/*", text, "organism.md §5.3"},
	},
	"effect-request": {
		{"/context/inputs", entries, "run.md §8.1 step 3"},
		{"/context/inputs/*", anything, "run.md §8.1 step 3"},
		{"/context/note", absence, "run.md §8.1 step 5c"},
		{"/context/cells", absence, "run.md §8.1 step 5c"},
		{"/context/cells", entries, "run.md §8.1 step 4"},
		{"/context/cells/*", "null", "run.md §8.1 step 4"},
		{"/context/cells/*/outputs", absence, "run.md §8.1 step 4"},
		{"/context/cells/*/outputs", entries, "run.md §8.1 step 4"},
		{"/context/cells/*/outputs/*", anything, "run.md §8.1 step 4"},
		{"/context/graph", absence, "run.md §8.1 step 5c"},
		{"/context/graph/edges/*/guard", absence, "run.md §8.1 step 5c"},
		{"/context/toolLog", absence, "run.md §8.1 step 5c"},
		{"/route", absence, "run.md §8.2"},
		{"(decide)/output/schema/properties/answers/properties", entries, "run.md §8.3"},
		{"/prompt", text, "run.md §8.2"},
		{"/context/note", text, "run.md §8.1 step 5c"},
		{"/context/query", text, "run.md §7.9"},
		{"/recall/query", text, "run.md §7.9"},
		{"/context/cells/*/outputs", anyName, "run.md §8.1 step 4"},
		{"(decide)/output/schema/properties/answers/properties", anyName, "organism.md §7.12"},
		{"(decide)/output/schema/properties/answers/required/*", text, "organism.md §7.12"},
	},
	"effect-answer#toolCall": {
		{"", further, "run.md §8.1.1"},
		{"/note", absence, "run.md §8.1.1"},
		{"/note", anything, "run.md §8.1.1"},
		{"/inputs", entries, "run.md §8.1.1"},
		{"/inputs/*", anything, "run.md §8.1.1"},
		{"/tool", text, "run.md §8.1.1"},
		{"/inputs", anyName, "run.md §8.1.1"},
	},
	"effect-answer#answers": {
		{"", further, "run.md §8.3"},
		{"/answers", entries, "run.md §8.3"},
		{"/answers/*", further, "run.md §8.3"},
		{"/answers/*/confidence", "fraction", "run.md §8.3"},
		{"/answers/*/probabilities", entries, "run.md §8.3"},
		{"/answers/*/probabilities/*", anything, "run.md §8.3"},
		{"/answers", anyName, "run.md §8.3"},
		{"/answers/*/choice", text, "run.md §8.3"},
		{"/answers/*/probabilities", anyName, "run.md §8.3"},
	},
	"hit": {
		{"/ref", absence, "run.md §7.9"},
		{"/source", text, "run.md §7.9"},
		{"/text", text, "run.md §7.9"},
	},
	"expr-request#eval": {
		{"", further, "expr.md §12.1"},
		{"/program", anything, "expr.md §12.1"},
		{"/env", absence, "expr.md §12.1"},
		{"/env", entries, "expr.md §12.1"},
		{"/env/*", anything, "expr.md §12.1"},
		{"/fuel", absence, "expr.md §12.1"},
		{"/env", anyName, "expr.md §4"},
	},
	"expr-request#check": {
		{"", further, "expr.md §12.1"},
		{"/program", anything, "expr.md §12.1"},
		{"/names", absence, "expr.md §12.1"},
		{"/names/*", text, "expr.md §5"},
	},
	"expr-response": {
		{"/value", anything, "expr.md §12.1"},
		{"/fuel", absence, "expr.md §12.1"},
		{"/err(EXPR_OP)/op", text, "expr.md §5"},
	},
	"expr-response#value": {
		{"/value", anything, "expr.md §12.1"},
	},
	"expr-response#failure": {
		{"/err(EXPR_OP)/op", text, "expr.md §5"},
	},
	"expr-response#refused": {
		{"/err(EXPR_OP)/op", text, "expr.md §5"},
	},
	"expr-response#operationError": {
		{"/op", text, "expr.md §5"},
	},
	"organism": {
		{"/note", absence, "organism.md §1.1"},
		{"/budgets", absence, "organism.md §1.1"},
		{"/budgets/*", absence, "organism.md §3"},
		{"/interface", absence, "organism.md §1.1"},
		{"/interface/*", absence, "organism.md §9"},
		{"/interface/*", entries, "organism.md §9"},
		{"/edges", absence, "organism.md §1.1"},
		{"/edges/*/guard", absence, "organism.md §8"},
		{"/edges/*/on", absence, "organism.md §8"},
		{"/cells/*/inputs", absence, "organism.md §7"},
		{"/cells/*/inputs", entries, "organism.md §4.2"},
		{"/cells/*/outputs", entries, "organism.md §4.2"},
		{"/cells/*/budget", absence, "organism.md §7"},
		{"/cells/*/budget/*", absence, "organism.md §6.5"},
		{"/cells/*/view", absence, "organism.md §7"},
		{"/cells/*/view/*", absence, "organism.md §6.3"},
		{"/cells/*/view/inputs", "array", "organism.md §6.3"},
		{"/cells/*/view/cells/*/ports", absence, "organism.md §6.3"},
		{"/cells/*/route", absence, "organism.md §7"},
		{"/cells/*/retry", absence, "organism.md §7"},
		{"/cells/*/tools", absence, "organism.md §7.6"},
		{"/cells/*/compact", absence, "organism.md §7.6"},
		{"/cells/*/compact/keepRecent", absence, "organism.md §7.6"},
		{"/cells/*/compact/mode", absence, "organism.md §7.6"},
		{"/cells/*/compact/route", absence, "organism.md §7.6"},
		{"/cells/*(agent)/shadow", anything, "organism.md §7.6"},
		{"/cells/*/shadow", absence, "organism.md §7.6"},
		{"/cells/*(expr)/expr/program", anything, "organism.md §6.2"},
		{"/cells/*(decide)/prompt", absence, "organism.md §7.7"},
		{"/cells/*(recall)/query/program", anything, "organism.md §6.2"},
		{"/cells/*(recall)/k", absence, "organism.md §7.8"},
		{"/cells/*(recall)/embedder", absence, "organism.md §7.8"},
		{"/cells/*(recall)/rerank", absence, "organism.md §7.8"},
		{"/cells/*(recall)/rerank/take", absence, "organism.md §7.8"},
		{"/cells/*/via", absence, "organism.md §7.9"},
		{"/cells/*(repeat)/carry", absence, "organism.md §7.9"},
		{"/cells/*(repeat)/carry", entries, "organism.md §7.9"},
		{"/cells/*(repeat)/until", absence, "organism.md §7.9"},
		{"/cells/*(repeat)/until/field", absence, "organism.md §7.9"},
		{"/cells/*(slot)/default", absence, "organism.md §7.11"},
		{"/cells/*(slot)/default", anything, "organism.md §7.11"},
		{"/name", text, "organism.md §1.1"},
		{"/note", text, "organism.md §1.1"},
		{"/cells/*/prompt", text, "organism.md §7"},
		{"/cells/*/tools/*", text, "organism.md §7.6"},
		{"/cells/*/view/note", text, "organism.md §6.3"},
		{"/cells/*(classifier)/shadow/take", text, "organism.md §7.6"},
		{"/cells/*(fn)/fn", text, "organism.md §7.3"},
		{"/cells/*(tool)/tool", text, "organism.md §7.5"},
		{"/cells/*/manifest", text, "organism.md §7.9"},
		{"/cells/*(repeat)/until/equals", text, "organism.md §7.9"},
	},
	"questions": {
		{"", entries, "organism.md §7.12"},
		{"/*(noul)/criteria", absence, "organism.md §7.12"},
		{"/*(noul)/criteria/*", absence, "organism.md §7.12"},
		{"/*(choice)/criteria", entries, "organism.md §7.12"},
		{"/*(choice)/criteria/*", "null", "organism.md §7.12"},
		{"/*(choice)/criteria/*", text, "organism.md §7.12"},
		{"", anyName, "organism.md §7.12"},
		{"/*/instructions", text, "organism.md §7.12"},
		{"/*(noul)/criteria/*", text, "organism.md §7.12"},
		{"/*(score)/criteria/*", text, "organism.md §7.12"},
		{"/*(choice)/criteria", anyName, "organism.md §7.12"},
	},
	"route": {
		{"/*", absence, "organism.md §6.4"},
		{"/*", text, "organism.md §6.4"},
	},
	"guard": {
		{"/field", absence, "organism.md §8"},
		{"/expr/program", anything, "organism.md §6.2"},
		{"/equals", text, "organism.md §8"},
	},
	"output": {
		{"/schemaVersion", absence, "organism.md §6.1"},
		{"/onMiss", absence, "organism.md §6.1"},
		{"/labelsExpr/program", anything, "organism.md §6.2"},
		{"/labels/*", text, "organism.md §6.1"},
		{"/onMiss", text, "organism.md §6.1"},
	},
}

// exempted returns the exemption of a change at path in a document of a kind, nil
// where there is none.
func exempted(kind string, path []string, allowed string) *exemption {
	for ok := true; ok; kind, path, ok = descend(kind, path) {
		list := exemptions[kind]
		for i := range list {
			if list[i].allowed == allowed && matches(strings.Split(list[i].path, "/"), path) {
				return &list[i]
			}
		}
	}
	return nil
}

// descend returns the kind that is mounted at or above path and the path in it.
func descend(kind string, path []string) (string, []string, bool) {
	for _, mount := range mounted[kind] {
		prefix := strings.Split(mount.path, "/")
		if len(path) < len(prefix) || !matches(prefix, path[:len(prefix)]) {
			continue
		}
		root := path[len(prefix)-1]
		if cut := strings.IndexByte(root, '('); cut >= 0 {
			root = root[cut:]
		} else {
			root = ""
		}
		return mount.kind, append([]string{root}, path[len(prefix):]...), true
	}
	return kind, path, false
}

func matches(pattern, path []string) bool {
	if len(pattern) == 0 {
		return len(path) == 0
	}
	return len(path) > 0 && matchesStep(pattern[0], path[0]) && matches(pattern[1:], path[1:])
}

func matchesStep(pattern, step string) bool {
	name, tag, tagged := strings.Cut(step, "(")
	want, wantTag, wantTagged := strings.Cut(pattern, "(")
	return (want == "*" || want == name) && (!wantTagged || tagged && tag == wantTag)
}
