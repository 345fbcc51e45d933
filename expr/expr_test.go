package expr

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// outcome is what a run gives, as text.
type outcome struct {
	Value, Failure string
	Burned         int
}

func run(p *Program, env canon.Value, budget int) outcome {
	v, burned, f := p.Run(env, budget)
	if f != nil {
		return outcome{v.String(), f.String(), burned}
	}
	return outcome{v.String(), "", burned}
}

// TestFuelByExample holds to the table of expr.md §10.
func TestFuelByExample(t *testing.T) {
	const enough = DefaultBudget
	for _, c := range []struct {
		program, env string
		budget       int
		want         outcome
	}{
		{`1`, `{}`, enough, outcome{"1", "", 1}},
		{`["add",1,2]`, `{}`, enough, outcome{"3", "", 4}},
		{`["get","x"]`, `{"x":7}`, enough, outcome{"7", "", 4}},
		{`["get","l",0]`, `{"l":[5]}`, enough, outcome{"5", "", 6}},
		{`["quote",[1,2,3]]`, `{}`, enough, outcome{"[1,2,3]", "", 1}},
		{`["list"]`, `{}`, enough, outcome{"[]", "", 1}},
		{`{"a":1}`, `{}`, enough, outcome{`{"a":1}`, "", 2}},
		{`["eq",1,["list",1]]`, `{}`, enough, outcome{"false", "", 8}},
		{`["and",false,["div",1,0]]`, `{}`, enough, outcome{"false", "", 2}},
		{`["let","x",1,["get","x"]]`, `{}`, enough, outcome{"1", "", 6}},
		{`["map",["quote",[1,2]],"x",["get","x"]]`, `{}`, enough, outcome{"[1,2]", "", 13}},
		{`["sconcat","ab","é"]`, `{}`, enough, outcome{`"abé"`, "", 8}},
		{`["split","a,b",","]`, `{}`, enough, outcome{`["a","b"]`, "", 9}},
		{`["sort",["list",3,1,2]]`, `{}`, enough, outcome{"[1,2,3]", "", 9}},
		{`["unique",["quote",[1,2,1,3]]]`, `{}`, enough, outcome{"[1,2,3]", "", 7}},
		{`["toText",{"b":1,"a":2}]`, `{}`, enough, outcome{`"{\"a\":2,\"b\":1}"`, "", 18}},
		{`["div",1,0]`, `{}`, enough, outcome{"", `{"code":"EXPR_DIV_ZERO","op":"div"}`, 4}},
		{`["sub","x",["div",1,0]]`, `{}`, enough,
			outcome{"", `{"arg":0,"code":"EXPR_TYPE","got":"text","op":"sub","want":"number"}`, 3}},
		{`["add","x",["div",1,0]]`, `{}`, enough, outcome{"", `{"code":"EXPR_DIV_ZERO","op":"div"}`, 7}},
		{`["add",1,2]`, `{}`, 3, outcome{"", `{"code":"EXPR_FUEL","cost":1,"left":0}`, 3}},
		{`["sconcat","abc","d"]`, `{}`, 5, outcome{"", `{"code":"EXPR_FUEL","cost":4,"left":1}`, 4}},
	} {
		got := run(NewProgram(parse(t, c.program)), parse(t, c.env), c.budget)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s with %d (-want +got)\n%s", c.program, c.budget, diff)
		}
	}
}

func TestRunBorders(t *testing.T) {
	const budgetText = `{"code":"EXPR_BOUNDS","max":1000000,"what":"fuel budget must be an integer in [0, 1000000]"}`
	const depthText = `{"code":"EXPR_BOUNDS","max":32,"what":"value-depth"}`
	deep := canon.Object(canon.M("x", wrap(nil, canon.Int(1), 31)))
	unbound := NewProgram(parse(t, `["if",true,1,["get","y"]]`))
	for _, c := range []struct {
		name   string
		p      *Program
		env    canon.Value
		budget int
		want   outcome
	}{
		{"largest budget", NewProgram(canon.Int(1)), canon.Object(), MaxBudget, outcome{"1", "", 1}},
		{"budget too large", NewProgram(canon.Int(1)), canon.Object(), MaxBudget + 1, outcome{"", budgetText, 0}},
		{"negative budget", NewProgram(canon.Int(1)), canon.Object(), -1, outcome{"", budgetText, 0}},
		{"no fuel", NewProgram(canon.Int(1)), canon.Object(), 0, outcome{"", `{"code":"EXPR_FUEL","cost":1,"left":0}`, 0}},
		{"absent program is null", NewProgram(canon.Value{}), canon.Object(), 9, outcome{"null", "", 1}},
		{"absent environment is empty", unbound, canon.Value{}, 9,
			outcome{"", `{"code":"EXPR_PATH","op":"get","what":"unbound name \"y\""}`, 0}},
		{"list as environment is empty", NewProgram(canon.Int(1)), repeat(canon.Null(), 300), 9, outcome{"1", "", 1}},
		{"check precedes the budget", unbound, canon.Object(), -1,
			outcome{"", `{"code":"EXPR_PATH","op":"get","what":"unbound name \"y\""}`, 0}},
		{"index that is not natural", NewProgram(parse(t, `["take",["list",1],-5]`)), canon.Object(), 9,
			outcome{"", `{"arg":1,"code":"EXPR_TYPE","got":"number","op":"take","want":"nonneg integer"}`, 5}},
		{"deepest environment", NewProgram(parse(t, `["get","x"]`)), deep, 9, outcome{deep.Get("x").String(), "", 4}},
		{"too deep for an element", NewProgram(parse(t, `["map",["list",1,2],"i",["list",["get","x"]]]`)), deep, 99,
			outcome{"", depthText, 11}},
		{"too deep for a member", NewProgram(parse(t, `{"a":["list",["get","x"]],"b":1}`)), deep, 99, outcome{"", depthText, 6}},
	} {
		if diff := cmp.Diff(c.want, run(c.p, c.env, c.budget)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestResultIsAsReadBack: a result crosses the border as text, which loses the
// member order of the environment and the sign of a zero.
func TestResultIsAsReadBack(t *testing.T) {
	p := NewProgram(parse(t, `["list",["get","x"],["neg",0],["get","z"]]`))
	v, _, f := p.Run(parse(t, `{"x":{"b":1,"a":{"d":1,"c":2}},"z":-0.0}`), CellBudget)
	if f != nil {
		t.Fatal(f)
	}
	if got := v.At(0).Key(0) + v.At(0).At(0).Key(0); got != "ac" {
		t.Errorf("first keys are %q, want those of the canonical text", got)
	}
	for i := 1; i <= 2; i++ {
		if got := fmt.Sprint(v.At(i).Float()); got != "0" {
			t.Errorf("element %d is %s, want 0", i, got)
		}
	}
}

// TestSourceIsAsWritten: only the evaluator sees ingested numbers.
func TestSourceIsAsWritten(t *testing.T) {
	p := NewProgram(parse(t, `["list",101.25999999999999,["get","x"],["add",48.23,53.03]]`))
	if got := p.Source().At(1).String(); got != "101.25999999999999" {
		t.Errorf("source holds %s", got)
	}
	got := run(p, parse(t, `{"x":{"y":[101.25999999999999,1]}}`), CellBudget)
	want := outcome{`[101.26,{"y":[101.26,1]},101.25999999999999]`, "", 10}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestFirstFaultOfTheCheck: unbound names and other faults are found in one walk,
// whichever stands first.
func TestFirstFaultOfTheCheck(t *testing.T) {
	for program, want := range map[string]string{
		`["list",["get","y"],["bogus"]]`:                            CodePath,
		`["list",["bogus"],["get","y"]]`:                            CodeOp,
		`["list",["get","x"],["bogus"]]`:                            CodeOp,
		`["get","y",["bogus"]]`:                                     CodePath,
		`{"b":["get","y"],"a":["bogus"]}`:                           CodeOp,
		`{"10":["get","y"],"9":["bogus"]}`:                          CodePath,
		`["let","y",["get","y"],["get","y"]]`:                       CodePath,
		`["list",["let","y",1,["get","y"]],["sub",1]]`:              CodeArity,
		`["let","1y",["get","y"],1]`:                                CodeParse,
		`["list",["get","y"],"` + strings.Repeat("x", 16384) + `"]`: CodeBounds,
	} {
		if f := NewProgram(parse(t, program)).Check([]string{"x"}); f.Code() != want {
			t.Errorf("%.60s: %s, want %s", program, f, want)
		}
	}
}

// TestScopes: a name ends with the body that it is bound for, and the innermost
// binding of a name holds.
func TestScopes(t *testing.T) {
	const unbound = `{"code":"EXPR_PATH","op":"get","what":"unbound name \"a\""}`
	for _, c := range []struct{ program, want string }{
		{`["list",["let","a",1,["get","a"]],["get",["sconcat","a"]]]`, unbound},
		{`["list",["map",["list",1],"a",["get","a"]],["get",["sconcat","a"]]]`, unbound},
		{`["list",["filter",["list",1],"a",true],["get",["sconcat","a"]]]`, unbound},
		{`["list",["fold",["list",1],0,"a","b",["get","a"]],["get",["sconcat","a"]]]`, unbound},
		{`["list",["fold",["list",1],0,"b","a",["get","a"]],["get",["sconcat","a"]]]`, unbound},
		{`["let","a",1,["list",["let","a",["add",["get","a"],1],["get","a"]],["get","a"]]]`, `[2,1]`},
		{`["let","x",5,["list",["get","x"],["fold",["list",1,2],0,"a","a",["get","a"]]]]`, `[5,2]`},
		{`["get",["sconcat","x"]]`, `9`},
	} {
		got := run(NewProgram(parse(t, c.program)), parse(t, `{"x":9}`), CellBudget)
		if got.Value+got.Failure != c.want {
			t.Errorf("%s: got %v, want %s", c.program, got, c.want)
		}
	}
}

// TestRequestNames: what is no string among the names is no name at all.
func TestRequestNames(t *testing.T) {
	const want = `{"err":{"code":"EXPR_PATH","op":"get","what":"unbound name \"\""},"ok":false}`
	if got := CheckRequest(`{"program":["get",""],"names":[1,null,[]]}`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEnvelope(t *testing.T) {
	const at = "manifest.cells[1].expr"
	for _, c := range []struct{ envelope, want string }{
		{`[]`, at + ` must be an object`},
		{`{"program":1,"zz":1,"contract":1,"1":0}`, at + ` has unknown key "1"`},
		{`{"program":1,"z\"z":1,"aa":2}`, at + ` has unknown key "z"z"`},
		{`{"program":1,"zz":1}`, at + ` has unknown key "zz"`},
		{`{"program":1}`, at + `.contract must be "algal.expr.v1"`},
		{`{"program":1,"contract":"algal.expr.v2"}`, at + `.contract must be "algal.expr.v1"`},
		{`{"contract":"algal.expr.v1"}`, at + ` requires "program"`},
		{`{"contract":"algal.expr.v1","program":null}`, ""},
		{`{"contract":"algal.expr.v1","program":["get","in-put"]}`, ""},
		{`{"contract":"algal.expr.v1","program":["sub",1]}`,
			at + `.program: EXPR_ARITY {"got":1,"op":"sub","want":"2..2"}`},
		{`{"contract":"algal.expr.v1","program":["get","x"]}`,
			at + `.program: EXPR_PATH {"op":"get","what":"unbound name \"x\""}`},
	} {
		p, err := ParseEnvelope(parse(t, c.envelope), at)
		if (p == nil) != (err != nil) {
			t.Errorf("%s: program %v with error %v", c.envelope, p, err)
		}
		if err == nil {
			err = p.Admit([]string{"in-put"}, at)
		}
		if err == nil && c.want == "" {
			continue
		}
		if err == nil || err.Error() != c.want || algal.CodeOf(err) != algal.ParseFailed {
			t.Errorf("%s: %v, want %s", c.envelope, err, c.want)
		}
	}
}

func TestVocabulary(t *testing.T) {
	if len(operations) != 61 {
		t.Errorf("%d operations, want 61 (§8)", len(operations))
	}
	for name, o := range operations {
		for _, slot := range o.binders {
			if o.min != o.max || slot >= o.max-1 {
				t.Errorf("%s: binder %d is not among the fixed arguments before the body", name, slot)
			}
		}
	}
}

// TestSharedProgram runs one program in many goroutines; the race detector looks.
func TestSharedProgram(t *testing.T) {
	p, env := NewProgram(parse(t, `["fold",["get","l"],0,"a","x",["add",["get","a"],["get","x"]]]`)), parse(t, `{"l":[1,2,3]}`)
	want := outcome{"6", "", 40}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := run(p, env, CellBudget); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	group.Wait()
}

// TestAllocations keeps the frequent case cheap: a guard allocates its machine.
func TestAllocations(t *testing.T) {
	p := NewProgram(parse(t, `["gte",["get","value","score"],0.5]`))
	env := parse(t, `{"value":{"score":0.75,"list":[1,2.5,48.23,1e9,-7]}}`)
	if n := testing.AllocsPerRun(100, func() { p.Run(env, CellBudget) }); n > 1 {
		t.Errorf("a guard makes %v allocations", n)
	}
}
