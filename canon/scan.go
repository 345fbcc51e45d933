package canon

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
)

// stringToken is a string literal found in a text.
type stringToken struct {
	end       int  // of the content; the closing quote stands there
	escaped   bool // the content has escapes
	canonical bool // every escape is the canonical one
}

// scanString checks the string whose content begins at i. The text is UTF-8.
func scanString(in string, i int) (stringToken, *Fault) {
	t := stringToken{canonical: true}
	for {
		i = scanPlain(in, i)
		if i >= len(in) {
			return t, &Fault{Kind: FaultSyntax, Offset: i, Reason: "unterminated string"}
		}
		switch in[i] {
		case '"':
			t.end = i
			return t, nil
		case '\\':
			n, canonical, fault := scanEscape(in, i)
			if fault != nil {
				return t, fault
			}
			t.escaped = true
			t.canonical = t.canonical && canonical
			i += n
		default:
			return t, &Fault{Kind: FaultSyntax, Offset: i, Reason: "control character in a string"}
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// scanPlain returns the first position from i on that holds a quote, a
// backslash or a control character. It looks at eight bytes at a time; of the
// bytes it flags wrongly none precedes a right one.
func scanPlain(s string, i int) int {
	for i+8 <= len(s) {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, slash := x^('"'*ones), x^('\\'*ones)
		hit := ((quote-ones)&^quote | (slash-ones)&^slash | (x-0x20*ones)&^x) & highs
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// scanEscape checks the escape at i and returns its length and whether the
// canonical writer would have written it so. A surrogate pair is one escape.
func scanEscape(in string, i int) (n int, canonical bool, fault *Fault) {
	if i+1 < len(in) {
		switch in[i+1] {
		case '"', '\\', 'b', 'f', 'n', 'r', 't':
			return 2, true, nil
		case '/':
			return 2, false, nil
		case 'u':
			unit, ok := hexUnit(in, i+2)
			if !ok {
				break
			}
			if !utf16.IsSurrogate(rune(unit)) {
				return 6, canonicalUnit(in[i+2:i+6], unit), nil
			}
			if low, ok := escapedUnit(in, i+6); ok && unit < 0xDC00 && low >= 0xDC00 && low < 0xE000 {
				return 12, false, nil
			}
			return 0, false, &Fault{Kind: FaultSurrogate, Offset: i}
		}
	}
	return 0, false, &Fault{Kind: FaultSyntax, Offset: i, Reason: "invalid escape"}
}

// canonicalUnit reports whether \u and these digits is the canonical escape of
// unit: a control character without a short escape, in lowercase.
func canonicalUnit(digits string, unit uint16) bool {
	return unit < 0x20 && escapeSize[unit] == 5 && digits == strings.ToLower(digits)
}

func escapedUnit(in string, i int) (uint16, bool) {
	if i+2 > len(in) || in[i] != '\\' || in[i+1] != 'u' {
		return 0, false
	}
	return hexUnit(in, i+2)
}

func hexUnit(in string, i int) (uint16, bool) {
	if i+4 > len(in) {
		return 0, false
	}
	var unit uint16
	for _, c := range []byte(in[i : i+4]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}

// unescape returns the content of a string that scanString has checked.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		n := 2
		switch c := s[i+1]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			unit, _ := hexUnit(s, i+2)
			r := rune(unit)
			if n = 6; utf16.IsSurrogate(r) {
				low, _ := hexUnit(s, i+8)
				r, n = utf16.DecodeRune(r, rune(low)), 12
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
		}
		s = s[i+n:]
	}
}

// numberToken is a number literal found in a text.
type numberToken struct {
	end   int
	plain bool    // an integer in canonical form, exactly representable
	value float64 // of a plain one
	long  bool    // may be beyond binary64
}

// plainDigits is the number of digits up to which every integer is a binary64.
const plainDigits = 15

// scanNumber checks the number at i.
func scanNumber(in string, i int) (numberToken, *Fault) {
	start, negative := i, false
	if i < len(in) && in[i] == '-' {
		negative = true
		i++
	}
	first := i
	var value int64
	for i < len(in) && isDigit(in[i]) {
		if i-first < plainDigits {
			value = value*10 + int64(in[i]-'0')
		}
		i++
	}
	digits := i - first
	if digits == 0 {
		reason := "expected a value"
		if negative {
			reason = "expected a digit"
		}
		return numberToken{}, &Fault{Kind: FaultSyntax, Offset: start, Reason: reason}
	}
	if in[first] == '0' && digits > 1 {
		return numberToken{}, &Fault{Kind: FaultSyntax, Offset: start, Reason: "number with a leading zero"}
	}
	t := numberToken{plain: digits <= plainDigits && !(negative && value == 0), long: digits > 308}
	if i < len(in) && in[i] == '.' {
		t.plain = false
		end := skipDigits(in, i+1)
		if end == i+1 {
			return t, &Fault{Kind: FaultSyntax, Offset: end, Reason: "expected a digit"}
		}
		i = end
	}
	if i < len(in) && (in[i] == 'e' || in[i] == 'E') {
		t.plain, t.long = false, true
		i++
		if i < len(in) && (in[i] == '+' || in[i] == '-') {
			i++
		}
		end := skipDigits(in, i)
		if end == i {
			return t, &Fault{Kind: FaultSyntax, Offset: end, Reason: "expected a digit"}
		}
		i = end
	}
	if negative {
		value = -value
	}
	t.end, t.value = i, float64(value)
	return t, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func skipDigits(in string, i int) int {
	for i < len(in) && isDigit(in[i]) {
		i++
	}
	return i
}

// float converts a literal that scanNumber has checked: nearest binary64, ties
// to even (§2.3).
func (t numberToken) float(literal string) (f float64, overflow bool) {
	f, _ = strconv.ParseFloat(literal, 64)
	return f, math.IsInf(f, 0)
}

// scanDocument checks a whole UTF-8 text as JSON without building anything, with
// one bit of memory per level however deep it nests. A number beyond binary64
// is reported only when nothing else is wrong.
func scanDocument(in string) *Fault {
	var (
		open     levels
		overflow *Fault
		i        = skipSpace(in, 0)
	)
	for {
		// A value begins at i.
		var fault *Fault
		i, fault = scanOpening(in, i, &open)
		if fault == nil {
			var token numberToken
			i, token, fault = scanScalar(in, i, open.opened)
			if fault == nil && token.long && overflow == nil {
				if _, over := token.float(in[i-token.end : i]); over {
					overflow = &Fault{Kind: FaultOverflow, Offset: i - token.end, Reason: "number is beyond binary64"}
				}
			}
		}
		if fault != nil {
			return fault
		}
		// A value ended before i: close what closes here.
		done := false
		if i, done, fault = scanClosing(in, i, &open); fault != nil {
			return fault
		} else if done {
			return overflow
		}
	}
}

func skipSpace(in string, i int) int {
	for i < len(in) && isSpace(in[i]) {
		i++
	}
	return i
}

// levels remembers for every open container whether it is an object.
type levels struct {
	bits   []uint64
	depth  int
	opened bool // the container just opened is empty: no value follows
}

func (l *levels) push(object bool) {
	if l.depth%64 == 0 {
		l.bits = append(l.bits[:l.depth/64], 0)
	}
	if object {
		l.bits[l.depth/64] |= 1 << (l.depth % 64)
	}
	l.depth++
}

func (l *levels) object() bool {
	return l.depth > 0 && l.bits[(l.depth-1)/64]>>((l.depth-1)%64)&1 == 1
}

func (l *levels) pop() {
	l.depth--
	l.bits[l.depth/64] &^= 1 << (l.depth % 64)
}

// scanOpening enters all containers that open at i, up to the first scalar or
// the first empty container.
func scanOpening(in string, i int, open *levels) (int, *Fault) {
	open.opened = false
	for i < len(in) && (in[i] == '[' || in[i] == '{') {
		object := in[i] == '{'
		open.push(object)
		i = skipSpace(in, i+1)
		if i < len(in) && (!object && in[i] == ']' || object && in[i] == '}') {
			open.opened = true
			return i, nil
		}
		if object {
			var fault *Fault
			if i, fault = scanName(in, i); fault != nil {
				return i, fault
			}
		}
	}
	return i, nil
}

// scanName checks a member name and its colon and returns where the value starts.
func scanName(in string, i int) (int, *Fault) {
	if i >= len(in) || in[i] != '"' {
		return i, &Fault{Kind: FaultSyntax, Offset: i, Reason: "expected a member name"}
	}
	t, fault := scanString(in, i+1)
	if fault != nil {
		return i, fault
	}
	i = skipSpace(in, t.end+1)
	if i >= len(in) || in[i] != ':' {
		return i, &Fault{Kind: FaultSyntax, Offset: i, Reason: "expected ':' after a member name"}
	}
	return skipSpace(in, i+1), nil
}

// scanScalar checks the scalar at i; after an empty container there is none. The
// token's end is the literal's length when it is a number.
func scanScalar(in string, i int, none bool) (int, numberToken, *Fault) {
	if none {
		return i, numberToken{}, nil
	}
	if i < len(in) && in[i] == '"' {
		t, fault := scanString(in, i+1)
		return t.end + 1, numberToken{}, fault
	}
	for _, w := range words {
		if strings.HasPrefix(in[i:], w.text) {
			return i + len(w.text), numberToken{}, nil
		}
	}
	t, fault := scanNumber(in, i)
	if fault != nil {
		return i, t, fault
	}
	end := t.end
	t.end -= i
	return end, t, nil
}

// scanClosing leaves the containers that close at i and steps to the next value;
// done says that the document is over.
func scanClosing(in string, i int, open *levels) (next int, done bool, fault *Fault) {
	for {
		i = skipSpace(in, i)
		if open.depth == 0 {
			if i < len(in) {
				return i, false, &Fault{Kind: FaultSyntax, Offset: i, Reason: "trailing text after the value"}
			}
			return i, true, nil
		}
		object := open.object()
		switch {
		case i < len(in) && (object && in[i] == '}' || !object && in[i] == ']'):
			open.pop()
			i++
		case i < len(in) && in[i] == ',':
			i = skipSpace(in, i+1)
			if object {
				i, fault = scanName(in, i)
			}
			return i, false, fault
		default:
			return i, false, &Fault{Kind: FaultSyntax, Offset: i, Reason: "expected ',' or the end of a list of elements"}
		}
	}
}
