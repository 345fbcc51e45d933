//go:build unix

package workbench_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused wants an error of a code whose sentence holds a text.
func refused(t testing.TB, what string, err error, code algal.Code, text string) {
	t.Helper()
	if err == nil || algal.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %s %v, want %s with %q", what, algal.CodeOf(err), err, code, text)
	}
}

// memoryDir is a directory in memory where the system has one, without links in its
// path: what is written here is synced a thousand times.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "algal-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

// options are those of every test. Syncs are left out: no machine loses power here.
func options() workbench.Options {
	return workbench.Options{Executable: "/opt/algal", Hook: unsynced}
}

func unsynced(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil
	}
	return do()
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	must(t, err)
	return v
}

// subject is a workbench under test.
type subject struct {
	testing.TB
	root   string
	report *workbench.Report // the last one
}

// started starts a workbench on evidence, by default the sample. Its store is
// examined at the end.
func started(t testing.TB, evidence canon.Value) *subject {
	t.Helper()
	if !evidence.Exists() {
		evidence = workbench.SampleEvidence()
	}
	s := &subject{TB: t, root: filepath.Join(memoryDir(t), "bench")}
	var err error
	s.report, err = workbench.Start(t.Context(), s.root, evidence, options())
	must(t, err)
	s.is(workbench.Waiting)
	checktest.Clean(t, s.path("store"))
	return s
}

func (s *subject) path(name string) string { return filepath.Join(s.root, name) }

func (s *subject) get(keys ...string) canon.Value {
	v := s.report.Value()
	for _, key := range keys {
		v = v.Get(key)
	}
	return v
}

// choice is a decision on the proposal of the workbench.
func (s *subject) choice(v workbench.Verdict) workbench.Choice {
	return workbench.Choice{Verdict: v, Proposal: s.get("proposal", "digest").Text(), Action: workbench.Action}
}

// decide makes a decision that is admitted.
func (s *subject) decide(v workbench.Verdict) {
	s.Helper()
	report, err := workbench.Decide(s.Context(), s.root, s.choice(v), options())
	must(s, err)
	s.report = report
}

// is wants the workbench to be in a status.
func (s *subject) is(status workbench.Status) {
	s.Helper()
	if s.report.Status != status || !s.get("status").IsText(string(status)) {
		s.Fatalf("status %s, want %s: %s", s.report.Status, status, s.get())
	}
}

// counts wants the counters, in the order decisions, proposals, publications.
func (s *subject) counts(decisions, proposals, publications float64) {
	s.Helper()
	c := s.get("counters")
	if c.Get("decisions").Float() != decisions || c.Get("proposals").Float() != proposals || c.Get("publications").Float() != publications {
		s.Errorf("counters %s", c)
	}
}

// messages returns the values of all messages that a mailbox ever had.
func (s *subject) messages(name string) (list []canon.Value) {
	s.Helper()
	dir := s.path("store/mailboxes/" + name + "/messages")
	entries, err := os.ReadDir(dir)
	must(s, err)
	for _, e := range entries {
		if durable.IsTemp(e.Name()) {
			continue // what a kill has left
		}
		m, err := mailbox.ParseMessage(parse(s, s.read("store/mailboxes/"+name+"/messages/"+e.Name())), "message")
		must(s, err)
		list = append(list, m.Value)
	}
	return list
}

// sends wants a mailbox to have had n messages.
func (s *subject) sends(name string, n int) {
	s.Helper()
	if got := len(s.messages(name)); got != n {
		s.Errorf("%d messages in %s, want %d", got, name, n)
	}
}

func (s *subject) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	must(s, err)
	return string(text)
}

func (s *subject) write(name, text string) {
	s.Helper()
	must(s, os.WriteFile(s.path(name), []byte(text), 0o600))
}

func (s *subject) exists(name string) bool {
	s.Helper()
	_, err := os.Lstat(s.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	return err == nil
}

// tree returns the content of every file below the root, by name, but what leases
// write.
func (s *subject) tree() map[string]string {
	s.Helper()
	tree := map[string]string{}
	must(s, filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == ".owner.sqlite" {
			return err
		}
		text, err := os.ReadFile(path)
		tree[path] = string(text)
		return err
	}))
	return tree
}

// hold takes the lease of the root until the test ends.
func hold(s *subject) {
	s.Helper()
	files := durable.NewPublisher(durable.Options{Hook: unsynced})
	lease, err := custody.Acquire(s.Context(), files, custody.Place{Dir: s.root, Label: "demo-review"})
	must(s, err)
	s.Cleanup(func() { must(s, lease.Release()) })
}

// supervisor is what "algal process" has on the store of the workbench: no model.
func (s *subject) supervisor() *process.Supervisor {
	files := durable.NewPublisher(durable.Options{Hook: unsynced})
	dir := s.path("store")
	store := disk.Open(dir, disk.Options{Files: files})
	boxes := mailbox.New(store.Mailboxes(), mailbox.Custody(files, dir))
	host := runtime.Host{Store: store, Tools: boxes.Tools()}
	return process.New(store.Processes(), store.Journals(), process.Leases(files, dir), boxes, host)
}

// edit replaces texts in a file until the test ends, or takes it away if there is
// nothing to replace.
func (s *subject) edit(name string, oldnew ...string) {
	s.Helper()
	text := s.read(name)
	s.Cleanup(func() { s.write(name, text) })
	if len(oldnew) < 2 {
		must(s, os.Remove(s.path(name)))
		return
	}
	edited := strings.NewReplacer(oldnew...).Replace(text)
	if edited == text {
		s.Fatalf("nothing to replace in %s", text)
	}
	s.write(name, edited)
}

// recreate puts another process in the place of the one there is: with another bound
// of generations, and its program changed in one member.
func (s *subject) recreate(generations int, member string) {
	s.Helper()
	record := s.head().Record
	text := s.read("store/manifests/" + record.ManifestDigest.Hex() + ".json")
	if member != "" {
		text = regexp.MustCompile(`"name":"[^"]*"`).ReplaceAllString(text, member)
	}
	manifest, err := organism.ParseManifest(parse(s, text))
	must(s, err)
	must(s, os.RemoveAll(s.path("store/processes/"+workbench.ProcessName)))
	_, err = s.supervisor().Create(s.Context(), process.Definition{
		Name: workbench.ProcessName, Manifest: manifest, Args: record.Args, MaxGenerations: generations,
	})
	must(s, err)
}

func (s *subject) head() *process.Snapshot {
	s.Helper()
	snapshot, err := s.supervisor().Inspect(workbench.ProcessName)
	must(s, err)
	return snapshot
}

// recoverHead does what an operator does about an uncertain process.
func (s *subject) recoverHead() error {
	s.Helper()
	_, err := s.supervisor().Recover(context.Background(), workbench.ProcessName, s.head().Digest)
	return err
}
