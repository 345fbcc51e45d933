package canon_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/plain"
	"pgregory.net/rapid"
)

func TestUTF8Vectors(t *testing.T) {
	type vectors struct {
		Length []struct {
			CodeUnits []uint16
			Bytes     int
		}
		Truncate []struct {
			Text   string
			Max    int
			Result string
		}
		Order []string
	}
	v := decode[vectors](t, "vectors/utf8.json")
	for _, l := range v.Length {
		s := string(utf16.Decode(l.CodeUnits))
		if len(l.CodeUnits) == 1 && utf16.IsSurrogate(rune(l.CodeUnits[0])) {
			t.Logf("not applicable: the single unit %d is no string here", l.CodeUnits[0])
			continue
		}
		if len(s) != l.Bytes || canon.Units(s) != len(l.CodeUnits) {
			t.Errorf("%q: %d bytes, %d units; want %d, %d", s, len(s), canon.Units(s), l.Bytes, len(l.CodeUnits))
		}
	}
	for _, c := range v.Truncate {
		if got := canon.TruncateUTF8(c.Text, c.Max); got != c.Result {
			t.Errorf("TruncateUTF8(%q, %d) = %q, want %q", c.Text, c.Max, got, c.Result)
		}
	}
	for i := 1; i < len(v.Order); i++ {
		if canon.CompareUTF8(v.Order[i-1], v.Order[i]) >= 0 {
			t.Errorf("%q must come before %q", v.Order[i-1], v.Order[i])
		}
	}
	if len(v.Length) == 0 || len(v.Truncate) == 0 || len(v.Order) == 0 {
		t.Fatal("no vectors")
	}
	t.Logf("%d lengths, %d cuts, %d in order", len(v.Length), len(v.Truncate), len(v.Order))
}

// TestRefusedTexts has one fault a row (canonical.md §2; C-10 to C-12).
func TestRefusedTexts(t *testing.T) {
	deep := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		text string
		kind canon.FaultKind
	}{
		"empty":                      {"", canon.FaultSyntax},
		"leading zero":               {"01", canon.FaultSyntax},
		"plus":                       {"+1", canon.FaultSyntax},
		"bare point":                 {"1.", canon.FaultSyntax},
		"no integer part":            {".5", canon.FaultSyntax},
		"bare exponent":              {"1e", canon.FaultSyntax},
		"bare minus":                 {"-", canon.FaultSyntax},
		"hex":                        {"0x10", canon.FaultSyntax},
		"NaN":                        {"NaN", canon.FaultSyntax},
		"Infinity":                   {"Infinity", canon.FaultSyntax},
		"single quotes":              {"'a'", canon.FaultSyntax},
		"trailing comma":             {"[1,]", canon.FaultSyntax},
		"trailing member comma":      {`{"a":1,}`, canon.FaultSyntax},
		"leading comma":              {"[,1]", canon.FaultSyntax},
		"missing comma":              {"[1 2]", canon.FaultSyntax},
		"missing colon":              {`{"a" 1}`, canon.FaultSyntax},
		"missing value":              {`{"a":}`, canon.FaultSyntax},
		"unquoted name":              {`{a:1}`, canon.FaultSyntax},
		"comment":                    {"1 // one", canon.FaultSyntax},
		"two values":                 {"1 2", canon.FaultSyntax},
		"wrong closing":              {"[1}", canon.FaultSyntax},
		"unclosed array":             {"[1", canon.FaultSyntax},
		"unclosed object":            {`{"a":1`, canon.FaultSyntax},
		"unclosed string":            {`"a`, canon.FaultSyntax},
		"control character":          {"\"a\nb\"", canon.FaultSyntax},
		"x escape":                   {`"\x41"`, canon.FaultSyntax},
		"short unicode escape":       {`"\u12g4"`, canon.FaultSyntax},
		"no-break space":             {"\u00a01", canon.FaultSyntax},
		"byte-order mark":            {"\ufeff1", canon.FaultSyntax},
		"byte-order mark inside":     {"[\ufeff1]", canon.FaultSyntax},
		"NUL outside":                {"\x001", canon.FaultSyntax},
		"truncated word":             {"tru", canon.FaultSyntax},
		"longer word":                {"nulll", canon.FaultSyntax},
		"invalid UTF-8":              {"\"\xff\"", canon.FaultEncoding},
		"encoded surrogate":          {"\"\xed\xa0\x80\"", canon.FaultEncoding},
		"lone high surrogate":        {`"\ud800"`, canon.FaultSurrogate},
		"lone low surrogate":         {`"\udc00x"`, canon.FaultSurrogate},
		"reversed pair":              {`"\udc00\ud800"`, canon.FaultSurrogate},
		"high then plain":            {`"\ud800\u0041"`, canon.FaultSurrogate},
		"surrogate in a key":         {`{"\ud800":1}`, canon.FaultSurrogate},
		"overflow":                   {"1e400", canon.FaultOverflow},
		"negative overflow":          {"[-1e400]", canon.FaultOverflow},
		"many digits":                {strings.Repeat("9", 400), canon.FaultOverflow},
		"too deep":                   {deep(65, "1"), canon.FaultDepth},
		"deep and malformed":         {deep(65, "1") + "x", canon.FaultSyntax},
		"deep, then surrogate":       {"[" + deep(70, "") + `,"\ud800"]`, canon.FaultSurrogate},
		"deep, then overflow":        {"[" + deep(70, "") + `,1e999]`, canon.FaultOverflow},
		"overflow, then malformed":   {"[1e999,x]", canon.FaultSyntax},
		"overflow, then deep":        {"[1e999," + deep(70, "") + "]", canon.FaultOverflow},
		"encoding before syntax":     {"[x \xff", canon.FaultEncoding},
		"very deep and unclosed":     {strings.Repeat("[", 1<<20), canon.FaultSyntax},
		"very deep with names":       {strings.Repeat(`{"":`, 1<<18) + "1" + strings.Repeat("}", 1<<18), canon.FaultDepth},
		"deep mixed, wrong closing":  {deep(63, `{"a":[[[1}]]]`), canon.FaultSyntax},
		"deep, missing name":         {deep(66, "") + `,{1:1}`, canon.FaultSyntax},
		"deep, comma without member": {"[" + deep(66, `{"a":1}`) + `,{"a":1,}]`, canon.FaultSyntax},
	} {
		v, err := canon.Parse(c.text, canon.Limits{})
		f, ok := err.(*canon.Fault)
		if !ok || f.Kind != c.kind {
			t.Errorf("%s: %v, want kind %d", name, err, c.kind)
			continue
		}
		want := algal.ParseFailed
		if c.kind >= canon.FaultBytes {
			want = algal.BudgetExhausted
		}
		if f.Code() != want || algal.CodeOf(err) != want || v.Exists() || f.Error() == "" {
			t.Errorf("%s: code %s, value %v", name, f.Code(), v)
		}
	}
}

func TestBounds(t *testing.T) {
	limits := canon.Limits{Bytes: 20, Depth: 2, Nodes: 4}
	for text, want := range map[string]algal.Code{
		`[[1]]`:                   "",
		`[[[]]]`:                  "",
		`[[[1]]]`:                 algal.BudgetExhausted,
		`[1,2,3]`:                 "",
		`[1,2,3,4]`:               algal.BudgetExhausted,
		`{"a":1,"a":2,"a":3}`:     "",
		`"123456789012345678"`:    "",
		`"1234567890123456789"`:   algal.BudgetExhausted,
		`"123456789012345678\xff`: algal.BudgetExhausted, // the byte bound precedes everything
		`[1,2,3,4,x]`:             algal.ParseFailed,
	} {
		if _, err := canon.Parse(text, limits); algal.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	at64 := strings.Repeat("[", 64) + "1" + strings.Repeat("]", 64)
	if v := parse(t, at64); v.Depth() != 64 || v.Nodes() != 65 {
		t.Errorf("depth %d, %d nodes", v.Depth(), v.Nodes())
	}
	if v := parse(t, strings.Repeat("[", 65)+strings.Repeat("]", 65)); v.Depth() != 64 {
		t.Errorf("65 brackets have depth %d", v.Depth())
	}
}

func TestMemberOrder(t *testing.T) {
	for text, want := range map[string]struct{ members, canonical string }{
		`{"b":1,"a":1,"b":2}`:                  {`b=2 a=1`, `{"a":1,"b":2}`},
		`{"z":1,"10":2,"9":3,"y":4}`:           {`9=3 10=2 z=1 y=4`, `{"9":3,"10":2,"y":4,"z":1}`},
		`{"10":1,"b":1,"9":1,"10":2,"b":3}`:    {`9=1 10=2 b=3`, `{"9":1,"10":2,"b":3}`},
		`{"__proto__":1,"a":2}`:                {`__proto__=1 a=2`, `{"__proto__":1,"a":2}`},
		`{"a":1,"a":1}`:                        {`a=1`, `{"a":1}`},
		`{"4294967295":1,"4294967294":2,"":3}`: {`4294967294=2 4294967295=1 =3`, `{"4294967294":2,"":3,"4294967295":1}`},
	} {
		d, err := canon.ParseDocument(text, canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for k, v := range d.Value.Members() {
			got = append(got, k+"="+v.String())
			if !canon.Equal(d.Value.Get(k), v) {
				t.Errorf("%s: Get(%q) is %v", text, k, d.Value.Get(k))
			}
		}
		if g := strings.Join(got, " "); g != want.members || d.Value.String() != want.canonical {
			t.Errorf("%s: members %q, canonical %s", text, g, d.Value)
		}
		if wantDup := strings.Count(text, ":") != d.Value.Len(); d.Duplicates != wantDup {
			t.Errorf("%s: duplicates %v", text, d.Duplicates)
		}
		if sorted := d.Value.Sorted(); sorted.String() != want.canonical || sorted.Key(0) != firstKey(d.Value) {
			t.Errorf("%s: sorted %s", text, sorted)
		}
	}
}

func firstKey(v canon.Value) string {
	for k := range v.CanonicalMembers() {
		return k
	}
	return ""
}

func TestCanonicalTextIsNoticed(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"b":[true,null,"x"]}`: true,
		`{"b":1,"a":2}`:               false,
		`{"10":1,"9":2}`:              false, // index keys alone, out of order
		`{"a":1,"a":2}`:               false,
		` 1`:                          false,
		`1.0`:                         false,
		`-0`:                          false,
		`1e5`:                         false,
		`[ 1e2]`:                      false, // as long as the canonical text, and not it
		`1e+21`:                       true,
		`100000000000000000000`:       true,
		`"\u0001"`:                    true,
		`"\u001F"`:                    false,
		`"\u0041"`:                    false,
		`"\u000a"`:                    false,
		`"\/"`:                        false,
		`"\n\t\"\\"`:                  true,
		`"\ud83d\ude00"`:              false,
		"\"\u2028\u007f\U0001F600\"":  true,
	} {
		d, err := canon.ParseDocument(text, canon.Limits{})
		if err != nil || d.Canonical != want {
			t.Errorf("%s: canonical %v, %v", text, d.Canonical, err)
		}
		if d.Canonical != (d.Value.String() == text) {
			t.Errorf("%s: canonical text is %s", text, d.Value)
		}
	}
}

func TestNumberBounds(t *testing.T) {
	for _, f := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if v, err := canon.Number(f); algal.CodeOf(err) != algal.ParseFailed || v.Exists() {
			t.Errorf("C-13: Number(%v) = %v, %v", f, v, err)
		}
	}
	zero, err := canon.Number(math.Copysign(0, -1))
	if err != nil || zero.String() != "0" || !math.Signbit(zero.Float()) {
		t.Errorf("minus zero is %s", zero)
	}
}

func TestEncodeBounds(t *testing.T) {
	v := canon.Int(1)
	for range canon.MaxDepth {
		v = canon.Array(v)
	}
	if text, err := canon.Encode(v); err != nil || len(text) != v.Size() {
		t.Fatal(err)
	}
	if _, err := canon.Encode(canon.Array(v)); algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != "JSON depth exceeds 64" {
		t.Errorf("depth 65: %v", err)
	}
	half := canon.String(strings.Repeat("x", canon.MaxBytes/2))
	if _, err := canon.Encode(canon.Array(half, half)); algal.CodeOf(err) != algal.BudgetExhausted {
		t.Errorf("over 64 MiB: %v", err)
	}
}

func TestDigestToken(t *testing.T) { // C-2
	good := string(canon.DigestText(""))
	for text, ok := range map[string]bool{
		good:                                     true,
		strings.ToUpper(good):                    false,
		good + "0":                               false,
		good + "\n":                              false,
		good[:70]:                                false,
		"sha512:" + good[7:]:                     false,
		"sha256:../../outside":                   false,
		"sha256:" + strings.Repeat("g", 64):      false,
		"sha256:" + strings.Repeat("A", 64):      false,
		"sha256:" + strings.Repeat("\u00e9", 32): false,
	} {
		_, err := algal.ParseDigest(text, "x")
		if (err == nil) != ok || err != nil && algal.CodeOf(err) != algal.ParseFailed {
			t.Errorf("ParseDigest(%q): %v", text, err)
		}
	}
}

func TestReaders(t *testing.T) {
	obj := parse(t, `{"a":1,"é":"`+strings.Repeat("é", 64)+`","n":null}`)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"object":       {canon.AsObject(parse(t, `[]`), "x"), "x must be an object"},
		"array":        {canon.AsArray(obj, "x"), "x must be an array"},
		"unknown key":  {canon.NoUnknownKeys(obj, "x", "a", "n"), `x has unknown key "é"`},
		"missing":      {second(canon.Require(obj, "x", "b")), `x requires "b"`},
		"null present": {second(canon.Require(obj, "x", "n")), ""},
		"units":        {second(canon.AsString(obj.Get("é"), "x", 64)), ""},
		"string bound": {second(canon.AsString(obj.Get("é"), "x", 63)), "x must be a string of at most 63 characters"},
		"string kind":  {second(canon.AsString(obj.Get("a"), "x", 63)), "x must be a string of at most 63 characters"},
		"integer":      {second(canon.AsInt(parse(t, "1.0"), "x", 1, 5)), ""},
		"fraction":     {second(canon.AsInt(parse(t, "1.5"), "x", 1, 5)), "x must be an integer in [1, 5]"},
		"range":        {second(canon.AsInt(parse(t, "6"), "x", 1, 5)), "x must be an integer in [1, 5]"},
		"boolean":      {second(canon.AsBool(obj, "x")), "x must be a boolean"},
		"id":           {second(canon.AsSafeID(parse(t, `"a--b-"`), "x")), ""},
		"id form":      {second(canon.AsSafeID(parse(t, `"A"`), "x")), "x must be a lowercase kebab-case id"},
		"id empty":     {second(canon.AsSafeID(parse(t, `""`), "x")), "x must be a lowercase kebab-case id"},
		"id length":    {canon.CheckSafeID(strings.Repeat("a", 65), "x"), "x must be a string of at most 64 characters"},
		"digest":       {second(canon.AsDigest(obj, "x")), "x must be a sha256:<64 lowercase hex> digest"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
			if algal.CodeOf(c.err) != algal.ParseFailed {
				t.Errorf("%s: code %s", name, algal.CodeOf(c.err))
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestSharedTreesDoNotWrap(t *testing.T) {
	v := canon.Array()
	for range 40 {
		v = canon.Array(v, v)
	}
	if v.Nodes() != math.MaxUint32 {
		t.Errorf("%d nodes", v.Nodes())
	}
}

func TestCutUnits(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 2, "ab"}, {"abc", 3, "abc"}, {"a😀b", 2, "a"}, {"a😀b", 3, "a😀"}, {"", 0, ""}, {"é", 0, ""}} {
		if got := canon.CutUnits(c.in, c.n); got != c.want {
			t.Errorf("CutUnits(%q, %d) = %q", c.in, c.n, got)
		}
	}
}

func TestObjectEdits(t *testing.T) {
	v := parse(t, `{"b":1,"a":2}`)
	if got := v.With(canon.M("b", canon.Int(3)), canon.M("c", canon.Null())).String(); got != `{"a":2,"b":3,"c":null}` {
		t.Error(got)
	}
	if got := v.Without("a").String(); got != `{"b":1}` {
		t.Error(got)
	}
	if v.Without("x") != v {
		t.Error("Without an absent member changed the value")
	}
	if got := canon.Object(canon.M("x", canon.Value{})).String(); got != `{}` {
		t.Error(got)
	}
}

// keyGen makes keys that meet every rule of the order.
var keyGen = rapid.OneOf(
	rapid.SampledFrom([]string{"", "0", "00", "9", "10", "4294967294", "4294967295", "-1", "1.5", "a", "Z", "__proto__", "\uffff", "\U0001F600", "\ue000", "\ud7ff"}),
	rapid.StringN(0, 4, -1),
)

// valueGen makes values through the constructors.
func valueGen(depth int) *rapid.Generator[canon.Value] {
	return rapid.Custom(func(t *rapid.T) canon.Value {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 {
			kind %= 5
		}
		switch kind {
		case 0:
			return canon.Null()
		case 1:
			return canon.Bool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return canon.Int(rapid.Int().Draw(t, "int"))
		case 3:
			v, err := canon.Number(rapid.Float64().Draw(t, "number"))
			if err != nil {
				return canon.Null()
			}
			return v
		case 4:
			return canon.String(rapid.String().Draw(t, "string"))
		case 5:
			return canon.Array(rapid.SliceOfN(valueGen(depth-1), 0, 4).Draw(t, "elements")...)
		default:
			keys := rapid.SliceOfN(keyGen, 0, 5).Draw(t, "keys")
			var members []canon.Member
			for _, k := range keys {
				members = append(members, canon.M(k, valueGen(depth-1).Draw(t, "member")))
			}
			return canon.Object(members...)
		}
	})
}

func TestConstructedValuesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := valueGen(4).Draw(t, "value")
		text := v.String()
		want, err := plain.Canonical(text)
		if err != nil || want != text {
			t.Fatalf("plain canonicaliser: %v\n got %s\nwant %s", err, text, want)
		}
		d, err := canon.ParseDocument(text, canon.Limits{})
		if err != nil || !d.Canonical || d.Duplicates {
			t.Fatalf("%s does not read back: %+v, %v", text, d, err)
		}
		back := d.Value
		if !canon.Equal(v, back) || back.Size() != len(text) || v.Size() != len(text) || v.Nodes() != back.Nodes() || v.Depth() != back.Depth() {
			t.Fatalf("%s: measures differ", text)
		}
		for key := range back.Members() {
			if want := back.Without(key).Digest(); back.DigestWithout(key) != want || v.DigestWithout(key) != want {
				t.Fatalf("%s without %q: digest differs", text, key)
			}
		}
		if back.DigestWithout("no such key") != back.Digest() {
			t.Fatalf("%s: digest without a member that is not there", text)
		}
		if v.Digest() != back.Digest() || back.Digest() != canon.DigestText(text) || v.Sorted().Digest() != v.Digest() {
			t.Fatalf("%s: digests differ", text)
		}
	})
}

func TestKeyOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := keyGen.Draw(t, "a"), keyGen.Draw(t, "b"), keyGen.Draw(t, "c")
		if sign(canon.CompareKeys(a, b)) != -sign(canon.CompareKeys(b, a)) {
			t.Fatalf("%q, %q: not antisymmetric", a, b)
		}
		if (canon.CompareKeys(a, b) == 0) != (a == b) {
			t.Fatalf("%q, %q: equal only to itself", a, b)
		}
		if canon.CompareKeys(a, b) < 0 && canon.CompareKeys(b, c) < 0 && canon.CompareKeys(a, c) >= 0 {
			t.Fatalf("%q, %q, %q: not transitive", a, b, c)
		}
		units := func(s string) []uint16 { return utf16.Encode([]rune(s)) }
		x, y := units(a), units(b)
		want := 0
		for i := 0; want == 0 && i < len(x) && i < len(y); i++ {
			want = int(x[i]) - int(y[i])
		}
		if want == 0 {
			want = len(x) - len(y)
		}
		if sign(canon.CompareUnits(a, b)) != sign(want) || canon.Units(a) != len(x) {
			t.Fatalf("%q, %q: unit order", a, b)
		}
	})
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
