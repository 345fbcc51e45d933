package verify_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/verify"
)

// refusedFlip flips bits of one byte of a document's text and reports whether it
// is refused for what was done to it: the text is no JSON, a key is no digest, or a
// digest does not fit. A changed name of a whole member may be reported as such.
func refusedFlip(text string, at int, bits byte) (code algal.Code, refused bool) {
	b := []byte(text)
	b[at] ^= bits
	_, err := verify.Parse(string(b))
	switch code = algal.CodeOf(err); code {
	case algal.DigestMismatch, algal.ParseFailed:
		return code, true
	}
	return code, false
}

// span returns where the canonical text of a member of the document stands.
func span(t *testing.T, d *document, key string) (text string, from, to int) {
	t.Helper()
	text = d.value.String()
	part := `"` + key + `":` + d.get(key).String()
	from = strings.Index(text, part)
	if from < 0 {
		t.Fatal("no such member")
	}
	return text, from + len(key) + 3, from + len(part)
}

// TestReceiptFlips flips every byte of every receipt, keys and digests included: no
// such document is admitted.
func TestReceiptFlips(t *testing.T) {
	codes := map[algal.Code]int{}
	for _, name := range all {
		text, from, to := span(t, base(t, name), "receipts")
		for at := from; at < to; at++ {
			code, refused := refusedFlip(text, at, 1)
			if codes[code]++; !refused {
				t.Errorf("%s: byte %d, %q: %s", name, at, text[max(at-20, 0):at+1], code)
			}
		}
	}
	t.Logf("refused with %v", codes)
	if codes[algal.DigestMismatch] == 0 {
		t.Error("no digest was ever wrong")
	}
}

// TestReceiptLeaves changes every leaf of every receipt to another value of its
// kind, the digests left as they are.
func TestReceiptLeaves(t *testing.T) {
	n := 0
	for _, name := range all {
		d := base(t, name)
		for key := range d.get("receipts").Members() {
			for _, path := range leaves(d.get("receipts", key), "receipts", key) {
				changed := base(t, name)
				changed.put(other(d.get(path...)), path...)
				_, err := changed.verdict()
				checkRefusal(t, err, algal.DigestMismatch, verify.StageReceipts, "evidence receipts digest mismatch")
				n++
			}
		}
	}
	t.Logf("%d leaves", n)
	if n == 0 {
		t.Fatal("no leaves")
	}
}

// leaves lists the paths of what holds nothing.
func leaves(v canon.Value, path ...string) [][]string {
	if v.Len() == 0 {
		return [][]string{path}
	}
	var all [][]string
	for i := range v.Len() {
		step := canon.Int(i).String()
		if v.Is(canon.KindObject) {
			step = v.Key(i)
		}
		all = append(all, leaves(v.At(i), append(path[:len(path):len(path)], step)...)...)
	}
	return all
}

// other is a value of the kind of v that is not v.
func other(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindString:
		return canon.String(v.Text() + "x")
	case canon.KindNumber:
		return canon.Int(int(v.Float()) + 1)
	case canon.KindBool:
		return canon.Bool(!v.Bool())
	case canon.KindArray:
		return canon.Array(canon.Null())
	case canon.KindObject:
		return canon.Object(canon.M("x", canon.Null()))
	}
	return canon.Int(0)
}

// TestAnyFlip flips any bits of any byte of any golden document: it is refused, or
// it is another document that says so by its digest.
func TestAnyFlip(t *testing.T) {
	names := golden.Glob(t, "processes/*/*.evidence.json")
	texts := map[string]string{}
	for _, name := range names {
		texts[name] = string(golden.Read(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "document")
		text := texts[name]
		at, bits := rapid.IntRange(0, len(text)-1).Draw(t, "at"), rapid.ByteRange(1, 255).Draw(t, "bits")
		b := []byte(text)
		b[at] ^= bits
		before, err := verify.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		after, err := verify.Parse(string(b))
		if err == nil && after.Digest == before.Digest && after.Canonical {
			t.Fatalf("%s: byte %d changed unnoticed", name, at)
		}
		if code := algal.CodeOf(err); err != nil && !code.Known() || code == algal.Internal {
			t.Fatalf("%s: byte %d: %v", name, at, err)
		}
	})
}
