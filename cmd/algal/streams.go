package main

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/terminal"
)

// streams are what a command talks to.
type streams struct {
	in       io.Reader
	out, err io.Writer

	json bool // --json: canonical JSON also at a terminal

	mu     sync.Mutex // of what follows and of err
	status status
}

// readable reports whether results are for a reader's eyes.
func (s *streams) readable() bool { return !s.json && terminal.Is(s.out) }

// result prints the result of a command: one line of canonical JSON, or at a
// terminal what account writes. Without an account the value itself is shown.
func (s *streams) result(v canon.Value, account func(*page)) error {
	if !s.readable() {
		return s.write(v.String() + "\n")
	}
	p := terminal.NewPage(s.out)
	if account == nil {
		p.Line("%s", v)
	} else {
		account(p)
	}
	return s.write(p.String())
}

// write writes to standard output, all of it or an error.
func (s *streams) write(text string) error {
	s.clear()
	if _, err := io.WriteString(s.out, text); err != nil {
		return algal.Errorf(algal.IOFailed, "standard output: %v", durable.Cause(err))
	}
	return nil
}

// note prints a line for an operator. It is part of no contract.
func (s *streams) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(s.err, terminal.Printable(fmt.Sprintf(format, args...)))
}

// fail prints what is to be said of a failed command; the last line is the error.
func (s *streams) fail(err error) {
	if unknown, ok := errors.AsType[*unknownCommand](err); ok {
		fmt.Fprintf(s.err, "algal: %v\n", unknown)
		return
	}
	for _, line := range annotations(err) {
		s.note("%s", line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(s.err, errorLine(err))
}
