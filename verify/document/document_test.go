package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/verify"
	"github.com/algal-vm/algal/verify/document"
)

func Example() {
	text, err := document.ReadFrom(strings.NewReader(`{"contract":"algal.process-evidence.v1"}`))
	fmt.Println(text, err)
	// Output: {"contract":"algal.process-evidence.v1"} <nil>
}

func pack(t *testing.T, text string, options ...zstd.EOption) string {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// stream packs without telling the size beforehand.
func stream(t *testing.T, text string, options ...zstd.EOption) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, options...)
	if err != nil {
		t.Fatal(err)
	}
	for chunk := range strings.SplitSeq(text, "\n") { // Write in pieces, so that nothing knows the whole
		if _, err := w.Write([]byte(chunk)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00skip"

func TestUnpacking(t *testing.T) {
	text := string(golden.Read(t, "evidence/complete.evidence.json"))
	half := len(text) / 2
	one := pack(t, text)
	bomb := strings.Repeat(pack(t, strings.Repeat("0", 8<<20)), 8)
	dictionary := "\x28\xb5\x2f\xfd\x21\x07\x04\x21\x00\x00test"
	wideWindow := "\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00" // a window of 128 MiB
	for name, c := range map[string]struct {
		in   string
		want string // the content, or the code of the refusal
	}{
		"plain":                     {text, text},
		"empty":                     {"", ""},
		"one frame":                 {one, text},
		"streamed frame":            {stream(t, text), text},
		"without checksum":          {pack(t, text, zstd.WithEncoderCRC(false)), text},
		"two frames":                {pack(t, text[:half]) + stream(t, text[half:]), text},
		"empty frame":               {pack(t, "", zstd.WithZeroFrames(true)) + one, text},
		"exactly the bound":         {bomb, strings.Repeat("0", verify.MaxBytes)[:0] + "64MiB"},
		"one byte over the bound":   {bomb + pack(t, "x"), "BUDGET_EXHAUSTED"},
		"over the bound, then junk": {bomb + pack(t, "x") + "junk", "BUDGET_EXHAUSTED"},
		"over the bound, streamed":  {bomb + stream(t, "xy"), "BUDGET_EXHAUSTED"},
		"declared over the bound":   {"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00", "BUDGET_EXHAUSTED"},
		"skippable frame behind":    {one + skippable, "PARSE_FAILED"},
		"skippable frame between":   {one + skippable + one, "PARSE_FAILED"},
		"dictionary":                {dictionary, "PARSE_FAILED"},
		"window too wide":           {wideWindow, "PARSE_FAILED"},
		"truncated":                 {one[:len(one)-5], "PARSE_FAILED"},
		"truncated in the header":   {one[:5], "PARSE_FAILED"},
		"truncated checksum":        {one[:len(one)-1], "PARSE_FAILED"},
		"damaged":                   {one[:40] + "\x00\xff\x00\xff" + one[44:], "PARSE_FAILED"},
		"damaged checksum":          {one[:len(one)-1] + string(one[len(one)-1]^1), "PARSE_FAILED"},
		"trailing bytes":            {one + "{}", "PARSE_FAILED"},
		"trailing newline":          {one + "\n", "PARSE_FAILED"},
		"bad frame before the bomb": {one + skippable + bomb + bomb, "PARSE_FAILED"},
	} {
		got, err := document.ReadFrom(strings.NewReader(c.in))
		switch {
		case err != nil:
			if string(algal.CodeOf(err)) != c.want || errors.Is(err, document.ErrUnreadable) || got != "" {
				t.Errorf("%s: %v, want %.40s", name, err, c.want)
			}
		case c.want == "64MiB":
			if len(got) != verify.MaxBytes {
				t.Errorf("%s: %d bytes", name, len(got))
			}
		case got != c.want:
			t.Errorf("%s: %.40q, want %.40q", name, got, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if text, err := document.ReadFile(path); text != "{}" || err != nil {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if _, err := document.ReadFile(filepath.Join(dir, "nosuch")); !errors.Is(err, document.ErrUnreadable) || algal.CodeOf(err) != algal.IOFailed {
		t.Errorf("absent: %v", err)
	}
	if _, err := document.ReadFile(dir); errors.Is(err, document.ErrUnreadable) || algal.CodeOf(err) != algal.BudgetExhausted {
		t.Errorf("directory: %v", err)
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, verify.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := document.ReadFile(large); algal.CodeOf(err) != algal.BudgetExhausted {
		t.Errorf("large: %v", err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.json", "a.json.zst", "c.evidence-report.json", "d.txt", "e.zst", "B.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "f.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	names, isDir, err := document.List(dir + "/")
	want := []string{dir + "/B.json", dir + "/a.json.zst", dir + "/b.json"}
	if err != nil || !isDir || strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("%v, %v, %v; want %v", names, isDir, err, want)
	}
	for _, path := range []string{filepath.Join(dir, "b.json"), filepath.Join(dir, "nosuch")} {
		if _, isDir, err := document.List(path); isDir || err != nil {
			t.Errorf("%s: %v, %v", path, isDir, err)
		}
	}
}

// TestMemoryInProportion reads frames that claim much and hold nothing.
func TestMemoryInProportion(t *testing.T) {
	for name, claim := range map[string]string{
		"content size": "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x04\x01\x00\x00", // 64 MiB, an empty last block
		"window":       "\x28\xb5\x2f\xfd\x00\x80\x09\x00\x00x",            // 64 MiB, one byte
	} {
		result := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				document.ReadFrom(strings.NewReader(claim))
			}
		})
		if bytes := result.AllocedBytesPerOp(); bytes > 8<<20 {
			t.Errorf("%s: %d bytes taken for a frame of %d bytes", name, bytes, len(claim))
		}
	}
}
