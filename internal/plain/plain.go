// Package plain is a second canonicaliser for tests: slow, short, and built on
// the standard library, so that it shares no code and no cleverness with canon.
package plain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Canonical returns the canonical text of a JSON text (canonical.md §3) or why
// the text is refused. It does not notice lone surrogates, which the standard
// library replaces.
func Canonical(text string) (string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("trailing text")
	}
	return write(v)
}

func write(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if math.IsInf(f, 0) {
			return "", err
		}
		return number(f), nil
	case string:
		return quote(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			p, err := write(e)
			if err != nil {
				return "", err
			}
			parts[i] = p
		}
		return "[" + strings.Join(parts, ",") + "]", nil
	case map[string]any:
		var parts []string
		for _, k := range order(v) {
			p, err := write(v[k])
			if err != nil {
				return "", err
			}
			parts = append(parts, quote(k)+":"+p)
		}
		return "{" + strings.Join(parts, ",") + "}", nil
	}
	return "", fmt.Errorf("unexpected %T", v)
}

func order(m map[string]any) []string {
	var indices, others []string
	for k := range m {
		n, err := strconv.ParseUint(k, 10, 32)
		if err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == k {
			indices = append(indices, k)
		} else {
			others = append(others, k)
		}
	}
	slices.SortFunc(indices, func(a, b string) int {
		x, _ := strconv.ParseUint(a, 10, 32)
		y, _ := strconv.ParseUint(b, 10, 32)
		return int(int64(x) - int64(y))
	})
	slices.SortFunc(others, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	return append(indices, others...)
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteString(`\` + string(r))
		case '\b':
			b.WriteString(`\b`)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if r < 0x20 {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number follows the wording of ECMAScript's Number::toString.
func number(x float64) string {
	if x == 0 {
		return "0"
	}
	if x < 0 {
		return "-" + number(-x)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	s := strings.Replace(mantissa, ".", "", 1)
	k, n := len(s), e+1
	switch {
	case k <= n && n <= 21:
		return s + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return s[:n] + "." + s[n:]
	case -6 < n && n <= 0:
		return "0." + strings.Repeat("0", -n) + s
	}
	if k > 1 {
		s = s[:1] + "." + s[1:]
	}
	return fmt.Sprintf("%se%+d", s, n-1)
}
