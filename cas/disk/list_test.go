//go:build unix

package disk_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/google/go-cmp/cmp"
)

type listing struct {
	space string
	list  func(*disk.Store) (iter.Seq[disk.Row], error)
}

var listings = []listing{
	{"runs", (*disk.Store).Runs},
	{"manifests", (*disk.Store).Manifests},
	{"slots", (*disk.Store).Slots},
}

// rows writes a listing as lines: the value, or code and message.
func rows(t *testing.T, s *disk.Store, l listing) (lines []string) {
	t.Helper()
	list, err := l.list(s)
	if err != nil {
		t.Fatalf("%s: %v", l.space, err)
	}
	for row := range list {
		line := row.Name + " " + row.Value.String()
		if row.Err != nil {
			line = fmt.Sprintf("%s %s %s", row.Name, algal.CodeOf(row.Err), row.Err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestListSlots(t *testing.T) {
	root := scratch(t)
	lay(t, root, "slots/b.json", "[1, 2]")
	lay(t, root, "slots/a.json", `"x"`)
	lay(t, root, "slots/a-1.json", `null`)
	lay(t, root, "slots/c.txt", "ignored")
	lay(t, root, "slots/.tmp-"+strings.Repeat("0", 48), "ignored")
	lay(t, root, "slots/bad.json", "{")
	lay(t, root, "slots/bytes.json", "\xff")
	lay(t, root, "slots/Upper.json", "1")
	lay(t, root, "slots/deep.json", strings.Repeat("[", 66)+strings.Repeat("]", 66))
	if err := os.Truncate(lay(t, root, "slots/large.json", ""), 262_145); err != nil {
		t.Fatal(err)
	}
	fifo(t, filepath.Join(root, "slots/pipe.json"))
	if err := os.Mkdir(filepath.Join(root, "slots/dir.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.json", filepath.Join(root, "slots/link.json")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	promptly(t, func() {
		want := []string{
			`Upper PARSE_FAILED invalid slot name`,
			`a-1 null`,
			`a "x"`,
			`b [1,2]`,
			`bad PARSE_FAILED store file contains invalid JSON`,
			`bytes PARSE_FAILED store file contains invalid UTF-8`,
			`deep BUDGET_EXHAUSTED store JSON depth/count exceeded`,
			`dir BUDGET_EXHAUSTED slots/dir.json: regular file byte bound`,
			`large BUDGET_EXHAUSTED slots/large.json: regular file byte bound`,
			`link IO_FAILED ` + unexpectedType,
			`pipe BUDGET_EXHAUSTED slots/pipe.json: regular file byte bound`,
		}
		if diff := cmp.Diff(want, rows(t, open(root), listings[2])); diff != "" {
			t.Error(diff)
		}
	})
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("listing changed the store: %s", diff)
	}
}

// TestListObjects: a record is judged by its name, as when it is read by digest.
func TestListObjects(t *testing.T) {
	root := scratch(t)
	s := open(root)
	for _, k := range kinds {
		if err := k.put(s); err != nil {
			t.Fatal(err)
		}
	}
	wrong := strings.Repeat("0", 64)
	lay(t, root, "runs/"+wrong+".json", `{"a":1}`)
	lay(t, root, "runs/other.json", `{"a":1}`)
	lay(t, root, "manifests/"+wrong+".json", manifestText)
	receipt, manifest := value(`{"x":1}`).Digest(), value(manifestText).Digest()
	for i, want := range [][]string{
		{
			fmt.Sprintf("%s DIGEST_MISMATCH receipt file sha256:%s hashes to %s", wrong, wrong, value(`{"a":1}`).Digest()),
			receipt.Hex() + ` {"x":1}`,
			"other PARSE_FAILED store digest must be a sha256:<64 lowercase hex> digest",
		},
		{
			fmt.Sprintf("%s DIGEST_MISMATCH manifest file sha256:%s hashes to %s", wrong, wrong, manifest),
			manifest.Hex() + " " + manifestText,
		},
		{"memo [1]"},
	} {
		if diff := cmp.Diff(want, rows(t, s, listings[i])); diff != "" {
			t.Errorf("%s: %s", listings[i].space, diff)
		}
	}
}

// TestListBounds: every physical entry counts, listed or not.
func TestListBounds(t *testing.T) {
	root, l := scratch(t), listings[0]
	first := lay(t, root, l.space+"/ignored-0", "")
	link := func(i int) {
		if err := os.Link(first, fmt.Sprint(filepath.Dir(first), "/ignored-", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4_095 {
		link(i + 1)
	}
	if lines := rows(t, open(root), l); lines != nil {
		t.Errorf("4,096 entries: %q", lines)
	}
	link(4_096)
	_, err := l.list(open(root))
	refuses(t, "4,097 entries", err, algal.BudgetExhausted, "store directory runs has more than 4096 entries")
}

// TestListPlaces: a place that is not there is empty, one that is something else is
// refused.
func TestListPlaces(t *testing.T) {
	for _, l := range listings {
		if lines := rows(t, open(filepath.Join(scratch(t), "none")), l); lines != nil {
			t.Errorf("%s of no store: %q", l.space, lines)
		}
		for _, what := range []string{"file", "link", "dangling link", "fifo"} {
			dir := scratch(t)
			plant(t, what, filepath.Join(dir, l.space), filepath.Join(dir, "target"))
			promptly(t, func() {
				_, err := l.list(open(dir))
				refuses(t, l.space+" is a "+what, err, algal.IOFailed, unexpectedType)
			})
		}
	}
}

// TestListStops: a caller that has seen enough reads no further record.
func TestListStops(t *testing.T) {
	root := scratch(t)
	lay(t, root, "slots/a.json", "1")
	lay(t, root, "slots/b.json", "2")
	list, err := open(root).Slots()
	if err != nil {
		t.Fatal(err)
	}
	for row := range list {
		if row.Name != "a" {
			t.Errorf("went on to %s", row.Name)
		}
		if err := os.Remove(filepath.Join(root, "slots/b.json")); err != nil {
			t.Fatal(err)
		}
		break
	}
	// A record that has gone since the names were read is an error of its row.
	for row := range list {
		if row.Name == "b" {
			refuses(t, "removed slot", row.Err, algal.IOFailed, "store file cannot be opened: ENOENT")
		} else if row.Err != nil {
			t.Errorf("%s: %v", row.Name, row.Err)
		}
	}
}
