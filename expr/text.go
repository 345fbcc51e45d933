package expr

import (
	"strings"

	"github.com/algal-vm/algal/canon"
)

// The operations of §8.5. Lengths in charges and bounds are bytes of UTF-8.

func textLength(m *machine, n *node) (canon.Value, *Failure) {
	s, f := m.operand(n, 0, canon.KindString)
	return canon.Int(canon.Units(s.Text())), f
}

func textConcat(m *machine, n *node) (canon.Value, *Failure) {
	parts, f := m.operands(n)
	if f != nil {
		return canon.Value{}, f
	}
	return m.joinTexts(n, parts, "")
}

func join(m *machine, n *node) (canon.Value, *Failure) {
	l, f := m.operand(n, 0, canon.KindArray)
	if f != nil {
		return l, f
	}
	separator, f := m.operand(n, 1, canon.KindString)
	if f != nil {
		return separator, f
	}
	return m.joinTexts(n, elementsOf(l), separator.Text())
}

// joinTexts joins strings. The bound comes before the charge.
func (m *machine) joinTexts(n *node, parts []canon.Value, separator string) (canon.Value, *Failure) {
	bytes := len(separator) * max(0, len(parts)-1)
	texts := make([]string, len(parts))
	for i, part := range parts {
		if !part.Is(canon.KindString) {
			return canon.Value{}, wrongKind(n, i, canon.KindString, part)
		}
		texts[i] = part.Text()
		bytes += len(texts[i])
	}
	if bytes > maxText {
		return canon.Value{}, boundsFailure("string-bytes", maxText)
	}
	if f := m.spend(bytes); f != nil {
		return canon.Value{}, f
	}
	return canon.String(strings.Join(texts, separator)), nil
}

// rewrite charges the bytes of a string and changes it.
func rewrite(change func(string) string) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		s, f := m.operand(n, 0, canon.KindString)
		if f == nil {
			f = m.spend(len(s.Text()))
		}
		if f != nil {
			return canon.Value{}, f
		}
		return canon.String(change(s.Text())), nil
	}
}

// upper changes ASCII letters only.
func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// lower changes ASCII letters only.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

func trim(s string) string { return strings.Trim(s, " \t\n\v\f\r") }

// texts evaluates two strings in turn.
func (m *machine) texts(n *node) (a, b string, f *Failure) {
	x, f := m.operand(n, 0, canon.KindString)
	if f != nil {
		return "", "", f
	}
	y, f := m.operand(n, 1, canon.KindString)
	return x.Text(), y.Text(), f
}

// split charges the bytes that it reads, then the parts that it makes.
func split(m *machine, n *node) (canon.Value, *Failure) {
	s, separator, f := m.texts(n)
	if f == nil && separator == "" {
		f = fail(CodeArg, withOp(n.op.name), withWhat("separator must be non-empty"))
	}
	if f == nil {
		f = m.spend(len(s))
	}
	if f != nil {
		return canon.Value{}, f
	}
	count := strings.Count(s, separator) + 1
	if count > maxList {
		return canon.Value{}, boundsFailure("list-len", maxList)
	}
	if f := m.spend(count); f != nil {
		return canon.Value{}, f
	}
	parts := make([]canon.Value, 0, count)
	for part := range strings.SplitSeq(s, separator) {
		parts = append(parts, canon.String(part))
	}
	return canon.Array(parts...), nil
}

// textTest charges the bytes of the first string.
func textTest(holds func(s, of string) bool) evaluator {
	return func(m *machine, n *node) (canon.Value, *Failure) {
		s, of, f := m.texts(n)
		if f == nil {
			f = m.spend(len(s))
		}
		if f != nil {
			return canon.Value{}, f
		}
		return canon.Bool(holds(s, of)), nil
	}
}

// toText charges before it tests the bound, and writes only after both.
func toText(m *machine, n *node) (canon.Value, *Failure) {
	v, f := m.eval(&n.args[0])
	if f == nil {
		f = m.spend(v.Size())
	}
	if f == nil && v.Size() > maxText {
		f = boundsFailure("string-bytes", maxText)
	}
	if f != nil {
		return canon.Value{}, f
	}
	return canon.String(v.String()), nil
}
