package algal

import (
	"errors"
	"fmt"
	"slices"
)

// Code is one of the closed list of error codes of canonical.md §7.2. A receipt
// or record with any other code is refused on admission.
type Code string

// The closed code list, in the order of the contract.
const (
	ParseFailed       Code = "PARSE_FAILED"
	ManifestInvalid   Code = "MANIFEST_INVALID"
	GraphCycle        Code = "GRAPH_CYCLE"
	TypeMismatch      Code = "TYPE_MISMATCH"
	GuardInvalid      Code = "GUARD_INVALID"
	ScorerInvalid     Code = "SCORER_INVALID"
	AxisInvalid       Code = "AXIS_INVALID"
	InterfaceMismatch Code = "INTERFACE_MISMATCH"
	DepthExceeded     Code = "DEPTH_EXCEEDED"
	InputMissing      Code = "INPUT_MISSING"
	FnUnknown         Code = "FN_UNKNOWN"
	FnFailed          Code = "FN_FAILED"
	ExprFailed        Code = "EXPR_FAILED"
	ToolUnknown       Code = "TOOL_UNKNOWN"
	ToolFailed        Code = "TOOL_FAILED"
	EffectFailed      Code = "EFFECT_FAILED"
	EffectUnparseable Code = "EFFECT_UNPARSEABLE"
	EffectUnbound     Code = "EFFECT_UNBOUND"
	EffectSuspended   Code = "EFFECT_SUSPENDED"
	CapabilityDenied  Code = "CAPABILITY_DENIED"
	MailboxFull       Code = "MAILBOX_FULL"
	BudgetExhausted   Code = "BUDGET_EXHAUSTED"
	Stuck             Code = "STUCK"
	StoreMiss         Code = "STORE_MISS"
	DigestMismatch    Code = "DIGEST_MISMATCH"
	ReceiptMismatch   Code = "RECEIPT_MISMATCH"
	IOFailed          Code = "IO_FAILED"
	Internal          Code = "INTERNAL"
)

var codes = []Code{
	ParseFailed, ManifestInvalid, GraphCycle, TypeMismatch, GuardInvalid, ScorerInvalid, AxisInvalid,
	InterfaceMismatch, DepthExceeded, InputMissing, FnUnknown, FnFailed, ExprFailed, ToolUnknown, ToolFailed,
	EffectFailed, EffectUnparseable, EffectUnbound, EffectSuspended, CapabilityDenied, MailboxFull,
	BudgetExhausted, Stuck, StoreMiss, DigestMismatch, ReceiptMismatch, IOFailed, Internal,
}

// Codes returns the closed list in the order of the contract.
func Codes() []Code { return slices.Clone(codes) }

// Known reports whether c is in the closed list.
func (c Code) Known() bool { return slices.Contains(codes, c) }

// Error is a failure with a closed code and one sentence. Match it by code:
//
//	if algal.CodeOf(err) == algal.StoreMiss { … }
//
// Code and Message enter receipts, so a message that a spec gives is a wire
// string. Uncertain and Wake never do (canonical.md §7.1).
type Error struct {
	Code    Code
	Message string

	// Uncertain says that the host cannot tell whether an outside action took
	// place. An uncertain outcome is never repeated or guessed.
	Uncertain bool

	// Wake lists the capability handles on which a suspended effect waits. It
	// has a meaning only with EffectSuspended and is admitted where it is used.
	Wake []string
}

// Error returns the message; the code is shown where errors leave a command.
func (e *Error) Error() string { return e.Message }

// Errorf returns an error of the given code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the first [Error] in err's chain, Internal for any
// other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// AsError returns the first [Error] in err's chain, or one of code Internal with
// err's text. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: err.Error()}
}
