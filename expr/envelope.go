package expr

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Contract is the name of the language, which every envelope bears (§1).
const Contract = "algal.expr.v1"

// ParseEnvelope admits a stored program, {"contract", "program"}, and prepares it:
// steps 1 to 5 of §11.1. The error has code PARSE_FAILED and the wire texts given
// there, with what as the path. The static check is [Program.Admit].
func ParseEnvelope(v canon.Value, what string) (*Program, error) {
	if err := canon.AsObject(v, what); err != nil {
		return nil, err
	}
	if err := canon.NoUnknownKeys(v, what, "contract", "program"); err != nil {
		return nil, err
	}
	if !v.Get("contract").IsText(Contract) {
		return nil, algal.Errorf(algal.ParseFailed, `%s.contract must be "%s"`, what, Contract)
	}
	program, err := canon.Require(v, what, "program")
	if err != nil {
		return nil, err
	}
	return NewProgram(program), nil
}

// Admit is the static check of a stored program against the names that its
// environment may have: step 6 of §11.1. The error has code PARSE_FAILED; what is
// the path of the envelope.
func (p *Program) Admit(names []string, what string) error {
	if f := p.Check(names); f != nil {
		return algal.Errorf(algal.ParseFailed, "%s.program: %s %s", what, f.Code(), f.Detail())
	}
	return nil
}
