//go:build unix

package hostdoc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const (
	typeOrBound = "host state file type or byte bound failed"
	structure   = "host state structure bound exceeded"
)

func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

func list(nodes int) string { return "[" + strings.Repeat("0,", nodes-2) + "0]" }

func mustParse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{Depth: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRead is custody.md §3.1 with the wire texts of §8.
func TestRead(t *testing.T) {
	const bound = 1 << 20
	for _, c := range []struct {
		name, content string
		code          algal.Code
		message       string
	}{
		{"object", "{}", "", ""},
		{"spaces and order", " {\"b\":1,\n\"a\":2}\n", "", ""},
		{"scalar", "null", "", ""},
		{"largest", "0" + strings.Repeat(" ", bound-1), "", ""},
		{"too large", "0" + strings.Repeat(" ", bound), algal.IOFailed, typeOrBound},
		{"not UTF-8", "\"\xff\"", algal.ParseFailed, "host state contains invalid UTF-8"},
		{"not UTF-8 and no JSON", "{\xff", algal.ParseFailed, "host state contains invalid UTF-8"},
		{"byte-order mark", "\ufeff{}", algal.ParseFailed, ""},
		{"empty", "", algal.ParseFailed, ""},
		{"no JSON", "{", algal.ParseFailed, ""},
		{"lone surrogate", `"\ud800"`, algal.ParseFailed, ""},
		{"infinity", "1e400", algal.ParseFailed, "host state is not a JSON value"},
		{"infinity and no JSON", "[1e400", algal.ParseFailed, "not JSON: expected ',' or the end of a list of elements at byte 6"},
		{"infinity and too deep", "[1e400," + nested(65, "0") + "]", algal.ParseFailed, "host state is not a JSON value"},
		{"deepest", nested(64, "0"), "", ""},
		{"deepest, empty", nested(65, ""), "", ""},
		{"too deep", nested(65, "0"), algal.BudgetExhausted, structure},
		{"too deep and no JSON", nested(65, "0") + "x", algal.ParseFailed, ""},
		{"most nodes", list(100_000), "", ""},
		{"too many nodes", list(100_001), algal.BudgetExhausted, structure},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(scratch(t), "document.json")
			write(t, path, c.content)
			v, err := Read(path, bound)
			if c.code != "" {
				refused(t, err, c.code, c.message)
				if v.Exists() {
					t.Error("a refused document has a value")
				}
				return
			}
			if err != nil || !canon.Equal(v, mustParse(t, c.content)) {
				t.Errorf("got %.60s, %v", v, err)
			}
		})
	}
}

func TestReadOfAnotherKind(t *testing.T) {
	dir := scratch(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("file"), "{}")
	write(t, path("directory/x"), "")
	symlink(t, path("file"), path("link"))
	if err := syscall.Mkfifo(path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"directory": "IO_FAILED " + typeOrBound,
		"fifo":      "IO_FAILED " + typeOrBound,
		"link":      "IO_FAILED symbolic links are not admitted",
		"file/x":    "IO_FAILED open failed: not a directory",
		"missing":   "ok",
	} {
		v, err := Read(path(name), bound4K)
		if got := answer(err); got != want || v.Exists() {
			t.Errorf("%s: %s, %v; want %s", name, got, v, want)
		}
	}
}

// TestWrite is the immutable write of custody.md §3.2.
func TestWrite(t *testing.T) {
	const bound = 1 << 20
	for _, c := range []struct {
		name, existing, value string // an empty text is nothing
		code                  algal.Code
		message               string
		after                 string
	}{
		{"new", "", `{"b":1,"a":2}`, "", "", `{"a":2,"b":1}`},
		{"equal", `{"a":2,"b":1}`, `{"b":1,"a":2}`, "", "", `{"a":2,"b":1}`},
		{"equal, respelled", "{ \"b\":1.0,\"a\":2}\n", `{"b":1,"a":2}`, "", "", "{ \"b\":1.0,\"a\":2}\n"},
		{"different", `{"a":3}`, `{"a":2}`, algal.DigestMismatch, "immutable host state conflicts", `{"a":3}`},
		{"no JSON there", `{`, `{"a":2}`, algal.ParseFailed, "", `{`},
		{"longest", "", `"` + strings.Repeat("x", bound-2) + `"`, "", "", `"` + strings.Repeat("x", bound-2) + `"`},
		{"too long", "", `"` + strings.Repeat("x", bound-1) + `"`, algal.BudgetExhausted, "host state byte bound exceeded", ""},
		{"deepest", "", nested(64, "0"), "", "", nested(64, "0")},
		{"too deep", "", nested(65, "0"), algal.BudgetExhausted, structure, ""},
		{"most nodes", "", list(100_000), "", "", list(100_000)},
		{"too many nodes", "", list(100_001), algal.BudgetExhausted, structure, ""},
		{"no value", "", "", algal.ParseFailed, "host state is not a JSON value", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(scratch(t), "records", "document.json")
			if c.existing != "" {
				write(t, path, c.existing)
			}
			var v canon.Value
			if c.value != "" {
				v = mustParse(t, c.value)
			}
			err := Write(newFiles(), path, v, bound)
			if c.code != "" {
				refused(t, err, c.code, c.message)
			} else if err != nil {
				t.Fatal(err)
			}
			if c.after == "" {
				if exists(path) {
					t.Error("a refused document was published")
				}
			} else if got := read(t, path); got != c.after {
				t.Errorf("the file holds %.60s", got)
			}
		})
	}
}

// TestWriteRetains: what exists is acknowledged only when it is durable.
func TestWriteRetains(t *testing.T) {
	dir := scratch(t)
	path := filepath.Join(dir, "document.json")
	write(t, path, "{}")
	var trace []string
	if err := Write(recorder(dir, &trace), path, canon.Object(), bound4K); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"file-sync $D/document.json", "dir-sync $D"}, trace); diff != "" {
		t.Error(diff)
	}
}

// TestWriteRace lets somebody else take the name between the look and the
// link, and perhaps give it up again.
func TestWriteRace(t *testing.T) {
	for _, c := range []struct {
		name, content string
		vanishes      bool
		want          string
	}{
		{"equal", `{}`, false, "ok"},
		{"different", `[]`, false, "DIGEST_MISMATCH immutable host state conflicts"},
		{"vanished", `{}`, true, "IO_FAILED host state publication disappeared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(scratch(t), "document.json")
			files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
				if s.Op == durable.OpLink {
					write(t, path, c.content)
				}
				if s.Op == durable.OpUnlinkTemp && c.vanishes {
					os.Remove(path)
				}
				return do()
			}})
			if got := answer(Write(files, path, canon.Object(), bound4K)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		name, existing string
		code           algal.Code
		message        string
	}{
		{"nothing there", "", "", ""},
		{"another value", `{"n":1}`, "", ""},
		{"the same value, respelled", ` { "n" : 2 } `, "", ""},
		{"no JSON", "{", algal.ParseFailed, ""},
		{"too large", `{"n":1}` + strings.Repeat(" ", bound4K), algal.IOFailed, typeOrBound},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(scratch(t), "ledger.json")
			if c.existing != "" {
				write(t, path, c.existing)
			}
			err := Replace(newFiles(), path, mustParse(t, `{"n":2}`), bound4K)
			if c.code != "" {
				refused(t, err, c.code, c.message)
				if got := read(t, path); got != c.existing {
					t.Errorf("the file holds %.60s", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); got != `{"n":2}` {
				t.Errorf("the file holds %s", got)
			}
		})
	}
	t.Run("too long", func(t *testing.T) {
		err := Replace(newFiles(), filepath.Join(scratch(t), "x"), canon.String(strings.Repeat("x", bound4K)), bound4K)
		refused(t, err, algal.BudgetExhausted, "host state byte bound exceeded")
	})
}

// TestList is custody.md §3.3, the limit being 4.
func TestList(t *testing.T) {
	const limit = 4
	name := func(i int) string { return fmt.Sprintf("%06d.json", i) }
	temp := func(i int) string { return fmt.Sprintf(".tmp-%048x", i) }
	names := func(n int, name func(int) string) (list []string) {
		for i := range n {
			list = append(list, name(i))
		}
		return list
	}
	for _, c := range []struct {
		name   string
		files  []string
		others Others
		want   []string
		code   algal.Code
		text   string
	}{
		{"empty", nil, RefuseOthers, nil, "", ""},
		{"sorted", []string{name(9), name(2), name(5)}, RefuseOthers, []string{name(2), name(5), name(9)}, "", ""},
		{"limit", names(4, name), RefuseOthers, names(4, name), "", ""},
		{"beyond the limit", names(5, name), RefuseOthers, nil, algal.BudgetExhausted, "host state entry bound exceeded"},
		{"scan bound", names(24, temp), RefuseOthers, nil, "", ""},
		{"beyond the scan bound", names(25, temp), RefuseOthers, nil, algal.BudgetExhausted, "host state directory scan bound exceeded"},
		{"temporary", append(names(2, temp), name(1)), RefuseOthers, []string{name(1)}, "", ""},
		{"nearly temporary", []string{".tmp-1"}, RefuseOthers, nil, algal.IOFailed, "unexpected host state entry"},
		{"foreign, refused", []string{name(1), "README"}, RefuseOthers, nil, algal.IOFailed, "unexpected host state entry"},
		{"foreign, skipped", []string{name(1), "README"}, SkipOthers, []string{name(1)}, "", ""},
		{"foreign do not count", append(names(4, name), "README"), SkipOthers, names(4, name), "", ""},
		{"directory", []string{name(1), "sub/x"}, SkipOthers, nil, algal.IOFailed, "unexpected host state entry type"},
		{"directory of a temporary name", []string{temp(1) + "/x"}, SkipOthers, nil, algal.IOFailed, "unexpected host state entry type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(scratch(t), "owners")
			for _, f := range c.files {
				write(t, filepath.Join(dir, f), "")
			}
			list, err := List(newFiles(), dir, limit, numbered, c.others)
			if c.code != "" {
				refused(t, err, c.code, c.text)
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, list); diff != "" {
				t.Error(diff)
			}
			if !exists(dir) {
				t.Error("listing did not make the directory")
			}
		})
	}
}

func TestScanMakesNothing(t *testing.T) {
	dir := filepath.Join(scratch(t), "owners")
	list, err := Scan(dir, 4, numbered, RefuseOthers)
	if list != nil || err != nil || exists(dir) {
		t.Errorf("%v, %v", list, err)
	}
	write(t, dir, "")
	_, err = Scan(dir, 4, numbered, RefuseOthers)
	refused(t, err, algal.IOFailed, "")
}

// TestDocumentRoundTrip: what was written is read back, and writing it once more
// changes nothing.
func TestDocumentRoundTrip(t *testing.T) {
	dir, n := scratch(t), 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		v := canon.Array(canon.String(rapid.String().Draw(r, "text")), canon.Int(rapid.Int().Draw(r, "number")))
		for range 2 {
			if err := Write(newFiles(), path, v, bound4K); err != nil {
				r.Fatal(err)
			}
			got, err := Read(path, bound4K)
			if err != nil || !canon.Equal(got, v) || read(t, path) != v.String() {
				r.Fatalf("%v, %v", got, err)
			}
		}
	})
}
