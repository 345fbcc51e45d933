package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/verify"
)

// TestDemoEvidenceReport holds the demonstration with one runtime and with two, and
// compares the report with the kept documents and the store that was moved away. The
// path of the workspace has what a shell could trip over.
func TestDemoEvidenceReport(t *testing.T) {
	second := copyProgram(t, filepath.Join(memoryDir(t), "another runtime's"))
	for name, c := range map[string]struct {
		args        []string
		roles       []string
		invocations int
	}{
		"one runtime":  {nil, []string{"A"}, 7 + 2 + 1 + 3 + 1},
		"two runtimes": {[]string{"--native", second}, []string{"A", "B"}, 7 + 2*2 + 4 + 4*3 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			h := holdDemo(t, `a 'quoted" $HOME`, append([]string{"evidence", "--keep"}, c.args...)...)
			if h.Exit != 0 {
				t.Fatalf("exit %d: %s", h.Exit, h.Stderr)
			}
			want := keptEvidence(t, h.kept, c.roles).With(canon.M("cliInvocations", canon.Int(c.invocations)))
			for _, text := range []string{"scenario", "limitation"} {
				want = want.With(canon.M(text, h.report.Get(text)))
			}
			if diff := cmp.Diff(want.Sorted().Indented(), h.report.Sorted().Indented()); diff != "" {
				t.Errorf("the report is not what was kept (-kept +report):\n%s", diff)
			}
			for _, word := range []string{"consistent", "provider", "who made", "custody"} {
				if !strings.Contains(h.report.Get("limitation").Text(), word) {
					t.Errorf("the limitation does not speak of %q", word)
				}
			}
			h.nothingRuns(t)
		})
	}
}

// keptEvidence returns the facts of the report, each taken from the kept files.
func keptEvidence(t *testing.T, workspace string, roles []string) canon.Value {
	t.Helper()
	head, err := inspectSupervisor(&streams{err: io.Discard}, filepath.Join(workspace, "moved", "store")).Inspect("lost-acknowledgement")
	if err != nil {
		t.Fatal(err)
	}
	var verification []canon.Value
	tampered := 0
	for _, exporter := range roles {
		text := readText(t, filepath.Join(workspace, "evidence", exporter+"-evidence.json"))
		report, err := verified(t, text)
		if err != nil || report.Head != head.Digest || report.Receipts != 2 || report.Generations != 2 {
			t.Fatalf("the evidence of %s: %+v, %v", exporter, report, err)
		}
		for _, verifier := range roles {
			verification = append(verification, canon.Object(
				canon.M("exporter", canon.String(exporter)),
				canon.M("verifier", canon.String(verifier)),
				canon.M("report", report.Value()),
			))
		}
		copies, err := filepath.Glob(filepath.Join(globbed(workspace), "evidence", exporter+"-evidence-*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range copies {
			text := readText(t, file)
			if _, err := verified(t, text); err == nil {
				t.Errorf("%s verifies", file)
			}
			if canonical := goldenrun.ParseText(t, file, text).String(); canonical != text {
				t.Errorf("%s is not canonical", file)
			}
			tampered += len(roles)
		}
	}
	calls := map[string]int{}
	for line := range strings.Lines(readText(t, filepath.Join(workspace, "moved", "calls.jsonl"))) {
		calls[goldenrun.ParseText(t, "call", line).Get("stage").Text()]++
	}
	_, gone := os.Lstat(filepath.Join(workspace, "source"))
	left, err := os.ReadDir(filepath.Join(workspace, "empty"))
	if err != nil {
		t.Fatal(err)
	}
	return canon.Object(
		canon.M("contract", canon.String("algal.process-evidence-demo.v1")),
		canon.M("ok", canon.Bool(true)),
		canon.M("runtimes", canon.Int(len(roles))),
		canon.M("liveProvider", canon.Bool(false)),
		canon.M("adapterAdmissions", canon.Int(calls["prefix"])),
		canon.M("validationInvocations", canon.Int(calls["pending"])),
		canon.M("sourcePathsRemoved", canon.Bool(os.IsNotExist(gone))),
		canon.M("sourceStateUnchanged", canon.Bool(true)),
		canon.M("offlineDirectoryEmpty", canon.Bool(len(left) == 0)),
		canon.M("rejectedMutations", canon.Int(tampered)),
		canon.M("rejectedHostConfigurations", canon.Int(len(roles)*len(roles))),
		canon.M("verification", canon.Array(verification...)),
		canon.M("evidenceDirectory", canon.String(filepath.Join(workspace, "evidence"))),
	)
}

func verified(t *testing.T, text string) (*verify.Report, error) {
	t.Helper()
	e, err := verify.Parse(text)
	if err != nil {
		return nil, err
	}
	return e.Verify(t.Context())
}

// TestDemoEvidenceFindsOut: each of these runtimes does something wrong in the second
// role. The demonstration ends at the line that is there for it.
func TestDemoEvidenceFindsOut(t *testing.T) {
	const verifies = "B verifies the evidence of A with nothing else at hand"
	accepts := func(suffix string) string {
		return `case "$3" in *-` + suffix + `.json) echo '{"ok":true}'; exit;; esac`
	}
	for name, c := range map[string]struct{ script, line, found string }{
		"completes at once": {
			instead("recover", always, `"$algal" "$@" | sed s/suspended/complete/; exit`),
			"B recovers the dispatch, which then waits for an approval", `"status":"complete"`,
		},
		"does not recover": {
			instead("recover", always, refuse), "B recovers the dispatch, which then waits for an approval", `exit 2: {"error":"IO_FAILED","message":"no"}`,
		},
		"calls once more": {
			after("recover", always, `line=$(tail -n 1 "$store/../calls.jsonl"); echo "$line" >>"$store/../calls.jsonl"`),
			"the write was called once and the read twice", "1 and 3 calls",
		},
		"verifies with its eyes closed": {
			instead("verify", always, `echo '{"digest":"`+zeroes+`","generations":2,"ok":true,"receipts":2}'; exit`),
			"B verifies two generations and their receipts in the store", zeroes,
		},
		"exports another head": {
			instead("export", always, `"$algal" "$@" | sed 's/"head":"sha256:[0-9a-f]*"/"head":"`+zeroes+`"/'; exit`),
			"B exports the verified head", zeroes,
		},
		"exports nothing":       {instead("export", always, refuse), "B exports the verified head", "exit 2"},
		"exports what is empty": {instead("export", always, "exit"), "B exports the verified head", "a document that is not JSON"},
		"counts otherwise": {
			instead("verify-evidence", always, `"$algal" "$@" | sed s/'"receipts":2'/'"receipts":1'/; exit`), verifies, `"receipts":1`,
		},
		"finds another document": {
			instead("verify-evidence", always, `"$algal" "$@" | sed 's/Digest":"sha256:[0-9a-f]*/Digest":"`+zeroes+`/'; exit`), verifies, zeroes,
		},
		"needs an environment": {
			instead("verify-evidence", `test -z "$HOME$TMPDIR"`, "exit 9"), verifies, "exit 9",
		},
		"needs the source": {
			instead("verify-evidence", `test ! -e "${3%/evidence/*}/source/store"`, "exit 9"), verifies, "exit 9",
		},
		"misses a head":    {accepts("head-removed"), "B refuses the evidence of A without its head record", "exit 0"},
		"misses a receipt": {accepts("receipt-removed"), "B refuses the evidence of A without its first receipt", "exit 0"},
		"misses a name":    {accepts("head-renamed"), "B refuses the evidence of A with another name in its head record", "exit 0"},
		"dies of tampering": {
			`case "$3" in *-head-removed.json) kill -9 $$;; esac`, "B refuses the evidence of A without its head record", "killed",
		},
		"takes tools of the host": {
			instead("verify-evidence", `test "$4" = --tools`, `exec "$algal" process verify-evidence "$3"`),
			"B refuses tools of the host beside the evidence of A", "exit 0",
		},
		"leaves something": {
			instead("verify-evidence", always, ": >trace"), "the directory of the verifiers is still empty", "1 entries",
		},
		"goes to what was moved": {
			instead("verify-evidence", always, `echo >>"${3%/evidence/*}/moved/store/slots"`), "what was moved away is the same byte for byte", "the inventory sha256:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findsOut(t, "evidence", c.script, c.line, c.found).nothingRuns(t)
		})
	}
}
