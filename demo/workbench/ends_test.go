//go:build unix

package workbench_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/mailbox"
)

// send puts a message of a stranger into a mailbox.
func (s *subject) send(box string, value canon.Value) {
	s.Helper()
	boxes := mailbox.New(disk.Open(s.path("store"), disk.Options{}).Mailboxes(), nil)
	config, err := boxes.Find(box)
	must(s, err)
	_, err = boxes.Send(s.Context(), config.Send.String(), value, mailbox.NewKey())
	must(s, err)
}

// TestFailed: a program that cannot publish fails, which is a status.
func TestFailed(t *testing.T) {
	s := started(t, canon.Value{})
	for range 4 {
		s.send("publications", canon.Null())
	}
	s.decide(workbench.Approve)
	s.is(workbench.Failed)
	s.counts(1, 1, 0)
	if s.exists(workbench.PublicationName) {
		t.Error("it has a publication")
	}
	must(t, passive.Check(s.read(workbench.PageName)))
	_, err := workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), options())
	refused(t, "approve again", err, algal.CapabilityDenied, "the process is failed and takes no decision")
	report, err := workbench.Inspect(t.Context(), s.root, options())
	if err != nil || report.Status != workbench.Failed {
		t.Errorf("inspect: %v, %v", report, err)
	}
}

// TestStrangersMessage: who has the handle of the approvals can wake the program,
// but not make it publish, and it shows.
func TestStrangersMessage(t *testing.T) {
	s := started(t, canon.Value{})
	s.send("approvals", parse(t, `{"decision":"approve"}`))
	if _, err := s.supervisor().Tick(t.Context(), workbench.ProcessName, processOptions); err != nil {
		t.Fatal(err)
	}
	_, err := workbench.Inspect(t.Context(), s.root, options())
	refused(t, "inspect", err, algal.ReceiptMismatch, "the decision that the program received is not that of decision.json")
	_, err = workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), options())
	refused(t, "approve", err, algal.ReceiptMismatch, "the decision that the program received is not that of decision.json")
	s.sends("publications", 0)
}

// TestOwned: while a decision is at work nobody else gets at the root.
func TestOwned(t *testing.T) {
	s := started(t, canon.Value{})
	looked := 0
	o := options()
	o.Hook = func(step durable.Step, do func() error) error {
		if step.Op == durable.OpReplace && strings.HasSuffix(step.Target, "head.json") {
			looked++
			_, err := workbench.Inspect(t.Context(), s.root, options())
			refused(t, "inspect meanwhile", err, algal.IOFailed, "held by another live operation")
		}
		return unsynced(step, do)
	}
	_, err := workbench.Decide(t.Context(), s.root, s.choice(workbench.Approve), o)
	must(t, err)
	if looked != 2 {
		t.Errorf("looked %d times", looked)
	}
	if s.exists(".lock") {
		t.Error("the marker of the owner is left")
	}
}

func TestParseDecision(t *testing.T) {
	s := started(t, canon.Value{})
	s.decide(workbench.Deny)
	v := parse(t, s.read(workbench.DecisionName))
	d, err := workbench.ParseDecision(v)
	if err != nil || d.Verdict != workbench.Deny || !canon.Equal(d.Value(), v) {
		t.Errorf("%+v, %v", d, err)
	}
	for what, bad := range map[string]canon.Value{
		"contract must be":                  v.With(canon.M("contract", canon.String("algal.demo-approval.v2"))),
		"action must be":                    v.With(canon.M("action", canon.String("publish"))),
		"decision must be":                  v.With(canon.M("decision", canon.String("maybe"))),
		"decision.demoId must be a sha256:": v.Without("demoId"),
		"decision.proposalDigest must be":   v.With(canon.M("proposalDigest", canon.Int(1))),
		"decision.actionDigest must be":     v.With(canon.M("actionDigest", canon.String("sha256:"))),
		`unknown key "by"`:                  v.With(canon.M("by", canon.String("me"))),
		"must be an object":                 canon.Null(),
	} {
		d, err := workbench.ParseDecision(bad)
		if err == nil || !strings.Contains(err.Error(), what) || algal.CodeOf(err) != algal.ParseFailed || d.Verdict != "" {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
}

// TestSentences: every status is explained, and only three are good ones.
func TestSentences(t *testing.T) {
	good := 0
	for _, status := range []workbench.Status{workbench.Ready, workbench.Waiting, workbench.Uncertain, workbench.Approved, workbench.Denied, workbench.Failed} {
		if sentence := status.Sentence(); len(sentence) < len(status)+10 || sentence[:len(status)] != string(status) {
			t.Errorf("%s: %s", status, sentence)
		}
		if status.Good() {
			good++
		}
	}
	if good != 3 || workbench.Status("x").Good() || workbench.Status("x").Sentence() == "" {
		t.Errorf("%d good statuses", good)
	}
}

func TestExecutable(t *testing.T) {
	for path, code := range map[string]algal.Code{
		"": algal.BudgetExhausted, strings.Repeat("x", 4097): algal.BudgetExhausted, "/opt/\xff": algal.ParseFailed,
	} {
		o := options()
		o.Executable = path
		_, err := workbench.Start(t.Context(), memoryDir(t)+"/bench", workbench.SampleEvidence(), o)
		refused(t, "start", err, code, "path of the executable")
	}
}
