package journaltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/google/go-cmp/cmp"
)

const (
	typeOrBound = "host state file type or byte bound failed"
	structure   = "host state structure bound exceeded"
	realDir     = "publication directory must be a real directory"
)

// documents is custody.md §3.1 and §3.2 as far as values show it.
func documents(t *testing.T, open func(*testing.T) journal.Engine) {
	e := open(t)
	const name = "processes/worker/document.json"
	one, other := parse(t, `{"b":1,"a":[]}`), parse(t, `{"b":2}`)
	is := func(want canon.Value) {
		t.Helper()
		if got, err := e.Read(name, maxSmall); err != nil || !canon.Equal(got, want) {
			t.Fatalf("read %s, %v, want %s", got, err, want)
		}
	}
	is(canon.Value{})
	must(t, e.Directory("processes/worker"))
	for range 2 {
		must(t, e.Write(name, one, maxSmall))
		is(one)
	}
	Refused(t, "another value", e.Write(name, other, maxSmall), algal.DigestMismatch, "immutable host state conflicts")
	is(one)
	must(t, e.Replace(name, other, maxSmall))
	is(other)
	_, err := e.Read(name, other.Size()-1)
	Refused(t, "read beyond the bound", err, algal.IOFailed, typeOrBound)
	Refused(t, "replaced beyond the bound", e.Replace(name, one, other.Size()-1), algal.BudgetExhausted, "host state byte bound exceeded")
	is(other)
	for _, c := range []struct {
		name    string
		v       canon.Value
		code    algal.Code
		message string
	}{
		{"longest", canon.String(strings.Repeat("x", maxSmall-2)), "", ""},
		{"too long", canon.String(strings.Repeat("x", maxSmall-1)), algal.BudgetExhausted, "host state byte bound exceeded"},
		{"deepest", parse(t, strings.Repeat("[", 64)+"0"+strings.Repeat("]", 64)), "", ""},
		{"too deep", parse(t, strings.Repeat("[", 65)+"0"+strings.Repeat("]", 65)), algal.BudgetExhausted, structure},
		{"no value", canon.Value{}, algal.ParseFailed, "host state is not a JSON value"},
	} {
		for kind, write := range map[string]func(string, canon.Value, int) error{"write": e.Write, "replace": e.Replace} {
			at := "processes/" + kind + "-" + c.name + ".json"
			err := write(at, c.v, maxSmall)
			if c.code != "" {
				Refused(t, kind+" "+c.name, err, c.code, c.message)
				if v, err := e.Read(at, maxSmall); v.Exists() || err != nil {
					t.Errorf("%s %s: %s, %v is there", kind, c.name, v, err)
				}
			} else if err != nil || !canon.Equal(read(t, e, at), c.v) {
				t.Errorf("%s %s: %v", kind, c.name, err)
			}
		}
	}
	most := canon.Array(make100k(99_999)...)
	must(t, e.Write("values/most.json", most, huge))
	Refused(t, "too many nodes", e.Write("values/more.json", canon.Array(make100k(100_000)...), huge), algal.BudgetExhausted, structure)
	directories(t, e, name)
}

func make100k(n int) []canon.Value {
	list := make([]canon.Value, n)
	for i := range list {
		list[i] = canon.Int(0)
	}
	return list
}

func directories(t *testing.T, e journal.Engine, document string) {
	t.Helper()
	for range 2 {
		must(t, e.Ensure("processes/worker/a/b"))
	}
	for _, dir := range []string{".", "processes", "processes/worker", "processes/worker/a", "processes/worker/a/b", "none", "none/either"} {
		if err := e.Directory(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	Refused(t, "a document as a directory", e.Directory(document), algal.IOFailed, realDir)
	Refused(t, "a directory in the place of a document", e.Ensure(document), algal.IOFailed, realDir)
	_, err := e.Read("processes/worker/a", maxSmall)
	Refused(t, "a directory as a document", err, algal.IOFailed, typeOrBound)
}

// scan is custody.md §3.3 without leftovers, the limit being 4.
func scan(t *testing.T, open func(*testing.T) journal.Engine) {
	numbers := func(n int) (list []string) {
		for i := n - 1; i >= 0; i-- {
			list = append(list, fmt.Sprintf("%d.json", i))
		}
		return list
	}
	for _, c := range []struct {
		name  string
		files []string
		dirs  []string
		want  []string
		text  string // of the refusal
		code  algal.Code
		seen  string // what match saw last, if it matters
	}{
		{name: "nothing"},
		{name: "sorted", files: []string{"3.json", "1.json", "2.json"}, want: []string{"1.json", "2.json", "3.json"}},
		{name: "limit", files: numbers(4), want: []string{"0.json", "1.json", "2.json", "3.json"}},
		{name: "beyond the limit", files: numbers(5), code: algal.BudgetExhausted, text: "host state entry bound exceeded"},
		{name: "beyond the scan", files: numbers(25), code: algal.BudgetExhausted, text: "host state directory scan bound exceeded"},
		{name: "foreign", files: []string{"1.json", "2.txt", "3.json"}, code: algal.IOFailed, text: "unexpected host state entry", seen: "2.txt"},
		{name: "directory", files: []string{"1.json"}, dirs: []string{"2.json"}, code: algal.IOFailed, text: "unexpected host state entry type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			for _, name := range c.files {
				must(t, e.Write("processes/x/"+name, canon.Int(1), maxSmall))
			}
			for _, name := range c.dirs {
				must(t, e.Ensure("processes/x/"+name))
			}
			seen := ""
			names, err := e.Scan("processes/x", 4, func(name string) bool {
				seen = name
				return strings.HasSuffix(name, ".json")
			})
			if c.code != "" {
				Refused(t, "scan", err, c.code, c.text)
			} else if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Error(diff)
			}
			if c.seen != "" && seen != c.seen {
				t.Errorf("match saw %s last, want %s", seen, c.seen)
			}
		})
	}
}
