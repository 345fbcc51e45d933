package expr

import (
	"math"

	"github.com/algal-vm/algal/canon"
)

// The operations of §8.1. Every operation is one IEEE double operation with its
// own rounding: nothing here multiplies and adds in one expression, which Go may
// fuse (§3.3).

// number is the result of an arithmetic operation, which must be finite. A minus
// zero is a zero here already, as nothing can tell them apart (§2.1).
func (n *node) number(f float64) (canon.Value, *Failure) {
	if f == 0 {
		f = 0
	}
	v, err := canon.Number(f)
	if err != nil {
		return v, fail(CodeNum, withOp(n.op.name))
	}
	return v, nil
}

// accumulate folds all arguments from the left. An overflow on the way shows
// only in the end.
func accumulate(start float64, step func(acc, x float64) float64) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		var wrong *Failure // reported when all arguments have run
		acc, size := start, total(emptySize)
		for i := range n.args {
			v, f := m.evalNext(n, i, &size)
			if f != nil {
				return v, f
			}
			if v.Is(canon.KindNumber) {
				acc = step(acc, v.Float())
			} else if wrong == nil {
				wrong = wrongKind(n, i, canon.KindNumber, v)
			}
		}
		if wrong != nil {
			return canon.Value{}, wrong
		}
		return n.number(acc)
	}
}

func unary(apply func(float64) float64) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		v, f := m.operand(n, 0, canon.KindNumber)
		if f != nil {
			return v, f
		}
		return n.number(apply(v.Float()))
	}
}

// round rounds to the nearest integer, halves up. Adding a half before the floor
// would round 0.49999999999999994 to 1.
func round(x float64) float64 {
	whole := math.Floor(x)
	if x-whole < 0.5 {
		return whole
	}
	return whole + 1
}

// numbers evaluates two numbers in turn.
func (m *machine) numbers(n *node) (a, b float64, f *Failure) {
	x, f := m.operand(n, 0, canon.KindNumber)
	if f != nil {
		return 0, 0, f
	}
	y, f := m.operand(n, 1, canon.KindNumber)
	return x.Float(), y.Float(), f
}

func subtract(m *machine, n *node) (canon.Value, *Failure) {
	a, b, f := m.numbers(n)
	if f != nil {
		return canon.Value{}, f
	}
	return n.number(a - b)
}

func division(divide func(a, b float64) float64) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		a, b, f := m.numbers(n)
		if f == nil && b == 0 {
			f = fail(CodeDivZero, withOp(n.op.name))
		}
		if f != nil {
			return canon.Value{}, f
		}
		return n.number(divide(a, b))
	}
}

func clamp(m *machine, n *node) (canon.Value, *Failure) {
	x, lo, f := m.numbers(n)
	if f != nil {
		return canon.Value{}, f
	}
	hi, f := m.operand(n, 2, canon.KindNumber)
	if f == nil && lo > hi.Float() {
		f = fail(CodeArg, withOp(n.op.name), withWhat("clamp lo must be <= hi"))
	}
	if f != nil {
		return canon.Value{}, f
	}
	return n.number(min(max(x, lo), hi.Float()))
}
