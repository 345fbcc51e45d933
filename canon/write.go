package canon

import (
	"crypto/sha256"
	"hash"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/algal-vm/algal"
)

// Bounds of the canonical writer (canonical.md §2.6, §3.1).
const (
	MaxDepth = 64         // levels below the root, inclusive
	MaxBytes = 67_108_864 // bytes of a canonical document, inclusive
)

// Encode returns the canonical text of v. Values deeper than [MaxDepth] or
// longer than [MaxBytes] are refused with code BUDGET_EXHAUSTED.
func Encode(v Value) ([]byte, error) {
	if v.Depth() > MaxDepth {
		return nil, algal.Errorf(algal.BudgetExhausted, "JSON depth exceeds %d", MaxDepth)
	}
	if v.Size() > MaxBytes {
		return nil, algal.Errorf(algal.BudgetExhausted, "canonical document bytes")
	}
	return v.AppendCanonical(make([]byte, 0, v.Size())), nil
}

// String returns the canonical text of v whatever its size, "" for the absent
// value.
func (v Value) String() string {
	if v.n == nil {
		return ""
	}
	if v.n.kids != nil && v.n.text != "" {
		return v.n.text
	}
	return string(v.AppendCanonical(make([]byte, 0, v.n.size)))
}

// AppendCanonical appends the canonical text of v to dst.
func (v Value) AppendCanonical(dst []byte) []byte {
	n := v.n
	if n == nil {
		return dst
	}
	switch n.kind {
	case KindNull:
		return append(dst, "null"...)
	case KindBool:
		return strconv.AppendBool(dst, n.truth)
	case KindNumber:
		return append(dst, n.text...)
	case KindString:
		return appendSized(dst, n.text, n.size)
	}
	if n.text != "" {
		return append(dst, n.text...)
	}
	if n.kind == KindArray {
		dst = append(dst, '[')
		for i, e := range n.values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.AppendCanonical(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range n.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		at := n.canonicalIndex(i)
		dst = AppendQuoted(dst, n.keys[at])
		dst = append(dst, ':')
		dst = n.values[at].AppendCanonical(dst)
	}
	return append(dst, '}')
}

// appendSized is AppendQuoted for a string whose quoted size is known.
func appendSized(dst []byte, s string, size int) []byte {
	if size != len(s)+2 {
		return AppendQuoted(dst, s)
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// escapeSize is the number of bytes by which escaping lengthens each byte.
var escapeSize = func() (t [256]uint8) {
	for c := range 0x20 {
		t[c] = 5
	}
	for _, c := range "\"\\\b\t\n\f\r" {
		t[c] = 1
	}
	return t
}()

// QuotedSize returns the number of bytes of s as a canonical JSON string, quotes
// included.
func QuotedSize(s string) int {
	size := len(s) + 2
	for i := 0; i < len(s); i++ {
		size += int(escapeSize[s[i]])
	}
	return size
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a canonical JSON string (§3.4). Only the quote, the
// backslash and U+0000..U+001F are escaped.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if escapeSize[c] == 0 {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// FormatNumber returns the ECMAScript text of a finite binary64 (§3.3).
func FormatNumber(f float64) string {
	var buf [maxNumber]byte
	return string(appendNumber(buf[:0], f))
}

// maxNumber is the length of the longest number, -0.00000123456789012345678.
const maxNumber = 25

// numberText is FormatNumber for a value read from literal, whose memory it
// shares when that was canonical.
func numberText(f float64, literal string) string {
	var buf [maxNumber]byte
	if b := appendNumber(buf[:0], f); string(b) != literal {
		return string(b)
	}
	return literal
}

func appendNumber(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1e15 && i < 1e15 {
		return strconv.AppendInt(dst, i, 10)
	}
	return appendLongNumber(dst, f)
}

// appendLongNumber lays out the shortest digits of f as ECMAScript does: the
// value is 0.DIGITS times ten to the power of point.
func appendLongNumber(dst []byte, f float64) []byte {
	if f < 0 {
		dst, f = append(dst, '-'), math.Abs(f)
	}
	var buf [32]byte
	short := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	e := len(short) - 1
	for short[e] != 'e' {
		e--
	}
	exponent, _ := strconv.Atoi(string(short[e+1:]))
	digits := append(short[:1:1], short[min(2, e):e]...) // without the decimal point
	k, point := len(digits), exponent+1
	switch {
	case k <= point && point <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, point-k)
	case 0 < point && point <= 21:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case -6 < point && point <= 0:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -point)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if point-1 >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(point-1), 10)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// Digest returns the digest of the canonical text of v (§4).
func (v Value) Digest() algal.Digest {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	if v.n != nil && v.n.kids != nil && v.n.text != "" {
		return h.text(v.n.text)
	}
	h.buf = v.AppendCanonical(slices.Grow(h.buf[:0], v.Size()))
	d := algal.DigestOf(sha256.Sum256(h.buf))
	if cap(h.buf) > hasherKeeps {
		h.buf = make([]byte, 0, hasherChunk)
	}
	return d
}

// DigestWithout returns the digest of the object v lacking the member key, as a
// record that carries its own digest defines it (§4). Of a value parsed from
// canonical text the rest of the text is hashed where it stands.
func (v Value) DigestWithout(key string) algal.Digest {
	if v.Kind() != KindObject || v.n.text == "" || len(v.n.keys) < 2 {
		return v.Without(key).Digest()
	}
	from, length := 1, 0
	for i, have := range v.n.keys { // canonical text has canonical member order
		length = QuotedSize(have) + 1 + v.n.values[i].Size()
		if have == key {
			break
		}
		from, length = from+length+1, 0
	}
	if length == 0 {
		return v.Digest()
	}
	to := from + length + 1 // with the comma behind it
	if to > len(v.n.text)-1 {
		from, to = from-1, to-1 // the last member: the comma before it
	}
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	return h.text(v.n.text[:from], v.n.text[to:])
}

// DigestText returns the digest of the UTF-8 bytes of s.
func DigestText(s string) algal.Digest {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	return h.text(s)
}

const (
	hasherChunk = 16 << 10
	hasherKeeps = 1 << 20 // larger buffers go back to the collector
)

// hasher hashes strings through a small buffer: the hash takes bytes, and
// copying a whole document to get them would cost its size in memory.
type hasher struct {
	hash hash.Hash
	buf  []byte
}

var hashers = sync.Pool{New: func() any { return &hasher{sha256.New(), make([]byte, 0, hasherChunk)} }}

func (h *hasher) text(parts ...string) algal.Digest {
	h.hash.Reset()
	for _, s := range parts {
		for len(s) > 0 {
			n := min(len(s), hasherChunk)
			h.hash.Write(append(h.buf[:0], s[:n]...))
			s = s[n:]
		}
	}
	var sum [32]byte
	h.hash.Sum(sum[:0])
	return algal.DigestOf(sum)
}
