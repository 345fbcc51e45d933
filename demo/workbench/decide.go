package workbench

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/demo/fault"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/mailbox"
)

// Choice is what a person says: a verdict, on the proposal with this digest, for
// this action.
type Choice struct {
	Verdict  Verdict
	Proposal string
	Action   string
}

// Decide admits a decision and lets the program go on (demo.md §4.5). The proposal
// and the action must be exactly those of the workbench, and no other decision may
// have been made before: CAPABILITY_DENIED, with nothing written.
//
// Repeating a decision makes no new generation, effect or delivery; it makes up for
// what an interrupted one has left undone. Where the outcome of the dispatch is not
// known the report says uncertain, and nothing is done.
func Decide(ctx context.Context, path string, c Choice, o Options) (report *Report, err error) {
	if _, err := algal.ParseDigest(c.Proposal, "proposal"); err != nil {
		return nil, err
	}
	b, err := open(path, o)
	if err != nil {
		return nil, err
	}
	err = b.owning(ctx, func() error {
		if err := b.accept(c); err != nil {
			return err
		}
		if err := b.decide(ctx, b.definition.decide(c.Verdict)); err != nil {
			return err
		}
		report, err = b.report(ctx)
		return err
	})
	return report, err
}

// accept holds what a person says to the proposal that the workbench retains.
func (b *bench) accept(c Choice) error {
	if fault.Planted(fault.OtherProposal) {
		return nil
	}
	if c.Proposal != string(b.definition.proposalDigest) || c.Action != Action {
		return algal.Errorf(algal.CapabilityDenied, "the decision is about another proposal or action than this workbench holds")
	}
	return nil
}

// decide brings the process to where a decision leads.
func (b *bench) decide(ctx context.Context, d Decision) error {
	s, err := b.inspect(ctx)
	if err != nil {
		return err
	}
	if s.decision != nil && s.decision.Verdict != d.Verdict {
		return algal.Errorf(algal.CapabilityDenied, "the proposal was decided before, otherwise: %s", s.decision.Verdict)
	}
	switch s.stage() {
	case chain.Uncertain:
		return nil
	case chain.Complete:
		if fault.Planted(fault.DeliveredTwice) {
			if err := b.deliverAgain(ctx, s.boxes, d); err != nil {
				return err
			}
		}
		return b.publish(s)
	case chain.Suspended:
		return b.deliver(ctx, s.boxes.approvals, d)
	}
	return algal.Errorf(algal.CapabilityDenied, "the process is %s and takes no decision", s.stage())
}

// deliver keeps a decision, sends it and dispatches the process that waits for it.
// Each step finds what an interrupted one before it has done.
func (b *bench) deliver(ctx context.Context, approvals mailbox.Config, d Decision) error {
	if err := hostdoc.Write(b.files, b.root.Join(DecisionName), d.Value(), MaxDecision); err != nil {
		return err
	}
	if _, err := b.mailboxes.Send(ctx, approvals.Send.String(), d.Value(), d.Value().Digest()); err != nil {
		return err
	}
	supervisor, err := b.supervisor()
	if err != nil {
		return err
	}
	if _, err := supervisor.Wake(ctx, ProcessName, approvals.Receive.String(), journaled); err != nil {
		return err
	}
	s, err := b.inspect(ctx)
	if err != nil {
		return err
	}
	return b.publish(s)
}

// publish projects what the program has published to publication.json, which may be
// there already.
func (b *bench) publish(s *state) error {
	if s.counters.Publications == 0 {
		return nil
	}
	return hostdoc.Write(b.files, b.root.Join(PublicationName), b.definition.Proposal, MaxPublication)
}

// deliverAgain is what fault.DeliveredTwice does.
func (b *bench) deliverAgain(ctx context.Context, to boxes, d Decision) error {
	_, err := b.mailboxes.Send(ctx, to.approvals.Send.String(), d.Value(), mailbox.NewKey())
	if err != nil {
		return err
	}
	_, err = b.mailboxes.Send(ctx, to.publications.Send.String(), b.definition.Proposal, mailbox.NewKey())
	return err
}
