package workbench

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Verdict is what a person decides.
type Verdict string

// The verdicts.
const (
	Approve Verdict = "approve"
	Deny    Verdict = "deny"
)

// Decision is a person's decision on one proposal of one workbench (demo.md §4.5).
type Decision struct {
	Verdict Verdict

	value canon.Value
}

// decide returns a decision on the proposal of a definition.
func (d *Definition) decide(v Verdict) Decision {
	return Decision{v, d.binding().With(
		canon.M("contract", canon.String(decisionContract)),
		canon.M("decision", canon.String(string(v))),
	)}
}

// Value returns the record, as decision.json holds it.
func (d Decision) Value() canon.Value { return d.value }

// ParseDecision admits the record of a decision, PARSE_FAILED. To which workbench it
// belongs is not known here.
func ParseDecision(v canon.Value) (Decision, error) {
	const what = "decision"
	if err := canon.AsObject(v, what); err != nil {
		return Decision{}, err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "demoId", "proposalDigest", "actionDigest", "action", "decision"); err != nil {
		return Decision{}, err
	}
	for _, key := range []string{"demoId", "proposalDigest", "actionDigest"} {
		if _, err := canon.AsDigest(v.Get(key), what+"."+key); err != nil {
			return Decision{}, err
		}
	}
	verdict := Verdict(v.Get("decision").Text())
	switch {
	case !v.Get("contract").IsText(decisionContract):
		return Decision{}, algal.Errorf(algal.ParseFailed, "%s.contract must be %s", what, decisionContract)
	case !v.Get("action").IsText(Action):
		return Decision{}, algal.Errorf(algal.ParseFailed, "%s.action must be %s", what, Action)
	case verdict != Approve && verdict != Deny:
		return Decision{}, algal.Errorf(algal.ParseFailed, "%s.decision must be %s or %s", what, Approve, Deny)
	}
	return Decision{verdict, v}, nil
}
