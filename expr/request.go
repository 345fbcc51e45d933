package expr

import (
	"strconv"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// maxRequestDepth is the number of nested containers that the reader of the
// reference evaluator admits, the request itself included (§12.3).
const maxRequestDepth = 127

// EvalRequest answers {"program", "env", "fuel"} (§12.1): the canonical text of
// {"fuel", "ok": true, "value"} or {"err", "fuel", "ok": false}. It answers every
// text; one beyond canon.MaxBytes is no valid request.
func EvalRequest(text string) string {
	v, burned, f := evalRequest(text)
	if f != nil {
		return answer(false, canon.M("err", f.Record()), canon.M("fuel", canon.Int(burned)))
	}
	return answer(true, canon.M("value", v), canon.M("fuel", canon.Int(burned)))
}

// CheckRequest answers {"program", "names"} (§12.1): the canonical text of
// {"ok": true} or {"err", "ok": false}, with "fuel": 0 when the request itself is
// at fault.
func CheckRequest(text string) string {
	request, f := readRequest(text)
	if f != nil {
		return answer(false, canon.M("err", f.Record()), canon.M("fuel", canon.Int(0)))
	}
	var names []string
	for _, name := range request.Get("names").Elements() {
		if name.Is(canon.KindString) {
			names = append(names, name.Text())
		}
	}
	program := request.Get("program")
	if f := prepare(program, program).Check(names); f != nil {
		return answer(false, canon.M("err", f.Record()))
	}
	return answer(true)
}

func answer(ok bool, members ...canon.Member) string {
	return canon.Object(append(members, canon.M("ok", canon.Bool(ok)))...).String()
}

func evalRequest(text string) (value canon.Value, burned int, failure *Failure) {
	request, f := readRequest(text)
	if f != nil {
		return canon.Value{}, 0, f
	}
	budget := DefaultBudget
	if request.Get("fuel").Exists() {
		if budget, f = readFuel(text); f != nil {
			return canon.Value{}, 0, f
		}
	}
	env := request.Get("env")
	if !env.Is(canon.KindObject) {
		env = canon.Object()
	}
	program := request.Get("program")
	return prepare(program, program).run(env, budget)
}

// readRequest reads a request with a program. Its numbers are read as the
// reference evaluator reads them, so they are ingested already: a text may spell
// a number otherwise than §3.1 assumes.
func readRequest(text string) (canon.Value, *Failure) {
	text, ok := replaceNumbers(text, func(literal string) (string, bool) {
		f, ok := readDecimal([]byte(literal))
		return canon.FormatNumber(f), ok
	})
	request, err := canon.Parse(text, canon.Limits{Depth: maxRequestDepth})
	if !ok || err != nil || nests(request, maxRequestDepth) {
		return canon.Value{}, fail(CodeParse, withWhat("request is not valid JSON"))
	}
	if !request.Get("program").Exists() {
		return canon.Value{}, fail(CodeParse, withWhat(`request requires "program"`))
	}
	return request, nil
}

// readFuel returns the fuel of a request that has been read. It must be spelled
// as an unsigned integer of 64 bits; whether that many are admitted is up to the
// run, which makes other checks first.
func readFuel(text string) (int, *Failure) {
	text, _ = replaceNumbers(text, func(literal string) (string, bool) {
		if _, err := strconv.ParseUint(literal, 10, 64); err != nil {
			return "null", true
		}
		return literal, true
	})
	request, err := canon.Parse(text, canon.Limits{Depth: maxRequestDepth})
	fuel := request.Get("fuel")
	if err != nil || !fuel.Is(canon.KindNumber) {
		return 0, budgetFailure()
	}
	return int(min(fuel.Float(), MaxBudget+1)), nil
}

// replaceNumbers replaces every number literal of a JSON text, and reports false
// when replace does so for one. A text that is not JSON stays so: what looks like
// a number is replaced as a whole, up to the first byte that no number has.
func replaceNumbers(text string, replace func(literal string) (string, bool)) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == '"':
			i = skipString(text, i+1)
		case c == '-' || c >= '0' && c <= '9':
			for i < len(text) && strings.IndexByte("0123456789+-.eE", text[i]) >= 0 {
				i++
			}
			literal, ok := replace(text[start:i])
			if !ok {
				return "", false
			}
			b.WriteString(literal)
			continue
		default:
			i++
		}
		b.WriteString(text[start:i])
	}
	return b.String(), true
}

// skipString returns the position after the string whose content begins at i.
func skipString(text string, i int) int {
	for i < len(text) && text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return min(i+1, len(text))
}
