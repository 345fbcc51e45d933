//go:build unix

package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/journal/journaltest"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// explain returns the story of a process with numbers for digests, and checks that
// telling it changes and calls nothing.
func (d *desk) explain(name string) string {
	d.t.Helper()
	var story *process.Story
	calls := len(d.ledger)
	d.unchanged("explaining", func() {
		var err error
		story, err = d.processes().Explain(d.t.Context(), name)
		must(d.t, err)
	})
	if len(d.ledger) != calls {
		d.t.Errorf("explaining called %q", d.ledger[calls:])
	}
	numbers := map[string]string{}
	return digests.ReplaceAllStringFunc(story.Value().String(), func(digest string) string {
		if numbers[digest] == "" {
			numbers[digest] = fmt.Sprint("#", len(numbers))
		}
		return numbers[digest]
	})
}

var digests = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

func (d *desk) tells(what, name, want string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.explain(name)); diff != "" {
		d.t.Errorf("%s: %s", what, diff)
	}
}

// TestExplain follows a process that waits, is interrupted twice in a read, and then
// in a write.
func TestExplain(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("gate", "read", later)
	d.tool("second", "write", answers("2"))
	d.create("p", cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"tool","tool":"gate"},{"id":"c","kind":"tool","tool":"second"}`, "a.out b.in", "b.out c.in"))
	const end = `"manifestDigest":"#1","maxGenerations":4,"name":"p","status":"ready"}`
	d.tells("created", "p", `{"digest":"#0","generations":[],`+end)

	_, err := d.processes().Tick(t.Context(), "p", process.Options{})
	must(t, err)
	const first = `{"cause":"start","effects":[` +
		`{"cell":"a","executor":"tool:first","outcome":"answered","requestDigest":"#1"},` +
		`{"cell":"b","error":{"code":"EFFECT_SUSPENDED","message":"later"},"executor":"tool:gate","outcome":"suspended","requestDigest":"#2"}],` +
		`"generation":1,"intent":"#3",`
	d.tells("waiting", "p", `{"digest":"#0","generations":[`+first+`"outcome":"#0","receipt":"#4","status":"suspended","wake":[]}],`+
		`"manifestDigest":"#5","maxGenerations":4,"name":"p","status":"suspended"}`)

	d.tool("gate", "read", dies)
	_, err = d.journaledTick("p")
	refused(t, "tick", err, algal.ToolFailed, "the connection was lost")
	const before = `{"digest":"#0","generations":[` + first + `"outcome":"#4","receipt":"#5","status":"suspended","wake":[]},`
	const after = `"status":"uncertain","wake":[]}],"manifestDigest":"`
	const last = `","maxGenerations":4,"name":"p","status":"uncertain"}`
	d.tells("interrupted", "p", before+`{"cause":"manual","effects":[`+
		`{"cell":"b","executor":"tool:gate","outcome":"unsettled","requestDigest":"#2"}],"generation":2,"intent":"#0",`+
		`"journal":{"attempts":0,"maxRecoveries":2,"settled":0,"unsettled":1},"recover":{"admitted":true,"repeats":0},`+after+"#6"+last)

	d.tool("gate", "read", answers("open"))
	d.tool("second", "write", dies)
	_, err = d.recover("p")
	refused(t, "recover", err, algal.ToolFailed, "the connection was lost")
	blocked := before + `{"cause":"manual","effects":[` +
		`{"attempt":1,"cell":"b","executor":"tool:gate","outcome":"answered","requestDigest":"#2"},` +
		`{"cell":"c","executor":"tool:second","outcome":"unsettled","requestDigest":"#6"}],"generation":2,"intent":"#0",` +
		`"journal":{"attempts":1,"maxRecoveries":2,"settled":1,"unsettled":1},` +
		`"recover":{"admitted":false,"refused":{"code":"IO_FAILED","message":"effect 1 has unknown completion; adapter reconciliation is required"}},` + after + "#7" + last
	d.tells("blocked", "p", blocked)

	// Without the tools the cells are not known, and all else is.
	tools := d.host.Tools
	defer func() { d.host.Tools = tools }()
	d.host.Tools = nil
	for _, cell := range []string{`"cell":"b","executor":"tool:gate","outcome":"answered"`, `"cell":"c",`} {
		blocked = regexp.MustCompile(regexp.QuoteMeta(cell)).ReplaceAllString(blocked, cell[len(`"cell":"b",`):])
	}
	d.tells("without tools", "p", blocked)
}

// TestExplainEnds tells of processes that ended, and of dispatches that cannot be
// recovered.
func TestExplainEnds(t *testing.T) {
	d := newDesk(t)
	d.scripted(`{"a":"x"}`)
	plain := d.host.Executors[0]
	d.host.Executors = []runtime.Executor{memo.Wrap(d.store(), plain)}
	for _, name := range []string{"one", "two"} {
		d.create(name, cells(`{"id":"a","kind":"agent","prompt":"?","output":{"kind":"text"}}`))
		s, err := d.journaledTick(name)
		d.completes(name, s, err)
	}
	d.tells("a memo", "two", `{"digest":"#0","generations":[{"cause":"start","effects":[`+
		`{"cached":true,"cell":"a","executor":"scripted","outcome":"answered","requestDigest":"#1"}],"generation":1,"intent":"#2",`+
		`"journal":{"attempts":0,"maxRecoveries":2,"settled":1,"unsettled":0},"outcome":"#0","receipt":"#3","status":"complete","wake":[]}],`+
		`"manifestDigest":"#4","maxGenerations":4,"name":"two","status":"complete"}`)

	d.tool("first", "write", func(runtime.ToolCall) (canon.Value, error) {
		return canon.Value{}, algal.Errorf(algal.ToolFailed, "no paper")
	})
	program := cells(`{"id":"a","kind":"tool","tool":"first"}`)
	d.create("failed", program)
	_, err := d.processes().Tick(t.Context(), "failed", process.Options{})
	must(t, err)
	d.tells("a failure", "failed", `{"digest":"#0","generations":[{"cause":"start","effects":[`+
		`{"cell":"a","error":{"code":"TOOL_FAILED","message":"no paper"},"executor":"tool:first","outcome":"failed","requestDigest":"#1"}],`+
		`"failure":{"code":"TOOL_FAILED","message":"no paper","path":"a"},"generation":1,"intent":"#2","outcome":"#0","receipt":"#3","status":"failed","wake":[]}],`+
		`"manifestDigest":"#4","maxGenerations":4,"name":"failed","status":"failed"}`)

	d.create("unjournaled", program)
	d.hook = failingDir("runs")
	_, err = d.processes().Tick(t.Context(), "unjournaled", process.Options{})
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.create("damaged", program)
	_, err = d.journaledTick("damaged")
	refused(t, "tick", err, algal.IOFailed, "link failed: the disk is gone")
	d.hook = nil
	d.tells("no journal", "unjournaled", `{"digest":"#0","generations":[{"cause":"start","effects":[],"generation":1,"intent":"#0",`+
		`"recover":{"admitted":false,"refused":{"code":"IO_FAILED","message":"dispatch has no recovery journal"}},"status":"uncertain","wake":[]}],`+
		`"manifestDigest":"#1","maxGenerations":4,"name":"unjournaled","status":"uncertain"}`)

	place := "processes/damaged/journals/" + d.head("damaged").Digest.Hex()
	entry := filepath.Join(d.root, filepath.FromSlash(place), "entries", "000000.json")
	whole, err := os.ReadFile(entry)
	must(t, err)
	defer os.WriteFile(entry, whole, 0o600)
	must(t, os.WriteFile(entry, []byte("{}"), 0o600))
	fault := regexp.MustCompile(`"[^"]*/entries/000000.json"`)
	if got := d.explain("damaged"); len(fault.FindAllString(got, -1)) != 2 {
		t.Errorf("a damaged journal is told as %s", got)
	}
}

// TestExplainContinued: a generation that went on from a checkpoint is told without
// what the one before it did.
func TestExplainContinued(t *testing.T) {
	d := newDesk(t)
	d.tool("first", "write", answers("1"))
	d.tool("gate", "read", later)
	d.create("p", suspends)
	_, err := d.journaledTick("p")
	must(t, err)
	d.tool("gate", "read", answers("open"))
	s, err := d.processes().Tick(t.Context(), "p", process.Options{})
	d.completes("p", s, err)
	d.tells("continued", "p", `{"digest":"#0","generations":[{"cause":"start","effects":[`+
		`{"cell":"a","executor":"tool:first","outcome":"answered","requestDigest":"#1"},`+
		`{"cell":"b","error":{"code":"EFFECT_SUSPENDED","message":"later"},"executor":"tool:gate","outcome":"suspended","requestDigest":"#2"}],`+
		`"generation":1,"intent":"#3","journal":{"attempts":0,"maxRecoveries":2,"settled":2,"unsettled":0},"outcome":"#4","receipt":"#5","status":"suspended","wake":[]},`+
		`{"cause":"manual","effects":[{"cell":"b","executor":"tool:gate","outcome":"answered","requestDigest":"#2"}],`+
		`"generation":2,"intent":"#6","outcome":"#0","receipt":"#7","status":"complete","wake":[]}],`+
		`"manifestDigest":"#8","maxGenerations":4,"name":"p","status":"complete"}`)
}

// TestExplainGolden tells the stories of the journaled scenarios. Every effect has a
// cell.
func TestExplainGolden(t *testing.T) {
	effects := 0
	for _, r := range journaltest.Scenarios(t) {
		scenario := journaltest.File(t, r.Scenario, "scenario.json")
		for _, store := range r.Stores {
			p := player{deskAt(t, journaltest.Lay(t, r.Scenario, store)), r.Scenario, scenario.Get("workingDirectory").Text()}
			p.configure(func(name string) string {
				if name == "--tools" && strings.Contains(scenario.String(), `"tools.json"`) {
					return "tools.json"
				}
				return ""
			})
			story, err := p.processes().Explain(t.Context(), r.Process)
			must(t, err)
			if len(story.Generations) != story.Record.Generation {
				t.Errorf("%s %s: %d generations", r.Scenario, store, len(story.Generations))
			}
			for _, g := range story.Generations {
				for _, e := range g.Effects {
					if effects++; e.Cell == "" {
						t.Errorf("%s %s: the cell of %s is not known", r.Scenario, store, e.Executor)
					}
				}
			}
		}
	}
	if effects == 0 {
		t.Fatal("no golden effects")
	}
	t.Logf("%d effects", effects)
}
