//go:build unix

package workbench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// TestDefinitionChangesMeanwhile puts another definition, in order by itself, in the
// place of the one that was read before the lease was taken.
func TestDefinitionChangesMeanwhile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "bench")
	report, err := Start(t.Context(), path, SampleEvidence(), Options{Executable: "/opt/algal"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(path, Options{Executable: "/opt/algal"})
	if err != nil {
		t.Fatal(err)
	}
	input := b.definition.Args.Get("input")
	other, err := define(path, b.definition.Identity, canon.String("other"),
		handles{input.Get("proposals"), input.Get("approvals"), input.Get("publications")})
	if err != nil {
		t.Fatal(err)
	}
	swapped := false
	o := Options{Executable: "/opt/algal", Hook: func(s durable.Step, do func() error) error {
		if !swapped && s.Op == durable.OpLink { // of the lease's marker
			swapped = true
			if err := os.WriteFile(filepath.Join(path, DefinitionName), []byte(other.Value().String()), 0o600); err != nil {
				return err
			}
		}
		return do()
	}}
	choice := Choice{Approve, report.Value().Get("proposal").Get("digest").Text(), Action}
	_, err = Decide(t.Context(), path, choice, o)
	if algal.CodeOf(err) != algal.DigestMismatch || err.Error() != "the definition of the workbench changed" || !swapped {
		t.Errorf("approve: %v", err)
	}
	// From then on the definition fits neither the process nor the proposal.
	if _, err := Inspect(t.Context(), path, Options{Executable: "/opt/algal"}); algal.CodeOf(err) != algal.DigestMismatch || err.Error() != "the process is not the one of the definition" {
		t.Errorf("inspect: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(path, DecisionName)); !os.IsNotExist(err) {
		t.Errorf("a decision was kept: %v", err)
	}
}

// TestCompare holds what receipts could tell to the files, where no honest program
// tells it.
func TestCompare(t *testing.T) {
	handle := canon.String("cap:x")
	d, err := define("/root", canon.Object(), SampleEvidence(), handles{handle, handle, handle})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{definition: d}
	approved, denied := d.decide(Approve), d.decide(Deny)
	published := Counters{1, 1, 1}
	for _, c := range []struct {
		what     string
		decision *Decision
		telling  telling
		refusal  string // "" for what is in order
	}{
		{"published", &approved, telling{published, approved.Value(), d.Proposal}, ""},
		{"denied", &denied, telling{Counters{1, 1, 0}, denied.Value(), canon.Object()}, ""},
		{"published without a decision", nil, telling{published, canon.Value{}, d.Proposal}, "the program published without an approving decision"},
		{"published after a denial", &denied, telling{published, denied.Value(), d.Proposal}, "the program published without an approving decision"},
		{"published something else", &approved, telling{published, approved.Value(), canon.Object()}, "what the program authorized is not the proposal"},
		{"received something else", &approved, telling{published, denied.Value(), d.Proposal}, "the decision that the program received is not that of decision.json"},
	} {
		err := b.compare(&state{decision: c.decision}, c.telling)
		if c.refusal == "" && err != nil || c.refusal != "" && (algal.CodeOf(err) != algal.ReceiptMismatch || err.Error() != c.refusal) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
