//go:build unix

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/journal/journaltest"
	"github.com/google/go-cmp/cmp"
)

func TestJournals(t *testing.T) {
	journaltest.Suite(t, func(t *testing.T) journal.Engine { return openUnsynced(scratch(t)).Journals() })
}

// openUnsynced opens a store that waits for no disk, for tests in which no machine
// crashes.
func openUnsynced(root string) *disk.Store {
	return openHooked(root, func(s durable.Step, do func() error) error {
		if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
			return nil
		}
		return do()
	})
}

// journalOf returns the dispatch of the one journal of a process in a store.
func journalOf(t testing.TB, root, process string) journal.Dispatch {
	t.Helper()
	headers, err := filepath.Glob(filepath.Join(root, "processes", process, "journals", "*", "header.json"))
	if err != nil || len(headers) != 1 {
		t.Fatalf("journals of %s: %v, %v", process, headers, err)
	}
	text, err := os.ReadFile(headers[0])
	if err != nil {
		t.Fatal(err)
	}
	h, err := journal.ParseHeader(value(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return h.Dispatch
}

// settledJournal lays out a journal of the reference runtime that was recovered:
// three effects, the second of which was repeated.
func settledJournal(t testing.TB) (root string, d journal.Dispatch) {
	t.Helper()
	root = journaltest.Lay(t, "journaled-recovered-read", "store")
	return root, journalOf(t, root, "reader")
}

// documentsOf returns the names of the files of a journal, records included.
func documentsOf(t testing.TB, root string, d journal.Dispatch) []string {
	t.Helper()
	j, err := journal.Open(open(root).Journals(), d)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range j.Effects() {
		for digest := e.Digest; digest != ""; {
			name := "values/" + digest.Hex() + ".json"
			names = append(names, name)
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			digest = algal.Digest(value(string(text)).Get("previous").Text())
		}
	}
	place := "processes/" + d.Process + "/journals/" + d.Intent.Hex()
	for name, content := range tree(t, filepath.Join(root, place)) {
		if content != "/" {
			names = append(names, place+"/"+name)
		}
	}
	slices.Sort(names)
	return names
}

// damagedJournal opens a damaged journal and returns the document that is refused
// and the one that names it.
func damagedJournal(t *testing.T, root string, d journal.Dispatch) (at, by string, err error) {
	t.Helper()
	j, err := journal.Open(open(root).Journals(), d)
	if err == nil {
		return "", "", nil
	}
	if j != nil || algal.CodeOf(err) == algal.Internal || strings.Contains(err.Error(), root) {
		t.Errorf("refused with %v, %v", j, err)
	}
	var f *journal.Fault
	if errors.As(err, &f) {
		return f.Name, f.By, err
	}
	return "", "", err
}

// eachJournalFile damages every file of a journal in turn: damage is given what it
// holds. Opening may change nothing.
func eachJournalFile(t *testing.T, damage func(t *testing.T, root string, d journal.Dispatch, name, whole string)) {
	root, d := settledJournal(t)
	for _, name := range documentsOf(t, root, d) {
		before := tree(t, root)
		damage(t, root, d, name, before[name])
		lay(t, root, name, before[name])
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("%s: opening changed the store: %s", name, diff)
		}
	}
}

// TestJournalCut cuts every file of a journal at many lengths.
func TestJournalCut(t *testing.T) {
	cuts := 0
	eachJournalFile(t, func(t *testing.T, root string, d journal.Dispatch, name, whole string) {
		for n := 0; n < len(whole); n += 7 {
			lay(t, root, name, whole[:n])
			at, _, err := damagedJournal(t, root, d)
			if at != name || algal.CodeOf(err) != algal.ParseFailed {
				t.Errorf("%s cut to %d bytes: %s: %v", name, n, at, err)
			}
			cuts++
		}
	})
	t.Logf("%d cuts", cuts)
}

// TestJournalFlip flips a bit in the files of a journal, in every byte of the header
// and in some of the others. What the file stands for is then not what it must be,
// but in one place: the header alone says how much is admitted.
func TestJournalFlip(t *testing.T) {
	flips, passed := 0, map[string]int{}
	eachJournalFile(t, func(t *testing.T, root string, d journal.Dispatch, name, whole string) {
		step := 5
		if strings.HasSuffix(name, "/header.json") {
			step = 1
		}
		for i := 0; i < len(whole); i += step {
			flipped := []byte(whole)
			flipped[i] ^= 1
			lay(t, root, name, string(flipped))
			at, by, err := damagedJournal(t, root, d)
			switch {
			case err == nil:
				passed[filepath.Base(name)]++
			case at != name && by != name:
				t.Errorf("%s with byte %d flipped: %s: %v", name, i, at, err)
			}
			flips++
		}
	})
	// maxEntries as 4086, and maxRecoveries.
	if diff := cmp.Diff(map[string]int{"header.json": 2}, passed); diff != "" {
		t.Errorf("accepted: %s", diff)
	}
	t.Logf("%d bits flipped", flips)
}

// TestJournalFiles takes away, swaps and doubles whole files.
func TestJournalFiles(t *testing.T) {
	const cas = "effect journal CAS mismatch"
	root, d := settledJournal(t)
	place := "processes/reader/journals/" + d.Intent.Hex() + "/"
	j, err := journal.Open(open(root).Journals(), d)
	if err != nil {
		t.Fatal(err)
	}
	record := func(i int) string { return "values/" + j.Effects()[i].Digest.Hex() + ".json" }
	earlier := func(i int) string { return "values/" + j.Effects()[i].Previous.Hex() + ".json" }
	for _, c := range []struct {
		name     string
		change   func(files map[string]string)
		at       string // "" where the journal is a sound one
		code     algal.Code
		message  string
		unharmed bool
	}{
		{"header removed", func(f map[string]string) { delete(f, place+"header.json") },
			"", algal.IOFailed, "dispatch has no recovery journal", false},
		{"first entry removed", func(f map[string]string) { delete(f, place+"entries/000000.json") },
			place + "entries/000001.json", algal.ReceiptMismatch, "journal ordinal gap", false},
		{"middle entry removed", func(f map[string]string) { delete(f, place+"entries/000001.json") },
			place + "entries/000002.json", algal.ReceiptMismatch, "journal ordinal gap", false},
		{"attempt removed", func(f map[string]string) { delete(f, place+"recoveries/000001.json") },
			place + "entries/000001.json", algal.ReceiptMismatch, "effect has no admitted recovery attempt", false},
		{"record removed", func(f map[string]string) { delete(f, record(1)) }, record(1), algal.ReceiptMismatch, cas, false},
		{"earlier record removed", func(f map[string]string) { delete(f, earlier(1)) }, earlier(1), algal.ReceiptMismatch, cas, false},
		{"entries swapped", func(f map[string]string) { swap(f, place+"entries/000000.json", place+"entries/000001.json") },
			place + "entries/000000.json", algal.ReceiptMismatch, "effect belongs to another ordinal/intent", false},
		{"records swapped", func(f map[string]string) { swap(f, record(0), record(1)) }, record(0), algal.ReceiptMismatch, cas, false},
		{"header and attempt swapped", func(f map[string]string) { swap(f, place+"header.json", place+"recoveries/000001.json") },
			place + "header.json", algal.ParseFailed, `journal header has unknown key "attempt"`, false},
		{"entry doubled", func(f map[string]string) { f[place+"entries/000003.json"] = f[place+"entries/000002.json"] },
			place + "entries/000003.json", algal.ReceiptMismatch, "effect belongs to another ordinal/intent", false},
		{"entry doubled after a gap", func(f map[string]string) { f[place+"entries/000004.json"] = f[place+"entries/000002.json"] },
			place + "entries/000004.json", algal.ReceiptMismatch, "journal ordinal gap", false},
		{"attempt doubled", func(f map[string]string) { f[place+"recoveries/000002.json"] = f[place+"recoveries/000001.json"] },
			place + "recoveries/000002.json", algal.ReceiptMismatch, "invalid recovery attempt", false},
		{"entry at its earlier record", func(f map[string]string) {
			f[place+"entries/000001.json"] = strings.Replace(f[place+"entries/000001.json"], j.Effects()[1].Digest.Hex(), j.Effects()[1].Previous.Hex(), 1)
		}, place + "entries/000002.json", algal.ReceiptMismatch, "journal contains effects after an unsettled operation", false},
		{"foreign entry", func(f map[string]string) { f[place+"entries/000003.json.bak"] = "{}" },
			place + "entries/000003.json.bak", algal.IOFailed, "unexpected host state entry", false},
		{"foreign attempt", func(f map[string]string) { f[place+"recoveries/.DS_Store"] = "" },
			place + "recoveries/.DS_Store", algal.IOFailed, "unexpected host state entry", false},
		{"nearly a leftover", func(f map[string]string) { f[place+"entries/.tmp-"+strings.Repeat("A", 48)] = "" },
			place + "entries/.tmp-" + strings.Repeat("A", 48), algal.IOFailed, "unexpected host state entry", false},
		{"not UTF-8", func(f map[string]string) { f[place+"entries/000001.json"] = "\"\xff\"" },
			place + "entries/000001.json", algal.ParseFailed, "host state contains invalid UTF-8", false},

		// J-16: what a crash leaves is passed over.
		{"leftovers", func(f map[string]string) {
			f[place+"entries/.tmp-"+strings.Repeat("a", 48)] = "{"
			f[place+"recoveries/.tmp-"+strings.Repeat("0", 48)] = ""
		}, "", "", "", true},
		// Nothing counts the entries: without its last one a journal is that of a
		// dispatch that was interrupted earlier.
		{"last entry removed", func(f map[string]string) { delete(f, place+"entries/000002.json") }, "", "", "", true},
		// Only the values count, not how they are spelled.
		{"respelled", func(f map[string]string) {
			f[place+"header.json"] = " " + f[place+"header.json"] + "\n"
			f[record(0)] = strings.Replace(f[record(0)], "{", "{\n  ", 1)
		}, "", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := scratch(t)
			files := tree(t, settledRoot(t))
			c.change(files)
			for name, content := range files {
				if content == "/" {
					if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
						t.Fatal(err)
					}
				} else {
					lay(t, root, name, content)
				}
			}
			at, _, err := damagedJournal(t, root, d)
			if c.unharmed {
				if err != nil {
					t.Errorf("%s: %v", at, err)
				}
			} else {
				refuses(t, "open", err, c.code, c.message)
			}
			if at != c.at {
				t.Errorf("refused %q, want %q", at, c.at)
			}
			if diff := cmp.Diff(files, tree(t, root)); diff != "" {
				t.Errorf("opening changed the store: %s", diff)
			}
		})
	}
}

func swap(files map[string]string, a, b string) { files[a], files[b] = files[b], files[a] }

func settledRoot(t *testing.T) string { root, _ := settledJournal(t); return root }

// TestJ17: no directory on the way to a journal may be a link, and nothing is
// written behind one.
func TestJ17(t *testing.T) {
	const message = "publication directory must be a real directory"
	for _, dir := range []string{".", "processes", "processes/reader", "processes/reader/journals", "INTENT", "INTENT/entries", "INTENT/recoveries", "values"} {
		for _, what := range []string{"link", "file", "fifo"} {
			store, d := settledJournal(t)
			dir := strings.Replace(dir, "INTENT", "processes/reader/journals/"+d.Intent.Hex(), 1)
			path := filepath.Join(store, dir)
			behind := filepath.Join(scratch(t), "behind")
			if err := os.Rename(path, behind); err != nil {
				t.Fatal(err)
			}
			switch what {
			case "link":
				if err := os.Symlink(behind, path); err != nil {
					t.Fatal(err)
				}
			case "file":
				lay(t, filepath.Dir(path), filepath.Base(path), "")
			case "fifo":
				fifo(t, path)
			}
			before := tree(t, behind)
			promptly(t, func() {
				at, _, err := damagedJournal(t, store, d)
				refuses(t, "open below a "+what, err, algal.IOFailed, message)
				if at != dir {
					t.Errorf("refused %s, want %s", at, dir)
				}
				_, err = journal.Create(openUnsynced(store).Journals(), d, 2)
				refuses(t, "create below a "+what, err, algal.IOFailed, message)
			})
			if diff := cmp.Diff(before, tree(t, behind)); diff != "" {
				t.Errorf("%s through a %s: %s", dir, what, diff)
			}
		}
	}
}

// TestJournalLeaves: no document is a link, a FIFO or a directory.
func TestJournalLeaves(t *testing.T) {
	eachJournalFile(t, func(t *testing.T, root string, d journal.Dispatch, name, whole string) {
		path := filepath.Join(root, name)
		for what, plant := range map[string]func(){
			"link":      func() { os.Symlink(lay(t, root, "target", whole), path) },
			"fifo":      func() { fifo(t, path) },
			"directory": func() { os.Mkdir(path, 0o700) },
		} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			plant()
			promptly(t, func() {
				at, _, err := damagedJournal(t, root, d)
				if algal.CodeOf(err) != algal.IOFailed || at != name && at != filepath.Dir(name) {
					t.Errorf("%s as a %s: %s: %v", name, what, at, err)
				}
			})
		}
		for _, residue := range []string{path, filepath.Join(root, "target")} {
			if err := os.RemoveAll(residue); err != nil {
				t.Fatal(err)
			}
		}
	})
}
