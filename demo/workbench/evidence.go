package workbench

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
)

// SampleEvidence returns the evidence of a workbench that is started without any.
func SampleEvidence() canon.Value {
	check := func(name string) canon.Value {
		return canon.Object(canon.M("name", canon.String(name)), canon.M("result", canon.String("pass")))
	}
	return canon.Object(
		canon.M("subject", canon.String("sample release 1.0")),
		canon.M("checks", canon.Array(check("unit tests"), check("integration tests"))),
		canon.M("note", canon.String("a deterministic sample that comes with this program; nothing was tested")),
	)
}

// CheckEvidence holds input evidence to its bounds, and to those of the expression
// that carries it to the publication, such as 256 members of an object (expr.md §6):
// BUDGET_EXHAUSTED. Numbers that an expression does not carry as they are, such as
// some with 17 digits (expr.md §3), are PARSE_FAILED: a person approves an exact
// record.
func CheckEvidence(v canon.Value) error {
	switch {
	case !v.Exists():
		return algal.Errorf(algal.ParseFailed, "evidence must be a JSON value")
	case v.Nodes() > MaxEvidenceNodes:
		return algal.Errorf(algal.BudgetExhausted, "evidence has %d values, more than %d", v.Nodes(), MaxEvidenceNodes)
	case v.Depth() > MaxEvidenceDepth:
		return algal.Errorf(algal.BudgetExhausted, "evidence is %d levels deep, more than %d", v.Depth(), MaxEvidenceDepth)
	case v.Size() > MaxEvidence:
		return algal.Errorf(algal.BudgetExhausted, "evidence has %d bytes, more than %d", v.Size(), MaxEvidence)
	}
	carried, _, failure := carry.Run(canon.Object(canon.M("evidence", v)), expr.CellBudget)
	if failure != nil {
		return algal.Errorf(algal.BudgetExhausted, "evidence is more than an expression carries: %s", failure.Detail())
	}
	if !canon.Equal(carried, v) {
		return algal.Errorf(algal.ParseFailed, "evidence has a number that an expression does not keep exactly; write it as a string")
	}
	return nil
}

// carry is what the program does to evidence on its way to a publication.
var carry = expr.NewProgram(canon.Array(canon.String("get"), canon.String("evidence")))
