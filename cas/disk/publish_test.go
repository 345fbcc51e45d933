//go:build unix

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

var tempName = regexp.MustCompile(`\.tmp-[a-f0-9]{48}`)

// TestPutTrace compares the steps of first and repeated puts with the traces of
// store.md §3.2. The syncs above the root are left out, and so are those that the
// rule of §3.1 lets a process leave out when it has made them before.
func TestPutTrace(t *testing.T) {
	for _, k := range kinds {
		root := filepath.Join(scratch(t), "store")
		var trace []string
		hook := func(s durable.Step, do func() error) error {
			err := do()
			if err == nil && strings.HasPrefix(s.Path, root) {
				line := strings.NewReplacer(root+"/"+k.file, "FILE", root+"/"+k.name, "SPACE", root, "$S").Replace(s.String())
				trace = append(trace, tempName.ReplaceAllString(line, "TEMP"))
			}
			return err
		}
		expect := func(what string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, trace); diff != "" {
				t.Errorf("%s, %s: %s", k.name, what, diff)
			}
			trace = nil
		}
		s := openHooked(root, hook)
		for _, what := range []string{"first", "again", "other process"} {
			if what == "other process" {
				s = openHooked(root, hook)
			}
			if err := k.put(s); err != nil {
				t.Fatal(err)
			}
			write := []string{"write-temp SPACE/TEMP", "file-sync SPACE/TEMP"}
			retain := []string{"unlink-temp SPACE/TEMP", "file-sync FILE", "dir-sync SPACE"}
			if k.name == "slots" {
				retain = []string{"replace SPACE/TEMP -> FILE", "dir-sync SPACE"}
			}
			switch what {
			case "first":
				want := append([]string{"mkdir $S", "mkdir SPACE", "dir-sync SPACE", "dir-sync $S"}, write...)
				if k.name == "slots" {
					want = append(want, retain...)
				} else {
					want = append(want, "link SPACE/TEMP -> FILE", "dir-sync SPACE", "unlink-temp SPACE/TEMP")
				}
				expect(what, want...)
			case "again":
				expect(what, append(write, retain...)...)
			case "other process":
				expect(what, append([]string{"dir-sync SPACE", "dir-sync $S"}, append(write, retain...)...)...)
			}
		}
	}
}

// TestInjectedFailures lets each step of each put fail in turn with an error of the
// system, in place of the step and after it was done. The failure is reported, what
// is there is whole, and a retry works.
func TestInjectedFailures(t *testing.T) {
	everyStep(t, injectAt)
}

// everyStep runs a test for each step of each put, first and repeated, in place of
// the step and after it. run reports whether the put came to the step.
func everyStep(t *testing.T, run func(t *testing.T, k kind, repeated, done bool, at int) bool) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel() // the time goes into waiting for the disk
			n := 0
			for _, repeated := range []bool{false, true} {
				for _, done := range []bool{false, true} {
					at := 0
					for run(t, k, repeated, done, at) {
						at++
					}
					// Two directories are made or synced, and a file takes four steps.
					if least := 2 + 4; at < least {
						t.Errorf("%d steps (repeated: %v), want at least %d", at, repeated, least)
					}
					n += at
				}
			}
			t.Logf("%d steps", n)
		})
	}
}

// breakStep does a step as far as it gets: all of it, or nothing but, of writing, the
// beginning.
func breakStep(s durable.Step, do func() error, done bool) {
	if done {
		do()
	} else if s.Op == durable.OpWriteTemp {
		os.WriteFile(s.Path, []byte(`{"a`), 0o600)
	}
}

// prepare returns the root of a store, for a repeated put with what is there before.
func prepare(t *testing.T, k kind, repeated bool) string {
	t.Helper()
	root := filepath.Join(scratch(t), "store")
	if repeated {
		lay(t, root, k.file, k.prior)
	}
	return root
}

// injectAt lets step number at of a put fail and reports whether there was one.
func injectAt(t *testing.T, k kind, repeated, done bool, at int) bool {
	t.Helper()
	root := prepare(t, k, repeated)
	failure := map[durable.Op]error{durable.OpWriteTemp: syscall.ENOSPC, durable.OpLink: syscall.EPERM, durable.OpMkdir: syscall.EACCES}
	var failed *durable.Step
	steps := 0
	s := openHooked(root, func(step durable.Step, do func() error) error {
		if steps++; steps != at+1 {
			return do()
		}
		failed = &step
		breakStep(step, do, done)
		if err := failure[step.Op]; err != nil {
			return err
		}
		return syscall.EIO
	})
	err := k.put(s)
	if failed == nil {
		if err != nil {
			t.Errorf("%s: put without a failure = %v", k.name, err)
		}
		return false
	}
	refuses(t, k.name+": failure at "+failed.String(), err, algal.IOFailed, "")
	var errno syscall.Errno
	if !errors.As(err, &errno) || strings.Contains(err.Error(), root) {
		t.Errorf("%s: failure at %s reported as %v", k.name, failed, err)
	}
	wholeOrAbsent(t, k, root, "failure at "+failed.String())
	if failed.Op != durable.OpUnlinkTemp {
		noTemps(t, root)
	}
	if err := k.put(s); err != nil {
		t.Errorf("%s: retry after a failure at %s = %v", k.name, failed, err)
	}
	if got, err := k.get(open(root)); err != nil || got.String() != k.text {
		t.Errorf("%s: after the retry: %s, %v", k.name, got, err)
	}
	return true
}

// wholeOrAbsent reads an object whose put was not acknowledged and returns what is
// there, "" for nothing.
func wholeOrAbsent(t *testing.T, k kind, root, when string) string {
	t.Helper()
	got, err := k.get(open(root))
	if text := got.String(); err != nil || text != "" && text != k.text && text != k.prior {
		t.Errorf("after a %s: %s, %v", when, got, err)
	}
	content, err := os.ReadFile(filepath.Join(root, k.file))
	if err == nil && string(content) != got.String() {
		t.Errorf("after a %s the file holds %q and is read as %s", when, content, got)
	}
	return got.String()
}

func noTemps(t *testing.T, root string) {
	t.Helper()
	if _, err := os.Lstat(root); err != nil {
		return
	}
	for name := range tree(t, root) {
		if durable.IsTemp(filepath.Base(name)) {
			t.Errorf("temporary file left: %s", name)
		}
	}
}

// TestVanished: an object that is gone between the link that found it and the
// reading of it is not acknowledged.
func TestVanished(t *testing.T) {
	for _, k := range kinds[:4] {
		root := filepath.Join(scratch(t), "store")
		lay(t, root, k.file, k.text)
		s := openHooked(root, func(s durable.Step, do func() error) error {
			err := do()
			if s.Op == durable.OpLink {
				os.Remove(s.Target)
			}
			return err
		})
		message := "published store object is missing"
		if k.name == "effects" {
			message = "published effect memo is missing"
		}
		refuses(t, k.name, k.put(s), algal.IOFailed, message)
	}
}

// TestSharedPublisher: stores that share a publisher share what it has synced.
func TestSharedPublisher(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	above := 0
	files := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op == durable.OpDirSync && !strings.HasPrefix(s.Path, root) {
			above++
		}
		return do()
	}})
	for range 3 {
		s := disk.Open(root, disk.Options{Files: files})
		if err := kinds[0].put(s); err != nil {
			t.Fatal(err)
		}
	}
	if want := strings.Count(root, "/"); above != want {
		t.Errorf("%d directories above the root synced, want %d", above, want)
	}
}
