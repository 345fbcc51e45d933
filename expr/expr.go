// Package expr evaluates algal.expr.v1 programs: small total expressions over
// JSON values, metered by fuel (expr.md).
//
// A program is data. A scalar stands for itself; an array is the call of one of
// 61 operations, with the name at its head; an object evaluates its members.
// Programs can read an environment of named values and nothing else, always end,
// and burn the same fuel wherever they run. Values, failure records and burned
// fuel enter receipts, so all three are exact.
//
// [NewProgram] compiles a program once: numbers are ingested (§3), the static
// check is made (§5) up to the names, and operations are resolved. [Program.Run]
// then only compares names and walks the compiled tree. Inside a run every value
// keeps all bounds (§7.2), and canon knows sizes and depths, so measuring a
// result takes constant time.
//
// [ParseEnvelope] and [Program.Admit] hold the admission of stored programs
// (§11.1), [EvalRequest] and [CheckRequest] the boundary of JSON text (§12).
// What a result must be, and how a failure reaches a receipt, is decided by the
// cells, guards and lists that use a program (§11).
package expr

import (
	"slices"

	"github.com/algal-vm/algal/canon"
)

// Fuel budgets (§6, §11).
const (
	DefaultBudget = 10_000    // of a request that names none
	CellBudget    = 100_000   // of cells, guards, label lists, queries and scorers
	MaxBudget     = 1_000_000 // that a run admits
)

// Bounds of §6. Bytes are those of canonical texts, of strings those of UTF-8.
const (
	maxProgramBytes = 16_384
	maxProgramNodes = 512
	maxProgramDepth = 16
	maxEnvBytes     = 262_144
	maxValueDepth   = 32
	maxKeys         = 256
	maxList         = 1024
	maxText         = 65_536
	maxValueBytes   = 262_144
	maxResultBytes  = 65_536
)

// Program is an expression program ready to run. It is immutable and may be used
// by any number of goroutines.
type Program struct {
	source canon.Value
	root   *node
	free   []string // names that literal gets read from the environment, in the order of the check
	fault  *Failure // the first fault of the static check that is not about those names
}

// NewProgram prepares a program, which may be any value. A faulty program is
// prepared too: [Program.Check] and [Program.Run] tell the fault.
func NewProgram(program canon.Value) *Program {
	if !program.Exists() {
		program = canon.Null()
	}
	return prepare(program, ingest(program))
}

// prepare compiles a program whose numbers are ingested.
func prepare(source, ingested canon.Value) *Program {
	p := &Program{source: source}
	p.root, p.free, p.fault = compile(ingested)
	return p
}

// Source returns the program as written, its numbers not ingested.
func (p *Program) Source() canon.Value { return p.source }

// Check is the static check (§5): the form of every call, and that each name a
// literal get reads is bound around it or among names. It returns the first
// fault, or nil.
func (p *Program) Check(names []string) *Failure {
	return p.check(func(name string) bool { return slices.Contains(names, name) })
}

func (p *Program) check(visible func(name string) bool) *Failure {
	for _, name := range p.free {
		if !visible(name) {
			return unboundFailure(name)
		}
	}
	return p.fault
}

// Run evaluates the program (§6) over env, an object; any other value is an
// empty one. It returns the value, with every object in canonical member order
// as if read back from its text, or a failure; and in either case the fuel
// burned, at most budget. A budget outside 0 to [MaxBudget] is a failure.
func (p *Program) Run(env canon.Value, budget int) (value canon.Value, burned int, failure *Failure) {
	if !env.Is(canon.KindObject) {
		env = canon.Object()
	}
	return p.run(ingest(env), budget)
}

// run is Run over an environment whose numbers are ingested.
func (p *Program) run(env canon.Value, budget int) (value canon.Value, burned int, failure *Failure) {
	if f := admitEnv(env); f != nil {
		return canon.Value{}, 0, f
	}
	if f := p.check(func(name string) bool { return env.Get(name).Exists() }); f != nil {
		return canon.Value{}, 0, f
	}
	if budget < 0 || budget > MaxBudget {
		return canon.Value{}, 0, budgetFailure()
	}
	m := machine{env: env, left: budget}
	v, f := m.eval(p.root)
	if f == nil {
		f = admitResult(v)
	}
	if f != nil {
		return canon.Value{}, budget - m.left, f
	}
	return v.Sorted(), budget - m.left, nil
}
