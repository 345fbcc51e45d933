package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Flags are texts or switches. What a text means is looked at when the command
// runs, in the order in which the contract wants faults reported.

// text is a flag with a value, which is never empty and does not look like a flag.
type text string

var (
	errNoValue      = errors.New("requires a value")
	errTakesNothing = errors.New("takes no value")
)

func (t *text) Set(value string) error {
	if value == "" || strings.HasPrefix(value, "--") {
		return errNoValue
	}
	*t = text(value)
	return nil
}

func (t *text) String() string { return string(*t) }
func (t *text) Type() string   { return "text" }

func textFlag(flags *pflag.FlagSet, to *string, name, usage string) {
	flags.Var((*text)(to), name, usage)
}

// toggle is a flag without a value.
type toggle bool

// switched is what pflag sets a flag to that stands alone. No argument can hold it.
const switched = "\x00"

func (t *toggle) Set(value string) error {
	if value != switched {
		return errTakesNothing
	}
	*t = true
	return nil
}

func (t *toggle) String() string {
	if *t {
		return "true"
	}
	return "false"
}

func (t *toggle) Type() string { return "bool" }

func switchFlag(flags *pflag.FlagSet, to *bool, name, usage string) {
	flags.VarPF((*toggle)(to), name, "", usage).NoOptDefVal = switched
}

// integer reads the value of a flag as a decimal integer; "" gives zero. The text
// of the refusal names the flag as the contract does, without dashes.
func integer(value, what string, lo, hi int) (int, error) {
	if value == "" {
		return 0, nil
	}
	v, err := canon.Parse(value, canon.Limits{})
	if err != nil {
		v = canon.Null()
	}
	return canon.AsInt(v, what, lo, hi)
}

// integerOr is integer with a value for a flag that is not given.
func integerOr(value, what string, lo, hi, otherwise int) (int, error) {
	if value == "" {
		return otherwise, nil
	}
	return integer(value, what, lo, hi)
}

// oneOf refuses a flag's value that is not among those admitted; "" is.
func oneOf(value, flag string, admitted ...string) error {
	if value == "" || slices.Contains(admitted, value) {
		return nil
	}
	return usage("--%s must be %s", flag, enumerate(admitted))
}

// enumerate joins words as the contract does: a, b, or c.
func enumerate(words []string) string {
	switch n := len(words); n {
	case 1:
		return words[0]
	case 2:
		return words[0] + " or " + words[1]
	default:
		return strings.Join(words[:n-1], ", ") + ", or " + words[n-1]
	}
}

// flagError words what the flag parser refuses.
func flagError(cmd *cobra.Command, err error) error {
	return about(refusedFlag(cmd, err), "see %s --help", cmd.CommandPath())
}

func refusedFlag(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if short := e.GetSpecifiedShortnames(); short != "" {
			return usage("unknown flag -%s", short)
		}
		name := e.GetSpecifiedName()
		return usage("unknown flag --%s%s", name, suggestion("--", name, flagNames(cmd)))
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usage("--%s %v", e.GetSpecifiedName(), errNoValue)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usage("--%s %v", e.GetFlag().Name, e.Unwrap())
	}
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	return usage("%v", err)
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// positional admits the arguments of a command: as many as it names, those in
// brackets optional.
func positional(names ...string) cobra.PositionalArgs {
	least := len(names)
	for least > 0 && strings.HasPrefix(names[least-1], "[") {
		least--
	}
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= len(names) {
			return nil
		}
		err := usage("%s", strings.TrimSpace(cmd.CommandPath()+" "+strings.Join(names, " ")))
		return about(err, "got %d arguments; see %s --help", len(args), cmd.CommandPath())
	}
}

// argument returns an optional argument, "" when it was not given.
func argument(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// digestArgument admits an argument as a digest.
func digestArgument(value string) (algal.Digest, error) { return algal.ParseDigest(value, "digest") }
