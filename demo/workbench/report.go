package workbench

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// Status is where a workbench stands, for people.
type Status string

// The statuses.
const (
	Ready     Status = "ready"     // a start that was interrupted
	Waiting   Status = "waiting"   // for a decision
	Uncertain Status = "uncertain" // the outcome of a dispatch is not known
	Approved  Status = "approved"  // and published
	Denied    Status = "denied"    // and nothing published
	Failed    Status = "failed"
)

// Good reports whether the status is one to which an undisturbed workbench comes.
func (s Status) Good() bool { return s == Waiting || s == Approved || s == Denied }

// Report is what there is to say about a workbench (demo.md §4.6).
type Report struct {
	Root   string
	Status Status

	value canon.Value
}

// Value returns the record, as report.json holds it.
func (r *Report) Value() canon.Value { return r.value }

// report inspects the workbench and writes the report files.
func (b *bench) report(ctx context.Context) (*Report, error) {
	return b.reportExported(ctx, canon.Value{})
}

// reportExported is report after an export, whose verification it then tells.
func (b *bench) reportExported(ctx context.Context, exported canon.Value) (*Report, error) {
	s, err := b.inspect(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Root: b.root.Path, Status: s.status()}
	r.value = b.record(s, exported)
	text, err := Page(r.value)
	if err != nil {
		return nil, err
	}
	if err := b.replace(ReportName, r.value.String()); err != nil {
		return nil, err
	}
	return r, b.replace(PageName, text)
}

// status says in the words of a report where the process stands.
func (s *state) status() Status {
	switch s.stage() {
	case chain.Ready:
		return Ready
	case chain.Suspended:
		return Waiting
	case chain.Uncertain:
		return Uncertain
	case chain.Complete:
		if s.counters.Publications > 0 {
			return Approved
		}
		return Denied
	}
	return Failed
}

// record makes the record of a report.
func (b *bench) record(s *state, exported canon.Value) canon.Value {
	d := b.definition
	approval := canon.Null()
	if s.decision != nil {
		approval = s.decision.Value()
	}
	return canon.Object(
		canon.M("contract", canon.String(reportContract)),
		canon.M("name", canon.String(ProcessName)),
		canon.M("root", canon.String(b.root.Path)),
		canon.M("status", canon.String(string(s.status()))),
		canon.M("stage", canon.String(string(s.stage()))),
		canon.M("fixture", canon.String(fixture)),
		canon.M("scenario", canon.String(scenario)),
		canon.M("proposal", digested(d.proposalDigest, d.Proposal)),
		canon.M("evidence", digested(d.Evidence.Digest(), d.Evidence)),
		canon.M("approval", approval),
		canon.M("counters", s.counters.value()),
		canon.M("history", historyValue(s.snapshot.History)),
		canon.M("verification", s.verified.Value()),
		canon.M("artifacts", canon.Object(
			canon.M("publication", artifact(s, PublicationName)),
			canon.M("evidence", artifact(s, EvidenceName)),
			canon.M("report", canon.String(PageName)),
		)),
		canon.M("commands", b.commands()),
		canon.M("exportVerification", exported),
	)
}

func digested(d algal.Digest, v canon.Value) canon.Value {
	return canon.Object(canon.M("digest", digestValue(d)), canon.M("value", v))
}

func artifact(s *state, name string) canon.Value {
	if !s.present[name] {
		return canon.Null()
	}
	return canon.String(name)
}

func historyValue(h *chain.History) canon.Value {
	rows := make([]canon.Value, len(h.Records))
	for i, r := range h.Records {
		receipt := canon.Null()
		if r.Receipt != "" {
			receipt = digestValue(r.Receipt)
		}
		rows[i] = canon.Object(
			canon.M("digest", digestValue(h.Digests[i])),
			canon.M("generation", canon.Int(r.Generation)),
			canon.M("status", canon.String(string(r.Status))),
			canon.M("receipt", receipt),
		)
	}
	return canon.Array(rows...)
}

// commands returns what may be typed, as argument vectors.
func (b *bench) commands() canon.Value {
	command := func(words ...string) canon.Value {
		list := []canon.Value{canon.String(b.Executable), canon.String("demo")}
		for _, w := range words {
			list = append(list, canon.String(w))
		}
		return canon.Array(list...)
	}
	decision := []string{"--proposal", string(b.definition.proposalDigest), "--action", Action}
	return canon.Object(
		canon.M("inspect", command("inspect", b.root.Path)),
		canon.M("approve", command(append([]string{"approve", b.root.Path}, decision...)...)),
		canon.M("deny", command(append([]string{"deny", b.root.Path}, decision...)...)),
		canon.M("export", command("export", b.root.Path)),
		canon.M("verify", command("verify", b.root.Join(EvidenceName))),
	)
}

// Sentence says what the status means.
func (s Status) Sentence() string {
	switch s {
	case Ready:
		return "ready: the start was interrupted before the program ran; keep this root and choose a new one"
	case Waiting:
		return "waiting: nothing is published until exactly this proposal is approved"
	case Uncertain:
		return "uncertain: the program was interrupted while it ran, and what it did is not known; nothing is repeated"
	case Approved:
		return "approved: the proposal was published, once"
	case Denied:
		return "denied: the program has ended and published nothing"
	case Failed:
		return "failed: the program has ended without completing"
	}
	return "unknown: this status is not one of a workbench"
}
