package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// globals are the persistent flags (cli.md §1.1).
type globals struct{ dir string }

// shared is what every command is built with.
type shared struct {
	*globals
	streams *streams
	signals *interrupts
}

// commands are the commands below the root. Building one takes longer than some of
// them run, so only those are built that the command line may mean.
var commands = []named{
	{"check", newCheckCommand},
	{"completion", newCompletionCommand},
	{"demo", newDemoCommand},
	{"diagram", newDiagramCommand},
	{"diff", newDiffCommand},
	{"digest", newDigestCommand},
	{"doctor", newDoctorCommand},
	{holderCommand, newHolderCommand},
	{"explain", newExplainCommand},
	{"expr", newExprCommand},
	{"inspect", newInspectCommand},
	{"mailbox", newMailboxCommand},
	{"manifest", newManifestCommand},
	{"manifests", newManifestsCommand},
	{"pack", newPackCommand},
	{"process", newProcessCommand},
	{"replay", newReplayCommand},
	{"report", newReportCommand},
	{"resume", newResumeCommand},
	{"run", newRunCommand},
	{"runs", newRunsCommand},
	{"slot", newSlotCommand},
	{"slots", newSlotsCommand},
	{"store", newStoreCommand},
	{"suite", newSuiteCommand},
	{"unpack", newUnpackCommand},
	{"verify", newVerifyCommand},
	{"version", newVersionCommand},
}

type named struct {
	name  string
	build func(*shared) *cobra.Command
}

// execute runs the command line and returns the exit code.
func execute(signals *interrupts, s *streams, args []string) int {
	root, err := findCommand(&shared{&globals{}, s, signals}, args)
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(context.Background())
	}
	s.clear()
	code := exitCode(err, signals.interrupted())
	switch code {
	case exitRefused:
		s.fail(err)
	case exitInterrupted:
		s.fail(interruption(err))
	}
	return code
}

// unknownCommand is told in plain text (cli.md §1.3).
type unknownCommand struct{ error }

// findCommand returns a root with the command that the arguments name.
func findCommand(with *shared, args []string) (*cobra.Command, error) {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return newRootCommand(with, commands), nil // a shell asks for completions
	}
	meant := slices.DeleteFunc(slices.Clone(commands), func(c named) bool { return !slices.Contains(args, c.name) })
	root := newRootCommand(with, meant)
	_, _, err := root.Find(args)
	if err == nil && len(meant) > 0 {
		return root, nil
	}
	root = newRootCommand(with, commands)
	if _, _, err = root.Find(args); err == nil {
		return root, nil
	}
	// A flag in front that is not known has taken the command for its value.
	leading := args
	if word := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); word >= 0 {
		leading = args[:word]
	}
	refused := root.ParseFlags(leading)
	if _, unknown := errors.AsType[*pflag.NotExistError](refused); unknown {
		return nil, flagError(root, refused)
	}
	return nil, &unknownCommand{err}
}

func newRootCommand(with *shared, commands []named) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "algal COMMAND",
		Short: "Run bounded programs over a store of digest-addressed objects",
		Long: `Runs bounded typed programs (organisms) over a store of immutable objects, and verifies,
resumes and compares the receipts that they leave. A program can also run as a durable named
process that waits for messages, outlives every invocation and is exported as evidence.

Results are one line of canonical JSON on standard output. At a terminal they are shown in
words, unless --json is given. A failure is one line {"error","message"} on standard error.
NO_COLOR switches colours off.`,
		Example: `  algal suite
  algal run program.algal.json --responses answers.json > receipt.json
  algal verify receipt.json program.algal.json`,
		Annotations:       map[string]string{negativeKey: exitMeanings[exitNegative].meaning},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return runVersion(cmd.Context(), with.streams)
			}
			return about(usage("algal COMMAND [ARGUMENT...] [--FLAG [VALUE]...]"), "see algal --help")
		},
	}
	root.SetIn(with.streams.in)
	root.SetOut(with.streams.out)
	root.SetErr(with.streams.err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(with.streams, cmd) })
	root.SetHelpCommand(newHelpCommand(with))
	with.dir = defaultDir
	textFlag(root.PersistentFlags(), &with.dir, "dir", "store directory `PATH`")
	switchFlag(root.PersistentFlags(), &with.streams.json, "json", "print JSON at a terminal too")
	switchFlag(root.Flags(), &version, "version", "print the version and exit")
	for _, c := range commands {
		root.AddCommand(c.build(with))
	}
	root.InitDefaultHelpCmd()
	return root
}

// group makes a command that only has commands below it.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				names = append(names, c.Name())
			}
		}
		text := fmt.Sprintf("%s %s", cmd.CommandPath(), strings.Join(names, "|"))
		if len(args) > 0 {
			text += fmt.Sprintf(", got %s%s", args[0], suggestion("", args[0], names))
		}
		return about(usage("%s", text), "see %s --help", cmd.CommandPath())
	}
	return cmd
}
