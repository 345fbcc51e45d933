package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/lifecycle"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

// TestDemoVMReport holds the demonstration with one runtime and with two, and
// compares every fact of the report with what the kept stores and logs hold. The
// path of the workspace has what a shell could trip over.
func TestDemoVMReport(t *testing.T) {
	second := copyProgram(t, filepath.Join(memoryDir(t), "another runtime's"))
	for name, c := range map[string]struct {
		args     []string
		runtimes int
		handoffs int
	}{
		"one runtime":         {nil, 1, 0},
		"two runtimes":        {[]string{"--native", second}, 2, 3},
		"one runtime, as two": {[]string{"--native", algalPath(t)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := holdDemo(t, `a 'quoted" $HOME`, append([]string{"vm", "--keep"}, c.args...)...)
			if h.Exit != exitDone {
				t.Fatalf("exit %d: %s", h.Exit, h.Stderr)
			}
			got := h.report
			want := keptReport(t, h.kept).With(
				canon.M("runtimes", canon.Int(c.runtimes)),
				canon.M("crossRuntimeHandoffs", canon.Int(c.handoffs)),
				canon.M("artifacts", canon.String(h.kept)))
			want = want.With(canon.M("sameArgsIndependence", want.Get("sameArgsIndependence").With(canon.M("crossRuntime", canon.Bool(c.runtimes == 2)))))
			// What no store holds: texts, and how many commands were run.
			for _, member := range []string{"fixture", "scenario", "limitations", "cliInvocations"} {
				want = want.With(canon.M(member, got.Get(member)))
			}
			baseline := want.Get("baseline").With(canon.M("description", got.Get("baseline").Get("description")))
			want = want.With(canon.M("baseline", baseline))
			if diff := cmp.Diff(want.Sorted().Indented(), got.Sorted().Indented()); diff != "" {
				t.Errorf("the report is not what the stores hold (-stores +report):\n%s", diff)
			}
			if n := strings.Count(h.Stderr, "\nok     ") + 1; n < 60 || got.Get("cliInvocations").Float() < 60 {
				t.Errorf("only %d facts, %s invocations", n, got.Get("cliInvocations"))
			}
		})
	}
}

// keptReport returns the facts of the report, each taken from the kept files.
func keptReport(t *testing.T, workspace string) canon.Value {
	t.Helper()
	first, baseline := keptWorld(t, workspace, "actors"), keptWorld(t, workspace, "baseline")
	avoided := baseline.decisions - first.decisions
	return canon.Object(
		canon.M("contract", canon.String("algal.vm-demo.v1")),
		canon.M("ok", canon.Bool(true)),
		canon.M("process", first.process(t)),
		canon.M("baseline", canon.Object(canon.M("decisionInvocations", canon.Int(baseline.decisions)))),
		canon.M("avoidedDecisionInvocations", canon.Int(avoided)),
		canon.M("avoidedDecisionFraction", number(t, float64(avoided)/float64(baseline.decisions))),
		canon.M("actors", first.actors(t)),
		canon.M("sameArgsIndependence", keptWorld(t, workspace, "twins").independence(t)),
	)
}

// process returns the counts of the first scene.
func (k *keptStore) process(t *testing.T) canon.Value {
	t.Helper()
	var waiting, dispatches, receipts, woken, wakes int
	for _, head := range k.heads {
		name := head.Record.Name
		waiting += k.recommendations(t, head.History.Records[2].Receipt.Hex()) // the record with which it began to wait
		dispatches += head.Record.Generation
		receipts += k.verified[name]
		woken += k.box(t, name+"-approvals").Consumed
		wakes += len(k.messages(t, name+"-approvals"))
	}
	again := canon.Int(k.decisions - waiting)
	return canon.Object(
		canon.M("actors", canon.Int(len(k.heads))),
		canon.M("decisionInvocations", canon.Int(waiting)),
		canon.M("resumedDecisionInvocations", again),
		canon.M("idleSchedulerTicks", canon.Int(dispatches-len(k.heads)-woken)),
		canon.M("idleDecisionInvocations", again),
		canon.M("duplicateWakeDeliveriesSuppressed", canon.Int(2*len(k.heads)-wakes)),
		canon.M("offlineVerifiedReceipts", canon.Int(receipts)),
		canon.M("verificationDecisionInvocations", again),
	)
}

// actors returns what became of the processes of the first scene.
func (k *keptStore) actors(t *testing.T) canon.Value {
	t.Helper()
	var actors []canon.Value
	for _, head := range k.heads {
		name := head.Record.Name
		proposals, publications := k.messages(t, name+"-proposals"), k.messages(t, name+"-publications")
		publication := canon.Null()
		if len(publications) > 0 {
			publication = publications[0].Value
		}
		actors = append(actors, canon.Object(
			canon.M("name", canon.String(name)),
			canon.M("status", canon.String(string(head.Record.Status))),
			canon.M("generations", canon.Int(head.Record.Generation)),
			canon.M("proposals", canon.Int(len(proposals))),
			canon.M("publications", canon.Int(len(publications))),
			canon.M("receipt", canon.String(string(head.Record.Receipt))),
			canon.M("head", canon.String(string(head.Digest))),
			canon.M("verifiedReceipts", canon.Int(k.verified[name])),
			canon.M("publication", publication),
		))
	}
	return canon.Array(actors...)
}

// independence returns what became of the twins.
func (k *keptStore) independence(t *testing.T) canon.Value {
	t.Helper()
	standing, args := map[string]int{}, map[string]bool{}
	dispatches := 0
	for _, head := range k.heads {
		standing[string(head.Record.Status)]++
		args[head.Record.Args.String()] = true
		dispatches += head.Record.Generation
	}
	return canon.Object(
		canon.M("actors", canon.Int(len(k.heads))),
		canon.M("identicalArgs", canon.Bool(len(args) == 1)),
		canon.M("distinctProposalDeliveries", canon.Int(len(k.messages(t, "shared-proposals")))),
		canon.M("sharedWakeSchedulerTicks", canon.Int(dispatches-len(k.heads))),
		canon.M("completed", canon.Int(standing["complete"])),
		canon.M("suspended", canon.Int(standing["suspended"])),
		canon.M("decisionInvocations", canon.Int(k.decisions)),
	)
}

// keptStore is what one store and its log hold, read without the command.
type keptStore struct {
	dir       string
	heads     []*process.Snapshot
	verified  map[string]int
	decisions int
}

func keptWorld(t *testing.T, workspace, name string) *keptStore {
	t.Helper()
	k := &keptStore{dir: filepath.Join(workspace, name+"-store"), verified: map[string]int{}}
	supervisor := inspectSupervisor(&streams{err: io.Discard}, k.dir)
	names, err := supervisor.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		head, err := supervisor.Inspect(name)
		if err != nil {
			t.Fatal(err)
		}
		verified, err := supervisor.Verify(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		k.heads = append(k.heads, head)
		k.verified[name] = verified.Receipts
	}
	log, err := os.ReadFile(filepath.Join(workspace, name+"-calls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if line != `{"cellId":"recommend","release":"harbour-3.2"}`+"\n" {
			t.Errorf("a decision on record: %s", line)
		}
		k.decisions++
	}
	return k
}

// recommendations counts the effects of a receipt that a model would have answered.
func (k *keptStore) recommendations(t *testing.T, hex string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(k.dir, "runs", hex+".json"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range goldenrun.ParseText(t, hex, string(text)).Get("effects").Elements() {
		if strings.HasPrefix(e.Get("executor").Text(), "cmd:") {
			n++
		}
	}
	return n
}

func (k *keptStore) box(t *testing.T, name string) mailbox.Inspection {
	t.Helper()
	box, err := openMailboxes(openStore(k.dir, &streams{err: io.Discard})).Inspect(name)
	if err != nil {
		t.Fatal(err)
	}
	if box.Pending != 0 || len(box.Interrupted) != 0 || box.Locked {
		t.Errorf("mailbox %s: %+v", name, box)
	}
	return box
}

// messages returns every message that was ever sent to a mailbox.
func (k *keptStore) messages(t *testing.T, name string) (sent []mailbox.Message) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(globbed(k.dir), "mailboxes", name, "messages", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mailbox.ParseMessage(goldenrun.ParseText(t, file, string(text)), file)
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, m)
	}
	return sent
}

// globbed quotes what a pattern would take for itself.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "*", `\*`, "?", `\?`).Replace(path)
}

func number(t *testing.T, f float64) canon.Value {
	t.Helper()
	v, err := canon.Number(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// keptWorkspace returns the workspace that a demonstration says it has kept, in the
// last line on standard error.
func keptWorkspace(t *testing.T, temp string, r ran) string {
	t.Helper()
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d directories were kept, %v: %s", len(entries), err, r.Stderr)
	}
	dir := filepath.Join(temp, entries[0].Name())
	if !strings.HasSuffix(r.Stderr, "\nkept: "+dir+"\n") {
		t.Errorf("standard error does not end with where %s is: %s", dir, r.Stderr)
	}
	return dir
}

func algalPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("algal")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// copyProgram makes another executable of this program, in a directory of its own: it
// knows by its name that it is not to test.
func copyProgram(t *testing.T, dir string) string {
	t.Helper()
	program, err := os.ReadFile(algalPath(t))
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	path := filepath.Join(dir, "algal")
	if err == nil {
		err = os.WriteFile(path, program, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDemoVMFindsOut: each of these runtimes does something wrong in the second role.
// The demonstration ends at the line that is there for it.
func TestDemoVMFindsOut(t *testing.T) {
	for _, c := range misdeeds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := findsOut(t, "vm", c.script, c.line, c.found)
			if !h.report.Get("contract").IsText(lifecycle.Contract) {
				t.Errorf("%s", h.report)
			}
		})
	}
}

// TestDemoVMInterrupted: the first signal ends the process that runs, with what it has
// started in its group, and the workspace is kept.
func TestDemoVMInterrupted(t *testing.T) {
	dir := t.TempDir()
	up, second := filepath.Join(dir, "up"), filepath.Join(dir, "second")
	if err := syscall.Mkfifo(up, 0o600); err != nil {
		t.Fatal(err)
	}
	wrap(t, second, `exec 9>'`+up+`'; sleep 1000 & exec sleep 1000`)
	temp := memoryDir(t)
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("algal", "demo", "vm", "--native", second)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(up)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Error(err)
	}
	const last = `{"error":"BUDGET_EXHAUSTED","message":"interrupted"}` + "\n"
	said, found := strings.CutSuffix(stderr.String(), last)
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !found || stdout.Len() > 0 {
		t.Errorf("exit %d: %s%s", code, stdout.String(), stderr.String())
	}
	keptWorkspace(t, temp, ran{Stderr: said})
}
