package main

import (
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
)

// options are the parsed arguments.
type options struct {
	files          []string
	json           bool
	quiet          bool
	help, version  bool
	expectHead     algal.Digest
	expectEvidence algal.Digest
	requireStatus  chain.Status
}

const usageText = `usage: algal-verify FILE... [--json] [-q] [--expect-head DIGEST] [--expect-evidence DIGEST] [--require-status STATUS]

Replays process evidence and reports whether it is consistent. FILE is an evidence
document, its zstd form, - for standard input, or a directory of documents.

  --expect-head DIGEST      refuse a document with another head
  --expect-evidence DIGEST  refuse a document with another evidence digest
  --require-status STATUS   refuse a process that is not ready, uncertain, suspended,
                            complete, failed or stuck, as STATUS says
  --json                    print JSON at a terminal too
  -q                        print nothing but refusals and faults
  --version, --help         say so and exit; --version --json for JSON

Exit: 0 all verified, 1 a document was refused, 2 not run or a file was unreadable,
130 interrupted. A verified document is consistent with itself; to know whose
history it is, compare its digest with one that you have from elsewhere.
`

func usage(format string, args ...any) error {
	return algal.Errorf(algal.ParseFailed, "usage: "+format, args...)
}

// parseArgs reads the arguments. Flags may stand anywhere and take --flag VALUE or
// --flag=VALUE; -- ends them; the last one of a repeated flag wins.
func parseArgs(args []string) (*options, error) {
	o := &options{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			o.files = append(o.files, args...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			o.files = append(o.files, arg)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		if sw := o.boolean(name); sw != nil {
			if inline {
				return nil, usage("%s takes no value", name)
			}
			*sw = true
			continue
		}
		set := o.valued(name)
		if set == nil {
			return nil, usage("unknown flag %s%s", name, suggestion(name))
		}
		if !inline {
			if len(args) == 0 {
				return nil, usage("%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		if err := set(value); err != nil {
			return nil, err
		}
	}
	return o, o.check()
}

func (o *options) boolean(name string) *bool {
	switch name {
	case "--json":
		return &o.json
	case "-q", "--quiet":
		return &o.quiet
	case "-h", "--help":
		return &o.help
	case "--version":
		return &o.version
	}
	return nil
}

func (o *options) valued(name string) func(string) error {
	digest := func(to *algal.Digest) func(string) error {
		return func(value string) (err error) {
			if *to, err = algal.ParseDigest(value, name); err != nil {
				err = usage("%s", err)
			}
			return err
		}
	}
	switch name {
	case "--expect-head":
		return digest(&o.expectHead)
	case "--expect-evidence":
		return digest(&o.expectEvidence)
	case "--require-status":
		return func(value string) error {
			if o.requireStatus = chain.Status(value); !o.requireStatus.Known() {
				return usage("--require-status must be ready, uncertain, suspended, complete, failed or stuck, got %q", value)
			}
			return nil
		}
	}
	return nil
}

// check holds the arguments to each other.
func (o *options) check() error {
	if o.help || o.version {
		return nil
	}
	if len(o.files) == 0 {
		return usage("algal-verify FILE... (try --help)")
	}
	if len(o.files) > 1 && (o.expectHead != "" || o.expectEvidence != "" || slices.Contains(o.files, "-")) {
		return usage("--expect-head, --expect-evidence and - allow exactly one FILE")
	}
	return nil
}

// suggestion names the flag that was probably meant.
func suggestion(name string) string {
	for _, known := range []string{"--json", "--quiet", "--help", "--version", "--expect-head", "--expect-evidence", "--require-status"} {
		if near(name, known) {
			return ", did you mean " + known + "?"
		}
	}
	return ""
}

// near reports whether two flags share a beginning of four letters or differ in
// one place.
func near(a, b string) bool {
	if n := 6; len(a) >= n && len(b) >= n && a[:n] == b[:n] {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ <= 1
}
