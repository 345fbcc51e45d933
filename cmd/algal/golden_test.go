package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/google/go-cmp/cmp"
)

// ran is what a command left on its streams.
type ran struct {
	Stdout, Stderr string
	Exit           int
}

// invoke runs algal in a directory.
func invoke(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return invokeAt(t, "algal", dir, args...)
}

// invokeAt runs an executable of algal in a directory.
func invokeAt(t *testing.T, program, dir string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// beyond are recorded runs that no command line asks for.
var beyond = map[string]string{
	"12-suspend-command":   "its scripted executor has a name of its own",
	"32-tool-suspend-wake": "its tool is part of the process that ran it",
}

// TestGoldenRuns repeats the recorded runs through the command, and verifies and
// resumes the recorded receipts.
func TestGoldenRuns(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "receipts/*/*")
	var runs, verified, resumed int
	for _, c := range goldenrun.Receipts(t) {
		t.Run(c.Name, func(t *testing.T) {
			g := layOut(t, &c, filepath.Join(data, "receipts", c.Name))
			if _, excluded := beyond[c.Name]; !excluded {
				g.run(t)
				runs++
			}
			if c.Receipt.Exists() {
				g.verify(t)
				verified++
			}
			if c.Record.Get("resume").Exists() {
				g.resume(t)
				resumed++
			}
		})
	}
	for name, reason := range beyond {
		t.Logf("not run: %s, since %s", name, reason)
	}
	t.Logf("%d runs, %d receipts verified, %d resumed", runs, verified, resumed)
	if runs < 38 || verified < 39 || resumed < 2 {
		t.Error("golden data is missing")
	}
}

// goldenCase is a recorded run laid out for the command.
type goldenCase struct {
	*goldenrun.Case
	dir, store string   // of its files; of its store
	program    []string // flags for what the program refers to
}

// layOut puts what the case's store held into a store, and its modules and bundle
// where flags find them.
func layOut(t *testing.T, c *goldenrun.Case, dir string) *goldenCase {
	t.Helper()
	work := memoryDir(t)
	g := &goldenCase{c, dir, filepath.Join(work, "store"), nil}
	for _, v := range c.Values {
		g.do(t, "store", "put", write(t, filepath.Join(work, "value.json"), v.String()))
	}
	for name, v := range c.Slots {
		g.do(t, "slot", "set", name, write(t, filepath.Join(work, "slot.json"), v.String()))
	}
	modules, hub := filepath.Join(work, "modules"), filepath.Join(work, "hub")
	for i, m := range c.Manifests {
		if c.Name != "40-via" { // its module comes through the transport
			write(t, filepath.Join(modules, string(rune('a'+i))+".algal.json"), m.String())
			g.program = []string{"--modules", modules}
		}
	}
	if document := filepath.Join(dir, "bundle.json"); exists(document) {
		text := read(t, document)
		b, err := bundle.ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(hub, bundle.FileName(b.Root)), text)
		config := canon.Object(canon.M("hub", canon.String(hub)))
		g.program = append(g.program, "--transports", write(t, filepath.Join(work, "transports.json"), config.String()))
	}
	if c.Tools.Exists() {
		g.program = append(g.program, "--tools", filepath.Join(dir, "tools.json"))
	}
	return g
}

// do runs the command over the case's store; it must succeed.
func (g *goldenCase) do(t *testing.T, args ...string) ran {
	t.Helper()
	r := invoke(t, g.dir, append(args, "--dir", g.store)...)
	if r.Exit > exitNegative {
		t.Fatalf("%s: %+v", strings.Join(args, " "), r)
	}
	return r
}

func (g *goldenCase) run(t *testing.T) {
	args := append([]string{"run", "manifest.json"}, g.program...)
	if g.Args.Exists() {
		args = append(args, "--args", "args.json")
	}
	args = append(args, executorArgs(g.Record.Get("executors"))...)
	if g.Record.Get("cacheEffects").Bool() {
		args = append(args, "--cache-effects")
		g.do(t, args...)
	}
	r := g.do(t, args...)
	if !g.Receipt.Exists() { // only its digest is recorded
		if want := g.Record.Get("receiptDigest").Text(); !strings.Contains(r.Stdout, `"digest":"`+want+`"`) {
			t.Errorf("the receipt is not %s", want)
		}
		return
	}
	g.same(t, r, read(t, filepath.Join(g.dir, "receipt.json")), g.Record.Get("outcome"))
}

// executorArgs returns the flags of recorded executors.
func executorArgs(executors canon.Value) []string {
	var args []string
	for _, e := range executors.Elements() {
		if e.Get("kind").IsText("command") {
			args = append(args, "--executor-cmd", e.Get("command").Text())
		} else {
			args = append(args, "--responses", e.Get("file").Text())
		}
	}
	return args
}

func (g *goldenCase) verify(t *testing.T) {
	r := g.do(t, append([]string{"verify", "receipt.json", "manifest.json"}, g.program...)...)
	recorded := g.Record.Get("verify")
	want := canon.Object(
		canon.M("digest", recorded.Get("digest")),
		canon.M("mismatches", recorded.Get("mismatches")),
		canon.M("ok", recorded.Get("ok")),
		canon.M("outcome", g.Record.Get("outcome")),
	)
	if diff := cmp.Diff(want.String()+"\n", r.Stdout); diff != "" || r.Exit != exitDone {
		t.Errorf("verify: exit %d, %s", r.Exit, diff)
	}
}

func (g *goldenCase) resume(t *testing.T) {
	record := g.Record.Get("resume")
	args := append([]string{"resume", "receipt.json", "manifest.json"}, g.program...)
	r := g.do(t, append(args, executorArgs(record.Get("executors"))...)...)
	g.same(t, r, read(t, filepath.Join(g.dir, "resumed.receipt.json")), record.Get("outcome"))
}

// same compares what a run printed and how it ended.
func (g *goldenCase) same(t *testing.T, r ran, want string, outcome canon.Value) {
	t.Helper()
	if diff := cmp.Diff(want, r.Stdout); diff != "" {
		t.Error(diff)
	}
	exit := exitNegative
	if outcome.IsText("complete") {
		exit = exitDone
	}
	if r.Exit != exit {
		t.Errorf("%s: exit %d", outcome, r.Exit)
	}
}

// TestGoldenComparisons repeats the recorded comparisons through the command.
func TestGoldenComparisons(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "receipts/*/*", "replay-comparison/*/*")
	at := func(v canon.Value) string {
		return filepath.Join(data, "replay-comparison", filepath.FromSlash(v.Text()))
	}
	cases := goldenrun.Parse(t, "replay-comparison/index.json").Get("cases")
	for _, c := range cases.Elements() {
		t.Run(c.Get("name").Text(), func(t *testing.T) {
			work := memoryDir(t)
			args := []string{"replay", at(c.Get("receipt")), "--with", at(c.Get("revision")), "--out", "record.json", "--write", "--dir", "store"}
			if c.Get("args").Exists() {
				args = append(args, "--args", at(c.Get("args")))
			}
			r := invoke(t, work, args...)
			want := exitDone
			if c.Get("verdict").IsText("could-not-replay") {
				want = exitNegative
			}
			if r.Exit != want {
				t.Fatalf("exit %d, want %d: %s", r.Exit, want, r.Stderr)
			}
			record := strings.TrimSuffix(read(t, at(c.Get("comparison"))), "\n") + "\n"
			if diff := cmp.Diff(record, r.Stdout); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(record, read(t, filepath.Join(work, "record.json"))); diff != "" {
				t.Errorf("--out: %s", diff)
			}
			checkRevised(t, work, c.Get("revisedReceipt"), at)
		})
	}
	t.Logf("%d comparisons", cases.Len())
	if cases.Len() < 12 {
		t.Error("golden data is missing")
	}
}

// checkRevised looks for the revised receipt in the store.
func checkRevised(t *testing.T, work string, revised canon.Value, at func(canon.Value) string) {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(work, "store", "runs", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !revised.Exists() {
		if len(kept) != 0 {
			t.Errorf("receipts of what did not run: %v", kept)
		}
		return
	}
	if len(kept) != 1 || read(t, kept[0])+"\n" != strings.TrimSuffix(read(t, at(revised)), "\n")+"\n" {
		t.Errorf("the revised receipt is not in the store: %v", kept)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
