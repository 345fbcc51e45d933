//go:build unix

package workbench_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/verify"
)

var processOptions = process.Options{Journal: true, MaxRecoveries: 2}

// operations are what is interrupted.
var operations = map[string]func(ctx context.Context, root, proposal string, o workbench.Options) error{
	"start": func(ctx context.Context, root, _ string, o workbench.Options) error {
		_, err := workbench.Start(ctx, root, workbench.SampleEvidence(), o)
		return err
	},
	"approve": func(ctx context.Context, root, proposal string, o workbench.Options) error {
		_, err := workbench.Decide(ctx, root, workbench.Choice{Verdict: workbench.Approve, Proposal: proposal, Action: workbench.Action}, o)
		return err
	},
	"export": func(ctx context.Context, root, _ string, o workbench.Options) error {
		_, _, err := workbench.Export(ctx, root, o)
		return err
	},
}

// childVariable turns the test binary into a child that does one operation and is
// killed after a step of it: OPERATION, ROOT, PROPOSAL and STEP, separated by tabs.
const childVariable = "ALGAL_WORKBENCH_TEST_CHILD"

// TestChild does nothing unless it runs in a child, which does not outlive the test
// that started it: its standard input ends then.
func TestChild(t *testing.T) {
	words := strings.Split(os.Getenv(childVariable), "\t")
	if len(words) != 4 {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	at, err := strconv.Atoi(words[3])
	must(t, err)
	o, step := options(), 0
	o.Hook = func(s durable.Step, do func() error) error {
		err := unsynced(s, do)
		if step++; step > at {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal has arrived
		}
		return err
	}
	must(t, operations[words[0]](t.Context(), words[1], words[2], o))
}

// kill does an operation in a child that is killed after a step. It reports false
// if the operation ended before.
func (s *subject) kill(operation, proposal string, step int) bool {
	s.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join([]string{operation, s.root, proposal, fmt.Sprint(step)}, "\t"))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	_, err := cmd.StdinPipe() // closed when the child was waited for, or when this process ends
	must(s, err)
	must(s, cmd.Start())
	err = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		s.Fatalf("child: %v: %s", err, output.String())
	}
	return false
}

// stepsOf returns the steps of an undisturbed operation.
func (s *subject) stepsOf(operation, proposal string) (steps []durable.Step) {
	s.Helper()
	o := options()
	o.Hook = func(step durable.Step, do func() error) error {
		steps = append(steps, step)
		return unsynced(step, do)
	}
	must(s, operations[operation](s.Context(), s.root, proposal, o))
	return steps
}

// leaves reports whether a step can leave something that the one before has not:
// syncs are left out here.
func leaves(s durable.Step) bool { return s.Op != durable.OpFileSync && s.Op != durable.OpDirSync }

// saved is a copy of what is in a root. It is put back into the same directory,
// since a root is no other one's copy.
type saved string

func (s *subject) save() saved {
	s.Helper()
	dir := filepath.Join(memoryDir(s), "saved")
	must(s, os.CopyFS(dir, os.DirFS(s.root)))
	return saved(dir)
}

func (s *subject) restore(from saved) {
	s.Helper()
	entries, err := os.ReadDir(s.root)
	must(s, err)
	for _, e := range entries {
		must(s, os.RemoveAll(s.path(e.Name())))
	}
	must(s, os.CopyFS(s.root, os.DirFS(string(from))))
}

// TestApproveKilledAtEveryStep kills a child after every step of an approval and
// then repeats the decision, as a person would. Whatever was left, it is completed,
// or refused with a sentence; in the end there is one delivery of the decision, one
// publication and the head that an undisturbed approval leads to.
func TestApproveKilledAtEveryStep(t *testing.T) {
	s := started(t, canon.Value{})
	base := s.save()
	proposal := s.choice("").Proposal
	steps := s.stepsOf("approve", proposal)
	want, wantReport := s.head().Digest, s.read(workbench.ReportName)
	ends := map[string]int{}
	for at, step := range steps {
		if !leaves(step) {
			continue
		}
		s.restore(base)
		if !s.kill("approve", proposal, at) {
			t.Fatalf("not killed after step %d, %s", at, step)
		}
		end := s.goOn()
		ends[end]++
		if end == "blocked" {
			continue
		}
		if got := s.head().Digest; got != want {
			t.Errorf("head %s, want %s", got, want)
		}
		if got := s.read(workbench.ReportName); got != wantReport {
			t.Errorf("report %s, want %s", got, wantReport)
		}
		s.sends("approvals", 1)
		s.sends("publications", 1)
		if t.Failed() {
			t.Fatalf("killed after step %d, %s: %s", at, step, end)
		}
	}
	for end, least := range map[string]int{"completed": 20, "completed by hand": 5, "recovered": 3, "blocked": 10} {
		if ends[end] < least {
			t.Errorf("%s only %d times", end, ends[end])
		}
	}
	t.Logf("killed after %d steps: %v", len(steps), ends)
	s.restore(base)
}

// goOn repeats the decision after a kill, and does what an operator may when that is
// refused: remove the lock of a mailbox (cli.md §5), recover the process. It
// reports how that ended.
func (s *subject) goOn() (end string) {
	s.Helper()
	checktest.Now(s, s.path("store"), checktest.Allow(check.ProcessUncertain, check.MailboxLocked, check.MailboxInterrupted))
	retained := s.exists(workbench.DecisionName)
	if retained {
		_, err := workbench.Decide(s.Context(), s.root, s.choice(workbench.Deny), options())
		refused(s, "the other decision", err, algal.CapabilityDenied, "decided before, otherwise: approve")
	}
	report, err := workbench.Decide(s.Context(), s.root, s.choice(workbench.Approve), options())
	if err != nil {
		refused(s, "the same decision", err, algal.IOFailed, `mailbox "approvals" is locked; reconcile the owning operation before retrying`)
		must(s, os.Remove(s.path("store/mailboxes/approvals/.lock")))
		s.decide(workbench.Approve)
		s.is(workbench.Approved)
		return "completed by hand"
	}
	if s.report = report; report.Status == workbench.Approved {
		return "completed"
	}
	s.is(workbench.Uncertain)
	before := s.tree()
	s.decide(workbench.Approve)
	s.is(workbench.Uncertain)
	if !maps.Equal(s.tree(), before) {
		s.Error("repeating the decision on an uncertain process changed something")
	}
	for _, box := range []string{"approvals", "publications"} {
		if n := len(s.messages(box)); n > 1 {
			s.Errorf("%d messages in %s", n, box)
		}
		os.Remove(s.path("store/mailboxes/" + box + "/.lock")) // it may not be there
	}
	if err := s.recoverHead(); err != nil {
		refused(s, "recover", err, algal.IOFailed, "")
		s.decide(workbench.Approve)
		s.is(workbench.Uncertain)
		return "blocked"
	}
	s.decide(workbench.Approve)
	s.is(workbench.Approved)
	return "recovered"
}

// TestStartKilledAtEveryStep: what an interrupted start leaves is refused with the
// sentence that says what to do, or it is a workbench that says where it stands.
func TestStartKilledAtEveryStep(t *testing.T) {
	dir := memoryDir(t)
	s := &subject{TB: t, root: filepath.Join(dir, "bench")}
	steps := s.stepsOf("start", "")
	ends := map[string]int{}
	for at, step := range steps {
		if !leaves(step) {
			continue
		}
		must(t, os.RemoveAll(s.root))
		if !s.kill("start", "", at) {
			t.Fatalf("not killed after step %d, %s", at, step)
		}
		before := s.tree()
		_, err := workbench.Start(t.Context(), s.root, workbench.SampleEvidence(), options())
		refused(t, "start again", err, algal.IOFailed, "exists already")
		if !maps.Equal(s.tree(), before) {
			t.Error("the second start has written something")
		}
		report, err := workbench.Inspect(t.Context(), s.root, options())
		if err != nil {
			refused(t, "inspect", err, algal.StoreMiss, "initialization is incomplete; preserve this root and choose a new root")
			ends["incomplete"]++
		} else {
			s.report = report
			ends[string(report.Status)]++
			s.checkStarted()
		}
		if t.Failed() {
			t.Fatalf("killed after step %d, %s", at, step)
		}
	}
	for _, end := range []string{"incomplete", "ready", "uncertain", "waiting"} {
		if ends[end] == 0 {
			t.Errorf("it never ended %s", end)
		}
	}
	t.Logf("killed after %d steps: %v", len(steps), ends)
}

// checkStarted decides on a workbench whose start was killed late.
func (s *subject) checkStarted() {
	s.Helper()
	report, err := workbench.Decide(s.Context(), s.root, s.choice(workbench.Approve), options())
	switch s.report.Status {
	case workbench.Ready:
		refused(s, "approve", err, algal.CapabilityDenied, "the process is ready and takes no decision")
	case workbench.Uncertain:
		if err != nil || report.Status != workbench.Uncertain || s.exists(workbench.DecisionName) {
			s.Errorf("approve: %v, %v", report, err)
		}
	default:
		if err != nil || report.Status != workbench.Approved {
			s.Errorf("approve: %v, %v", report, err)
		}
	}
}

// TestExportKilledAtEveryStep: an export is there whole or not at all, and repeating
// it gives the same document.
func TestExportKilledAtEveryStep(t *testing.T) {
	s := started(t, canon.Value{})
	s.decide(workbench.Approve)
	base := s.save()
	steps := s.stepsOf("export", "")
	want := s.read(workbench.EvidenceName)
	whole := 0
	for at, step := range steps {
		if !leaves(step) {
			continue
		}
		s.restore(base)
		if !s.kill("export", "", at) {
			t.Fatalf("not killed after step %d, %s", at, step)
		}
		if s.exists(workbench.EvidenceName) {
			whole++
			if s.read(workbench.EvidenceName) != want {
				t.Fatalf("another document after step %d, %s", at, step)
			}
		}
		text, _, err := workbench.Export(t.Context(), s.root, options())
		must(t, err)
		if text != want {
			t.Fatalf("the repeated export differs after step %d, %s", at, step)
		}
	}
	if whole == 0 || whole == len(steps) {
		t.Errorf("whole %d times of %d", whole, len(steps))
	}
	if _, err := verify.Parse(want); err != nil {
		t.Error(err)
	}
}
