package expr

import (
	"math"
	"strconv"
)

// decimal is a JSON number as the reader of the reference evaluator keeps it:
// the digits that fit 64 bits, scaled by a power of ten. Further digits are
// dropped, not rounded.
type decimal struct {
	negative bool
	digits   uint64
	exponent int
}

// readDecimal reads a JSON number as the reference evaluator does, which is not
// correctly rounded (§3): digits and power of ten are rounded one after the
// other. Applied to the shortest text of a double this is the algorithm of §3.1.
// It reports false when text is no JSON number or one beyond binary64.
func readDecimal(text []byte) (float64, bool) {
	d, rest := scanDecimal(text)
	if len(text) == 0 || len(rest) > 0 {
		return 0, false
	}
	f, ok := d.float()
	if d.negative {
		f = -f
	}
	return f, ok
}

// scanDecimal reads a number from the start of text. Where text is not the start
// of a number, all of it is left.
func scanDecimal(text []byte) (d decimal, rest []byte) {
	rest = text
	if len(rest) > 0 && rest[0] == '-' {
		d.negative, rest = true, rest[1:]
	}
	digits, rest := cutDigits(rest)
	if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 {
		return d, text
	}
	dropped := d.take(digits)
	d.exponent = dropped
	if len(rest) > 0 && rest[0] == '.' {
		if digits, rest = cutDigits(rest[1:]); len(digits) == 0 {
			return d, text
		}
		// What the integer part has dropped does not keep a smaller digit out here.
		d.exponent -= len(digits) - d.take(digits)
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		down := len(rest) > 0 && rest[0] == '-'
		if down || len(rest) > 0 && rest[0] == '+' {
			rest = rest[1:]
		}
		if digits, rest = cutDigits(rest); len(digits) == 0 {
			return d, text
		}
		d.scale(digits, down)
	}
	return d, rest
}

func cutDigits(text []byte) (digits, rest []byte) {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return text[:i], text[i:]
}

// take appends digits up to the first that does not fit and returns the number
// of those left.
func (d *decimal) take(digits []byte) (left int) {
	for i, c := range digits {
		digit := uint64(c - '0')
		if d.digits > (math.MaxUint64-digit)/10 {
			return len(digits) - i
		}
		d.digits = d.digits*10 + digit
	}
	return 0
}

// farExponent is beyond every exponent that leaves a finite number other than
// zero, with as many digits as a document can have (canon.MaxBytes).
const farExponent = 1 << 27

// scale adds a written exponent.
func (d *decimal) scale(digits []byte, down bool) {
	e := 0
	for _, c := range digits {
		e = min(e*10+int(c-'0'), farExponent)
	}
	if down {
		e = -e
	}
	d.exponent += e
}

const maxPower = 308

// powers holds the doubles nearest to 10^0 to 10^308. The products of math.Pow10
// are not always these.
var powers = func() (p [maxPower + 1]float64) {
	for i := range p {
		p[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return p
}()

// float returns the magnitude. It reports false when that is beyond binary64.
func (d *decimal) float() (float64, bool) {
	f, e := float64(d.digits), d.exponent
	if f == 0 {
		return 0, true
	}
	if e > maxPower {
		return 0, false
	}
	for e < -maxPower {
		f = float64(f / powers[maxPower])
		e += maxPower
		if f == 0 {
			return 0, true
		}
	}
	if e < 0 {
		return float64(f / powers[-e]), true
	}
	f = float64(f * powers[e])
	if math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
