package fuzz

import (
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/durable"
)

// started returns the report and the definition of a workbench.
func started(f *testing.F) (report, definition canon.Value) {
	f.Helper()
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root := filepath.Join(dir, "bench")
	r, err := workbench.Start(f.Context(), root, workbench.SampleEvidence(), workbench.Options{Executable: "/opt/algal"})
	if err != nil {
		f.Fatal(err)
	}
	text, err := durable.Read(filepath.Join(root, workbench.DefinitionName), workbench.MaxDefinition, durable.NoFollow)
	if err != nil {
		f.Fatal(err)
	}
	definition, err = canon.Parse(text, canon.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	return r.Value(), definition
}

// FuzzWorkbenchDefinition: a definition that is admitted is exactly the value that
// was read, binds its evidence and proposal by their digests, and its evidence is
// within the bounds; one that is not leaves nothing behind.
func FuzzWorkbenchDefinition(f *testing.F) {
	_, definition := started(f)
	f.Add(definition.String())
	f.Add(definition.Indented())
	for key := range definition.Members() {
		f.Add(definition.Without(key).String())
		f.Add(definition.With(canon.M(key, canon.Null())).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := canon.Parse(text, canon.Limits{Bytes: workbench.MaxDefinition})
		if err != nil {
			return
		}
		d, err := workbench.ParseDefinition(v)
		if err != nil {
			switch code := algal.CodeOf(err); {
			case d != nil:
				t.Fatal("a refused definition is not nil")
			case code != algal.ParseFailed && code != algal.DigestMismatch && code != algal.BudgetExhausted:
				t.Fatalf("refused with %s: %v", code, err)
			}
			return
		}
		switch {
		case !canon.Equal(d.Value(), v):
			t.Fatalf("%s is read as %s", v, d.Value())
		case !v.Get("evidenceDigest").IsText(string(d.Evidence.Digest())), !v.Get("proposalDigest").IsText(string(d.Proposal.Digest())):
			t.Fatalf("admitted with wrong digests: %s", v)
		case workbench.CheckEvidence(d.Evidence) != nil:
			t.Fatalf("admitted with evidence beyond its bounds: %s", v)
		}
	})
}

// FuzzWorkbenchDecision: a decision that is admitted is exactly the value that was
// read and has one of two verdicts; one that is not is the zero value.
func FuzzWorkbenchDecision(f *testing.F) {
	_, definition := started(f)
	for _, verdict := range []workbench.Verdict{workbench.Approve, workbench.Deny, "maybe"} {
		decision := definition.Get("args").Get("input").Get("binding").With(
			canon.M("contract", canon.String("algal.demo-approval.v1")), canon.M("decision", canon.String(string(verdict))))
		f.Add(decision.String())
		for key := range decision.Members() {
			f.Add(decision.Without(key).String())
			f.Add(decision.With(canon.M(key, canon.String("other"))).String())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := canon.Parse(text, canon.Limits{Bytes: workbench.MaxDecision})
		if err != nil {
			return
		}
		d, err := workbench.ParseDecision(v)
		if err != nil {
			if algal.CodeOf(err) != algal.ParseFailed || d.Verdict != "" || d.Value().Exists() {
				t.Fatalf("refused with %s %v as %+v", algal.CodeOf(err), err, d)
			}
			return
		}
		if !canon.Equal(d.Value(), v) || d.Verdict != workbench.Approve && d.Verdict != workbench.Deny || !v.Get("decision").IsText(string(d.Verdict)) {
			t.Fatalf("%s is read as %+v", v, d)
		}
	})
}
