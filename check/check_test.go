//go:build unix

package check_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reachable returns the objects of a store that something needs.
func reachable(t *testing.T, dir, scenario string) (files []string) {
	t.Helper()
	found, _ := examine(t, dir, check.Options{Tools: toolsOf(t, scenario)})
	var unneeded []string
	for _, f := range found {
		if f.Kind == check.ObjectUnreferenced {
			unneeded = append(unneeded, f.Path)
		}
	}
	for _, place := range []string{"values", "manifests", "runs"} {
		entries, err := os.ReadDir(filepath.Join(dir, place))
		must(t, err)
		for _, d := range entries {
			if name := place + "/" + d.Name(); !slices.Contains(unneeded, name) {
				files = append(files, name)
			}
		}
	}
	return files
}

// fewChecks takes fewer runs of a property: each examines a store.
func fewChecks(t *testing.T, n string) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		must(t, f.Value.Set(n))
		t.Cleanup(func() { must(t, f.Value.Set(f.DefValue)) })
	}
}

// TestFlips: a changed bit in any byte of any reachable object is found there, also
// by a quick examination, and a wrong length too.
func TestFlips(t *testing.T) {
	fewChecks(t, "40")
	type store struct {
		dir, scenario string
		files         []string
	}
	var stores []store
	objects := 0
	for _, scenario := range []string{"store-load", "journaled-recovered-twice", "missing-value", "multi-wake", "cached-effects"} {
		dir := goldenStore(t, "processes/"+scenario+"/store")
		files := reachable(t, dir, scenario)
		stores = append(stores, store{dir, scenario, files})
		objects += len(files)
	}
	if objects < 40 {
		t.Errorf("only %d objects", objects)
	}
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.SampledFrom(stores).Draw(r, "store")
		name := rapid.SampledFrom(s.files).Draw(r, "object")
		path := filepath.Join(s.dir, name)
		sound, err := os.ReadFile(path)
		must(t, err)
		bad := slices.Clone(sound)
		at := rapid.IntRange(0, len(bad)-1).Draw(r, "byte")
		if rapid.IntRange(0, 4).Draw(r, "how") == 0 {
			bad = bad[:at]
		} else {
			bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		}
		must(t, os.WriteFile(path, bad, 0o600))
		defer func() { must(t, os.WriteFile(path, sound, 0o600)) }()
		quick := rapid.Bool().Draw(r, "quick")
		found, _ := examine(t, s.dir, check.Options{Tools: toolsOf(t, s.scenario), Quick: quick})
		if !slices.Contains(lines(found), "object-damaged "+name) {
			r.Fatalf("%s %s: found %q", s.scenario, name, lines(found))
		}
	})
	t.Logf("%d objects", objects)
}

// TestSwapped: two objects under each other's names are both damaged, and so is a
// copy under another name.
func TestSwapped(t *testing.T) {
	dir := goldenStore(t, "processes/multi-wake/store")
	files := reachable(t, dir, "multi-wake")
	a, b := files[0], files[1]
	must(t, os.Rename(filepath.Join(dir, a), filepath.Join(dir, "x")))
	must(t, os.Rename(filepath.Join(dir, b), filepath.Join(dir, a)))
	must(t, os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, b)))
	text, err := os.ReadFile(filepath.Join(dir, files[2]))
	must(t, err)
	lay(t, dir, "values/"+zeros+".json", string(text))
	found, _ := examine(t, dir, check.Options{})
	want := []string{"object-damaged values/" + zeros + ".json", "object-damaged " + a, "object-damaged " + b}
	if diff := cmp.Diff(want, lines(without(found, check.ObjectUnreferenced))); diff != "" {
		t.Error(diff)
	}
}

// TestQuick leaves out what nothing needs, and only that.
func TestQuick(t *testing.T) {
	dir := goldenStore(t, "processes/complete-pure/store")
	lay(t, dir, "values/"+zeros+".json", "1")
	if found, _ := examine(t, dir, check.Options{Quick: true}); !slices.Equal(lines(found), []string{"object-unreferenced values/" + zeros + ".json"}) {
		t.Errorf("quick: found %q", lines(found))
	}
	if found, _ := examine(t, dir, check.Options{}); !slices.Equal(lines(found), []string{"object-damaged values/" + zeros + ".json"}) {
		t.Errorf("found %q", lines(found))
	}
}

// TestVerbose: what is only counted is reported when asked for.
func TestVerbose(t *testing.T) {
	dir := goldenStore(t, "processes/complete-pure/store")
	lay(t, dir, "values/.tmp-"+tempHex, "")
	lay(t, dir, "values/notes", "")
	lay(t, dir, "values/"+canon.Int(7).Digest().Hex()+".json", "7")
	for _, verbose := range []bool{false, true} {
		n := 0
		summary, err := check.Store(context.Background(), dir, check.Options{Verbose: verbose}, func(check.Finding) { n++ })
		must(t, err)
		if summary.Info != 3 || verbose != (n == 3) || !verbose != (n == 0) {
			t.Errorf("verbose %v: %d reported, %s", verbose, n, summary.Value())
		}
	}
}

// TestReferrers names who needs what is missing, and not more than eight of them.
func TestReferrers(t *testing.T) {
	dir := goldenStore(t, "processes/cached-effects/store")
	files, err := filepath.Glob(filepath.Join(dir, "manifests", "*.json"))
	must(t, err)
	must(t, os.Remove(files[0]))
	found, _ := examine(t, dir, check.Options{})
	if len(found) != 1 || !slices.Equal(found[0].Referrers, []string{"processes/one", "processes/two"}) {
		t.Fatalf("found %q", lines(found))
	}
	head, err := os.ReadFile(filepath.Join(dir, "processes/one/head.json"))
	must(t, err)
	for i := range 10 { // heads that name the record of another process
		name := fmt.Sprintf("p%d", i)
		lay(t, dir, "processes/"+name+"/head.json", strings.Replace(string(head), `"one"`, `"`+name+`"`, 1))
	}
	record := "values/" + algal.Digest(parse(t, string(head)).Get("record").Text()).Hex() + ".json"
	remove(t, dir, record)
	found, _ = examine(t, dir, check.Options{})
	at := slices.IndexFunc(found, func(f check.Finding) bool { return f.Path == record })
	if at < 0 || found[at].Kind != check.ObjectMissing || len(found[at].Referrers) != check.MaxReferrers || found[at].Referrers[0] != "processes/one" {
		t.Errorf("found %q", lines(found))
	}
}

// TestNothingToExamine: only then is there an error.
func TestNothingToExamine(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, "file", "")
	must(t, os.Symlink(dir, filepath.Join(dir, "link")))
	for name, code := range map[string]algal.Code{"absent": algal.StoreMiss, "file": algal.IOFailed, "link": algal.IOFailed} {
		_, err := check.Store(context.Background(), filepath.Join(dir, name), check.Options{}, func(f check.Finding) { t.Errorf("found %s", f.Value()) })
		if algal.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
	makeDir(t, dir, "empty")
	summary, err := check.Store(context.Background(), filepath.Join(dir, "empty"), check.Options{}, func(f check.Finding) { t.Errorf("found %s", f.Value()) })
	if err != nil || summary != (check.Summary{}) {
		t.Errorf("empty: %s, %v", summary.Value(), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := check.Store(ctx, goldenStore(t, "processes/complete-pure/store"), check.Options{}, func(check.Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestUnreadable: what the system does not let one read is found, not passed over.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("the superuser reads everything; the unreadable file is one of too many bytes alone")
	}
	dir := goldenStore(t, "processes/complete-pure/store")
	files := reachable(t, dir, "complete-pure")
	must(t, os.Truncate(filepath.Join(dir, files[0]), 67_108_865))
	want := []string{"object-damaged " + files[0]}
	if os.Getuid() != 0 {
		must(t, os.Chmod(filepath.Join(dir, files[1]), 0))
		want = append(want, "object-damaged "+files[1])
	}
	found, _ := examine(t, dir, check.Options{})
	if diff := cmp.Diff(want, lines(without(found, check.ObjectUnreferenced))); diff != "" {
		t.Error(diff)
	}
}

// TestRecords holds the forms of toolchain.md §5.
func TestRecords(t *testing.T) {
	f := check.Finding{Kind: check.ObjectMissing, Path: "values/x.json", Digest: "sha256:" + zeros, Advice: "help", Referrers: []string{"processes/a"}}
	want := `{"advice":"help","digest":"sha256:` + zeros + `","kind":"object-missing","path":"values/x.json","referrers":["processes/a"],"severity":"damage"}`
	if got := f.Value().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f = check.Finding{Kind: check.MailboxLocked, Path: "mailboxes/a/.lock"}
	want = `{"advice":"","kind":"mailbox-locked","path":"mailboxes/a/.lock","referrers":[],"severity":"attention"}`
	if got := f.Value().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s := check.Summary{Damage: 0, Attention: 1, Info: 2, Files: 3, Bytes: 4, Objects: 5, Processes: 6}
	want = `{"attention":1,"bytes":4,"damage":0,"files":3,"info":2,"objects":5,"ok":true,"processes":6}`
	if got := s.Value().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	kinds := []check.Kind{
		check.ObjectDamaged, check.ObjectMissing, check.ObjectNotRegular, check.HeadDamaged, check.HistoryInvalid, check.ReceiptInvalid,
		check.JournalDamaged, check.MailboxDamaged, check.CapabilityDamaged, check.MemoDamaged, check.SlotDamaged,
		check.ProcessUncertain, check.MailboxInterrupted, check.MailboxLocked, check.CustodyLegacyLock, check.CustodyUnknownLock, check.CreationInterrupted,
		check.NameForeign, check.Residue, check.ObjectUnreferenced, check.PlaceUnknown,
	}
	for i, k := range kinds {
		want := check.Info
		switch {
		case i < 11:
			want = check.Damage
		case i < 17:
			want = check.Attention
		}
		if k.Severity() != want {
			t.Errorf("%s: %s, want %s", k, k.Severity(), want)
		}
	}
}

// TestCounts: files and bytes are those that are there.
func TestCounts(t *testing.T) {
	dir := goldenStore(t, "processes/journaled-complete/store")
	files, size := 0, 0
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, err := d.Info()
			must(t, err)
			files++
			size += int(info.Size())
		}
		return err
	}))
	_, summary := examine(t, dir, check.Options{Tools: toolsOf(t, "journaled-complete")})
	if summary.Files != files || summary.Bytes != size || summary.Objects != 22 || summary.Processes != 1 {
		t.Errorf("%s, want %d files, %d bytes", summary.Value(), files, size)
	}
}
