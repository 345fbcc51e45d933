package main

import (
	"errors"
	"fmt"
	"strings"
)

// The exit codes of cli.md §1.3.
const (
	exitDone        = 0
	exitNegative    = 1
	exitRefused     = 2
	exitInterrupted = 130
)

// errNegative is returned by a command that ran and whose result, which is on
// standard output, is negative.
var errNegative = errors.New("the result is negative")

// exitCode tells how the program ends. A result that is out already counts, even
// if a signal came since.
func exitCode(err error, interrupted bool) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNegative):
		return exitNegative
	case interrupted:
		return exitInterrupted
	}
	return exitRefused
}

// exitMeanings says what the codes mean, in the words of the README and the
// manual.
var exitMeanings = []struct {
	code    int
	meaning string
}{
	{exitDone, "the command succeeded"},
	{exitNegative, "it ran and the result, which is on standard output, is negative"},
	{exitRefused, "it could not run; the error is the last line on standard error"},
	{exitInterrupted, "it was interrupted"},
}

// exitTable returns the exit codes as the table of the README.
func exitTable() string {
	var b strings.Builder
	b.WriteString("| exit | of `algal` |\n| --- | --- |\n")
	for _, e := range exitMeanings {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.meaning)
	}
	return b.String()
}

// negativeKey annotates a command with what its exit code 1 means; a command
// without it never gives 1.
const negativeKey = "negative"

// exitStatus returns the lines on exit codes of a command's help and manual page.
func exitStatus(negative string) []string {
	var lines []string
	for _, e := range exitMeanings {
		meaning := e.meaning
		if e.code == exitNegative {
			if negative == "" {
				continue
			}
			meaning = negative
		}
		lines = append(lines, fmt.Sprintf("%-4d %s", e.code, meaning))
	}
	return lines
}
