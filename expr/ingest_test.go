package expr

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
)

// TestIngestExamples holds to the table of expr.md §3.1.
func TestIngestExamples(t *testing.T) {
	for text, want := range map[string]string{
		"101.25999999999999":      "101.26",
		"0.9526363022588433":      "0.9526363022588432",
		"48.230000000000004":      "48.23",
		"1.5384615384615385":      "1.5384615384615383",
		"275526213843096960000":   "275526213843097000000",
		"0.30000000000000004":     "0.30000000000000004",
		"5e-324":                  "5e-324",
		"1.7976931348623157e+308": "1.7976931348623157e+308",
	} {
		if got := ingest(parse(t, text)).String(); got != want {
			t.Errorf("%s is ingested as %s, want %s", text, got, want)
		}
		if got := ingest(parse(t, "-"+text)).String(); got != "-"+want {
			t.Errorf("-%s is ingested as %s, want -%s", text, got, want)
		}
	}
}

func TestIngestStructure(t *testing.T) {
	for text, want := range map[string]string{
		`[1,{"b":2.5,"a":"101.25999999999999"}]`:                "", // itself
		`[1,101.25999999999999,2,48.230000000000004]`:           `[1,101.26,2,48.23]`,
		`{"b":[101.25999999999999],"a":true,"7":{"x":1.5e300}}`: `{"7":{"x":1.5e+300},"a":true,"b":[101.26]}`,
		`{"b":0,"a":-0.0}`: `{"a":0,"b":0}`,
	} {
		v := parse(t, text)
		got := ingest(v)
		if want == "" {
			if got != v {
				t.Errorf("%s: copied though nothing changes", text)
			}
			continue
		}
		if got == v || got.String() != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	v := parse(t, `{"b":101.25999999999999,"a":1}`)
	if got := ingest(v); got.Key(0) != "b" {
		t.Error("ingestion loses the member order")
	}
}

// ingestBySpec is §3.1 word for word. It is also checked against the vectors, so
// that agreement with it means something.
func ingestBySpec(x float64) float64 {
	if x == 0 {
		return 0
	}
	if x < 0 {
		return -ingestBySpec(-x)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	digits := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	e, _ := strconv.Atoi(exponent)
	k := len(digits)
	q := e - (k - 1)
	power := func(i int) float64 { p, _ := strconv.ParseFloat("1e"+strconv.Itoa(i), 64); return p }
	if n := k + q; q >= 0 && n <= 21 {
		text := digits + strings.Repeat("0", q)
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return x
		}
		for r := 1; ; r++ {
			if s, err := strconv.ParseUint(text[:len(text)-r], 10, 64); err == nil {
				return float64(s) * power(r)
			}
		}
	}
	d, _ := strconv.ParseUint(digits, 10, 64)
	f := float64(d)
	for q < -308 {
		f /= 1e308
		q += 308
	}
	if q >= 0 {
		return f * power(q)
	}
	return f / power(-q)
}

func TestIngestFollowsTheSpec(t *testing.T) {
	compare := func(t interface{ Fatalf(string, ...any) }, x float64) {
		v, err := canon.Number(x)
		if err != nil {
			return
		}
		if got, want := ingest(v).Float(), ingestBySpec(x); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v, want %v", v, got, want)
		}
	}
	for _, c := range readGolden(t, "expr/ingest.json") {
		compare(t, bits(t, c.Get("in")))
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			compare(t, math.Float64frombits(rapid.Uint64().Draw(t, "bits")))
			compare(t, rapid.Float64Range(-1e22, 1e22).Draw(t, "moderate"))
			decimal := float64(rapid.Int64Range(0, 1e16).Draw(t, "digits"))
			compare(t, decimal/math.Pow10(rapid.IntRange(0, 30).Draw(t, "places")))
			compare(t, decimal*math.Pow10(rapid.IntRange(0, 10).Draw(t, "zeros")))
		}
	})
}

// TestReadDecimal covers literals that no double is written as: only requests
// hold them.
func TestReadDecimal(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for text, want := range map[string]string{
		"0e999999999999":                       "0",
		"-0":                                   "0",
		"1e-999999999999":                      "0",
		"1e-18446744073709551616":              "0",
		"1E+2":                                 "100",
		"1.50e1":                               "15",
		"0." + zeros(400) + "1e401":            "1",
		"1" + zeros(400) + "e-400":             "1",
		"0.1234567890123456789012345":          "0.12345678901234568",
		"18446744073709551615":                 "18446744073709552000",
		"123456789012345678901234567890":       "1.2345678901234568e+29",
		"9007199254740993":                     "9007199254740992",
		"0.00000000000000000000000000000001e1": "1e-31",
		"18446744073709551616.5":               "18446744073709552000",
	} {
		got, ok := readDecimal([]byte(text))
		if s := canon.FormatNumber(got); !ok || s != want {
			t.Errorf("%s is read as %s, %v, want %s", text, s, ok, want)
		}
	}
	for _, text := range []string{"", "-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "--1", "1x", "1.2.3", "1e5e5", "1e5.0",
		"1e400", "-1e309", "1.7976931348623159e308", "1" + zeros(309), "1e99999999999999999999", "1e18446744073709551616"} {
		if got, ok := readDecimal([]byte(text)); ok || got != 0 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
