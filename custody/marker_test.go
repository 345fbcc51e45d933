//go:build unix

package custody

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// TestMarkerFound is the table of custody.md §5. A refused marker stays.
func TestMarkerFound(t *testing.T) {
	marker := ownerMarker("", "w").value(sampleNonce).String()
	const (
		legacy = "legacy process lease requires operator reconciliation"
		bound  = "host state file type or byte bound failed"
	)
	for _, c := range []struct {
		name, content string
		code          algal.Code // "" when acquired
		message       string
	}{
		{"canonical", marker, "", ""},
		{"other order", `{"process":"w","nonce":"` + sampleNonce + `","contract":"algal.process-owner.v2"}`, "", ""},
		{"pretty", strings.ReplaceAll(marker, ",", ",\n  ") + "\n", "", ""},
		{"padded", marker + strings.Repeat(" ", 4096-len(marker)), "", ""},
		{"padded too far", marker + strings.Repeat(" ", 4097-len(marker)), algal.IOFailed, bound},
		{"other label", strings.Replace(marker, `"w"`, `"v"`, 1), algal.IOFailed, legacy},
		{"extra key", strings.Replace(marker, `{`, `{"pid":1,`, 1), algal.IOFailed, legacy},
		{"missing key", strings.Replace(marker, `,"process":"w"`, ``, 1), algal.IOFailed, legacy},
		{"upper-case nonce", strings.Replace(marker, sampleNonce, strings.ToUpper(sampleNonce), 1), algal.IOFailed, legacy},
		{"short nonce", strings.Replace(marker, sampleNonce, sampleNonce[1:], 1), algal.IOFailed, legacy},
		{"older contract", strings.Replace(marker, "owner.v2", "owner.v1", 1), algal.IOFailed, legacy},
		{"null", "null", algal.IOFailed, legacy},
		{"array", "[]", algal.IOFailed, legacy},
		{"plain text", "4711", algal.IOFailed, legacy}, // a number is JSON
		{"words", "owned by 4711", algal.ParseFailed, ""},
		{"empty", "", algal.ParseFailed, ""},
		{"byte-order mark", "\ufeff" + marker, algal.ParseFailed, ""},
		{"not UTF-8", "\xff", algal.ParseFailed, "host state contains invalid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := scratch(t)
			path := filepath.Join(dir, ".lock")
			write(t, path, c.content)
			if c.code == "" {
				acquireAndRelease(t, dir, "w")
				if got := read(t, filepath.Join(dir, "owners", sampleNonce+".json")); got != marker {
					t.Errorf("archived %s", got)
				}
				return
			}
			mustRefuse(t, dir, "w", c.code, c.message)
			if got := read(t, path); got != c.content {
				t.Errorf("the marker became %q", got)
			}
			if _, err := os.Lstat(filepath.Join(dir, "owners")); err == nil {
				t.Error("a refused marker made an archive")
			}
		})
	}
}

func TestMarkerOfAnotherKind(t *testing.T) {
	for name, put := range map[string]func(t testing.TB, path string){
		"link":      func(t testing.TB, path string) { symlink(t, "/nowhere", path) },
		"directory": func(t testing.TB, path string) { write(t, filepath.Join(path, "x"), "") },
		"fifo": func(t testing.TB, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := scratch(t)
			path := filepath.Join(dir, ".lock")
			put(t, path)
			before := stat(t, path)
			mustRefuse(t, dir, label, algal.IOFailed, "")
			if !os.SameFile(before, stat(t, path)) {
				t.Error("it is gone")
			}
		})
	}
}

// TestArchive is what custody.md §5 says about the archive.
func TestArchive(t *testing.T) {
	marker := ownerMarker("", label).value(sampleNonce).String()
	const full = "owner recovery evidence limit exceeded"
	for _, c := range []struct {
		name    string
		make    func(t testing.TB, archive string)
		code    algal.Code
		message string
	}{
		{"255", func(t testing.TB, a string) { fillArchive(t, a, 255) }, "", ""},
		{"256", func(t testing.TB, a string) { fillArchive(t, a, 256) }, algal.BudgetExhausted, full},
		{"256 with this one", func(t testing.TB, a string) {
			fillArchive(t, a, 255)
			write(t, filepath.Join(a, sampleNonce+".json"), marker)
		}, "", ""},
		{"257", func(t testing.TB, a string) { fillArchive(t, a, 257) }, algal.BudgetExhausted, "host state entry bound exceeded"},
		{"leftovers", func(t testing.TB, a string) {
			write(t, filepath.Join(a, ".tmp-"+strings.Repeat("a", 48)), "{")
		}, "", ""},
		{"equal copy, respelled", func(t testing.TB, a string) {
			write(t, filepath.Join(a, sampleNonce+".json"), marker+"\n")
		}, "", ""},
		{"different copy", func(t testing.TB, a string) {
			write(t, filepath.Join(a, sampleNonce+".json"), "{}")
		}, algal.DigestMismatch, "immutable host state conflicts"},
		{"foreign name", func(t testing.TB, a string) { write(t, filepath.Join(a, "README"), "") }, algal.IOFailed, "unexpected host state entry"},
		{"directory", func(t testing.TB, a string) { write(t, filepath.Join(a, sampleNonce+".json", "x"), "") }, algal.IOFailed, "unexpected host state entry type"},
		{"a file in its place", func(t testing.TB, a string) { write(t, a, "") }, algal.IOFailed, "publication directory must be a real directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := scratch(t)
			write(t, filepath.Join(dir, ".lock"), marker)
			c.make(t, filepath.Join(dir, "owners"))
			before := tree(t, filepath.Join(dir, "owners"))
			if c.code != "" {
				mustRefuse(t, dir, label, c.code, c.message)
				if got := read(t, filepath.Join(dir, ".lock")); got != marker {
					t.Errorf("the marker became %s", got)
				}
				if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "owners"))); diff != "" {
					t.Error(diff)
				}
				return
			}
			acquireAndRelease(t, dir, label)
			before[sampleNonce+".json"] = read(t, filepath.Join(dir, "owners", sampleNonce+".json"))
			if diff := cmp.Diff(before, tree(t, filepath.Join(dir, "owners"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGoldenStores drives the custody stores that the reference runtime left.
func TestGoldenStores(t *testing.T) {
	var index struct {
		Stores []struct {
			Name   string
			Files  int
			Expect struct {
				Nonce  string
				Owners []string
			}
		}
	}
	if err := json.Unmarshal(golden.Read(t, "stores/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, store := range index.Stores {
		if !strings.HasPrefix(store.Name, "custody-") {
			continue
		}
		n++
		t.Run(store.Name, func(t *testing.T) {
			dir := layStore(t, store.Name)
			before := tree(t, dir)
			if files := len(before) - countDirectories(before); files != store.Files {
				t.Fatalf("%d files, the index says %d", files, store.Files)
			}
			check, known := goldenChecks[store.Name]
			if !known {
				t.Fatal("no check for this store")
			}
			check(t, dir, before)
			for _, name := range store.Expect.Owners {
				if got := read(t, filepath.Join(dir, "owners", name)); got != ownerMarker("", label).value(strings.TrimSuffix(name, ".json")).String() {
					t.Errorf("archived %s", got)
				}
			}
		})
	}
	if n == 0 {
		t.Fatal("no custody store in the index")
	}
	t.Logf("%d golden custody stores", n)
}

func countDirectories(tree map[string]string) (n int) {
	for name := range tree {
		if strings.HasSuffix(name, "/") {
			n++
		}
	}
	return n
}

const (
	goldenNonce  = "f20c0caff14b5059bf2341cb125b82243adf61e2fa699f396c3abb6c920ec772"
	legacyMarker = "legacy process lease requires operator reconciliation"
)

var goldenChecks = map[string]func(t *testing.T, dir string, before map[string]string){
	"custody-released": func(t *testing.T, dir string, before map[string]string) {
		acquireAndRelease(t, dir, label)
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	},
	"custody-recovered": func(t *testing.T, dir string, before map[string]string) {
		acquireAndRelease(t, dir, label)
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	},
	"custody-abandoned": func(t *testing.T, dir string, before map[string]string) {
		mustRefuse(t, dir, "worker-b", algal.IOFailed, legacyMarker)
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
		acquireAndRelease(t, dir, label)
		if diff := cmp.Diff(tree(t, layStore(t, "custody-recovered")), tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	},
	"custody-empty-table": func(t *testing.T, dir string, _ map[string]string) {
		acquireAndRelease(t, dir, label)
		if diff := cmp.Diff([]string{Contract}, askDatabase(t, dir, "SELECT * FROM algal_owner")); diff != "" {
			t.Error(diff)
		}
	},
	"custody-foreign-contract": func(t *testing.T, dir string, before map[string]string) {
		mustRefuse(t, dir, label, algal.IOFailed, "unknown owner database contract")
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	},
	"custody-legacy-lock": func(t *testing.T, dir string, before map[string]string) {
		mustRefuse(t, dir, label, algal.IOFailed, legacyMarker)
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	},
}

// TestGoldenMailboxCreation is the custody part of the store whose creator was
// killed: its marker is archived, and the other files are not touched.
func TestGoldenMailboxCreation(t *testing.T) {
	place := MailboxAdmission(layStore(t, "mailbox-crash-create"))
	state, err := Inspect(place)
	if err != nil || state.Nonce == "" || len(state.Archived) != 0 {
		t.Fatalf("state %+v, %v", state, err)
	}
	marker := read(t, filepath.Join(place.Dir, ".lock"))
	acquireAndRelease(t, place.Dir, place.Label)
	if got := read(t, filepath.Join(place.Dir, "owners", state.Nonce+".json")); got != marker {
		t.Errorf("archived %s", got)
	}
}
