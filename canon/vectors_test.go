package canon_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
)

// decode reads a golden file with the standard library, so that a fault of this
// package cannot hide itself.
func decode[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(golden.Read(t, name), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCanonicalVectors(t *testing.T) {
	vectors := decode[[]struct {
		Name, JSON, Canonical string
		Bytes                 int
		Digest                algal.Digest
	}](t, "vectors/canonical.json")
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		value, err := canon.Parse(v.JSON, canon.Limits{})
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if got := value.String(); got != v.Canonical {
			t.Errorf("%s: canonical text\n got %s\nwant %s", v.Name, got, v.Canonical)
		}
		if value.Size() != v.Bytes || value.Digest() != v.Digest {
			t.Errorf("%s: %d bytes, %s; want %d, %s", v.Name, value.Size(), value.Digest(), v.Bytes, v.Digest)
		}
		again, err := canon.ParseDocument(v.Canonical, canon.Limits{})
		if err != nil || !again.Canonical || again.Value.Digest() != v.Digest || !canon.Equal(again.Value, value) {
			t.Errorf("%s: the canonical text does not read back as itself (%v)", v.Name, err)
		}
	}
	t.Logf("%d canonical vectors", len(vectors))
}

// TestLoneSurrogateVectors holds the four texts that the reference accepts to the
// rule that overrides them (canonical.md §2.4).
func TestLoneSurrogateVectors(t *testing.T) {
	vectors := decode[[]struct{ Name, JSON string }](t, "vectors/canonical-lone-surrogates.json")
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		if _, err := canon.Parse(v.JSON, canon.Limits{}); algal.CodeOf(err) != algal.ParseFailed {
			t.Errorf("%s: %v, want PARSE_FAILED", v.Name, err)
		}
	}
	t.Logf("%d entries refused under the rule of canonical.md §2.4", len(vectors))
}

func TestDigestVectors(t *testing.T) {
	rows := decode[[]struct {
		What, Digest, File string
		Text, InputText    *string
		TextRepeat         *struct {
			Unit  string
			Count int
		}
		Input json.RawMessage
	}](t, "digests.json")
	var texts, inputs, files, without int
	for _, r := range rows {
		var got algal.Digest
		switch {
		case r.Text != nil:
			got = canon.DigestText(*r.Text)
			texts++
		case r.TextRepeat != nil:
			got = canon.DigestText(strings.Repeat(r.TextRepeat.Unit, r.TextRepeat.Count))
			texts++
		case r.InputText != nil:
			got = parse(t, *r.InputText).Digest()
			inputs++
		case r.File != "":
			files++ // digested by the packages that know what the file is
			continue
		case r.Input == nil || string(r.Input) == "null":
			t.Logf("no input recorded: %s", r.What)
			without++
			continue
		default:
			got = inWords(parse(t, string(r.Input))).Digest()
			inputs++
		}
		if string(got) != r.Digest {
			t.Errorf("%s: %s, want %s", r.What, got, r.Digest)
		}
	}
	t.Logf("%d texts, %d values; %d name a file, %d without input", texts, inputs, files, without)
	if texts == 0 || inputs == 0 {
		t.Fatal("no vectors")
	}
}

// inWords fills in the one row whose input.text is given in words.
func inWords(v canon.Value) canon.Value {
	if !v.Get("text").IsText("(see what)") {
		return v
	}
	x := func(key, text string) canon.Member {
		return canon.M(key, canon.Object(canon.M("value", canon.String(text))))
	}
	call := canon.Object(canon.M("fn", canon.String("echo.v1")), x("inputs", "large"), x("output", strings.Repeat("x", 5000)))
	return v.With(canon.M("text", canon.String(call.String())))
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
