//go:build unix

package process_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/journal/journaltest"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// TestGoldenJournals opens every journal that the reference runtime left, in every
// state of every store, and describes them as it did.
func TestGoldenJournals(t *testing.T) {
	opened, described := 0, 0
	for _, r := range journaltest.Scenarios(t) {
		var descriptions []string
		for _, store := range r.Stores {
			d := deskAt(t, journaltest.Lay(t, r.Scenario, store))
			headers, err := filepath.Glob(filepath.Join(d.root, "processes", "*", "journals", "*", "header.json"))
			must(t, err)
			d.unchanged("opening", func() {
				for _, name := range headers {
					v, err := d.store().Journals().Read(strings.TrimPrefix(name, d.root+"/"), 4096)
					must(t, err)
					h, err := journal.ParseHeader(v)
					must(t, err)
					_, err = journal.Open(d.store().Journals(), h.Dispatch)
					must(t, err)
					opened++
				}
				v, err := d.processes().Describe(r.Process)
				switch {
				case len(headers) == 0:
					refused(t, r.Scenario, err, algal.IOFailed, "process has no dispatch intent")
				case err != nil:
					t.Errorf("%s %s: %v", r.Scenario, store, err)
				default:
					descriptions = append(descriptions, v.String())
				}
				if store == "store" {
					if diff := cmp.Diff(r.Journal.String(), v.String()); diff != "" {
						t.Errorf("%s: %s", r.Scenario, diff)
					}
					described++
				}
			})
		}
		for _, c := range journaltest.File(t, r.Scenario, "scenario.json").Get("commands").Elements() {
			if argv := c.Get("argv"); argv.At(1).IsText("journal") {
				if !slices.Contains(descriptions, strings.TrimSpace(c.Get("stdout").Text())) {
					t.Errorf("%s: no store is described as %s", r.Scenario, c.Get("stdout"))
				}
				described++
			}
		}
	}
	if opened == 0 || described == 0 {
		t.Fatal("no golden journals")
	}
	t.Logf("%d journals opened, %d descriptions", opened, described)
}

// TestGoldenRecovery goes on from every snapshot of a journaled scenario with the
// commands that followed, up to the next kill, and gets what the reference got:
// recoveries that succeed, that are refused, and all that surrounds them.
func TestGoldenRecovery(t *testing.T) {
	commands, recoveries := 0, 0
	// One more scenario has a journal that is refused.
	for _, r := range append(journaltest.Scenarios(t), journaltest.Recorded{Scenario: "spawn-slot"}) {
		scenario := journaltest.File(t, r.Scenario, "scenario.json")
		for _, s := range scenario.Get("snapshots").Elements() {
			label := s.Get("label").Text()
			t.Run(r.Scenario+"/"+label, func(t *testing.T) {
				p := player{deskAt(t, journaltest.Lay(t, r.Scenario, "snapshots/"+label)), r.Scenario, scenario.Get("workingDirectory").Text()}
				list := scenario.Get("commands")
				for i := int(s.Get("afterCommand").Float()); i < list.Len() && !list.At(i).Get("exit").IsText("SIGKILL"); i++ {
					if p.play(list.At(i)) {
						commands++
					}
					if list.At(i).Get("argv").At(1).IsText("recover") {
						recoveries++
					}
				}
			})
		}
	}
	if recoveries == 0 {
		t.Fatal("no golden recoveries")
	}
	t.Logf("%d commands repeated, %d of them recoveries", commands, recoveries)
}

// player repeats the commands of a transcript.
type player struct {
	*desk
	scenario string
	cwd      string // where they ran: it is bound with the tools of a file
}

// play repeats one command and compares what it printed. It reports false for one
// that has nothing to do with the supervisor.
func (p player) play(c canon.Value) bool {
	var argv []string
	for _, a := range c.Get("argv").Elements() {
		argv = append(argv, a.Text())
	}
	what := strings.Join(argv, " ")
	result, err := p.run(argv)
	if result.Is(canon.KindNull) {
		return false
	}
	if exit := c.Get("exit").Float(); exit == 2 {
		want := parse(p.t, c.Get("stderr").Text())
		refused(p.t, what, err, algal.Code(want.Get("error").Text()), want.Get("message").Text())
		return true
	}
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(strings.TrimSpace(c.Get("stdout").Text()), result.String()); diff != "" {
		p.t.Fatalf("%s: %s", what, diff)
	}
	return true
}

// run runs a command. The result is null for one that is not played.
func (p player) run(argv []string) (canon.Value, error) {
	flag := func(name string) string {
		if i := slices.Index(argv, name); i >= 0 && i+1 < len(argv) {
			return argv[i+1]
		}
		return ""
	}
	p.configure(flag)
	s, ctx, name := p.processes(), p.t.Context(), ""
	if len(argv) > 2 {
		name = argv[2]
	}
	options := process.Options{Journal: slices.Contains(argv, "--journal"), MaxRecoveries: journal.DefaultRecoveries}
	if n := flag("--max-recoveries"); n != "" {
		options.MaxRecoveries = int(n[0] - '0')
	}
	switch argv[0] + " " + argv[1] {
	case "process inspect":
		return snapshotValue(s.Inspect(name))
	case "process tick":
		return snapshotValue(s.Tick(ctx, name, options))
	case "process recover":
		return snapshotValue(s.Recover(ctx, name, algal.Digest(flag("--expected-intent"))))
	case "process journal":
		return s.Describe(name)
	case "process verify":
		v, err := s.Verify(ctx, name)
		return v.Value(), err
	case "process list":
		list, err := s.List()
		return snapshotsValue(list), err
	case "process schedule":
		list, err := s.Schedule(ctx, process.Pass{Options: options, MaxTicks: 16})
		return snapshotsValue(list).With(canon.M("ticks", canon.Int(len(list)))), err
	case "mailbox send":
		id, err := p.mailboxes().Send(ctx, name, journaltest.File(p.t, p.scenario, argv[3]), algal.Digest(flag("--idempotency-key")))
		return canon.Object(canon.M("id", canon.String(string(id)))), err
	}
	return canon.Null(), nil
}

func snapshotValue(s *process.Snapshot, err error) (canon.Value, error) {
	if err != nil {
		return canon.Value{}, err
	}
	return s.Value(), nil
}

func snapshotsValue(list []*process.Snapshot) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = s.Value()
	}
	return canon.Object(canon.M("processes", canon.Array(values...)))
}

// configure gives the host the executors and tools of a command.
func (p player) configure(flag func(name string) string) {
	p.host.Executors, p.host.Tools = nil, p.mailboxes().Tools()
	if file := flag("--responses"); file != "" {
		e, err := scripted.New(journaltest.File(p.t, p.scenario, file), "")
		must(p.t, err)
		p.host.Executors = append(p.host.Executors, e)
	}
	if line := flag("--executor-cmd"); line != "" {
		e, err := command.New(line, command.Options{})
		must(p.t, err)
		p.host.Executors = append(p.host.Executors, mute{e})
	}
	if file := flag("--tools"); file != "" {
		for name, declared := range journaltest.File(p.t, p.scenario, file).Members() {
			p.host.Tools[name] = p.declared(name, declared)
		}
	}
}

// declared is a tool of a tools file, bound as where the commands ran. In place of a
// command stands what it answered.
func (p player) declared(name string, declared canon.Value) *runtime.HostTool {
	signature, err := organism.ParseTool(declared.Get("signature"), name)
	must(p.t, err)
	exec := declared.Get("exec").Text()
	var responses canon.Value
	if file, ok := strings.CutPrefix(exec, "scripted:"); ok {
		responses = journaltest.File(p.t, p.scenario, file)
	}
	commands := map[string]string{
		"journaled-recovered-read slow.v1":  `{"value":{"n":7}}`,
		"journaled-recovered-twice slow.v1": `{"value":7}`,
	}
	return &runtime.HostTool{
		Signature: signature,
		Configuration: canon.Object(
			canon.M("contract", canon.String("algal.cli-tool-binding.v1")),
			canon.M("cwd", canon.String(p.cwd)),
			canon.M("exec", canon.String(exec)),
			canon.M("responses", responses),
			canon.M("signature", declared.Get("signature")),
		).Digest(),
		Call: func(_ context.Context, c runtime.ToolCall) (canon.Value, error) {
			if responses.Exists() {
				return responses.Get(c.Inputs.String()), nil
			}
			answer, ok := commands[p.scenario+" "+name]
			if !ok {
				return canon.Value{}, algal.Errorf(algal.Internal, "%s was called", name)
			}
			return parse(p.t, answer), nil
		},
	}
}
