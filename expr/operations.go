package expr

import (
	"math"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// evaluator carries out a node after its cost is paid. It charges what depends
// on the operands and gives every bound that the lengths of its result need.
type evaluator func(m *machine, n *node) (canon.Value, *Failure)

// operation is what the check and the meter have to know about a name (§4, §7.1).
type operation struct {
	name     string
	min, max int   // number of arguments
	cost     int   // on entry, before any argument runs
	perArg   int   // added to that for each argument
	binders  []int // positions of the arguments that bind a name in the last one
	eval     evaluator
}

// unlimited is the maximum of an operation that takes any number of arguments.
const unlimited = -1

// operations is the whole vocabulary of the language (§8), by name.
var operations = byName([]operation{
	{name: "add", min: 1, max: unlimited, cost: 2, eval: accumulate(0, func(a, x float64) float64 { return a + x })},
	{name: "mul", min: 1, max: unlimited, cost: 2, eval: accumulate(1, func(a, x float64) float64 { return float64(a * x) })},
	{name: "min", min: 1, max: unlimited, cost: 2, eval: accumulate(math.Inf(1), math.Min)},
	{name: "max", min: 1, max: unlimited, cost: 2, eval: accumulate(math.Inf(-1), math.Max)},
	{name: "sub", min: 2, max: 2, cost: 2, eval: subtract},
	{name: "div", min: 2, max: 2, cost: 2, eval: division(func(a, b float64) float64 { return a / b })},
	{name: "mod", min: 2, max: 2, cost: 2, eval: division(math.Mod)},
	{name: "neg", min: 1, max: 1, cost: 2, eval: unary(func(x float64) float64 { return -x })},
	{name: "abs", min: 1, max: 1, cost: 2, eval: unary(math.Abs)},
	{name: "floor", min: 1, max: 1, cost: 2, eval: unary(math.Floor)},
	{name: "ceil", min: 1, max: 1, cost: 2, eval: unary(math.Ceil)},
	{name: "round", min: 1, max: 1, cost: 2, eval: unary(round)},
	{name: "clamp", min: 3, max: 3, cost: 2, eval: clamp},

	{name: "lt", min: 2, max: 2, cost: 2, eval: ordered(func(c int) bool { return c < 0 })},
	{name: "lte", min: 2, max: 2, cost: 2, eval: ordered(func(c int) bool { return c <= 0 })},
	{name: "gt", min: 2, max: 2, cost: 2, eval: ordered(func(c int) bool { return c > 0 })},
	{name: "gte", min: 2, max: 2, cost: 2, eval: ordered(func(c int) bool { return c >= 0 })},
	{name: "eq", min: 2, max: 2, cost: 2, eval: equality(true)},
	{name: "neq", min: 2, max: 2, cost: 2, eval: equality(false)},
	{name: "and", min: 1, max: unlimited, cost: 1, eval: until(false)},
	{name: "or", min: 1, max: unlimited, cost: 1, eval: until(true)},
	{name: "not", min: 1, max: 1, cost: 1, eval: not},
	{name: "if", min: 3, max: 3, cost: 1, eval: choose},

	{name: "let", min: 3, max: 3, cost: 1, binders: []int{0}, eval: let},
	{name: "get", min: 1, max: unlimited, cost: 2, perArg: 1, eval: get},

	{name: "list", min: 0, max: unlimited, cost: 1, eval: list},
	{name: "len", min: 1, max: 1, cost: 2, eval: length},
	{name: "nth", min: 2, max: 2, cost: 2, eval: nth},
	{name: "concat", min: 1, max: unlimited, cost: 2, eval: concat},
	{name: "flat", min: 1, max: 1, cost: 2, eval: flat},
	{name: "map", min: 3, max: 3, cost: 2, binders: []int{1}, eval: collect(mapped)},
	{name: "filter", min: 3, max: 3, cost: 2, binders: []int{1}, eval: collect(filtered)},
	{name: "fold", min: 5, max: 5, cost: 2, binders: []int{2, 3}, eval: fold},
	{name: "contains", min: 2, max: 2, cost: 2, eval: contains},
	{name: "reverse", min: 1, max: 1, cost: 2, eval: reverse},
	{name: "take", min: 2, max: 2, cost: 2, eval: take},
	{name: "drop", min: 2, max: 2, cost: 2, eval: drop},
	{name: "unique", min: 1, max: 1, cost: 2, eval: unique},
	{name: "sort", min: 1, max: 1, cost: 2, eval: sort},

	{name: "slen", min: 1, max: 1, cost: 2, eval: textLength},
	{name: "sconcat", min: 1, max: unlimited, cost: 2, eval: textConcat},
	{name: "upper", min: 1, max: 1, cost: 2, eval: rewrite(upper)},
	{name: "lower", min: 1, max: 1, cost: 2, eval: rewrite(lower)},
	{name: "trim", min: 1, max: 1, cost: 2, eval: rewrite(trim)},
	{name: "split", min: 2, max: 2, cost: 2, eval: split},
	{name: "join", min: 2, max: 2, cost: 2, eval: join},
	{name: "scontains", min: 2, max: 2, cost: 2, eval: textTest(strings.Contains)},
	{name: "starts", min: 2, max: 2, cost: 2, eval: textTest(strings.HasPrefix)},
	{name: "ends", min: 2, max: 2, cost: 2, eval: textTest(strings.HasSuffix)},
	{name: "toText", min: 1, max: 1, cost: 2, eval: toText},

	{name: "has", min: 2, max: 2, cost: 2, eval: has},
	{name: "keys", min: 1, max: 1, cost: 2, eval: keys},
	{name: "values", min: 1, max: 1, cost: 2, eval: values},
	{name: "merge", min: 1, max: unlimited, cost: 2, eval: merge},

	{name: "isText", min: 1, max: 1, cost: 1, eval: isKind(canon.KindString)},
	{name: "isNum", min: 1, max: 1, cost: 1, eval: isKind(canon.KindNumber)},
	{name: "isBool", min: 1, max: 1, cost: 1, eval: isKind(canon.KindBool)},
	{name: "isList", min: 1, max: 1, cost: 1, eval: isKind(canon.KindArray)},
	{name: "isMap", min: 1, max: 1, cost: 1, eval: isKind(canon.KindObject)},
	{name: "isNull", min: 1, max: 1, cost: 1, eval: isKind(canon.KindNull)},
	{name: "quote", min: 1, max: 1, cost: 1, eval: constant},
})

// The nodes that are no calls cost and run like operations.
var (
	literalNode = &operation{cost: 1, eval: constant}
	objectNode  = &operation{cost: 1, eval: object}
)

func byName(all []operation) map[string]*operation {
	named := make(map[string]*operation, len(all))
	for i := range all {
		named[all[i].name] = &all[i]
	}
	return named
}

// constant is the value of a literal or the payload of a quote.
func constant(_ *machine, n *node) (canon.Value, *Failure) { return n.value, n.fault }
