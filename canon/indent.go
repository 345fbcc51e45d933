package canon

import "math"

// Indented returns the text of v for a reader: members in the order of the
// document (§1.1), two spaces a level, one member or element a line, no final
// newline. It is the text that JSON.stringify(v, null, 2) gives, and reads back as
// v; what is hashed is [Value.String]. The absent value gives "".
func (v Value) Indented() string { return string(v.appendIndented(nil, "\n", math.MaxInt)) }

// IndentedPrefix returns at most the first n bytes of the text of [Value.Indented],
// cut between characters, and whether that is all of it. It takes time and memory
// for these bytes only, however large v is.
func (v Value) IndentedPrefix(n int) (text string, whole bool) {
	text = string(v.appendIndented(nil, "\n", n))
	prefix := TruncateUTF8(text, n)
	return prefix, len(prefix) == len(text)
}

// appendIndented appends v, or so much of it that dst is longer than limit. The lines
// inside it begin with line, a newline and the spaces of v's own level.
func (v Value) appendIndented(dst []byte, line string, limit int) []byte {
	n := v.n
	if n == nil || n.kids == nil || len(n.values) == 0 {
		if v.Is(KindString) {
			return appendQuotedUpTo(dst, v.Text(), limit)
		}
		return v.AppendCanonical(dst)
	}
	open, end := byte('['), byte(']')
	if n.kind == KindObject {
		open, end = '{', '}'
	}
	inner := line + "  "
	for i, e := range n.values {
		if len(dst) > limit {
			return dst
		}
		dst = append(dst, open)
		open = ','
		dst = append(dst, inner...)
		if n.kind == KindObject {
			dst = append(appendQuotedUpTo(dst, n.keys[i], limit), ": "...)
		}
		dst = e.appendIndented(dst, inner, limit)
	}
	return append(append(dst, line...), end)
}

// appendQuotedUpTo appends s, or so much of it that dst is longer than limit.
func appendQuotedUpTo(dst []byte, s string, limit int) []byte {
	if len(s) > limit {
		s = TruncateUTF8(s, limit+4) // a character takes at most four bytes
	}
	return AppendQuoted(dst, s)
}
