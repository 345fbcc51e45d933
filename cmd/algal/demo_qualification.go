package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/terminal"
)

// qualificationOptions are those of the demonstrations that show the machine from
// outside (demo.md, introduction).
type qualificationOptions struct {
	native, out string
	keep        bool
}

func (o *qualificationOptions) flags(flags *pflag.FlagSet) {
	textFlag(flags, &o.native, "native", "let the executable `PATH` play the second role")
	switchFlag(flags, &o.keep, "keep", "keep the directory in which it worked")
	textFlag(flags, &o.out, "out", "write the report to `FILE` too")
}

// What the help of these commands has in common.
const (
	qualificationHelp = `Every step is a fresh process of this program; with --native another executable with the same
command line plays the second role. Each fact is told on standard error as it is measured, and the
first false one ends it. The report goes to standard output, as JSON with two-space indentation,
and with --out to FILE too; at a terminal its facts are summed up and the last line says the
verdict. The directory in which it worked is removed, unless --keep is given or a fact was false:
then standard error says where it is.`
	qualificationNegative = "a fact was false: the report names it, and the directory is kept"
)

// runQualification holds a demonstration and prints its report; at a terminal an
// account of it, to which the verdict is added.
func runQualification(ctx context.Context, s *streams, o *qualificationOptions, d qualification.Demonstration, account func(*page, *qualification.Result)) error {
	self, err := os.Executable()
	if err != nil {
		return algal.Errorf(algal.IOFailed, "the path of this executable: %v", durable.Cause(err))
	}
	options := qualification.Options{Self: self, Keep: o.keep, Told: s.fact}
	if o.native != "" {
		options.Native = absolute(o.native)
	}
	r, err := qualification.Hold(ctx, options, d)
	switch {
	case err != nil && r.Workspace != "":
		return about(err, "kept: %s", r.Workspace)
	case err != nil && o.native != "":
		return about(err, "--native %s", options.Native)
	case err != nil:
		return err
	}
	if r.Workspace != "" {
		s.note("kept: %s", r.Workspace)
	}
	if err := s.report(&r, o.out, account); err != nil {
		return err
	}
	if !r.OK {
		return errNegative
	}
	return nil
}

// fact tells a fact as it is measured.
func (s *streams) fact(f stage.Fact) {
	style := terminal.StyleOf(s.err)
	line := style.Good("ok") + "     " + terminal.Printable(f.Line)
	if !f.Holds {
		line = style.Bad("FAILED") + " " + terminal.Printable(f.Line+": found "+f.Found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	io.WriteString(s.err, line+"\n")
}

// report puts out what became of a demonstration.
func (s *streams) report(r *qualification.Result, out string, account func(*page, *qualification.Result)) error {
	text := r.Report.Indented() + "\n"
	if out != "" {
		if err := writeFile(out, text); err != nil {
			return err
		}
	}
	if !s.readable() {
		return s.write(text)
	}
	p := terminal.NewPage(s.out)
	if r.OK {
		account(p, r)
		p.Verdict(true, "all %s true", countedAs(r.Facts, "fact was", "facts were"))
	} else {
		p.Row("false", "%s", r.Failed.Line)
		p.Row("found", "%s", r.Failed.Found)
		p.Verdict(false, "a fact was false after %s true", countedAs(r.Facts, "that was", "that were"))
	}
	return s.write(p.String())
}
