//go:build unix

package workbench_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/verify"
)

// The tests of this file are named after the entries of demo.md §4.8.

// D-1
func TestD1HostileEvidence(t *testing.T) {
	evidence := parse(t, `{"</script><script>alert(1)</script>":"</script><script>alert('x')</script>","url":"https://example.org"}`)
	s := started(t, evidence)
	if got := parse(t, s.read(workbench.DefinitionName)).Get("evidence"); got.String() != evidence.String() {
		t.Errorf("the definition retains %s", got)
	}
	if got := s.get("evidence", "value"); got.String() != evidence.String() {
		t.Errorf("the report retains %s", got)
	}
	text := s.read(workbench.PageName)
	if strings.Contains(strings.ToLower(text), "<script") || !strings.Contains(text, "&lt;/script&gt;&lt;script&gt;") {
		t.Error("the evidence is not escaped on the page")
	}
	must(t, passive.Check(text))
	s.decide(workbench.Approve)
	if got := parse(t, s.read(workbench.PublicationName)).Get("evidence"); got.String() != evidence.String() {
		t.Errorf("published %s", got)
	}
}

// D-2
func TestD2OtherProposalOrAction(t *testing.T) {
	s := started(t, canon.Value{})
	before := s.tree()
	right := s.choice(workbench.Approve)
	for _, c := range []struct {
		what string
		workbench.Choice
		code algal.Code
		text string
	}{
		{"another proposal", workbench.Choice{Verdict: right.Verdict, Proposal: string(canon.DigestText("x")), Action: right.Action}, algal.CapabilityDenied, "another proposal or action"},
		{"another action", workbench.Choice{Verdict: right.Verdict, Proposal: right.Proposal, Action: "publish-everywhere"}, algal.CapabilityDenied, "another proposal or action"},
		{"no action", workbench.Choice{Verdict: right.Verdict, Proposal: right.Proposal}, algal.CapabilityDenied, "another proposal or action"},
		{"denial of another", workbench.Choice{Verdict: workbench.Deny, Proposal: string(canon.DigestText("x")), Action: right.Action}, algal.CapabilityDenied, "another proposal or action"},
		{"no digest", workbench.Choice{Verdict: right.Verdict, Proposal: "it", Action: right.Action}, algal.ParseFailed, "proposal must be a sha256:"},
		{"upper case", workbench.Choice{Verdict: right.Verdict, Proposal: strings.ToUpper(right.Proposal), Action: right.Action}, algal.ParseFailed, "proposal must be a sha256:"},
	} {
		_, err := workbench.Decide(t.Context(), s.root, c.Choice, options())
		refused(t, c.what, err, c.code, c.text)
	}
	if !maps.Equal(s.tree(), before) || s.exists(workbench.DecisionName) || s.exists(workbench.PublicationName) {
		t.Error("a refused decision has written something")
	}
	s.sends("publications", 0)
	s.sends("approvals", 0)
}

// D-3
func TestD3Approve(t *testing.T) {
	s := started(t, canon.Value{})
	s.counts(1, 1, 0)
	if s.get("approval").Kind() != canon.KindNull || s.get("stage").Text() != "suspended" || s.exists(workbench.PublicationName) {
		t.Errorf("waiting: %s", s.get())
	}
	before := s.tree()
	_, err := workbench.Inspect(t.Context(), s.root, options())
	must(t, err)
	if !maps.Equal(s.tree(), before) {
		t.Error("looking changed something")
	}
	for box, bytes := range map[string]float64{"proposals": 32_768, "approvals": 4096, "publications": 32_768} {
		config := parse(t, s.read("store/mailboxes/"+box+"/config.json"))
		if config.Get("maxMessages").Float() != 4 || config.Get("maxMessageBytes").Float() != bytes {
			t.Errorf("mailbox %s", config)
		}
	}
	s.decide(workbench.Approve)
	s.is(workbench.Approved)
	s.counts(1, 1, 1)
	proposal := s.get("proposal", "value")
	if got := parse(t, s.read(workbench.PublicationName)); !canon.Equal(got, proposal) || string(got.Digest()) != s.get("proposal", "digest").Text() {
		t.Errorf("published %s", got)
	}
	if got := s.messages("publications"); len(got) != 1 || !canon.Equal(got[0], proposal) {
		t.Errorf("messages %s", got)
	}
	if got := parse(t, s.read(workbench.DecisionName)); !canon.Equal(got, s.get("approval")) || !got.Get("decision").IsText("approve") {
		t.Errorf("decision %s", got)
	}
	if s.read(workbench.ReportName) != s.get().String() {
		t.Error("report.json is not the report")
	}
	must(t, passive.Check(s.read(workbench.PageName)))
	h := s.head()
	if v := s.get("verification"); v.Get("digest").Text() != string(h.Digest) || !v.Get("ok").Bool() || v.Get("receipts").Float() != 2 {
		t.Errorf("verification %s", v)
	}
	approvals := parse(t, s.read("store/mailboxes/approvals/config.json"))
	if h.Record.Cause != approvals.Get("receive").Text() {
		t.Errorf("the cause of the dispatch is %s", h.Record.Cause)
	}
}

// D-4
func TestD4PublicationIsMadeAgain(t *testing.T) {
	s := started(t, canon.Value{})
	s.decide(workbench.Approve)
	head := s.head().Digest
	must(t, os.Remove(s.path(workbench.PublicationName)))
	must(t, os.Remove(s.path(workbench.PageName)))
	s.decide(workbench.Approve)
	s.is(workbench.Approved)
	if got := parse(t, s.read(workbench.PublicationName)); !canon.Equal(got, s.get("proposal", "value")) {
		t.Errorf("published %s", got)
	}
	if now := s.head().Digest; now != head {
		t.Errorf("head %s, was %s", now, head)
	}
	s.sends("publications", 1)
	s.sends("approvals", 1)
	before := s.tree()
	s.decide(workbench.Approve)
	if !maps.Equal(s.tree(), before) {
		t.Error("repeating the decision changed something")
	}
}

// D-5
func TestD5OtherVerdictLater(t *testing.T) {
	for first, second := range map[workbench.Verdict]workbench.Verdict{workbench.Approve: workbench.Deny, workbench.Deny: workbench.Approve} {
		s := started(t, canon.Value{})
		s.decide(first)
		before := s.tree()
		_, err := workbench.Decide(t.Context(), s.root, s.choice(second), options())
		refused(t, string(second), err, algal.CapabilityDenied, "decided before, otherwise: "+string(first))
		if !maps.Equal(s.tree(), before) {
			t.Errorf("%s after %s has written something", second, first)
		}
	}
}

func TestDeny(t *testing.T) {
	s := started(t, canon.Value{})
	s.decide(workbench.Deny)
	s.is(workbench.Denied)
	s.counts(1, 1, 0)
	if s.exists(workbench.PublicationName) || s.get("stage").Text() != "complete" || s.get("artifacts", "publication").Kind() != canon.KindNull {
		t.Errorf("denied: %s", s.get())
	}
	head := s.head().Digest
	s.decide(workbench.Deny)
	s.is(workbench.Denied)
	if s.head().Digest != head {
		t.Error("the head moved")
	}
	s.sends("publications", 0)
	s.sends("approvals", 1)
}

// D-6
func TestD6EditedDefinition(t *testing.T) {
	s := started(t, canon.Value{})
	text := s.read(workbench.DefinitionName)
	definition := parse(t, text)
	set := func(key, value string) string { return definition.With(canon.M(key, parse(t, value))).String() }
	other := `"` + string(canon.DigestText("x")) + `"`
	for _, c := range []struct {
		what, text string
		code       algal.Code
		message    string
	}{
		{"contract", set("contract", `"algal.demo-workbench.v2"`), algal.DigestMismatch, "contract differs"},
		{"root", set("root", `"/tmp"`), algal.DigestMismatch, "demoId differs"},
		{"identity", set("identity", `{"device":"1","inode":"2"}`), algal.DigestMismatch, "demoId differs"},
		{"demoId", set("demoId", other), algal.DigestMismatch, "demoId differs"},
		{"name", set("name", `"other"`), algal.DigestMismatch, "name differs"},
		{"evidence", set("evidence", `{"subject":"edited"}`), algal.DigestMismatch, "evidenceDigest differs"},
		{"evidence too deep", set("evidence", strings.Repeat("[", 18)+strings.Repeat("]", 18)), algal.BudgetExhausted, "levels deep"},
		{"evidenceDigest", set("evidenceDigest", other), algal.DigestMismatch, "evidenceDigest differs"},
		{"proposal", set("proposal", definition.Get("proposal").With(canon.M("summary", canon.String("Approve."))).String()), algal.DigestMismatch, "proposal differs"},
		{"proposalDigest", set("proposalDigest", other), algal.DigestMismatch, "proposalDigest differs"},
		{"action", set("action", definition.Get("action").With(canon.M("target", canon.String("../x"))).String()), algal.DigestMismatch, "action differs"},
		{"actionDigest", set("actionDigest", other), algal.DigestMismatch, "actionDigest differs"},
		{"manifestDigest", set("manifestDigest", other), algal.DigestMismatch, "manifestDigest differs"},
		{"args", set("args", `{"input":{"proposals":"a","approvals":"b","publications":"c"}}`), algal.DigestMismatch, "args differs"},
		{"other handles", strings.ReplaceAll(text, "cap:mailbox-send:sha256:", "cap:mailbox-send:sha256:0000"), algal.DigestMismatch, "mailboxes are not those"},
		{"no handles", set("args", `{"input":{}}`), algal.ParseFailed, "handles of three mailboxes"},
		{"maxGenerations", set("maxGenerations", `64`), algal.DigestMismatch, "maxGenerations differs"},
		{"a further member", set("extra", `1`), algal.ParseFailed, `unknown key "extra"`},
		{"a member less", definition.Without("evidence").String(), algal.ParseFailed, `"evidence"`},
		{"no JSON", "{", algal.ParseFailed, ""},
		{"too large", `"` + strings.Repeat("x", workbench.MaxDefinition) + `"`, algal.IOFailed, "byte bound"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s.write(workbench.DefinitionName, c.text)
			_, err := workbench.Inspect(t.Context(), s.root, options())
			refused(t, "inspect", err, c.code, c.message)
			_, err = workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), options())
			refused(t, "approve", err, c.code, c.message)
			_, _, err = workbench.Export(t.Context(), s.root, options())
			refused(t, "export", err, c.code, c.message)
			if s.exists(workbench.DecisionName) || s.exists(workbench.EvidenceName) {
				t.Error("a refused command has written something")
			}
		})
	}
	s.write(workbench.DefinitionName, definition.Indented()+"\n") // the same value
	s.decide(workbench.Approve)
	s.is(workbench.Approved)
}

// D-7
func TestD7TooMuchEvidence(t *testing.T) {
	dir := memoryDir(t)
	for what, evidence := range map[string]canon.Value{
		"bytes":  canon.String(strings.Repeat("x", 9000)),
		"values": parse(t, "["+strings.Repeat("0,", 511)+"0]"),
		"depth":  parse(t, strings.Repeat("[", 17)+"0"+strings.Repeat("]", 17)),
	} {
		_, err := workbench.Start(t.Context(), filepath.Join(dir, "bench"), evidence, options())
		refused(t, what, err, algal.BudgetExhausted, "more than")
	}
	_, err := workbench.Start(t.Context(), filepath.Join(dir, "bench"), parse(t, `[0.9526363022588433]`), options())
	refused(t, "a number that the program would change", err, algal.ParseFailed, "write it as a string")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// D-8
func TestD8TheSameRoot(t *testing.T) {
	s := started(t, canon.Value{})
	before := s.tree()
	_, err := workbench.Start(t.Context(), s.root, workbench.SampleEvidence(), options())
	refused(t, "start again", err, algal.IOFailed, "exists already")
	link := s.root + "-link"
	must(t, os.Symlink(s.root, link))
	_, err = workbench.Start(t.Context(), link, workbench.SampleEvidence(), options())
	refused(t, "start through a link", err, algal.IOFailed, "exists already")
	_, err = workbench.Inspect(t.Context(), link, options())
	refused(t, "inspect through a link", err, algal.IOFailed, "real directory")
	_, err = workbench.Decide(t.Context(), link, s.choice(workbench.Approve), options())
	refused(t, "approve through a link", err, algal.IOFailed, "real directory")
	must(t, os.CopyFS(s.root+"-copy", os.DirFS(s.root)))
	_, err = workbench.Inspect(t.Context(), s.root+"-copy", options())
	refused(t, "inspect a copy", err, algal.DigestMismatch, "moved or copied")
	if !maps.Equal(s.tree(), before) {
		t.Error("a refused command has written something")
	}
	must(t, os.Rename(s.root, s.root+"-moved"))
	_, err = workbench.Inspect(t.Context(), s.root+"-moved", options())
	refused(t, "inspect a moved root", err, algal.DigestMismatch, "moved or copied")
	must(t, os.Rename(s.root+"-copy", s.root))
	_, err = workbench.Inspect(t.Context(), s.root, options())
	refused(t, "inspect a copy in its place", err, algal.DigestMismatch, "moved or copied")
	must(t, os.RemoveAll(s.root))
	must(t, os.Rename(s.root+"-moved", s.root))
	s.decide(workbench.Deny)
	s.is(workbench.Denied)
}

// D-9
func TestD9LinkAtAnArtifact(t *testing.T) {
	for _, name := range []string{workbench.PublicationName, workbench.EvidenceName, workbench.ReportName, workbench.PageName, workbench.DecisionName} {
		t.Run(name, func(t *testing.T) {
			s := started(t, canon.Value{})
			target := s.root + "-target"
			must(t, os.WriteFile(target, []byte("untouched"), 0o600))
			os.Remove(s.path(name)) // it may not be there
			must(t, os.Symlink(target, s.path(name)))
			_, err := workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), options())
			refused(t, "approve", err, algal.IOFailed, name+" must be a regular file")
			_, err = workbench.Inspect(t.Context(), s.root, options())
			refused(t, "inspect", err, algal.IOFailed, name+" must be a regular file")
			if text, err := os.ReadFile(target); err != nil || string(text) != "untouched" {
				t.Errorf("the target holds %q, %v", text, err)
			}
			if name != workbench.DecisionName && s.exists(workbench.DecisionName) {
				t.Error("a decision was kept")
			}
			s.sends("approvals", 0)
			must(t, os.Remove(s.path(name)))
			s.decide(workbench.Approve)
			s.is(workbench.Approved)
		})
	}
}

// D-11
func TestD11Export(t *testing.T) {
	for _, verdict := range []workbench.Verdict{"", workbench.Approve, workbench.Deny} {
		s := started(t, canon.Value{})
		if verdict != "" {
			s.decide(verdict)
		}
		text, report, err := workbench.Export(t.Context(), s.root, options())
		must(t, err)
		s.report = report
		if s.read(workbench.EvidenceName) != text || s.get("artifacts", "evidence").Text() != workbench.EvidenceName {
			t.Errorf("artifacts %s", s.get("artifacts"))
		}
		again, _, err := workbench.Export(t.Context(), s.root, options())
		must(t, err)
		if again != text {
			t.Error("a second export is another document")
		}
		head := s.head().Digest
		must(t, os.Rename(s.root, s.root+"-away"))
		evidence, err := verify.Parse(text)
		must(t, err)
		verified, err := evidence.Verify(t.Context())
		if err != nil || verified.Head != head || !canon.Equal(verified.Value(), s.get("exportVerification")) {
			t.Errorf("%q: %v, %v, head %s", verdict, verified, err, head)
		}
		must(t, os.Rename(s.root+"-away", s.root)) // where its store is examined
	}
}

// TestChecks edits what an inspection holds to each other.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		what    string
		verdict workbench.Verdict
		edit    func(s *subject)
		code    algal.Code
		text    string
	}{
		{"no decision for what was received", workbench.Approve, func(s *subject) { must(s, os.Remove(s.path(workbench.DecisionName))) }, algal.ReceiptMismatch, "received is not that of decision.json"},
		{"another decision than was received", workbench.Approve, func(s *subject) {
			s.write(workbench.DecisionName, strings.Replace(s.read(workbench.DecisionName), "approve", "deny", 1))
		}, algal.ReceiptMismatch, "received is not that of decision.json"},
		{"a decision of another workbench", workbench.Approve, func(s *subject) {
			v := parse(s, s.read(workbench.DecisionName))
			s.write(workbench.DecisionName, v.With(canon.M("demoId", canon.String(string(canon.DigestText("x"))))).String())
		}, algal.DigestMismatch, "another proposal"},
		{"a decision that is none", "", func(s *subject) { s.write(workbench.DecisionName, `{}`) }, algal.ParseFailed, "decision"},
		{"a publication of something else", workbench.Approve, func(s *subject) { s.write(workbench.PublicationName, `{}`) }, algal.DigestMismatch, "publication.json is not the proposal"},
		{"a publication before the decision", "", func(s *subject) {
			s.write(workbench.PublicationName, s.get("proposal", "value").String())
		}, algal.ReceiptMismatch, "the program published nothing"},
		{"a publication after a denial", workbench.Deny, func(s *subject) {
			s.write(workbench.PublicationName, s.get("proposal", "value").String())
		}, algal.ReceiptMismatch, "the program published nothing"},
		{"no mailbox", "", func(s *subject) { s.edit("store/mailboxes/approvals/config.json") }, algal.DigestMismatch, "mailbox approvals is not the one of the definition"},
		{"a mailbox of more messages", "", func(s *subject) {
			s.edit("store/mailboxes/proposals/config.json", `"maxMessages":4`, `"maxMessages":5`)
		}, algal.DigestMismatch, "mailbox proposals is not the one of the definition"},
		{"a mailbox of larger messages", "", func(s *subject) {
			s.edit("store/mailboxes/publications/config.json", `"maxMessageBytes":32768`, `"maxMessageBytes":32769`)
		}, algal.DigestMismatch, "mailbox publications is not the one of the definition"},
		{"no definition", "", func(s *subject) { must(s, os.Remove(s.path(workbench.DefinitionName))) }, algal.StoreMiss, "initialization is incomplete; preserve this root and choose a new root"},
		{"a process of another program", "", func(s *subject) { s.recreate(4, `"name":"Another"`) }, algal.DigestMismatch, "the process is not the one of the definition"},
		{"a process of more generations", "", func(s *subject) { s.recreate(5, "") }, algal.DigestMismatch, "the process is not the one of the definition"},
		{"a live owner", "", func(s *subject) { hold(s) }, algal.IOFailed, "held by another live operation"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := started(t, canon.Value{})
			if c.verdict != "" {
				s.decide(c.verdict)
			}
			c.edit(s)
			before := s.tree()
			_, err := workbench.Inspect(t.Context(), s.root, options())
			refused(t, "inspect", err, c.code, c.text)
			_, err = workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), options())
			refused(t, "approve", err, c.code, c.text)
			_, _, err = workbench.Export(t.Context(), s.root, options())
			refused(t, "export", err, c.code, c.text)
			if !maps.Equal(s.tree(), before) {
				t.Error("a refused command has written something")
			}
		})
	}
}
