package expr

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
)

// BenchmarkRun runs programs of the kind that cells, guards and label lists hold.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ name, program, env string }{
		{"guard", `["gte",["get","value","score"],0.5]`, `{"value":{"score":0.75,"label":"ok"}}`},
		{"object", `{"total":["add",["get","a"],["get","b"]],"text":["sconcat","n=",["toText",["get","a"]]]}`, `{"a":1,"b":2.5}`},
		{"labels", `["map",["get","items"],"i",["get","i","name"]]`,
			`{"items":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}`},
		{"sum", `["fold",["get","l"],0,"acc","x",["add",["get","acc"],["get","x"]]]`, `{"l":[1,2,3,4,5,6,7,8,9,10]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, env := NewProgram(parse(b, c.program)), parse(b, c.env)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, f := p.Run(env, CellBudget); f != nil {
					b.Fatal(f)
				}
			}
		})
	}
}

func BenchmarkNewProgram(b *testing.B) {
	program := parse(b, `{"total":["add",["get","a"],["get","b"]],"text":["sconcat","n=",["toText",["get","a"]]]}`)
	b.ReportAllocs()
	for b.Loop() {
		if f := NewProgram(program).Check([]string{"a", "b"}); f != nil {
			b.Fatal(f)
		}
	}
}

// BenchmarkIngest walks an environment without and with numbers that change.
func BenchmarkIngest(b *testing.B) {
	for name, text := range map[string]string{
		"unchanged": "[1,2.5,-3,48.23,1e9]",
		"changed":   "[1,2.5,-3,48.23,101.25999999999999]",
	} {
		b.Run(name, func(b *testing.B) {
			v := repeat(parse(b, text), 200)
			b.ReportAllocs()
			for b.Loop() {
				ingest(v)
			}
		})
	}
}

// BenchmarkCostly spends the fuel of a cell on what does the most work for it:
// operations that read large values at a flat price. One run is the worst that a
// cell can cost.
func BenchmarkCostly(b *testing.B) {
	const rounds = `["map",["get","n"],"i",["map",["get","n"],"j",BODY]]`
	for _, c := range []struct {
		name, body string
		x, y       canon.Value
	}{
		{"get", `["len",["get","x"]]`, bulk(), canon.Null()},
		{"reverse", `["len",["reverse",["get","x"]]]`, sequence(0, 1000), canon.Null()},
		{"contains", `["contains",["get","x"],["get","y"]]`, canon.Array(bulk()), bulk()},
		{"unique", `["len",["unique",["get","x"]]]`, canon.Array(bulk(), bulk()), canon.Null()},
		{"sort lists", `["len",["sort",["get","x"]]]`, repeat(sequence(0, 60), 1000), canon.Null()},
		{"sort maps", `["len",["sort",["get","x"]]]`,
			canon.Array(canon.Object(canon.M("a", bulk())), canon.Object(canon.M("a", bulk()))), canon.Null()},
		{"keys", `["len",["keys",["get","x"]]]`, wide(), canon.Null()},
		{"merge", `["len",["values",["merge",["get","x"],{"a":1}]]]`, wide(), canon.Null()},
		{"slen", `["slen",["get","x"]]`, canon.String(strings.Repeat("x", 65000)), canon.Null()},
		{"eq", `["eq",["get","x"],["get","y"]]`,
			canon.String(strings.Repeat("x", 65000) + "x"), canon.String(strings.Repeat("x", 65000) + "y")},
		{"quote", `["quote",PAYLOAD]`, canon.Null(), canon.Null()},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := strings.Replace(rounds, "BODY", c.body, 1)
			p := NewProgram(parse(b, strings.Replace(text, "PAYLOAD", repeat(canon.Int(1), 480).String(), 1)))
			env := canon.Object(canon.M("n", sequence(0, 500)), canon.M("x", c.x), canon.M("y", c.y))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, f := p.Run(env, CellBudget); f == nil || f.Code() != CodeFuel && f.Code() != CodeBounds {
					b.Fatal(f)
				}
			}
		})
	}
}

// bulk is a large list of lists without a text at hand, the same each time but
// sharing nothing.
func bulk() canon.Value {
	lists := make([]canon.Value, 24)
	for i := range lists {
		lists[i] = sequence(0, 1000)
	}
	return canon.Array(lists...)
}

// wide is a map of many long keys.
func wide() canon.Value {
	return expandTemplate("$keys", canon.Array(canon.String(strings.Repeat("k", 800)), canon.Int(0), canon.Int(250), canon.Null()))
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
