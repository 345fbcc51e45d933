//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
)

func namesOf(r *Report) []string {
	var list []string
	for _, c := range r.Checks {
		list = append(list, c.Name)
	}
	return list
}

// TestMachine examines the machine that runs the tests, which can keep a store: in
// the directory of temporary files and, where there is one, in memory.
func TestMachine(t *testing.T) {
	system := Machine{Holder: selfHolder}
	report := newSiteIn(t, t.TempDir()).examine(t, system)
	if diff := cmp.Diff(Names(), namesOf(report)); diff != "" || !report.OK() {
		t.Errorf("%s\n%s", report.Value(), diff)
	}
	for _, c := range report.Checks {
		t.Logf("%-8s %-17s %s", c.Status, c.Name, c.Finding)
	}
	dir := memoryDir(t)
	if v, err := volumeOf(dir); err == nil && v.Medium == Memory {
		report := newSiteIn(t, dir).examine(t, system)
		found := report.Checks[slices.Index(namesOf(report), "filesystem")]
		if !report.OK() || found.Status != Warning || !strings.HasPrefix(found.Finding, "tmpfs, in memory") {
			t.Errorf("%s", report.Value())
		}
	}
}

// TestSound: on the machine that other tests spoil, every check is fine.
func TestSound(t *testing.T) {
	s := newSite(t)
	report := s.examine(t, newMachine())
	if diff := cmp.Diff(Names(), namesOf(report)); diff != "" || report.Count(OK) != len(checks) {
		t.Errorf("%s\n%s", report.Value(), diff)
	}
	for _, c := range report.Checks {
		if c.Finding == "" || c.Advice != "" {
			t.Errorf("%+v", c)
		}
	}
	// A store that is not there is not made.
	s.store = filepath.Join(s.above, "none")
	if report := s.examine(t, newMachine()); report.Count(OK) != len(checks) {
		t.Errorf("%s", report.Value())
	}
}

// TestUnknownFilesystem: the other checks decide.
func TestUnknownFilesystem(t *testing.T) {
	m := newMachine()
	m.volume = func(v *Volume) error { v.Type, v.Medium, v.Files = "of type 0x1", Unknown, 0; return nil }
	report := newSite(t).examine(t, m)
	if report.Count(OK) != len(checks) || !strings.HasPrefix(report.Checks[2].Finding, "of type 0x1, which") {
		t.Errorf("%s", report.Value())
	}
}

// TestCase: a file system that does not tell upper from lower case will do.
func TestCase(t *testing.T) {
	m := newMachine()
	m.hook = func(s durable.Step, do func() error) error {
		if filepath.Base(s.Path) == strings.ToUpper(sampleNames[3]) {
			return syscall.EEXIST
		}
		return do()
	}
	report := newSite(t).examine(t, m)
	found := report.Checks[slices.Index(namesOf(report), "names")]
	if report.Count(OK) != len(checks) || !strings.Contains(found.Finding, "upper and lower case are one") {
		t.Errorf("%s", report.Value())
	}
}

// TestPlace: the examination makes its directory beside the store, and in it where
// nothing can be made beside it.
func TestPlace(t *testing.T) {
	s := newSite(t)
	m := newMachine()
	var made []string
	m.hook = func(step durable.Step, do func() error) error {
		if step.Op == durable.OpMkdir && (step.Path == s.above || step.Path == s.store) {
			made = append(made, step.Path)
			if step.Path == s.above {
				return syscall.EACCES
			}
		}
		return do()
	}
	report := s.examine(t, m)
	if diff := cmp.Diff([]string{s.above, s.store}, made); diff != "" || report.Count(OK) != len(checks) {
		t.Errorf("%s\n%s", report.Value(), diff)
	}
}

// TestCancel: the examination ends with the context, wherever it is, and leaves
// nothing.
func TestCancel(t *testing.T) {
	s := newSite(t)
	before := tree(t, s.above)
	for _, name := range Names() {
		ctx, cancel := context.WithCancel(t.Context())
		report, err := Examine(ctx, newMachine(), s.store, func(begun string) {
			if begun == name {
				cancel()
			}
		})
		if report != nil || algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "examination cancelled at "+name {
			t.Errorf("%s: %v, %v", name, report, err)
		}
		s.same(t, before)
		cancel()
	}
}

// TestCannotRun holds the refusals of an examination.
func TestCannotRun(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(s.above, "none", "store"), "the directory above the store does not exist; make it, or name another store with --dir"},
		{filepath.Join(s.store, "values", "v.json", "store"), "the place of the store cannot be examined: not a directory"},
		{filepath.Join(s.above, strings.Repeat("x", 300)), "the place of the store cannot be examined: file name too long"},
	} {
		report, err := Examine(t.Context(), newMachine(), c.dir, nothing)
		if report != nil || algal.CodeOf(err) != algal.IOFailed || err.Error() != c.want {
			t.Errorf("%s: %v, %v", c.dir, report, err)
		}
	}
}

// TestRemoval: what the examination cannot remove it names.
func TestRemoval(t *testing.T) {
	s := newSite(t)
	m := newMachine()
	m.hook = func(step durable.Step, do func() error) error {
		if step.Op == opRemove {
			return syscall.EBUSY
		}
		return do()
	}
	report, err := Examine(t.Context(), m, s.store, nothing)
	left, _ := filepath.Glob(filepath.Join(s.above, probePattern))
	f, ok := err.(*durable.Fault)
	if report != nil || !ok || f.Code() != algal.IOFailed || !slices.Equal(left, []string{f.Path}) {
		t.Errorf("%v, %v; left are %q", report, err, left)
	}
	if info, err := os.Lstat(left[0]); err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestOrphan: the second process goes when the first is gone, and gives the lease
// up.
func TestOrphan(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := filepath.Join(memoryDir(t), "lease")
	cmd := selfHolder(ctx, dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := hear(out); said != held || err != nil {
		t.Fatalf("%q, %v", said, err)
	}
	if state, err := custody.Inspect(leasePlace(dir)); state.Nonce == "" || err != nil {
		t.Errorf("%+v, %v", state, err)
	}
	in.Close() // as the end of this process does
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if state, err := custody.Inspect(leasePlace(dir)); state.Nonce != "" || len(state.Archived) > 0 || err != nil {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestHolder holds what may become of a second process.
func TestHolder(t *testing.T) {
	m := Machine{Holder: selfHolder}
	dir := filepath.Join(memoryDir(t), "lease")
	o, err := m.StartOwner(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.StartOwner(t.Context(), dir); err == nil || err.Error() != `it said "host lease is held by another live operation"` {
		t.Errorf("a second holder: %v", err)
	}
	if err := o.Kill(); err != nil {
		t.Error(err)
	}
	if err := o.Kill(); err != nil {
		t.Errorf("killed again: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if o, err = m.StartOwner(ctx, dir); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := o.Kill(); err != nil {
		t.Errorf("after its context: %v", err)
	}
	if _, err := m.StartOwner(ctx, dir); err == nil {
		t.Error("a holder starts after its context")
	}
}

func TestHear(t *testing.T) {
	if said, err := hear(strings.NewReader(strings.Repeat("x", 2*maxSaid))); len(said) != maxSaid || err != nil {
		t.Errorf("%d bytes, %v", len(said), err)
	}
}

func TestRounded(t *testing.T) {
	for nanoseconds, want := range map[int64]string{
		417: "417ns", 41_234: "41.2µs", 1_934_567: "1.93ms", 12_345_678_901: "12.35s",
	} {
		if got := rounded(time.Duration(nanoseconds)).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 64 << 20: "64.0 MiB", 3 << 40: "3.0 TiB"} {
		if got := sized(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
