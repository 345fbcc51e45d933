package main

import (
	"errors"
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// annotated is an error with lines for an operator that stand before the error
// line: the path at fault, the next command. They are never part of a message,
// since messages may enter receipts.
type annotated struct {
	error
	line string
}

func (a *annotated) Unwrap() error { return a.error }

// about adds a line to an error; nil stays nil.
func about(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &annotated{err, fmt.Sprintf(format, args...)}
}

// annotations returns the lines of an error, innermost first.
func annotations(err error) []string {
	a, ok := errors.AsType[*annotated](err)
	if !ok {
		return nil
	}
	return append(annotations(a.error), a.line)
}

// interruption returns the error of a command that a signal has ended, with the lines
// of the one that it ended with.
func interruption(err error) error {
	var e error = errInterrupted
	for _, line := range annotations(err) {
		e = about(e, "%s", line)
	}
	return e
}

// usage returns a usage error (cli.md §1.3).
func usage(format string, args ...any) error {
	return algal.Errorf(algal.ParseFailed, "usage: "+format, args...)
}

// errorLine is the last line of a failure.
func errorLine(err error) string {
	e := algal.AsError(err)
	return canon.Object(
		canon.M("error", canon.String(string(e.Code))),
		canon.M("message", canon.String(e.Message)),
	).String()
}
