//go:build unix

package process_test

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/executor/memo"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/journal/journaltest"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/tool/builtin"
	"github.com/algal-vm/algal/verify"
	"github.com/google/go-cmp/cmp"
)

// fromNothing are the scenarios in which nothing is random, so that they can also be
// played from an empty store (golden/processes/README.md).
var fromNothing = []string{
	"cached-effects", "complete-pure", "failed-handled", "failed-unbound", "missing-value", "ready-const", "repeat-each", "replay-compare", "spawn-slot", "store-load",
}

// TestGoldenScenarios goes on from every snapshot, and from nothing where that can
// be, with the commands that followed, and gets what the reference got: what they
// printed, and in the end the same store, byte for byte. Lease databases apart, which
// SQLite writes as it likes. Scenarios that need a subprocess or a tools file are for
// the tests of the command.
func TestGoldenScenarios(t *testing.T) {
	commands, files, played := 0, 0, 0
	for _, file := range golden.Glob(t, "processes/*/scenario.json") {
		name := path.Base(path.Dir(file))
		scenario := journaltest.File(t, name, "scenario.json")
		if needsHost(scenario) {
			continue
		}
		starts := map[string]int{}
		for _, s := range scenario.Get("snapshots").Elements() {
			starts["snapshots/"+s.Get("label").Text()] = int(s.Get("afterCommand").Float())
		}
		if slices.Contains(fromNothing, name) {
			starts[""] = 0
		}
		for start, first := range starts {
			t.Run(name+"/"+path.Base(start), func(t *testing.T) {
				d := newDesk(t)
				if start != "" {
					d = deskAt(t, recordedStore(t, name, start))
				}
				checktest.Clean(t, d.root, checktest.Allow(check.ProcessUncertain))
				c := continuation{player{d, name, scenario.Get("workingDirectory").Text()}}
				played++
				if n, whole := c.playFrom(scenario.Get("commands"), first); whole {
					commands += n
					files += c.compare(recordedStore(t, name, "store"))
				}
			})
		}
	}
	if played < 20 || commands < 150 || files < 250 {
		t.Errorf("only %d runs, %d commands, %d files", played, commands, files)
	}
	t.Logf("%d runs, %d commands repeated, %d files compared", played, commands, files)
}

// recordedStore lays out a store of a scenario.
func recordedStore(t testing.TB, scenario, store string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root := filepath.Join(dir, "store")
	golden.Store(t, "processes/"+scenario+"/"+store, root)
	return root
}

// needsHost reports whether a scenario uses a tools file, or runs a command.
func needsHost(scenario canon.Value) bool {
	for _, c := range scenario.Get("commands").Elements() {
		for _, a := range c.Get("argv").Elements() {
			if a.IsText("--tools") || a.IsText("--executor-cmd") {
				return true
			}
		}
	}
	return false
}

// continuation plays the commands that a player does not know, too.
type continuation struct{ player }

// playFrom plays commands up to a kill, and reports whether there was none.
func (c continuation) playFrom(commands canon.Value, first int) (n int, whole bool) {
	c.t.Helper()
	for i := first; i < commands.Len(); i++ {
		entry := commands.At(i)
		if entry.Get("exit").IsText("SIGKILL") {
			return n, false
		}
		var argv []string
		for _, a := range entry.Get("argv").Elements() {
			argv = append(argv, a.Text())
		}
		got, err := c.run(argv)
		c.printed(strings.Join(argv, " "), entry, got, err)
		n++
	}
	return n, true
}

// printed compares the result of a command with what it printed.
func (c continuation) printed(what string, entry, got canon.Value, err error) {
	c.t.Helper()
	if entry.Get("exit").Float() == 2 {
		want := parse(c.t, entry.Get("stderr").Text())
		refused(c.t, what, err, algal.Code(want.Get("error").Text()), strings.TrimPrefix(want.Get("message").Text(), "usage: "))
		return
	}
	must(c.t, err)
	if got.Is(canon.KindNull) {
		return // a command of others
	}
	want := strings.TrimSpace(entry.Get("stdout").Text())
	if file := entry.Get("stdoutFile"); file.Exists() {
		want = string(golden.Read(c.t, "processes/"+c.scenario+"/"+file.Text()))
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		c.t.Fatalf("%s: %s", what, diff)
	}
}

func (c continuation) file(name string) canon.Value {
	c.t.Helper()
	return journaltest.File(c.t, c.scenario, name)
}

// run runs a command.
func (c continuation) run(argv []string) (canon.Value, error) {
	flag := func(name string) string {
		if i := slices.Index(argv, name); i >= 0 && i+1 < len(argv) {
			return argv[i+1]
		}
		return ""
	}
	ctx, store := context.Background(), c.store()
	switch verb := argv[0] + " " + argv[1]; {
	case argv[0] == "digest":
		return canon.Object(canon.M("digest", text(string(c.manifest(argv[1]).Digest())))), nil
	case verb == "store put":
		v := c.file(argv[2])
		d, err := store.PutValue(v)
		return canon.Object(canon.M("bytes", canon.Int(canon.Units(v.String()))), canon.M("ref", text(string(d)))), err
	case verb == "store has", verb == "store get":
		v, err := store.Value(algal.Digest(argv[2]))
		switch {
		case argv[1] == "has":
			v = canon.Object(canon.M("ok", canon.Bool(v.Exists())), canon.M("ref", text(argv[2])))
		case !v.Exists():
			err = algal.Errorf(algal.InputMissing, "ref %s not in store", argv[2])
		}
		return v, err
	case verb == "process create":
		return c.createProcess(argv, flag)
	case verb == "process export":
		document, err := c.processes().Export(ctx, argv[2], mailboxSignatures())
		if err != nil {
			return canon.Value{}, err
		}
		return parse(c.t, document.Text), nil
	case verb == "process verify-evidence":
		evidence, err := verify.Parse(string(golden.Read(c.t, "processes/"+c.scenario+"/"+argv[2])))
		must(c.t, err)
		report, err := evidence.Verify(ctx)
		must(c.t, err)
		return report.Value(), nil
	case verb == "process replay":
		c.configure(flag)
		return c.replay(argv[2], flag("--with"))
	case slices.Contains(argv, "--cache-effects"):
		c.configure(flag)
		c.host.Executors[0] = memo.Wrap(store, c.host.Executors[0])
		return snapshotValue(c.processes().Tick(ctx, argv[2], process.Options{}))
	}
	return c.player.run(argv)
}

func (c continuation) manifest(name string) *organism.Manifest {
	c.t.Helper()
	m, err := organism.ParseManifest(c.file(name))
	must(c.t, err)
	return m
}

func mailboxSignatures() map[string]*organism.Tool {
	tools := map[string]*organism.Tool{}
	for _, name := range builtin.Names() {
		tools[name] = builtin.Signature(name)
	}
	return tools
}

func (c continuation) createProcess(argv []string, flag func(string) string) (canon.Value, error) {
	c.configure(flag)
	if dir := flag("--modules"); dir != "" {
		for _, module := range golden.Glob(c.t, "processes/"+c.scenario+"/"+dir+"/*.algal.json") {
			_, err := c.store().PutManifest(c.manifest(dir + "/" + path.Base(module)).Normal())
			must(c.t, err)
		}
	}
	d := process.Definition{Name: argv[2], Manifest: c.manifest(argv[3]), MaxGenerations: process.DefaultMaxGenerations}
	if file := flag("--args"); file != "" {
		d.Args = c.file(file)
	}
	if n := flag("--max-generations"); n != "" {
		d.MaxGenerations = int(parse(c.t, n).Float())
	}
	return snapshotValue(c.processes().Create(context.Background(), d))
}

func (c continuation) replay(name, with string) (canon.Value, error) {
	c.t.Helper()
	receipt := c.head(name).Checkpoint()
	if !receipt.Exists() {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, `process "%s" has no recorded run to replay`, name)
	}
	comparison, err := replay.Compare(context.Background(), receipt, c.file(with), canon.Value{}, c.host)
	return comparison.Record, err
}

// compare compares the files of the store with those that the reference left.
func (c continuation) compare(recorded string) (n int) {
	c.t.Helper()
	files := func(root string) map[string]string {
		all := tree(c.t, root)
		for name, content := range all {
			if content == "/" || filepath.Base(filepath.Dir(name)) == "owners" {
				delete(all, name)
			}
		}
		return all
	}
	want := files(recorded)
	if diff := cmp.Diff(want, files(c.root)); diff != "" {
		c.t.Errorf("%s: the stores differ: %s", c.scenario, diff)
	}
	return len(want)
}
