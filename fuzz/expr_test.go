package fuzz

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/expr"
	"github.com/algal-vm/algal/internal/golden"
)

// FuzzExpr: a run never burns more than its budget, is deterministic, burns the
// same under exactly what it burned, and fails for fuel under less; a program that
// passes the check does not fail for its shape.
func FuzzExpr(f *testing.F) {
	vectors, err := canon.Parse(string(golden.Read(f, "expr/vectors.json")), canon.Limits{Depth: 100})
	if err != nil || vectors.Len() == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for i, v := range vectors.Elements() {
		if i%7 == 0 { // a share of every group
			f.Add(v.Get("program").String(), v.Get("env").String(), uint32(v.Get("fuel").Float()))
		}
	}
	f.Fuzz(func(t *testing.T, programText, envText string, budget uint32) {
		source, err := canon.Parse(programText, canon.Limits{})
		if err != nil {
			return
		}
		env, err := canon.Parse(envText, canon.Limits{})
		if err != nil || !env.Is(canon.KindObject) {
			return
		}
		fuel := int(budget % 20_000)
		program := expr.NewProgram(source)
		value, burned, failure := program.Run(env, fuel)
		if burned < 0 || burned > fuel || (failure == nil) != value.Exists() {
			t.Fatalf("burned %d of %d, %v, %v", burned, fuel, value, failure)
		}
		again, burnedAgain, failureAgain := expr.NewProgram(source).Run(env, fuel)
		if burned != burnedAgain || !canon.Equal(value, again) || text(failure) != text(failureAgain) {
			t.Fatalf("not deterministic: %d, %v, %v and %d, %v, %v", burned, value, failure, burnedAgain, again, failureAgain)
		}
		checkExact(t, program, env, value, burned, failure)
	})
}

func checkExact(t *testing.T, program *expr.Program, env, value canon.Value, burned int, failure *expr.Failure) {
	t.Helper()
	var names []string
	for name := range env.Members() {
		names = append(names, name)
	}
	checked := program.Check(names)
	if failure != nil {
		if checked == nil && (failure.Code() == expr.CodeOp || failure.Code() == expr.CodeArity || failure.Code() == expr.CodeParse) {
			t.Fatalf("the check admits what a run refuses: %v", failure)
		}
		return
	}
	if checked != nil {
		t.Fatalf("a run admits what the check refuses: %v", checked)
	}
	exact, same, failed := program.Run(env, burned)
	if failed != nil || same != burned || !canon.Equal(exact, value) {
		t.Fatalf("under exactly %d: %v, %d, %v", burned, exact, same, failed)
	}
	if burned > 0 {
		if _, _, failed := program.Run(env, burned-1); failed == nil || failed.Code() != expr.CodeFuel {
			t.Fatalf("under %d: %v, want %s", burned-1, failed, expr.CodeFuel)
		}
	}
}

func text(f *expr.Failure) string {
	if f == nil {
		return ""
	}
	return f.String()
}

// FuzzExprRequest: whatever text comes in, the answer is canonical JSON of the
// documented shape.
func FuzzExprRequest(f *testing.F) {
	for _, text := range seedTexts(f, "expr/requests.json", "request") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, request string) {
		for _, answer := range []string{expr.EvalRequest(request), expr.CheckRequest(request)} {
			d, err := canon.ParseDocument(answer, canon.Limits{})
			if err != nil || !d.Canonical || !d.Value.Get("ok").Is(canon.KindBool) || d.Value.Get("ok").Bool() == d.Value.Get("err").Exists() {
				t.Fatalf("answer %s: %v", answer, err)
			}
		}
	})
}
