package check_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// unsettled are the recorded stores in which something was interrupted, with what
// asks for attention. All others are settled.
var unsettled = map[string][]string{
	"interrupted-creation/snapshots/after-kill":        {"creation-interrupted processes/made"},
	"journaled-blocked-write/store":                    {"process-uncertain processes/writer"},
	"journaled-blocked-write/snapshots/after-kill":     {"process-uncertain processes/writer"},
	"journaled-recovered-agent/store":                  {"process-uncertain processes/pair"},
	"journaled-recovered-agent/snapshots/after-kill":   {"process-uncertain processes/pair"},
	"journaled-recovered-read/snapshots/after-kill":    {"process-uncertain processes/reader"},
	"journaled-recovered-twice/snapshots/after-kill-1": {"process-uncertain processes/reader"},
	"journaled-recovered-twice/snapshots/after-kill-2": {"process-uncertain processes/reader"},
	"journaled-settled-prefix/snapshots/after-kill":    {"process-uncertain processes/settle"},
	"journaled-settled-prefix/snapshots/after-mismatch": {
		"process-uncertain processes/settle",
	},
	"uncertain-killed/store":                {"process-uncertain processes/victim"},
	"uncertain-killed/snapshots/after-kill": {"process-uncertain processes/victim"},
}

// recordedStores returns the names of all stores of golden/processes.
func recordedStores(t testing.TB) (names []string) {
	t.Helper()
	for _, file := range golden.Glob(t, "processes/*/scenario.json") {
		scenario := path.Base(path.Dir(file))
		names = append(names, scenario+"/store")
		for _, s := range parse(t, string(golden.Read(t, file))).Get("snapshots").Elements() {
			names = append(names, scenario+"/snapshots/"+s.Get("label").Text())
		}
	}
	return names
}

// TestGoldenProcesses: the stores that the reference left are undamaged, everything
// in them is interpreted, and what was interrupted in them is said. Examining them
// changes nothing.
func TestGoldenProcesses(t *testing.T) {
	names := recordedStores(t)
	processes, objects := 0, 0
	for _, name := range names {
		scenario, _, _ := strings.Cut(name, "/")
		dir := goldenStore(t, "processes/"+name)
		before := tree(t, dir)
		found, summary := examine(t, dir, check.Options{Tools: toolsOf(t, scenario)})
		attention := lines(without(found, check.Residue, check.ObjectUnreferenced))
		if diff := cmp.Diff(append([]string{}, unsettled[name]...), append([]string{}, attention...)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if summary.Attention != len(unsettled[name]) || summary.Damage != 0 || !summary.OK() {
			t.Errorf("%s: %s", name, summary.Value())
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s: the store changed: %s", name, diff)
		}
		processes += summary.Processes
		objects += summary.Objects
	}
	for name := range unsettled {
		if !slices.Contains(names, name) {
			t.Errorf("no store %s", name)
		}
	}
	if len(names) < 30 || processes < 40 || objects < 200 {
		t.Errorf("only %d stores, %d processes, %d objects", len(names), processes, objects)
	}
	t.Logf("%d stores, %d processes, %d objects", len(names), processes, objects)
}

// TestGoldenStores: the small stores with their crash states and damaged objects.
func TestGoldenStores(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"objects", nil},
		{"mailbox", nil},
		{"mailbox-crash-create", nil},
		{"mailbox-crash-send", []string{
			"mailbox-locked mailboxes/inbox/.lock",
			"mailbox-interrupted mailboxes/inbox/messages/ade0bebbcdd770e830221a9ea5ea03aa975a54ba2b90f7077c3b5e0754faf3c8.json",
		}},
		{"mailbox-crash-receive", []string{
			"mailbox-locked mailboxes/inbox/.lock",
			"mailbox-interrupted mailboxes/inbox/pending/215ddd5567ca2590efd4ea109b4e56cbe591e2676fbf54a9262692c539166da6.json",
		}},
	} {
		dir := goldenStore(t, "stores/"+c.name)
		found, summary := examine(t, dir, check.Options{})
		got := lines(without(found, check.Residue, check.ObjectUnreferenced))
		if diff := cmp.Diff(c.want, got); diff != "" && len(c.want)+len(got) > 0 {
			t.Errorf("%s: %s", c.name, diff)
		}
		if summary.Damage != 0 {
			t.Errorf("%s: %s", c.name, summary.Value())
		}
	}
}

// TestGoldenDamagedObjects: what a read refuses is damaged, and so is a text that a
// read admits and no writer writes.
func TestGoldenDamagedObjects(t *testing.T) {
	dir := goldenStore(t, "stores/objects-damaged")
	n := 0
	for _, entry := range parse(t, string(golden.Read(t, "stores/index.json"))).Get("stores").Elements() {
		if !entry.Get("name").IsText("objects-damaged") {
			continue
		}
		found, _ := examine(t, dir, check.Options{})
		for _, c := range entry.Get("expect").Get("cases").Elements() {
			n++
			if !slices.ContainsFunc(found, func(f check.Finding) bool {
				return f.Kind == check.ObjectDamaged && string(f.Digest) == c.Get("digest").Text()
			}) {
				t.Errorf("%s: not found damaged", c.Get("case").Text())
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d cases", n)
	}
	t.Logf("%d cases", n)
}

// TestClean: the helper of other packages' tests judges as it says.
func TestClean(t *testing.T) {
	dir := goldenStore(t, "processes/uncertain-killed/store")
	checktest.Clean(t, dir, checktest.Allow(check.ProcessUncertain))
	checktest.Clean(t, dir+"-that-is-not-there")
	recorded := &recorder{TB: t}
	checktest.Now(recorded, dir)
	if recorded.errors != 1 {
		t.Errorf("%d complaints about an uncertain process", recorded.errors)
	}
	if found := checktest.Findings(t, dir); len(found) != 2 { // and an empty journal
		t.Errorf("found %v", lines(found))
	}
	tools := goldenStore(t, "processes/tools-scripted/store")
	checktest.Clean(t, tools, checktest.Tools(toolsOf(t, "tools-scripted")))
	recorded = &recorder{TB: t}
	checktest.Now(recorded, tools)
	if recorded.errors != 3 {
		t.Errorf("%d complaints about processes that could not be replayed", recorded.errors)
	}
}

// recorder counts the complaints of a helper.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }
