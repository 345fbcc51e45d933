package canon

import (
	"strings"
	"unicode/utf8"
)

// CompareKeys orders object keys canonically (canonical.md §3.2): array indices
// first, by number, then all others by UTF-16 code units.
func CompareKeys(a, b string) int {
	// Contract members start with a letter: decide those without parsing.
	if a != "" && b != "" && a[0] > '9' && b[0] > '9' {
		return CompareUnits(a, b)
	}
	x, xIndex := arrayIndex(a)
	y, yIndex := arrayIndex(b)
	switch {
	case xIndex && yIndex:
		if x < y {
			return -1
		} else if x > y {
			return 1
		}
		return 0
	case xIndex:
		return -1
	case yIndex:
		return 1
	}
	return CompareUnits(a, b)
}

// maxIndex is the largest array index of ECMAScript, 2^32-2.
const maxIndex = 1<<32 - 2

// arrayIndex reads key as an array index: decimal, no sign, no leading zero,
// at most 2^32-2.
func arrayIndex(key string) (uint64, bool) {
	if key == "" || len(key) > len("4294967294") || (key[0] == '0' && len(key) > 1) {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(key); i++ {
		c := key[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, n <= maxIndex
}

// CompareUnits orders strings by their UTF-16 code units, a proper prefix first.
//
// That is byte order but for one case: a character above U+FFFF is written with
// surrogates (D800..DFFF) and so stands before U+E000..U+FFFF.
func CompareUnits(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if xBeyond, yBeyond := x >= 0xF0, y >= 0xF0; xBeyond != yBeyond && min(x, y) >= 0xEE {
			if xBeyond {
				return -1
			}
			return 1
		}
		if x < y {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

// CompareUTF8 orders strings by the bytes of their UTF-8 encoding, the order in
// which schema properties and expression fields are visited (§3.6).
func CompareUTF8(a, b string) int { return strings.Compare(a, b) }

// Units returns the length of s in UTF-16 code units, which the contract calls
// characters (§3.5).
func Units(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < utf8.RuneSelf, c >= 0xC0 && c < 0xF0:
			n++
		case c >= 0xF0:
			n += 2
		}
	}
	return n
}

// CutUnits returns the longest prefix of s of at most n UTF-16 code units that
// does not split a surrogate pair.
func CutUnits(s string, n int) string {
	for i, r := range s {
		if r > 0xFFFF {
			n--
		}
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// TruncateUTF8 returns the longest prefix of s of at most n bytes that ends on a
// character boundary (§3.6).
func TruncateUTF8(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}
