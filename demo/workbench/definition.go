package workbench

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

// Definition is what a workbench was started with (demo.md §4.4). It never changes.
type Definition struct {
	Root     string      // absolute path
	Identity canon.Value // {device, inode} of the root
	Evidence canon.Value
	Proposal canon.Value // the exact record that a decision is about
	Args     canon.Value // of the process
	Manifest algal.Digest

	demoID, proposalDigest, actionDigest algal.Digest

	value canon.Value
}

// boxes are the mailboxes of a workbench.
type boxes struct{ proposals, approvals, publications mailbox.Config }

// handles are the rights that the program holds.
type handles struct{ proposals, approvals, publications canon.Value }

func (b boxes) handles() handles {
	text := func(s string) canon.Value { return canon.String(s) }
	return handles{text(b.proposals.Send.String()), text(b.approvals.Receive.String()), text(b.publications.Send.String())}
}

// define makes the definition of a root.
func define(root string, identity, evidence canon.Value, h handles) (*Definition, error) {
	if err := CheckEvidence(evidence); err != nil {
		return nil, err
	}
	programs, err := builtIn()
	if err != nil {
		return nil, err
	}
	d := &Definition{Root: root, Identity: identity, Evidence: evidence, Manifest: programs.review.Digest()}
	d.demoID = canon.Object(
		canon.M("contract", canon.String(definitionContract)),
		canon.M("root", canon.String(root)),
		canon.M("identity", identity),
	).Digest()
	action := canon.Object(
		canon.M("kind", canon.String(Action)),
		canon.M("target", canon.String(PublicationName)),
		canon.M("evidenceDigest", digestValue(evidence.Digest())),
		canon.M("demoId", digestValue(d.demoID)),
	)
	d.actionDigest = action.Digest()
	d.Proposal = canon.Object(
		canon.M("contract", canon.String(proposalContract)),
		canon.M("action", canon.String(Action)),
		canon.M("title", canon.String("Local evidence review report")),
		canon.M("fixture", canon.String(fixture)),
		canon.M("evidenceDigest", digestValue(evidence.Digest())),
		canon.M("evidence", evidence),
		canon.M("actionDescriptor", action),
		canon.M("actionDigest", digestValue(d.actionDigest)),
		canon.M("recommendation", canon.String("human-review-required")),
		canon.M("summary", canon.String(summary)),
	)
	d.proposalDigest = d.Proposal.Digest()
	d.Args = canon.Object(canon.M("input", canon.Object(
		canon.M("evidence", evidence),
		canon.M("binding", d.binding()),
		canon.M("proposals", h.proposals),
		canon.M("approvals", h.approvals),
		canon.M("publications", h.publications),
	)))
	d.value = canon.Object(
		canon.M("contract", canon.String(definitionContract)),
		canon.M("root", canon.String(root)),
		canon.M("identity", identity),
		canon.M("demoId", digestValue(d.demoID)),
		canon.M("name", canon.String(ProcessName)),
		canon.M("evidence", evidence),
		canon.M("evidenceDigest", digestValue(evidence.Digest())),
		canon.M("proposal", d.Proposal),
		canon.M("proposalDigest", digestValue(d.proposalDigest)),
		canon.M("action", action),
		canon.M("actionDigest", digestValue(d.actionDigest)),
		canon.M("manifestDigest", digestValue(d.Manifest)),
		canon.M("args", d.Args),
		canon.M("maxGenerations", canon.Int(maxGenerations)),
	)
	return d, nil
}

// binding is what ties a decision to this workbench, its proposal and its action.
func (d *Definition) binding() canon.Value {
	return canon.Object(
		canon.M("demoId", digestValue(d.demoID)),
		canon.M("proposalDigest", digestValue(d.proposalDigest)),
		canon.M("actionDigest", digestValue(d.actionDigest)),
		canon.M("action", canon.String(Action)),
	)
}

// Value returns the record, as review.json holds it.
func (d *Definition) Value() canon.Value { return d.value }

// ParseDefinition admits the record of a definition. All that follows from its root,
// identity, evidence and handles is made again and compared: a difference is
// DIGEST_MISMATCH, evidence beyond its bounds BUDGET_EXHAUSTED, another form
// PARSE_FAILED. Whether it belongs to a directory is not known here.
func ParseDefinition(v canon.Value) (*Definition, error) {
	const what = "workbench definition"
	if err := canon.AsObject(v, what); err != nil {
		return nil, err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "root", "identity", "demoId", "name", "evidence", "evidenceDigest",
		"proposal", "proposalDigest", "action", "actionDigest", "manifestDigest", "args", "maxGenerations"); err != nil {
		return nil, err
	}
	root, err := canon.AsString(v.Get("root"), what+".root", MaxDefinition)
	if err != nil {
		return nil, err
	}
	identity := v.Get("identity")
	if err := canon.AsObject(identity, what+".identity"); err != nil {
		return nil, err
	}
	evidence, err := canon.Require(v, what, "evidence")
	if err != nil {
		return nil, err
	}
	h, err := parseHandles(v.Get("args").Get("input"), what+".args.input")
	if err != nil {
		return nil, err
	}
	d, err := define(root, identity, evidence, h)
	if err != nil {
		return nil, err
	}
	for key, should := range d.value.Members() {
		if !canon.Equal(v.Get(key), should) {
			return nil, algal.Errorf(algal.DigestMismatch, "%s is not the one that follows from its evidence and root: %s differs", what, key)
		}
	}
	return d, nil
}

func parseHandles(input canon.Value, what string) (h handles, err error) {
	if err := canon.AsObject(input, what); err != nil {
		return handles{}, err
	}
	for name, to := range map[string]*canon.Value{"proposals": &h.proposals, "approvals": &h.approvals, "publications": &h.publications} {
		*to = input.Get(name)
		if !to.Is(canon.KindString) {
			return handles{}, algal.Errorf(algal.ParseFailed, "%s must hold the handles of three mailboxes", what)
		}
	}
	return h, nil
}

func digestValue(d algal.Digest) canon.Value { return canon.String(string(d)) }
