package expr

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/algal-vm/algal/canon"
)

// environment is what generated programs read.
const environment = `{"n":3,"f":101.25999999999999,"s":"aé,😀","b":true,"z":null,"l":[3,1,2,1],"t":["b","a",""],` +
	`"m":{"k":1,"10":[2],"9":{"k":null}},"d":[[1],[],[[2]]]}`

var visible = []string{"n", "f", "s", "b", "z", "l", "t", "m", "d"}

// signatures give the kinds of arguments and result of every operation: number,
// string, bool, list, map, anything, or i for a binder. The first argument of a
// star operation is repeated; those of ! stand as they are.
var signatures = map[string]string{
	"add": "n*n", "mul": "n*n", "min": "n*n", "max": "n*n", "sub": "nnn", "div": "nnn", "mod": "nnn", "neg": "nn",
	"abs": "nn", "floor": "nn", "ceil": "nn", "round": "nn", "clamp": "nnnn",
	"lt": "nnb", "lte": "ssb", "gt": "ssb", "gte": "nnb", "eq": "aab", "neq": "aab",
	"and": "b*b", "or": "b*b", "not": "bb", "if": "baaa", "let": "iaaa", "get": "!a",
	"list": "a*l", "len": "ln", "nth": "lna", "concat": "l*l", "flat": "Ll", "map": "lial", "filter": "libl",
	"fold": "laiiaa", "contains": "lab", "reverse": "ll", "take": "lnl", "drop": "lnl", "unique": "ll", "sort": "ll",
	"slen": "sn", "sconcat": "s*s", "upper": "ss", "lower": "ss", "trim": "ss", "split": "ssl", "join": "Tss",
	"scontains": "ssb", "starts": "ssb", "ends": "ssb", "toText": "as",
	"has": "msb", "keys": "ml", "values": "ml", "merge": "m*m",
	"isText": "ab", "isNum": "ab", "isBool": "ab", "isList": "ab", "isMap": "ab", "isNull": "ab", "quote": "!a",
}

// leaves are the programs without arguments of each kind.
var leaves = map[byte][]string{
	'n': {"0", "1", "2", "-1", "0.5", "1e308", "48.230000000000004", `["get","n"]`, `["get","f"]`, `["get","l",0]`},
	's': {`""`, `"a"`, `","`, `" k\t"`, `"k"`, `["get","s"]`, `["get","t",1]`},
	'b': {"true", "false", `["get","b"]`},
	'l': {`["list"]`, `["get","l"]`, `["get","t"]`, `["get","d"]`, `["quote",[{"b":1},{"a":"x"},[true,{}],[false],null]]`},
	'L': {`["get","d"]`, `["list",["get","l"],["get","t"]]`},
	'T': {`["get","t"]`, `["split",["get","s"],","]`},
	'm': {"{}", `["get","m"]`, `["get","m","9"]`},
	'a': {"null", `["get","z"]`, `["get","m","10",0]`, `["get","d",1,"x"]`, `["quote",["x",{}]]`, `["get","l",9]`},
}

// byResult lists the operations that give a kind, those that give anything
// included.
var byResult = func() map[byte][]string {
	lists := map[byte][]string{}
	for _, name := range slices.Sorted(maps.Keys(signatures)) {
		s := signatures[name]
		for kind := range leaves {
			if result := s[len(s)-1]; result == kind || result == 'a' || kind == 'a' {
				lists[kind] = append(lists[kind], name)
			}
		}
	}
	return lists
}()

// programGen makes programs that mostly pass the check and mostly meet the kinds
// that their operations want.
func programGen(kind byte, depth int, scope []string) *rapid.Generator[canon.Value] {
	return rapid.Custom(func(t *rapid.T) canon.Value {
		if rapid.IntRange(0, 19).Draw(t, "stray") == 0 {
			kind = 'a'
		}
		choice := rapid.IntRange(0, 9).Draw(t, "choice")
		switch {
		case kind == 'a' && choice == 1 && len(scope) > 0:
			return canon.Array(canon.String("get"), canon.String(rapid.SampledFrom(scope).Draw(t, "name")))
		case depth == 0 || choice < 3 || len(byResult[kind]) == 0:
			return parseGen(t, rapid.SampledFrom(leaves[kind]).Draw(t, "leaf"))
		case kind == 'm' && choice < 6:
			var members []canon.Member
			for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"10", "9", "b", "a", "\uffff", "😀"}), 0, 4).Draw(t, "keys") {
				members = append(members, canon.M(key, programGen('a', depth-1, scope).Draw(t, "field")))
			}
			return canon.Object(members...)
		}
		return callGen(t, kind, depth, scope)
	})
}

func callGen(t *rapid.T, kind byte, depth int, scope []string) canon.Value {
	name := rapid.SampledFrom(byResult[kind]).Draw(t, "op")
	signature := signatures[name]
	wants := signature[:len(signature)-1]
	if wants == "!" {
		return parseGen(t, rapid.SampledFrom(leaves['a']).Draw(t, "leaf"))
	}
	if first, variadic := strings.CutSuffix(wants, "*"); variadic {
		wants = strings.Repeat(first, rapid.IntRange(1, 3).Draw(t, "count"))
	}
	switch rapid.IntRange(0, 99).Draw(t, "slip") {
	case 0:
		wants += "a"
	case 1:
		name += "x"
	}
	call := []canon.Value{canon.String(name)}
	inner := slices.Clone(scope)
	for i := range len(wants) {
		switch {
		case wants[i] == 'i':
			binder := rapid.SampledFrom([]string{"x", "y", "n"}).Draw(t, "binder")
			inner = append(inner, binder)
			call = append(call, canon.String(binder))
		case i == len(wants)-1:
			call = append(call, programGen(wants[i], depth-1, inner).Draw(t, "last"))
		default:
			call = append(call, programGen(wants[i], depth-1, scope).Draw(t, "argument"))
		}
	}
	return canon.Array(call...)
}

// TestSignatures: the generator covers the whole vocabulary.
func TestSignatures(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(operations)), slices.Sorted(maps.Keys(signatures))); diff != "" {
		t.Error(diff)
	}
}

func parseGen(t *rapid.T, text string) canon.Value {
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// repeated makes one check of n, as a single program shows little.
func repeated(n int, check func(t *rapid.T)) func(t *rapid.T) {
	return func(t *rapid.T) {
		for range n {
			check(t)
		}
	}
}

// TestRuns holds what is true of every run: it is repeatable, it never burns more
// than its budget, exactly what it burned is enough for the same outcome, and
// less is not.
func TestRuns(t *testing.T) {
	values, failures := 0, 0
	rapid.Check(t, repeated(20, func(t *rapid.T) {
		program, env := programGen('a', 5, nil).Draw(t, "program"), parseGen(t, environment)
		p := NewProgram(program)
		const budget = 2000
		want := run(p, env, budget)
		if diff := cmp.Diff(want, run(NewProgram(program), env, budget)); diff != "" {
			t.Fatalf("%s: not repeatable\n%s", program, diff)
		}
		if want.Burned < 0 || want.Burned > budget {
			t.Fatalf("%s: burned %d", program, want.Burned)
		}
		_, _, f := p.Run(env, budget)
		checked := p.Check(visible)
		switch {
		case checked == nil && f != nil && (f.Code() == CodeOp || f.Code() == CodeArity),
			checked != nil && (f == nil || f.String() != checked.String()):
			t.Fatalf("%s: the check says %v, the run %v", program, checked, f)
		}
		if f == nil {
			values++
		} else {
			failures++
		}
		if f != nil && f.Code() == CodeFuel {
			return
		}
		if diff := cmp.Diff(want, run(p, env, want.Burned)); diff != "" {
			t.Fatalf("%s: not the same with exactly %d\n%s", program, want.Burned, diff)
		}
		if want.Burned == 0 {
			return
		}
		less := rapid.IntRange(0, want.Burned-1).Draw(t, "less")
		_, burned, f := p.Run(env, less)
		if f == nil || f.Code() != CodeFuel || burned > less {
			t.Fatalf("%s: with %d of %d burned %d and %v", program, less, want.Burned, burned, f)
		}
	}))
	t.Logf("%d values, %d failures", values, failures)
	if values == 0 || failures == 0 {
		t.Error("the generator makes one kind of outcome only")
	}
}

// TestResultsReadBack: a result is what reading its text gives, member order
// included, and it keeps the bounds of results.
func TestResultsReadBack(t *testing.T) {
	rapid.Check(t, repeated(20, func(t *rapid.T) {
		program := programGen('a', 4, nil).Draw(t, "program")
		v, _, f := NewProgram(program).Run(parseGen(t, environment), CellBudget)
		if f != nil {
			return
		}
		back := parseGen(t, v.String())
		if !canon.Equal(v, back) || shape(v) != shape(back) || v.Size() > maxResultBytes {
			t.Fatalf("%s gives %s", program, v)
		}
	}))
}

// shape writes the members in the order in which v has them.
func shape(v canon.Value) string {
	var b strings.Builder
	for i := range v.Len() {
		if v.Is(canon.KindObject) {
			b.WriteString(v.Key(i) + ":")
		}
		b.WriteString("(" + shape(v.At(i)) + ")")
	}
	return b.String()
}

// TestRequestsAgreeWithRuns: reading the shortest text of a number as the
// reference evaluator does is ingesting the number.
func TestRequestsAgreeWithRuns(t *testing.T) {
	rapid.Check(t, repeated(20, func(t *rapid.T) {
		program := programGen('a', 3, nil).Draw(t, "program")
		extra := rapid.Float64().Draw(t, "number")
		number, err := canon.Number(extra)
		if err != nil {
			number = canon.Null()
		}
		env := parseGen(t, environment).With(canon.M("n", number))
		fuel := rapid.IntRange(0, 100).Draw(t, "fuel")
		request := canon.Object(canon.M("program", program), canon.M("env", env), canon.M("fuel", canon.Int(fuel))).String()
		v, burned, f := NewProgram(program).Run(env, fuel)
		want := canon.Object(canon.M("ok", canon.Bool(true)), canon.M("value", v), canon.M("fuel", canon.Int(burned)))
		if f != nil {
			want = canon.Object(canon.M("ok", canon.Bool(false)), canon.M("err", f.Record()), canon.M("fuel", canon.Int(burned)))
		}
		if got := EvalRequest(request); got != want.String() {
			t.Fatalf("%s\n got %s\nwant %s", request, got, want)
		}
	}))
}

// TestMalformedRequests: a text is refused as no JSON exactly when it is none,
// whatever replacing its numbers may do to it.
func TestMalformedRequests(t *testing.T) {
	const good = `{"program":["add",1.50,-0,1e5,{"a":"1e\"5\\"}],"env":{"x":[10E-2]},"names":["x"],"fuel":100}`
	pieces := rapid.SampledFrom([]string{"", "1", "0", "-", ".", "e", "E5", "+", `"`, `\`,
		"[", "]", "{", "}", ",", ":", " ", "null", "\x80", "\\ud800"})
	valid, refused := 0, 0
	rapid.Check(t, repeated(20, func(t *rapid.T) {
		text := good
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			end := min(at+rapid.IntRange(0, 2).Draw(t, "cut"), len(text))
			text = text[:at] + pieces.Draw(t, "piece") + text[end:]
		}
		_, err := canon.Parse(text, canon.Limits{})
		answers := []string{EvalRequest(text), CheckRequest(text)}
		for _, answer := range answers {
			if _, err := canon.Parse(answer, canon.Limits{}); err != nil {
				t.Fatalf("%s: the answer is %s", text, answer)
			}
			if says := strings.Contains(answer, "request is not valid JSON"); says != (err != nil) {
				t.Fatalf("%s: reading gives %v, the answer is %s", text, err, answer)
			}
		}
		if err == nil {
			valid++
		} else {
			refused++
		}
	}))
	t.Logf("%d texts valid, %d refused", valid, refused)
	if valid == 0 || refused == 0 {
		t.Error("the generator makes one kind of text only")
	}
}
