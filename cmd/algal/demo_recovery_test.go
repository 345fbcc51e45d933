package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/crash"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/tool/hostfile"
)

// TestDemoRecoveryReport holds the demonstration with one runtime and with two, and
// compares the report with what the kept stores and records of calls hold. The path
// of the workspace has what a shell could trip over.
func TestDemoRecoveryReport(t *testing.T) {
	second := copyProgram(t, filepath.Join(memoryDir(t), "another runtime's"))
	for name, c := range map[string]struct {
		args     []string
		runtimes int
	}{
		"one runtime":  {nil, 1},
		"two runtimes": {[]string{"--native", second}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := holdDemo(t, `a 'quoted" $HOME`, append([]string{"recovery", "--keep"}, c.args...)...)
			if h.Exit != 0 {
				t.Fatalf("exit %d: %s", h.Exit, h.Stderr)
			}
			var cases []canon.Value
			for _, label := range []string{"read-a-to-b", "read-b-to-a"} {
				cases = append(cases, keptRead(t, h.kept, label))
			}
			for _, label := range []string{"unknown-write-a", "unknown-write-b"} {
				cases = append(cases, keptWrite(t, h.kept, label))
			}
			want := canon.Object(
				canon.M("contract", canon.String("algal.recovery-demo.v1")),
				canon.M("ok", canon.Bool(true)),
				canon.M("runtimes", canon.Int(c.runtimes)),
				canon.M("cliInvocations", canon.Int(2*10+2*9)),
				canon.M("realSigkills", canon.Int(4)),
				canon.M("successfulCrossRuntimeRecoveries", canon.Int(2)),
				canon.M("cases", canon.Array(cases...)),
			)
			if diff := cmp.Diff(want.Sorted().Indented(), h.report.Sorted().Indented()); diff != "" {
				t.Errorf("the report is not what the stores hold (-stores +report):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(h.kept, crash.Failure)); !os.IsNotExist(err) {
				t.Errorf("a failure is on record: %v", err)
			}
			h.nothingRuns(t)
		})
	}
}

// keptCase is what the store and the record of calls of a case hold, read without
// the command.
type keptCase struct {
	calls   map[string]int // by stage
	beyond  int            // calls that the journal knows nothing of
	effects []journal.Effect
	fields  []canon.Member // of the report
}

func keptRead(t *testing.T, workspace, label string) canon.Value {
	t.Helper()
	dir := filepath.Join(workspace, label)
	store := filepath.Join(dir, "store")
	head, err := inspectSupervisor(&streams{err: io.Discard}, store).Inspect("worker")
	if err != nil {
		t.Fatal(err)
	}
	k, j := keptJournal(t, dir, journal.Dispatch{Process: "worker", Intent: head.Record.Previous, Manifest: head.Record.ManifestDigest})
	for i, e := range k.effects {
		if !e.Completed() || e.Attempt != i {
			t.Errorf("%s: effect %d: %s", label, i, e.Value())
		}
	}
	signatures, err := hostfile.Signatures(goldenrun.ParseText(t, "tools", readText(t, filepath.Join(dir, "tools.json"))))
	if err != nil {
		t.Fatal(err)
	}
	verified, err := readingSupervisor(&streams{err: io.Discard}, store, signatures).Verify(t.Context(), "worker")
	if err != nil || verified.Head != head.Digest || verified.Receipts != 1 {
		t.Errorf("%s: %+v, %v", label, verified, err)
	}
	return canon.Object(append(k.fields,
		canon.M("label", canon.String(label)),
		canon.M("effect", canon.String("read")),
		canon.M("configurationBlocked", canon.Bool(j.Attempts() == 2)),
		canon.M("completedWrites", canon.Int(k.calls["prefix"])),
		canon.M("readCalls", canon.Int(k.calls["pending"])),
		canon.M("offlineCalls", canon.Int(k.beyond)),
		canon.M("offlineRuntimes", canon.Int(2)),
		canon.M("generation", canon.Int(head.Record.Generation)),
		canon.M("recoveryAttempts", canon.Int(j.Attempts())),
		canon.M("archivedOwners", canon.Int(archivedOwners(t, store))),
		canon.M("intent", canon.String(string(head.Record.Previous))),
		canon.M("head", canon.String(string(head.Digest))),
		canon.M("receipt", canon.String(string(head.Record.Receipt))),
	)...)
}

func keptWrite(t *testing.T, workspace, label string) canon.Value {
	t.Helper()
	dir := filepath.Join(workspace, label)
	store := filepath.Join(dir, "store")
	head, err := inspectSupervisor(&streams{err: io.Discard}, store).Inspect("worker")
	if err != nil {
		t.Fatal(err)
	}
	k, j := keptJournal(t, dir, journal.Dispatch{Process: "worker", Intent: head.Digest, Manifest: head.Record.ManifestDigest})
	if pending := k.effects[1]; pending.Completed() || pending.Attempt != 0 || j.Attempts() != 0 {
		t.Errorf("%s: after %d attempts: %s", label, j.Attempts(), pending.Value())
	}
	if n := archivedOwners(t, store); n != 1 {
		t.Errorf("%s: %d archived owners", label, n)
	}
	return canon.Object(append(k.fields,
		canon.M("label", canon.String(label)),
		canon.M("effect", canon.String("write")),
		canon.M("unknownWriteBlockedInBothRuntimes", canon.Bool(true)),
		canon.M("completedWrites", canon.Int(k.calls["prefix"])),
		canon.M("pendingWriteCalls", canon.Int(k.calls["pending"])),
		canon.M("replayCalls", canon.Int(k.beyond)),
		canon.M("status", canon.String(string(head.Record.Status))),
		canon.M("intent", canon.String(string(head.Digest))),
	)...)
}

// keptJournal reads the journal of a dispatch and holds the calls on record to it:
// each was made with the request and the key of an effect, and as often as the
// journal says.
func keptJournal(t *testing.T, dir string, d journal.Dispatch) (*keptCase, *journal.Journal) {
	t.Helper()
	j, err := journal.Open(disk.Open(filepath.Join(dir, "store"), disk.Options{}).Journals(), d)
	if err != nil {
		t.Fatal(err)
	}
	k := &keptCase{calls: map[string]int{}, effects: j.Effects()}
	if len(k.effects) != 2 || k.effects[0].Executor != "tool:prefix.v1" || k.effects[1].Executor != "tool:pending.v1" {
		t.Fatalf("effects %+v", k.effects)
	}
	for line := range strings.Lines(readText(t, filepath.Join(dir, "calls.jsonl"))) {
		call := goldenrun.ParseText(t, "call", line)
		stage := call.Get("stage").Text()
		effect := k.effects[0]
		if stage == "pending" {
			effect = k.effects[1]
		}
		key := canon.Object(
			canon.M("contract", canon.String("algal.process-effect.v1")),
			canon.M("process", canon.String(d.Process)),
			canon.M("requestDigest", call.Get("requestDigest")),
		).Digest()
		if !call.Get("idempotencyKey").IsText(string(key)) || effect.IdempotencyKey != key ||
			!call.Get("requestDigest").IsText(string(effect.RequestDigest)) {
			t.Errorf("a call that is not that of its effect: %s", call)
		}
		k.calls[stage]++
		k.beyond++
	}
	for _, e := range k.effects {
		k.beyond -= e.Attempt + 1
	}
	k.fields = []canon.Member{
		canon.M("killedSignal", canon.String("SIGKILL")),
		canon.M("liveOwnerExcluded", canon.Bool(true)),
		canon.M("wrongIntentBlocked", canon.Bool(true)),
	}
	return k, j
}

func archivedOwners(t *testing.T, store string) int {
	t.Helper()
	state, err := custody.Inspect(custody.Process(store, "worker"))
	if err != nil || state.Nonce != "" {
		t.Errorf("custody %+v, %v", state, err)
	}
	return len(state.Archived)
}

// Parts of wrappers. In them $5 is the intent of a recovery, $7 its tools file.
const (
	headFile = `"$store/processes/worker/head.json"`
	callLog  = `"$store/../calls.jsonl"`
	zeroes   = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	intent   = `$(sed 's/.*"record":"//; s/".*//' ` + headFile + `)`

	// moveHead lets the head name something else, callAgain repeats the last call.
	moveHead  = `sed "s/sha256:[0-9a-f]*/` + zeroes + `/" ` + headFile + ` >"$store/../new" && mv "$store/../new" ` + headFile
	callAgain = `line=$(tail -n 1 ` + callLog + `); echo "$line" >>` + callLog
)

// after returns a script that does what algal does for a command of a process, says
// what it says, and then does something more. A condition may limit it.
func after(verb, condition, more string) string {
	return `if test "$2" = ` + verb + ` && ` + condition + "; then \"$algal\" \"$@\"; code=$?\n" + more + "\nexit $code; fi"
}

// Conditions: the owner lives; a recovery has the tools file that differs; it is one
// of the exact intent past an unknown write.
const (
	always  = `true`
	live    = `test -e "$store/../block"`
	changed = `test "${7##*/}" = changed-tools.json`
	unknown = `test "$5" = "` + intent + `" && test ! -e "$store/../block" && case "$store" in */unknown-write-a/store) true;; *) false;; esac`
)

// settled is after, for the recovery that succeeds.
func settled(more string) string {
	return after("recover", always, "if test $code = 0; then "+more+"\nfi")
}

// instead returns a script that does something in the place of algal.
func instead(verb, condition, what string) string {
	return `if test "$2" = ` + verb + ` && ` + condition + "; then " + what + "\nfi"
}

// refuse is a refusal that gives no reason.
const refuse = `echo '{"error":"IO_FAILED","message":"no"}' >&2; exit 2`

// TestDemoRecoveryFindsOut: each of these runtimes does something wrong in the second
// role. The demonstration ends at the line that is there for it.
func TestDemoRecoveryFindsOut(t *testing.T) {
	const (
		attempts = "read-a-to-b: the recovery that was refused for its configuration and the good one consumed an attempt each"
		write    = "unknown-write-a: B is refused to recover past a write of which nobody knows"
	)
	for name, c := range map[string]struct{ script, line, found string }{
		"reads it otherwise": {
			instead("inspect", always, `"$algal" "$@" | sed s/uncertain/complete/; exit`),
			"read-a-to-b: B reads it as uncertain while the call hangs", `the status "complete"`,
		},
		"moves the head": {
			after("inspect", always, moveHead), "read-a-to-b: the head on disk is the intent", zeroes,
		},
		"calls when it looks": {
			after("inspect", always, callAgain), "read-a-to-b: two calls were made", "3",
		},
		"takes the marker away": {
			after("inspect", always, `rm "$store/processes/worker/.lock"`), "read-a-to-b: the owner's marker lies beside the head", "none",
		},
		"takes a process whose owner lives": {
			instead("recover", always, `rm -f "$store"/processes/worker/.lock "$store"/processes/worker/.owner.sqlite* "$store/../block"`),
			"read-a-to-b: B is refused a recovery while the owner lives", "exit 0",
		},
		"refuses a live owner's for another reason": {
			instead("recover", always, refuse),
			"read-a-to-b: B is refused a recovery while the owner lives", `exit 2: {"error":"IO_FAILED","message":"no"}`,
		},
		"writes into the marker": {
			after("recover", live, `echo >>"$store/processes/worker/.lock"`),
			"read-a-to-b: the owner's marker is the same byte for byte", `}\n"`,
		},
		"moves the head of a live owner": {
			after("recover", live, moveHead), "read-a-to-b: the head is the same after the kill", zeroes,
		},
		"advances something": {
			instead("schedule", always, `echo '{"processes":[],"ticks":1}'; exit`),
			"read-a-to-b: a schedule by B retries nothing", "1 ticks",
		},
		"recovers when it schedules": {
			instead("schedule", always, `"$algal" process recover worker --expected-intent "`+intent+`" --tools "$4" --dir "$store" >/dev/null`),
			"read-a-to-b: the schedule made no call", "3 calls in place of 2",
		},
		"takes any intent for the right one": {
			instead("recover", always, `exec "$algal" process recover worker --expected-intent "`+intent+`" --tools "$7" --dir "$store"`),
			"read-a-to-b: B is refused to recover another intent", "exit 0",
		},
		"knows no configuration": {
			instead("recover", changed, `exec "$algal" process recover worker --expected-intent "$5" --tools "${7%changed-tools.json}tools.json" --dir "$store"`),
			"read-a-to-b: B is refused to recover with another configuration", "exit 0",
		},
		"moves the head when it refuses": {
			after("recover", changed, moveHead), "read-a-to-b: the head is still the intent", zeroes,
		},
		"calls when it refuses": {
			after("recover", changed, callAgain), "read-a-to-b: the refused recoveries made no call", "3 calls in place of 2",
		},
		"skips a generation": {
			instead("recover", always, `said=$("$algal" "$@") || exit; echo "$said" | sed 's/"generation":1/"generation":2/'; exit`),
			"read-a-to-b: B recovers the intent: complete, generation 1, after the intent", `"generation":2`,
		},
		"recovers nothing": {
			instead("recover", `! `+live, refuse),
			"read-a-to-b: B recovers the intent", `exit 2: {"error":"IO_FAILED","message":"no"}`,
		},
		"repeats what was settled": {
			settled(`line=$(head -n 1 ` + callLog + `); echo "$line" >>` + callLog),
			"read-a-to-b: the settled write was called once", "2 calls",
		},
		"repeats the read too often": {
			settled(callAgain), "read-a-to-b: the read was called twice", "3 calls",
		},
		"repeats the read under another key": {
			settled(`sed '$s/Key":"sha256:[0-9a-f]*/Key":"` + zeroes + `/' ` + callLog + ` >"$store/../new"; mv "$store/../new" ` + callLog),
			"read-a-to-b: both calls of the read had one idempotency key", " and " + zeroes,
		},
		"verifies with its eyes closed": {
			instead("verify", always, `echo '{"digest":"`+zeroes+`","generations":1,"ok":true,"receipts":1}'; exit`),
			"read-a-to-b: B verifies one generation and its receipt", zeroes,
		},
		"damages a receipt": {
			settled(`for f in "$store"/runs/*.json; do sed s/recovered/invented/ "$f" >"$f.new"; mv "$f.new" "$f"; done`),
			"read-a-to-b: A verifies one generation and its receipt", "exit 2",
		},
		"calls when it verifies": {
			after("verify", always, callAgain), "read-a-to-b: the verifications made no call", "4 calls in place of 3",
		},
		"loses an entry of the journal": {
			settled(`rm "$store"/processes/worker/journals/*/entries/000000.json`),
			"read-a-to-b: the journal has effect 0 as completed in attempt 0", "",
		},
		"settles nothing": {
			`entry=$(echo "$store"/processes/worker/journals/*/entries/000001.json)
			test -e "$store/../entry" || cp "$entry" "$store/../entry" 2>/dev/null` + "\n" + settled(`cp "$store/../entry" "$entry"`),
			"read-a-to-b: the journal has effect 1 as completed in attempt 1", `"started" in attempt 0`,
		},
		"forgets an attempt": {
			settled(`rm "$store"/processes/worker/journals/*/recoveries/000001.json`), attempts, "1 attempts",
		},
		"forgets who died": {
			settled(`rm "$store"/processes/worker/owners/*`), "read-a-to-b: the marker of the killed owner is archived, and no other", "[]",
		},
		"dispatches nothing": {
			instead("tick", always, "exit 3"), "read-b-to-a: B hangs in the second call of its dispatch", "an owner that ended before its call hung",
		},
		"creates nothing": {
			instead("create", always, "exit 3"), "read-b-to-a: B creates the process", "exit 3",
		},
		"takes an unknown write for done": {
			instead("recover", unknown, "echo '{}'; exit"), write, "exit 0",
		},
		"does not say that a write is unknown": {
			instead("recover", unknown, refuse), write, `exit 2: {"error":"IO_FAILED","message":"no"}`,
		},
		"moves the head past an unknown write": {
			after("recover", unknown, moveHead), "unknown-write-a: the head is still the intent after B", zeroes,
		},
		"repeats an unknown write": {
			after("recover", unknown, callAgain), "unknown-write-a: each write was called once", "1 and 2 calls",
		},
		"gives up in the end": {
			instead("inspect", `case "$store" in */unknown-write-b/store) true;; *) false;; esac`, `"$algal" "$@" | sed s/uncertain/failed/; exit`),
			"unknown-write-b: B reads it as uncertain after all", `the status "failed"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := findsOut(t, "recovery", c.script, c.line, c.found)
			if text := readText(t, filepath.Join(h.kept, crash.Failure)); !strings.Contains(text, c.line+": found ") {
				t.Errorf("%s says %s", crash.Failure, text)
			}
			h.nothingRuns(t)
		})
	}
}

// TestDemoRecoveryInterrupted: the first signal ends the process that runs, its owner
// that hangs and the adapter that it waits for; the workspace is kept.
func TestDemoRecoveryInterrupted(t *testing.T) {
	dir, temp := t.TempDir(), memoryDir(t)
	up, second := filepath.Join(dir, "up"), filepath.Join(dir, "second")
	wrap(t, second, fmt.Sprintf(`echo >'%s.new'; mv '%s.new' '%s'; sleep 1000 & sleep 1000`, up, up, up))
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("algal", "demo", "recovery", "--native", second)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(up); err == nil {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the second runtime was not asked")
		}
	}
	if left := startedWith(t, temp); len(left) < 3 {
		t.Errorf("running: %q", left)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // its exit is in the state
	said, found := strings.CutSuffix(stderr.String(), `{"error":"BUDGET_EXHAUSTED","message":"interrupted"}`+"\n")
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !found || stdout.Len() > 0 || strings.Contains(said, "FAILED") {
		t.Errorf("exit %d: %s%s", code, stdout.String(), stderr.String())
	}
	h := &heldDemo{kept: keptWorkspace(t, temp, ran{Stderr: said})}
	h.nothingRuns(t)
}
