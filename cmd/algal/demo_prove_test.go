package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/verify"
)

// TestDemoProof compares every fact of a proof with what the stores of its root hold,
// read without the command. The path of the root has what a shell could trip over.
func TestDemoProof(t *testing.T) {
	dir := filepath.Join(realDir(t, memoryDir(t)), `a 'quoted" $HOME`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := algalPath(t)
	t.Setenv("PATH", "")                            // no other program is needed
	t.Setenv("ALGAL_DEMO_FAULT", "repeated-effect") // a product does not look at it
	ran := invokeAt(t, program, dir, "demo", "prove", "proof")
	root := filepath.Join(dir, "proof")
	if ran.Exit != 0 || strings.Contains(ran.Stderr, "FAILED") || strings.Count("\n"+ran.Stderr, "\nok     ") < 40 {
		t.Fatalf("exit %d: %s", ran.Exit, ran.Stderr)
	}
	got := goldenrun.ParseText(t, "proof", ran.Stdout)
	if kept, err := os.ReadFile(filepath.Join(root, "proof.json")); err != nil || string(kept)+"\n" != ran.Stdout || got.String() != string(kept) {
		t.Errorf("proof.json is not what was printed, or not canonical: %s, %v", kept, err)
	}
	want := canon.Object(
		canon.M("contract", canon.String("algal.demo-proof.v1")),
		canon.M("ok", canon.Bool(true)),
		canon.M("root", canon.String(root)),
		canon.M("fixture", got.Get("fixture")),
		canon.M("approval", keptApproval(t, root)),
		canon.M("denial", keptDenial(t, root)),
		canon.M("portable", canon.Object(
			canon.M("sourceMovedAway", canon.Bool(!exists(filepath.Join(root, "approved")))),
			canon.M("verification", keptVerdict(t, filepath.Join(root, "portable.algal.json"))),
			canon.M("artifact", canon.String("portable.algal.json")),
		)),
		canon.M("readCrash", keptCrash(t, root, "read", got.Get("readCrash").Get("fixture"))),
		canon.M("writeCrash", keptCrash(t, root, "write", got.Get("writeCrash").Get("fixture"))),
	)
	if diff := cmp.Diff(want.Sorted().Indented(), got.Sorted().Indented()); diff != "" {
		t.Errorf("the proof is not what the stores hold (-stores +proof):\n%s", diff)
	}
	if head := keptReview(t, root, "approved-source-away").head.Digest; !got.Get("portable").Get("verification").Get("digest").IsText(string(head)) {
		t.Errorf("the document is that of another head than %s", head)
	}
	if exists(filepath.Join(dir, ".algal")) || exists(filepath.Join(root, ".algal")) {
		t.Error("a store was left behind")
	}
}

func realDir(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// keptProcess is a process of a proof with the mailboxes of its store.
type keptProcess struct {
	dir        string // of the store
	supervisor *process.Supervisor
	head       *process.Snapshot
}

func keptProcessOf(t *testing.T, root, dir, name string) *keptProcess {
	t.Helper()
	k := &keptProcess{dir: filepath.Join(root, dir, "store")}
	k.supervisor = inspectSupervisor(&streams{err: io.Discard}, k.dir)
	var err error
	if k.head, err = k.supervisor.Inspect(name); err != nil {
		t.Fatal(err)
	}
	return k
}

func keptReview(t *testing.T, root, dir string) *keptProcess {
	t.Helper()
	k := keptProcessOf(t, root, dir, "review")
	if _, err := k.supervisor.Verify(t.Context(), "review"); err != nil {
		t.Error(err)
	}
	return k
}

// box returns a mailbox that is in order.
func (k *keptProcess) box(t *testing.T, name string) mailbox.Inspection {
	t.Helper()
	box, err := openMailboxes(openStore(k.dir, &streams{err: io.Discard})).Inspect(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(box.Interrupted) != 0 || box.Locked {
		t.Errorf("mailbox %s: %+v", name, box)
	}
	return box
}

// sent returns how many messages a mailbox was ever sent.
func (k *keptProcess) sent(t *testing.T, name string) int {
	t.Helper()
	box := k.box(t, name)
	return box.Pending + box.Consumed
}

// keptApproval tells the story of the approved review from its history: it waited
// first, and was dispatched once more for one approval.
func keptApproval(t *testing.T, root string) canon.Value {
	t.Helper()
	k := keptReview(t, root, "approved-source-away")
	initial := "?"
	if k.head.History.Records[2].Status == chain.Suspended {
		initial = "waiting"
	}
	status := "?"
	if k.head.Record.Status == chain.Complete && k.sent(t, "publications") == 1 {
		status = "approved"
	}
	return canon.Object(
		canon.M("initialStatus", canon.String(initial)),
		canon.M("status", canon.String(status)),
		canon.M("duplicateApprovalSameHead", canon.Bool(k.head.Record.Generation == 2 && k.sent(t, "approvals") == 1)),
		canon.M("publications", canon.Int(k.sent(t, "publications"))),
		canon.M("report", canon.String(keptPage(t, root, "approved-source-away"))),
	)
}

func keptDenial(t *testing.T, root string) canon.Value {
	t.Helper()
	k := keptReview(t, root, "denied")
	status := "?"
	if k.head.Record.Status == chain.Complete && k.sent(t, "publications") == 0 {
		status = "denied"
	}
	return canon.Object(
		canon.M("status", canon.String(status)),
		canon.M("publications", canon.Int(k.sent(t, "publications"))),
		canon.M("report", canon.String(keptPage(t, root, "denied"))),
	)
}

// keptPage returns the name of the page of a review, if there is one.
func keptPage(t *testing.T, root, dir string) string {
	t.Helper()
	name := dir + "/report.html"
	info, err := os.Lstat(filepath.Join(root, name))
	if err != nil || !info.Mode().IsRegular() {
		t.Errorf("%s: %v", name, err)
	}
	return name
}

// keptVerdict verifies a document.
func keptVerdict(t *testing.T, file string) canon.Value {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := verify.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	report, err := evidence.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Value()
}

// keptCrash tells the story of a crash case from what its store holds.
func keptCrash(t *testing.T, root, mode string, fixture canon.Value) canon.Value {
	t.Helper()
	dir := mode + "-crash"
	k := keptProcessOf(t, root, dir, "crash")
	intent, record := k.head.History.Digests[1], k.head.History.Records[1]
	opened, err := journal.Open(openStore(k.dir, &streams{err: io.Discard}).Journals(), journal.Dispatch{Process: "crash", Intent: intent, Manifest: record.ManifestDigest})
	if err != nil {
		t.Fatal(err)
	}
	recovery, refusal := canon.Null(), canon.Null()
	if k.head.Digest != intent {
		recovery = k.head.Value()
	}
	if blocked := opened.Blocked(); blocked != nil {
		e := algal.AsError(blocked)
		refusal = canon.Object(canon.M("code", canon.String(string(e.Code))), canon.M("message", canon.String(e.Message)))
	}
	return canon.Object(
		canon.M("contract", canon.String("algal.demo-crash-report.v1")),
		canon.M("fixture", fixture),
		canon.M("mode", canon.String(mode)),
		canon.M("killedIntent", canon.String(string(intent))),
		canon.M("status", canon.String(string(k.head.Record.Status))),
		canon.M("recovery", recovery),
		canon.M("refusal", refusal),
		canon.M("counters", canon.Object(
			canon.M("prefixPublications", canon.Int(k.sent(t, "prefix"))),
			canon.M("pendingWritePublications", canon.Int(k.sent(t, "publications"))),
			canon.M("scheduledTicks", canon.Int(k.head.Record.Generation-1)),
		)),
		canon.M("journalBefore", k.journalAtKill(t, opened)),
		canon.M("journalAfter", opened.Value()),
		canon.M("verification", keptVerdict(t, filepath.Join(root, dir, "evidence.algal.json"))),
		canon.M("ownedChildKilledAndJoined", canon.Bool(keptKill(t, filepath.Join(root, dir), "demo-crash") && keptKill(t, filepath.Join(k.dir, "processes", "crash"), "crash"))),
	)
}

// journalAtKill returns the journal as it was with the first record of its second
// effect: records are never removed.
func (k *keptProcess) journalAtKill(t *testing.T, now *journal.Journal) canon.Value {
	t.Helper()
	bytes := 0
	record := func(d algal.Digest) canon.Value {
		text, err := os.ReadFile(filepath.Join(k.dir, "values", d.Hex()+".json"))
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(text)
		return goldenrun.ParseText(t, string(d), string(text))
	}
	prefix, pending := now.Effects()[0], now.Effects()[1].Digest
	record(prefix.Digest)
	record(prefix.Previous)
	first := record(pending)
	for first.Get("previous").Exists() {
		pending = algal.Digest(first.Get("previous").Text())
		bytes -= first.Size()
		first = record(pending)
	}
	v := now.Value()
	effects := v.Get("effects")
	return v.With(
		canon.M("bytes", canon.Int(bytes)),
		canon.M("effects", canon.Array(effects.At(0), canon.Object(canon.M("digest", canon.String(string(pending))), canon.M("record", first)))),
	)
}

// keptKill reports whether one owner of a place died, and none is alive.
func keptKill(t *testing.T, dir, label string) bool {
	t.Helper()
	state, err := custody.Inspect(custody.Place{Dir: dir, Label: label})
	if err != nil {
		t.Fatal(err)
	}
	return len(state.Archived) == 1 && state.Nonce == "" && unowned(t, dir, label)
}

// unowned reports whether a place can be had at once, and gives it back.
func unowned(t *testing.T, dir, label string) bool {
	t.Helper()
	lease, err := custody.Acquire(t.Context(), durable.NewPublisher(durable.Options{}), custody.Place{Dir: dir, Label: label})
	if err != nil {
		t.Log(err)
		return false
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
	return true
}
