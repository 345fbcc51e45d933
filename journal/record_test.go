package journal_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/journal/journaltest"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const (
	digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	digestB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	notHex  = "must be a sha256:<64 lowercase hex> digest"
)

// recordText is a record of every member.
const recordText = `{"attempt":1,"configurationDigest":"` + digestA + `","contract":"algal.process-effect-record.v1","executor":"tool:look",` +
	`"idempotencyKey":"` + digestA + `","intent":"` + digestA + `","ordinal":1,"previous":"` + digestA + `",` +
	`"receipt":{"configurationDigest":"` + digestA + `","executor":"tool:look","output":null,"requestDigest":"` + digestA + `"},` +
	`"recovery":"read","requestDigest":"` + digestA + `","state":"completed"}`

// faults are the refusals of journal.md §2.3 in their order. Faults of different
// members can be combined, and then the first decides.
var faults = []struct {
	name    string
	member  string
	value   string // JSON
	code    algal.Code
	message string
}{
	{"unknown member", "more", `1`, algal.ParseFailed, `effect record has unknown key "more"`},
	{"contract", "contract", `"algal.process-effect-record.v2"`, algal.ReceiptMismatch, "invalid effect record"},
	{"state", "state", `"settled"`, algal.ReceiptMismatch, "invalid effect record"},
	{"recovery", "recovery", `"write"`, algal.ReceiptMismatch, "invalid recovery policy"},
	{"request", "requestDigest", `"sha256:a"`, algal.ParseFailed, "effect record.requestDigest " + notHex},
	{"configuration", "configurationDigest", `null`, algal.ParseFailed, "effect record.configurationDigest " + notHex},
	{"key", "idempotencyKey", `1`, algal.ParseFailed, "effect record.idempotencyKey " + notHex},
	{"executor", "executor", `1`, algal.ParseFailed, "effect record.executor must be a string of at most 256 characters"},
	{"intent", "intent", `"` + strings.ToUpper(digestA) + `"`, algal.ParseFailed, "effect record.intent " + notHex},
	{"ordinal", "ordinal", `4096`, algal.ParseFailed, "effect record.ordinal must be an integer in [0, 4095]"},
	{"attempt", "attempt", `9`, algal.ParseFailed, "effect record.attempt must be an integer in [0, 8]"},
	{"previous", "previous", `null`, algal.ParseFailed, "effect record.previous " + notHex},
	{"receipt", "receipt", `null`, algal.ParseFailed, "effect receipt must be an object"},
	{"started with a receipt", "state", `"started"`, algal.ReceiptMismatch, "journal result/state mismatch"},
	{"receipt of another request", "requestDigest", `"` + digestB + `"`, algal.ReceiptMismatch, "journal receipt request mismatch"},
	{"receipt of another configuration", "configurationDigest", `"` + digestB + `"`, algal.ReceiptMismatch, "journal receipt configuration mismatch"},
}

func TestParseRecordOrder(t *testing.T) {
	n := 0
	for i, first := range faults {
		for _, second := range faults[i:] {
			if second.member == first.member && second.name != first.name {
				continue
			}
			v := parse(t, recordText).With(canon.M(second.member, parse(t, second.value))).With(canon.M(first.member, parse(t, first.value)))
			r, err := journal.ParseRecord(v)
			journaltest.Refused(t, first.name+", "+second.name, err, first.code, first.message)
			if r != nil {
				t.Errorf("%s: a refused record has a value", first.name)
			}
			n++
		}
	}
	t.Logf("%d combinations of %d faults", n, len(faults))
}

// TestParseRecord is what single members may hold.
func TestParseRecord(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    []canon.Member
		message string // "" is admitted
	}{
		{"all members", nil, ""},
		{"no previous", []canon.Member{canon.M("previous", canon.Value{})}, ""},
		{"started", []canon.Member{canon.M("receipt", canon.Value{}), canon.M("state", canon.String("started"))}, ""},
		{"completed without a receipt", []canon.Member{canon.M("receipt", canon.Value{})}, "journal result/state mismatch"},
		{"never", []canon.Member{canon.M("recovery", canon.String("never"))}, ""},
		{"last ordinal", []canon.Member{canon.M("ordinal", canon.Int(4095))}, ""},
		{"last attempt", []canon.Member{canon.M("attempt", canon.Int(8))}, ""},
		{"ordinal as text", []canon.Member{canon.M("ordinal", canon.String("1"))}, "effect record.ordinal must be an integer in [0, 4095]"},
		{"negative attempt", []canon.Member{canon.M("attempt", canon.Int(-1))}, "effect record.attempt must be an integer in [0, 8]"},
		{"longest executor", []canon.Member{canon.M("executor", canon.String(strings.Repeat("😀", 128)))}, ""},
		{"executor too long", []canon.Member{canon.M("executor", canon.String(strings.Repeat("😀", 128)+"x"))}, "effect record.executor must be a string of at most 256 characters"},
		{"no executor", []canon.Member{canon.M("executor", canon.Value{})}, "effect record.executor must be a string of at most 256 characters"},
		{"receipt by an alias without a configuration", []canon.Member{canon.M("receipt", parse(t, `{"executor":"alias","output":1,"requestDigest":"`+digestA+`"}`))}, ""},
		{"receipt of a failure", []canon.Member{canon.M("receipt", parse(t, `{"error":{"code":"TOOL_FAILED","message":"no"},"executor":"x","requestDigest":"`+digestA+`","retryable":false}`))}, ""},
		{"open receipt", []canon.Member{canon.M("receipt", parse(t, `{"executor":"x","more":1,"output":1,"requestDigest":"`+digestA+`"}`))}, `effect receipt has unknown key "more"`},
	} {
		v := parse(t, recordText)
		for _, m := range c.edit {
			v = v.Without(m.Key).With(m)
		}
		r, err := journal.ParseRecord(v)
		if c.message != "" {
			if err == nil || err.Error() != c.message {
				t.Errorf("%s: %v, want %s", c.name, err, c.message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if diff := cmp.Diff(v.String(), r.Value().String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	for _, text := range []string{`null`, `[]`, `""`} {
		_, err := journal.ParseRecord(parse(t, text))
		journaltest.Refused(t, text, err, algal.ParseFailed, "effect record must be an object")
	}
}

// TestRecordRoundTrip: every record reads back as it was written.
func TestRecordRoundTrip(t *testing.T) {
	digest := rapid.Map(rapid.IntRange(0, 1000), func(n int) algal.Digest { return canon.Int(n).Digest() })
	rapid.Check(t, func(r *rapid.T) {
		want := journal.Record{
			Intent:  digest.Draw(r, "intent"),
			Ordinal: rapid.IntRange(0, journal.MaxEntries-1).Draw(r, "ordinal"),
			Binding: runtime.Binding{
				RequestDigest:       digest.Draw(r, "request"),
				Executor:            rapid.StringN(0, 128, 256).Draw(r, "executor"),
				ConfigurationDigest: digest.Draw(r, "configuration"),
				IdempotencyKey:      digest.Draw(r, "key"),
				Read:                rapid.Bool().Draw(r, "read"),
			},
			Attempt: rapid.IntRange(0, journal.MaxRecoveries).Draw(r, "attempt"),
		}
		if rapid.Bool().Draw(r, "successor") {
			want.Previous = digest.Draw(r, "previous")
		}
		if rapid.Bool().Draw(r, "completed") {
			want.Receipt = canon.Object(
				canon.M("executor", canon.String(want.Executor)),
				canon.M("output", canon.String(rapid.String().Draw(r, "output"))),
				canon.M("requestDigest", canon.String(string(want.RequestDigest))),
			)
		}
		text := want.Value().String()
		v, err := canon.Parse(text, canon.Limits{})
		if err != nil {
			r.Fatal(err)
		}
		got, err := journal.ParseRecord(v)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(&want, got, cmp.Comparer(canon.Equal)); diff != "" || got.Value().String() != text {
			r.Fatal(diff)
		}
	})
}

func TestParseHeader(t *testing.T) {
	const text = `{"contract":"algal.process-journal.v1","intent":"` + digestA + `","manifestDigest":"` + digestB + `","maxEntries":4096,"maxRecoveries":8,"process":"worker"}`
	want := journal.Header{Dispatch: journal.Dispatch{Process: "worker", Intent: digestA, Manifest: digestB}, MaxEntries: 4096, MaxRecoveries: 8}
	h, err := journal.ParseHeader(parse(t, text))
	if err != nil || h != want || h.Value().String() != text {
		t.Errorf("%+v, %v", h, err)
	}
	for _, c := range []struct {
		member, value string
		code          algal.Code
		message       string
	}{
		{"more", `1`, algal.ParseFailed, `journal header has unknown key "more"`},
		{"contract", `null`, algal.ReceiptMismatch, "invalid journal header"},
		{"process", `"Worker"`, algal.ParseFailed, "journal header.process must be a lowercase kebab-case id"},
		{"intent", `"x"`, algal.ParseFailed, "journal header.intent " + notHex},
		{"manifestDigest", `"x"`, algal.ParseFailed, "journal header.manifestDigest " + notHex},
		{"maxEntries", `0`, algal.ParseFailed, "maxEntries must be an integer in [1, 4096]"},
		{"maxEntries", `4097`, algal.ParseFailed, "maxEntries must be an integer in [1, 4096]"},
		{"maxRecoveries", `0`, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]"},
		{"maxRecoveries", `9`, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]"},
		{"maxRecoveries", `1.5`, algal.ParseFailed, "maxRecoveries must be an integer in [1, 8]"},
	} {
		h, err := journal.ParseHeader(parse(t, text).With(canon.M(c.member, parse(t, c.value))))
		journaltest.Refused(t, c.member+" "+c.value, err, c.code, c.message)
		if h != (journal.Header{}) {
			t.Errorf("%s: a refused header has a value", c.member)
		}
	}
}

func TestParseHead(t *testing.T) {
	d, err := journal.ParseHead(parse(t, `{"record":"`+digestA+`","contract":"algal.process-effect-head.v1"}`))
	if d != digestA || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	for text, message := range map[string]string{
		`[]`: "effect head must be an object",
		`{"contract":"algal.process-effect-head.v1","record":"` + digestA + `","x":1}`: `effect head has unknown key "x"`,
		`{"contract":"algal.process-head.v1","record":"` + digestA + `"}`:              "invalid effect head",
		`{"contract":"algal.process-effect-head.v1","record":null}`:                    "effect head.record " + notHex,
	} {
		if d, err := journal.ParseHead(parse(t, text)); err == nil || err.Error() != message || d != "" {
			t.Errorf("%s: %s, %v, want %s", text, d, err, message)
		}
	}
}
