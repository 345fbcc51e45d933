package workbench

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/process"
)

// Inspect derives the report again and refreshes report.json and report.html. It
// never advances the process.
//
// A root that was moved, copied or edited is DIGEST_MISMATCH, one whose start is
// incomplete STORE_MISS, a history or an artifact that does not fit the others
// RECEIPT_MISMATCH, anything but a regular file in the place of an artifact
// IO_FAILED.
func Inspect(ctx context.Context, path string, o Options) (report *Report, err error) {
	b, err := open(path, o)
	if err != nil {
		return nil, err
	}
	err = b.owning(ctx, func() error {
		report, err = b.report(ctx)
		return err
	})
	return report, err
}

// state is what an inspection found.
type state struct {
	snapshot *process.Snapshot
	verified process.Verified
	decision *Decision // what decision.json holds, nil when there is none
	boxes    boxes
	counters Counters
	present  map[string]bool // the artifacts that are there, by name
}

// stage is the status of the process.
func (s *state) stage() chain.Status { return s.snapshot.Record.Status }

// inspect makes all checks of demo.md §4.6. It writes nothing.
func (b *bench) inspect(ctx context.Context) (*state, error) {
	present, err := b.artifacts()
	if err != nil {
		return nil, err
	}
	s := &state{present: present}
	if s.boxes, err = b.readBoxes(); err != nil {
		return nil, err
	}
	if err := b.readProcess(ctx, s); err != nil {
		return nil, err
	}
	if s.decision, err = b.readDecision(); err != nil {
		return nil, err
	}
	t, err := told(s.snapshot.History)
	if err != nil {
		return nil, err
	}
	s.counters = t.counters
	return s, b.compare(s, t)
}

// artifacts returns which files of the root are there. Each must be a regular file.
func (b *bench) artifacts() (map[string]bool, error) {
	present := map[string]bool{}
	for _, name := range []string{DecisionName, PublicationName, EvidenceName, ReportName, PageName} {
		info, err := os.Lstat(b.root.Join(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, algal.Errorf(algal.IOFailed, "%s cannot be looked at: %v", name, durable.Cause(err))
		case !info.Mode().IsRegular():
			return nil, irregular(name)
		default:
			present[name] = true
		}
	}
	return present, nil
}

func irregular(name string) error {
	return algal.Errorf(algal.IOFailed, "%s must be a regular file, not a link or anything else", name)
}

// readBoxes reads the mailboxes and holds them to the definition.
func (b *bench) readBoxes() (found boxes, err error) {
	for _, box := range found.list() {
		config, err := b.mailboxes.Find(box.name)
		if err != nil {
			return boxes{}, err
		}
		if config == nil || config.MaxMessages != maxMessages || config.MaxMessageBytes != box.maxBytes {
			return boxes{}, algal.Errorf(algal.DigestMismatch, "mailbox %s is not the one of the definition", box.name)
		}
		*box.config = *config
	}
	h, input := found.handles(), b.definition.Args.Get("input")
	for name, handle := range map[string]canon.Value{"proposals": h.proposals, "approvals": h.approvals, "publications": h.publications} {
		if !canon.Equal(input.Get(name), handle) {
			return boxes{}, algal.Errorf(algal.DigestMismatch, "the mailboxes are not those of the definition")
		}
	}
	return found, nil
}

// readProcess reads and verifies the process and holds it to the definition.
func (b *bench) readProcess(ctx context.Context, s *state) error {
	supervisor, err := b.supervisor()
	if err != nil {
		return err
	}
	s.snapshot, err = supervisor.Inspect(ProcessName)
	if f, ok := errors.AsType[*process.FileFault](err); ok && algal.CodeOf(f.Err) == algal.StoreMiss {
		return incomplete()
	}
	if err != nil {
		return err
	}
	r := s.snapshot.Record
	if r.ManifestDigest != b.definition.Manifest || r.MaxGenerations != maxGenerations || !canon.Equal(r.Args, b.definition.Args) {
		return algal.Errorf(algal.DigestMismatch, "the process is not the one of the definition")
	}
	s.verified, err = supervisor.Verify(ctx, ProcessName)
	if err == nil && s.verified.Head != s.snapshot.Digest {
		err = algal.Errorf(algal.ReceiptMismatch, "the process went on during the inspection")
	}
	return err
}

// readDecision reads the retained decision, nil when there is none.
func (b *bench) readDecision() (*Decision, error) {
	v, err := hostdoc.Read(b.root.Join(DecisionName), MaxDecision)
	if err != nil || !v.Exists() {
		return nil, err
	}
	decision, err := ParseDecision(v)
	if err != nil {
		return nil, err
	}
	if !canon.Equal(v, b.definition.decide(decision.Verdict).Value()) {
		return nil, algal.Errorf(algal.DigestMismatch, "%s is about another proposal than that of the definition", DecisionName)
	}
	return &decision, nil
}

// compare holds what the receipts tell and the files of the root to each other.
func (b *bench) compare(s *state, t telling) error {
	if t.received.Exists() && (s.decision == nil || !canon.Equal(t.received, s.decision.Value())) {
		return algal.Errorf(algal.ReceiptMismatch, "the decision that the program received is not that of %s", DecisionName)
	}
	if t.counters.Publications > 0 {
		if s.decision == nil || s.decision.Verdict != Approve {
			return algal.Errorf(algal.ReceiptMismatch, "the program published without an approving decision")
		}
		if !canon.Equal(t.authorized, b.definition.Proposal) {
			return algal.Errorf(algal.ReceiptMismatch, "what the program authorized is not the proposal")
		}
	}
	if !s.present[PublicationName] {
		return nil
	}
	v, err := hostdoc.Read(b.root.Join(PublicationName), MaxPublication)
	switch {
	case err != nil:
		return err
	case t.counters.Publications == 0:
		return algal.Errorf(algal.ReceiptMismatch, "%s is there, but the program published nothing", PublicationName)
	case !canon.Equal(v, b.definition.Proposal):
		return algal.Errorf(algal.DigestMismatch, "%s is not the proposal", PublicationName)
	}
	return nil
}
