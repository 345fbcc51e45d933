//go:build unix

package check_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal/check"
)

// damage is a way to damage a file of a store.
type damage struct {
	name string
	do   func(t *testing.T, file string)
}

var damages = []damage{
	{"empty", func(t *testing.T, file string) { must(t, os.Truncate(file, 0)) }},
	{"truncated", func(t *testing.T, file string) {
		info, err := os.Stat(file)
		must(t, err)
		must(t, os.Truncate(file, info.Size()/2))
	}},
	{"flipped", func(t *testing.T, file string) { // the first quote
		change(t, file, func(text string) string { return strings.Replace(text, `"`, "\xa2", 1) })
	}},
	{"spaced", func(t *testing.T, file string) { change(t, file, func(text string) string { return text + "\n" }) }},
	{"removed", func(t *testing.T, file string) { must(t, os.Remove(file)) }},
	{"link", func(t *testing.T, file string) {
		must(t, os.Rename(file, file+".aside.tmp"))
		must(t, os.Symlink(filepath.Base(file)+".aside.tmp", file))
	}},
	{"fifo", func(t *testing.T, file string) {
		must(t, os.Remove(file))
		must(t, syscall.Mkfifo(file, 0o600))
	}},
	{"directory", func(t *testing.T, file string) {
		must(t, os.Remove(file))
		must(t, os.Mkdir(file, 0o700))
	}},
}

func change(t *testing.T, file string, edit func(text string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, []byte(edit(string(text))), 0o600))
}

// hold returns what brings a file back as it is now.
func hold(t *testing.T, file string) (repair func()) {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	return func() {
		t.Helper()
		must(t, os.RemoveAll(file))
		must(t, os.WriteFile(file, text, 0o600))
	}
}

// expectation says what other damages lead to, as "kind path"; "" for nothing.
type expectation map[string]string

// TestDamage does everything that can happen to a file to one file of each kind,
// and demands what is found, where, and how bad it is.
func TestDamage(t *testing.T) {
	type target struct {
		what    string
		store   string
		pattern string // of the file; the first that matches
		most    string // kind that most damages are, at the file
		other   expectation
	}
	object := expectation{
		"removed": "object-missing .", "link": "object-not-regular .", "fifo": "object-not-regular .", "directory": "object-not-regular .",
	}
	const tools, memo, slot = "journaled-complete", "cached-effects", "spawn-slot"
	for _, c := range []target{
		{"record", tools, "values/*.json", "object-damaged", object},
		{"manifest", tools, "manifests/*.json", "object-damaged", object},
		{"receipt", tools, "runs/*.json", "object-damaged", object},
		{"head", tools, "processes/jobs/head.json", "head-damaged", expectation{"spaced": "", "removed": "head-damaged ."}},
		{"head without journals", memo, "processes/one/head.json", "head-damaged", expectation{"spaced": "", "removed": "creation-interrupted processes/one"}},
		{"journal header", tools, "processes/jobs/journals/*/header.json", "journal-damaged", expectation{"spaced": ""}},
		{"journal entry", tools, "processes/jobs/journals/*/entries/000000.json", "journal-damaged", expectation{
			"spaced": "", "removed": "journal-damaged 000001.json", // a gap
			"link": "journal-damaged ..", "fifo": "journal-damaged ..", "directory": "journal-damaged ..",
		}},
		{"configuration", tools, "mailboxes/inbox/config.json", "mailbox-damaged", expectation{"spaced": ""}},
		{"claim", tools, "mailboxes/inbox/messages/*.json", "mailbox-damaged", expectation{"spaced": "", "removed": "mailbox-damaged ../consumed/."}},
		{"marker", tools, "mailboxes/inbox/consumed/*.json", "mailbox-damaged", expectation{"spaced": "", "removed": "mailbox-interrupted ../messages/."}},
		{"right", tools, "capabilities/*.json", "capability-damaged", expectation{"spaced": "", "removed": "object-missing ."}},
		{"memo", memo, "effects/*.json", "memo-damaged", expectation{"spaced": "", "removed": ""}},
		{"slot", slot, "slots/*.json", "slot-damaged", expectation{"spaced": "", "removed": ""}},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := goldenStore(t, "processes/"+c.store+"/store")
			file := firstMatch(t, dir, c.pattern)
			for _, d := range damages {
				repair := hold(t, filepath.Join(dir, file))
				d.do(t, filepath.Join(dir, file))
				want := []string{c.most + " " + file}
				if other, ok := c.other[d.name]; ok {
					want = nil
					if kind, where, found := strings.Cut(other, " "); found {
						want = []string{kind + " " + relative(file, where)}
					}
				}
				found, summary := examine(t, dir, check.Options{Tools: toolsOf(t, c.store)})
				got := lines(without(found, check.Residue, check.NameForeign, check.ObjectUnreferenced))
				if !slices.Equal(got, want) {
					t.Errorf("%s: found %q, want %q", d.name, got, want)
				}
				attention := len(want) == 1 && (strings.HasPrefix(want[0], "creation-") || strings.HasPrefix(want[0], "mailbox-interrupted"))
				if damaged := len(want) == 1 && !attention; (summary.Damage == 1) != damaged || (summary.Attention == 1) != attention {
					t.Errorf("%s: %s", d.name, summary.Value())
				}
				repair()
			}
		})
	}
}

// relative resolves where a finding is: "." is the file, ".." its directory, a name
// one beside it.
func relative(file, where string) string {
	switch {
	case where == ".":
		return file
	case where == "..":
		return path.Dir(file)
	case strings.HasPrefix(where, "../"):
		return path.Join(path.Dir(file), strings.Replace(where, "/.", "/"+path.Base(file), 1))
	case strings.Contains(where, "/"):
		return where
	}
	return path.Join(path.Dir(file), where)
}

func firstMatch(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file %s: %v", pattern, err)
	}
	name, err := filepath.Rel(dir, files[0])
	must(t, err)
	return filepath.ToSlash(name)
}
