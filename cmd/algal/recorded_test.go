package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/internal/recorded"
	"github.com/google/go-cmp/cmp"
)

// scenario is one recorded process history (golden/processes/README.md).
type scenario struct {
	name   string
	record canon.Value
}

// scenarios returns the recorded histories; left counts those that are third-party
// data and not at hand.
func scenarios(t *testing.T) (list []scenario, left int) {
	t.Helper()
	for _, line := range strings.Split(scenarioNames, " ") {
		name := "processes/" + line + "/scenario.json"
		if golden.ThirdParty(t, name) && !golden.HasShared(t) {
			left++
			continue
		}
		list = append(list, scenario{line, goldenrun.Parse(t, name)})
	}
	return list, left
}

const scenarioNames = "cached-effects complete-pure complete-review denied-review exit-75 failed-handled failed-unbound interrupted-creation " +
	"journaled-blocked-write journaled-complete journaled-recovered-agent journaled-recovered-read journaled-recovered-twice journaled-settled-prefix " +
	"missing-value multi-wake nested-organisms ready-const repeat-each replay-compare shared-mailboxes spawn-slot store-load suspended-review " +
	"tools-scripted uncertain-killed"

// lay copies the inputs of the scenario to its recorded directory.
func (s *scenario) lay(t *testing.T) (dir string) {
	t.Helper()
	dir = s.record.Get("workingDirectory").Text()
	recorded.Dir(t, dir)
	for _, name := range s.files(t) {
		if !strings.HasPrefix(name, "store/") && !strings.HasPrefix(name, "snapshots/") {
			s.copy(t, name, filepath.Join(dir, name))
		}
	}
	return dir
}

func (s *scenario) files(t *testing.T) []string {
	t.Helper()
	prefix := "processes/" + s.name + "/"
	var names []string
	for depth := range 9 {
		pattern := prefix + "*" + strings.Repeat("/*", depth)
		for _, name := range golden.Match(t, pattern) {
			names = append(names, strings.TrimPrefix(name, prefix))
		}
	}
	return names
}

func (s *scenario) copy(t *testing.T, name, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, golden.Read(t, "processes/"+s.name+"/"+name), 0o644); err != nil {
		t.Fatal(err)
	}
}

// layStore puts a recorded store, such as snapshots/created, in place.
func (s *scenario) layStore(t *testing.T, label, to string) {
	t.Helper()
	for _, name := range s.files(t) {
		if rest, ok := strings.CutPrefix(name, label+"/"); ok {
			s.copy(t, name, filepath.Join(to, rest))
		}
	}
	for _, empty := range s.record.Get("emptyDirectories").Get(label).Elements() {
		if err := os.MkdirAll(filepath.Join(to, empty.Text()), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// needsMailboxes reports whether the scenario creates mailboxes, whose handles are
// random: it can then only be continued, not repeated.
func (s *scenario) needsMailboxes() bool {
	for _, c := range s.record.Get("commands").Elements() {
		argv := c.Get("argv")
		if argv.Len() > 1 && argv.At(0).IsText("mailbox") && argv.At(1).IsText("create") {
			return true
		}
	}
	return false
}

// start is a store from which a scenario is continued.
type start struct {
	label string // snapshots/LABEL, or "" for an empty store
	from  int    // the next command
}

func (s *scenario) starts() []start {
	var list []start
	if !s.needsMailboxes() {
		list = append(list, start{})
	}
	for _, snapshot := range s.record.Get("snapshots").Elements() {
		list = append(list, start{"snapshots/" + snapshot.Get("label").Text(), int(snapshot.Get("afterCommand").Float())})
	}
	return list
}

// checkpointAt returns the recorded store after the first n commands, if there is
// one; after all of them it is the final store.
func (s *scenario) checkpointAt(n int) string {
	for _, snapshot := range s.record.Get("snapshots").Elements() {
		if int(snapshot.Get("afterCommand").Float()) == n {
			return "snapshots/" + snapshot.Get("label").Text()
		}
	}
	if n == s.record.Get("commands").Len() {
		return "store"
	}
	return ""
}

// byRule are recorded outputs that a rule of the specification overrides, by
// scenario and command.
var byRule = map[string]map[int]string{
	"store-load": {0: "bytes counts UTF-8 bytes, not UTF-16 units (cli.md §4)"},
}

// TestTranscripts repeats every recorded command from every snapshot of its
// scenario, and from an empty store where nothing is random, up to the first that
// was killed. Where a recorded store follows, ours equals it file by file.
func TestTranscripts(t *testing.T) {
	list, left := scenarios(t)
	commands, stores := 0, 0
	for _, s := range list {
		for _, from := range s.starts() {
			t.Run(s.name+"/"+filepath.Base(from.label), func(t *testing.T) {
				dir := s.lay(t)
				if from.label != "" {
					s.layStore(t, from.label, filepath.Join(dir, "store"))
				}
				c, n := s.play(t, dir, from)
				commands, stores = commands+c, stores+n
			})
		}
	}
	if commands == 0 || stores == 0 {
		t.Fatal("nothing was repeated")
	}
	t.Logf("%d commands of %d scenarios gave the recorded output and exit code, %d stores are equal; %d scenarios left out as third-party data",
		commands, len(list), stores, left)
	for name, rules := range byRule {
		for i, rule := range rules {
			t.Logf("decided by a rule: %s, command %d: %s", name, i, rule)
		}
	}
}

func (s *scenario) play(t *testing.T, dir string, from start) (commands, stores int) {
	t.Helper()
	for i := from.from; i < s.record.Get("commands").Len(); i++ {
		c := s.record.Get("commands").At(i)
		if c.Get("exit").IsText("SIGKILL") {
			return commands, stores
		}
		var argv []string
		for _, a := range c.Get("argv").Elements() {
			argv = append(argv, a.Text())
		}
		want := c.Get("stdout").Text()
		if file := c.Get("stdoutFile"); file.Exists() {
			want = string(golden.Read(t, "processes/"+s.name+"/"+file.Text()))
		}
		got := invoke(t, dir, argv...)
		if rule := byRule[s.name][i]; rule != "" && got.Stdout != want {
			want = got.Stdout
		}
		if got.Exit != int(c.Get("exit").Float()) || got.Stdout != want {
			t.Fatalf("command %d, algal %s: exit %d, want %s\nstderr %s\n%s", i, strings.Join(argv, " "), got.Exit, c.Get("exit"), got.Stderr, cmp.Diff(want, got.Stdout))
		}
		if code := lastCode(c.Get("stderr").Text()); code != "" && code != lastCode(got.Stderr) {
			t.Fatalf("command %d, algal %s: %s, want %s", i, strings.Join(argv, " "), lastCode(got.Stderr), code)
		}
		commands++
		if label := s.checkpointAt(i + 1); label != "" {
			s.compareStore(t, label, filepath.Join(dir, "store"))
			stores++
		}
	}
	return commands, stores
}

// lastCode returns the code in the last line of an error output.
func lastCode(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	v, err := canon.Parse(lines[len(lines)-1], canon.Limits{})
	if err != nil {
		return ""
	}
	return v.Get("error").Text()
}

// compareStore compares a store with a recorded one, less what is random or SQLite's:
// databases, markers of owners and their archives, temporary names.
func (s *scenario) compareStore(t *testing.T, label, dir string) {
	t.Helper()
	want := map[string]string{}
	for _, name := range s.files(t) {
		if rest, ok := strings.CutPrefix(name, label+"/"); ok && !excluded(rest) {
			want[rest] = string(golden.Read(t, "processes/"+s.name+"/"+name))
		}
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("the store is not %s:\n%s", label, diff)
	}
}

// excluded are files of a store that no two runs have in common.
func excluded(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".owner.sqlite") || base == ".lock" || strings.HasPrefix(base, ".tmp-") ||
		strings.Contains("/"+name, "/owners/") || strings.HasSuffix(base, ".tmp")
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || excluded(name) {
			return err
		}
		text, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
