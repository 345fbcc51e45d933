package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/internal/buildinfo"
	"github.com/algal-vm/algal/internal/terminal"
	"github.com/algal-vm/algal/verify"
	"github.com/algal-vm/algal/verify/document"
)

// streams are what the command talks to.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// The exit codes of toolchain.md §1.2 and cli.md §1.3.
const (
	exitVerified    = 0
	exitRefused     = 1
	exitUnreadable  = 2
	exitInterrupted = 130
)

// outcome is what became of one document.
type outcome struct {
	name     string
	evidence *verify.Evidence // nil when it was not admitted
	report   *verify.Report   // nil unless it verified
	err      error            // nil when it verified
	took     time.Duration
}

func (o *outcome) exit() int {
	switch {
	case o.err == nil:
		return exitVerified
	case errors.Is(o.err, context.Canceled):
		return exitInterrupted
	case errors.Is(o.err, document.ErrUnreadable):
		return exitUnreadable
	}
	return exitRefused
}

// run is the command; it returns the exit code.
func run(ctx context.Context, s streams, args []string) int {
	o, err := parseArgs(args)
	switch {
	case err != nil:
		printError(s.err, "", err)
		return exitUnreadable
	case o.help:
		fmt.Fprint(s.out, usageText)
		return exitVerified
	case o.version:
		printVersion(s.out, o)
		return exitVerified
	}
	names, several, err := expand(o.files)
	if err != nil {
		printError(s.err, "", err)
		return exitUnreadable
	}
	p := newPrinter(s, o, several)
	code := exitVerified
	for _, name := range names {
		result := check(ctx, s.in, name, o)
		p.print(&result)
		code = max(code, result.exit())
		if code == exitInterrupted {
			break
		}
	}
	p.finish()
	return code
}

// expand replaces directories by their documents. The result counts as several
// files when a directory is among them, however few documents it has.
func expand(files []string) (names []string, several bool, err error) {
	several = len(files) > 1
	for _, file := range files {
		listed, isDir, err := document.List(file)
		switch {
		case err != nil:
			return nil, several, algal.Errorf(algal.IOFailed, "%s: %s", file, algal.AsError(err).Message)
		case isDir && len(listed) == 0:
			return nil, several, usage("directory %s has no *.json or *.json.zst document", file)
		case isDir:
			several = true
			names = append(names, listed...)
		default:
			names = append(names, file)
		}
	}
	return names, several, nil
}

// check verifies one document and holds it to the expectations.
func check(ctx context.Context, stdin io.Reader, name string, o *options) (result outcome) {
	start := time.Now()
	result.name = name
	defer func() { result.took = time.Since(start) }()
	text, err := read(stdin, name)
	if err == nil {
		result.evidence, err = verify.Parse(text)
	}
	if err == nil {
		result.report, err = result.evidence.Verify(ctx)
	}
	if err == nil {
		err = expected(result.report, o)
	}
	result.err = err
	return result
}

func read(stdin io.Reader, name string) (string, error) {
	if name == "-" {
		return document.ReadFrom(stdin)
	}
	return document.ReadFile(name)
}

// expected compares a verified document with what the caller knows from elsewhere.
func expected(r *verify.Report, o *options) error {
	switch {
	case o.expectHead != "" && r.Head != o.expectHead:
		return algal.Errorf(algal.ReceiptMismatch, "head is %s, expected %s", r.Head, o.expectHead)
	case o.expectEvidence != "" && r.Evidence != o.expectEvidence:
		return algal.Errorf(algal.ReceiptMismatch, "evidence digest is %s, expected %s", r.Evidence, o.expectEvidence)
	case o.requireStatus != "" && r.Status != o.requireStatus:
		return algal.Errorf(algal.ReceiptMismatch, "status is %s, required %s", r.Status, o.requireStatus)
	}
	return nil
}

func printVersion(w io.Writer, o *options) {
	info := buildinfo.Read("algal-verify")
	if o.json || !terminal.Is(w) {
		fmt.Fprintln(w, info.Value())
		return
	}
	fmt.Fprintf(w, "algal-verify %s (%s)\n", info.Version, info.Go)
	for _, c := range buildinfo.Contracts {
		fmt.Fprintln(w, "  speaks", c)
	}
}
