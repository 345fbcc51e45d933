package expr

import (
	"strconv"

	"github.com/algal-vm/algal/canon"
)

// The codes of failure records (§9). They are a vocabulary of their own: where a
// failure leaves the evaluator, its user chooses the error code (§11).
const (
	CodeParse   = "EXPR_PARSE"    // malformed call, or a malformed request
	CodeOp      = "EXPR_OP"       // no such operation
	CodeArity   = "EXPR_ARITY"    // wrong number of arguments
	CodeType    = "EXPR_TYPE"     // operand of the wrong kind
	CodePath    = "EXPR_PATH"     // unbound name, or an index beyond a list
	CodeArg     = "EXPR_ARG"      // operand of the right kind that makes no sense
	CodeNum     = "EXPR_NUM"      // result is not a finite number
	CodeDivZero = "EXPR_DIV_ZERO" // divisor is zero
	CodeBounds  = "EXPR_BOUNDS"   // a bound of §6 is exceeded
	CodeFuel    = "EXPR_FUEL"     // not enough fuel left
)

// Failure is why a program was refused or stopped. It is a record (§9), not an
// error: it enters receipts as data.
type Failure struct{ record canon.Value }

// Record returns the error record (§9): the code and its details.
func (f *Failure) Record() canon.Value { return f.record }

// Code returns the code of the record.
func (f *Failure) Code() string { return f.record.Get("code").Text() }

// String returns the canonical text of the record.
func (f *Failure) String() string { return f.record.String() }

// Detail returns the canonical text of the record without its code, as admission
// errors show it (§11.1).
func (f *Failure) Detail() string { return f.record.Without("code").String() }

func fail(code string, details ...canon.Member) *Failure {
	return &Failure{canon.Object(append(details, canon.M("code", canon.String(code)))...)}
}

func withOp(name string) canon.Member   { return canon.M("op", canon.String(name)) }
func withWhat(text string) canon.Member { return canon.M("what", canon.String(text)) }

func boundsFailure(bound string, most int) *Failure {
	return fail(CodeBounds, withWhat(bound), canon.M("max", canon.Int(most)))
}

func budgetFailure() *Failure {
	return boundsFailure("fuel budget must be an integer in [0, 1000000]", MaxBudget)
}

// typeFailure says that operand arg of a call is a got and not a want.
func typeFailure(n *node, arg int, want, got string) *Failure {
	return fail(CodeType, withOp(n.op.name), canon.M("arg", canon.Int(arg)),
		canon.M("want", canon.String(want)), canon.M("got", canon.String(got)))
}

// wrongKind says that operand arg of a call is v, which is not of kind want.
func wrongKind(n *node, arg int, want canon.Kind, v canon.Value) *Failure {
	name := kindNames[want]
	if want == canon.KindString {
		name = "string" // a wanted string is called so, a found one a text
	}
	return typeFailure(n, arg, name, kindNames[v.Kind()])
}

// kindNames are the names of §2.1.
var kindNames = [...]string{
	canon.KindNull:   "null",
	canon.KindBool:   "bool",
	canon.KindNumber: "number",
	canon.KindString: "text",
	canon.KindArray:  "list",
	canon.KindObject: "map",
}

func unboundFailure(name string) *Failure {
	return fail(CodePath, withOp("get"), withWhat(`unbound name "`+name+`"`))
}

func arityFailure(o *operation, got int) *Failure {
	want := strconv.Itoa(o.min) + ".."
	if o.max != unlimited {
		want += strconv.Itoa(o.max)
	}
	return fail(CodeArity, withOp(o.name), canon.M("want", canon.String(want)), canon.M("got", canon.Int(got)))
}
