package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/fault"
	"github.com/algal-vm/algal/demo/laboratory"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/internal/goldenrun"
)

// TestPlantedFaults builds the program with the faults and sees each of them turn the
// line red that is there for it, and no other.
func TestPlantedFaults(t *testing.T) {
	faulty := filepath.Join(t.TempDir(), "algal")
	build := exec.Command("go", "build", "-tags", "demofaults", "-o", faulty, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := memoryDir(t)
	for planted, line := range map[fault.Name]string{
		fault.RepeatedEffect: "exactly one publication after the kill",
		fault.OtherProposal:  "an approval of another proposal is refused",
		fault.HeadFirst:      "the receipt is on disk before the head names it",
		fault.FlippedReceipt: "the moved-away history verifies from the document alone",
		fault.DeliveredTwice: "one publication on disk",
		"":                   "",
	} {
		t.Run("fault "+string(planted), func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(dir, "proof-"+string(planted))
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(faulty, "demo", "prove", root)
			cmd.Env = append(os.Environ(), "ALGAL_DEMO_FAULT="+string(planted))
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run() // the exit code is looked at
			code := cmd.ProcessState.ExitCode()
			if planted == "" {
				if code != exitDone || strings.Contains(stderr.String(), "FAILED") || !exists(filepath.Join(root, "proof.json")) {
					t.Errorf("without a fault: exit %d: %s", code, stderr.String())
				}
				return
			}
			if code != exitRefused || stdout.Len() > 0 || exists(filepath.Join(root, "proof.json")) {
				t.Errorf("exit %d, standard output %q, or a proof.json", code, stdout.String())
			}
			lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
			red := -1
			for i, l := range lines {
				if strings.HasPrefix(l, "ok     ") {
					continue
				}
				if red = i; !strings.HasPrefix(l, "FAILED "+line+": found ") {
					t.Errorf("line %d: %s\nwanted FAILED %s", i+1, l, line)
				}
				break
			}
			// After the red line comes only where it was, and the error.
			if len(lines) != red+3 || !strings.HasSuffix(lines[red+1], ", in "+root) {
				t.Errorf("%s", stderr.String())
			}
			refusal := goldenrun.ParseText(t, "error", lines[len(lines)-1])
			if !refusal.Get("error").IsText("RECEIPT_MISMATCH") || !strings.HasPrefix(refusal.Get("message").Text(), line+": found ") {
				t.Errorf("%s", refusal)
			}
		})
	}
}

// TestDemoProveFindsOut lets programs play the parts that do something wrong. The
// proof ends at the line that is there for it. They have no PATH.
func TestDemoProveFindsOut(t *testing.T) {
	const recovered = `case "$2" in fixture-recover) out=$("$algal" "$@") || exit;; esac; `
	for name, c := range map[string]struct{ script, line, found string }{
		"fails to start":            {`exit 3`, "the program waits for a decision", "exit 3"},
		"says nothing":              {`exit 0`, "the program waits for a decision", "output that is not JSON"},
		"is ended by a signal":      {`kill -TERM $$`, "the program waits for a decision", "ended by signal terminated"},
		"does not wait":             {`case "$2" in start) echo '{"status":"approved"}'; exit;; esac`, "the program waits for a decision", `status "approved"`},
		"refuses with another code": {`case "$2" in approve) echo '{"error":"PARSE_FAILED","message":"no"}' >&2; exit 2;; esac`, "an approval of another proposal is refused", "PARSE_FAILED: no"},
		"refuses with another exit": {`case "$2" in approve) echo '{"error":"CAPABILITY_DENIED","message":"no"}' >&2; exit 1;; esac`, "an approval of another proposal is refused", "exit 1"},
		"accepts another action":    {`case "$2$7" in approvepublish-elsewhere) echo '{}'; exit;; esac`, "an approval of another action is refused", "accepted"},
		"keeps what it refuses":     {`case "$2$7" in approvepublish-elsewhere) : >"$3/decision.json";; esac`, "the refused approvals left no decision and no publication", "decision.json"},
		"approves nothing":          {`case "$2$7" in approvepublish-local-report) [ -e once ] && { echo '{"status":"waiting"}'; exit; }; : >once;; esac`, "the approved program publishes", `status "waiting"`},
		"moves the head again":      {`case "$2$7" in approvepublish-local-report) [ -e twice ] && { echo '{"status":"approved","verification":{"digest":"x"}}'; exit; }; [ -e once ] && : >twice; : >once;; esac`, "a repeated approval keeps the head", `{"digest":"x"}`},
		"delivers the decision again": {`case "$2$7" in approvepublish-local-report) [ -e twice ] && {
			read -r c <"$3/store/mailboxes/approvals/config.json"; h=${c#*'"send":"'}
			"$algal" mailbox send "${h%%\"*}" "$3/decision.json" --dir "$3/store" >&2 || exit; }; [ -e once ] && : >twice; : >once;; esac`, "the decision was delivered once", "2 messages and 2 deliveries"},
		"leaves no page":             {`case "$2" in approve) "$algal" "$@"; code=$?; /bin/rm -f "$3/report.html"; exit $code;; esac`, "the page of the review in approved is there", ""},
		"approves what is denied":    {`case "$2" in deny) shift 2; exec "$algal" demo approve "$@";; esac`, "the denied program ends as denied", `status "approved"`},
		"exports other evidence":     {`case "$2" in export) echo '{"contract":"algal.demo-report.v1"}'; exit;; esac`, "the history is exported as one document", "not canonical evidence"},
		"exports with white space":   {`case "$2" in export) "$algal" "$@"; echo; exit;; esac`, "the history is exported as one document", "not canonical evidence"},
		"verifies without looking":   {`case "$2" in verify) echo '{"ok":true,"digest":"sha256:0"}'; exit;; esac`, "the moved-away history verifies from the document alone", `digest "sha256:0"`},
		"does not stand still":       {`case "$2" in fixture-start) exit;; esac`, "a child stands still inside a read", "ended by itself"},
		"stands under another token": {`case "$2" in fixture-start) exec "$algal" demo fixture-start "$3" --mode "$5" --token ` + strings.Repeat("0", 48) + `;; esac`, "the barrier names the token, mode and definition of the child inside the read", "DIGEST_MISMATCH"},
		"stands in another mode":     {`case "$2" in fixture-start) exec "$algal" demo fixture-start "$3" --mode write --token "$7";; esac`, "the barrier names the token, mode and definition of the child inside the read", "mode write"},
		"writes another barrier":     {`case "$2" in fixture-start) /bin/mkdir "$3"; echo '{}' >"$3/barrier.json"; exec /bin/sleep 100;; esac`, "the barrier names the token, mode and definition of the child inside the read", "STORE_MISS"},
		"takes any intent":           {`case "$2" in fixture-recover) echo '{}'; exit;; esac`, "a recovery of another read intent is refused", "accepted"},
		"does not recover":           {recovered + `case "$2" in fixture-recover) exit 1;; esac`, "another process takes over what was killed inside a read", "exit 1"},
		"reports nothing":            {recovered + `case "$2" in fixture-recover) echo '{}'; exit;; esac`, "the recovered process is complete", "refusal nothing"},
		"reports an idle pass wrong": {recovered + `case "$2" in fixture-recover) t='"scheduledTicks":'; echo "${out%%$t*}${t}1${out#*${t}0}"; exit;; esac`, "the report of the read says what the store holds", `"scheduledTicks":1`},
		"damages the evidence":       {recovered + `case "$2" in fixture-recover) echo '{}' >"$3/evidence.algal.json"; echo "$out"; exit;; esac`, "the evidence of the read verifies from the document alone", "RECEIPT_MISMATCH"},
		"keeps another report":       {recovered + `case "$2" in fixture-recover) echo '{}' >"$3/report.json"; echo "$out"; exit;; esac`, "the report of the read says what the store holds", "another report.json"},
		"keeps the lease":            {recovered + `case "$2" in fixture-recover) echo '{}' >"$3/.lock"; echo "$out"; exit;; esac`, "the lease of the child killed inside a read was passed on and given back", "IO_FAILED"},
		"forgets the dead owner":     {recovered + `case "$2" in fixture-recover) /bin/rm -f "$3"/owners/*; echo "$out"; exit;; esac`, "the lease of the child killed inside a read was passed on and given back", "0 archived"},
		"sends the prefix again":     {recovered + `case "$2" in fixture-recover) h=${out#*'"mailbox":"'}; "$algal" mailbox send "${h%%\"*}" /dev/stdin --dir "$3/store" <"$3/barrier.json" >&2 || exit; echo "$out"; exit;; esac`, "one prefix and no publication after the recovery", "2 prefixes"},
		"repeats an unknown write":   {recovered + `case "$2$3" in fixture-recover*write-crash) r='"refusal":{'; echo "${out%%$r*}"'"refusal":null,"x":{'"${out#*$r}"; exit;; esac; case "$2" in fixture-recover) echo "$out"; exit;; esac`, "the unknown write is refused", "null"},
		"leaves a file":              {`: >stray`, "the children left nothing else in the directory", "stray"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executable := filepath.Join(t.TempDir(), "algal")
			wrap(t, executable, c.script)
			root := filepath.Join(memoryDir(t), "proof")
			var red stage.Fact
			facts := 0
			began := time.Now()
			_, err := laboratory.Prove(t.Context(), laboratory.Options{Root: root, Executable: executable, Told: func(f stage.Fact) {
				if facts++; !f.Holds {
					red = f
				}
			}})
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v: a child was waited for", took)
			}
			if algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != red.Line+": found "+red.Found {
				t.Errorf("%v\nafter %d facts, the last: %+v", err, facts, red)
			}
			if red.Line != c.line || !strings.Contains(red.Found, c.found) {
				t.Errorf("%s: found %s\nwanted %s: found …%s…", red.Line, red.Found, c.line, c.found)
			}
			if exists(filepath.Join(root, "proof.json")) || !unowned(t, root, "demo-proof") {
				t.Error("there is a proof.json, or the lease was kept")
			}
			if crash := filepath.Join(root, "read-crash"); exists(filepath.Join(crash, "fixture.json")) && name != "keeps the lease" && !unowned(t, crash, "demo-crash") {
				t.Error("a child is left")
			}
		})
	}
}

// TestDemoProveCancelled cancels a proof at chosen facts: no child is left then, even
// where one stands still, and there is no proof.
func TestDemoProveCancelled(t *testing.T) {
	for _, at := range []string{
		"the program waits for a decision",
		"a child stands still inside a read",
		"the journal inside the write: prefix completed, barrier started",
		"the dispatch was killed by SIGKILL inside a write",
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(memoryDir(t), "proof")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			last := stage.Fact{}
			_, err := laboratory.Prove(ctx, laboratory.Options{Root: root, Executable: algalPath(t), Told: func(f stage.Fact) {
				if last = f; f.Line == at {
					cancel()
				}
			}})
			if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "interrupted" || !last.Holds {
				t.Errorf("%v, the last fact %+v", err, last)
			}
			if exists(filepath.Join(root, "proof.json")) || !unowned(t, root, "demo-proof") {
				t.Error("there is a proof.json, or the lease was kept")
			}
			for _, crash := range []string{"read-crash", "write-crash"} {
				if dir := filepath.Join(root, crash); exists(dir) && !unowned(t, dir, "demo-crash") {
					t.Errorf("the child in %s is left", crash)
				}
			}
		})
	}
}

// TestDemoProveInterrupted interrupts the command after its first fact.
func TestDemoProveInterrupted(t *testing.T) {
	heedSignals(t)
	dir := memoryDir(t)
	cmd := exec.Command("algal", "demo", "prove", "proof")
	var stdout bytes.Buffer
	cmd.Dir, cmd.Stdout = dir, &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var lines []string
	for told := bufio.NewScanner(stderr); told.Scan(); {
		if lines = append(lines, told.Text()); len(lines) == 1 {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.Wait() // the exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || stdout.Len() > 0 {
		t.Errorf("exit %d: %s", code, stdout.String())
	}
	if last := lines[len(lines)-1]; last != `{"error":"BUDGET_EXHAUSTED","message":"interrupted"}` || strings.Contains(strings.Join(lines, "\n"), "FAILED") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
	if exists(filepath.Join(dir, "proof", "proof.json")) || time.Since(began) > 10*time.Second {
		t.Errorf("a proof.json, or not at once: %v", time.Since(began))
	}
}
