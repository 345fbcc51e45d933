package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newHelpCommand(with *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Explain a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("algal help [COMMAND]..., there is no command %s", strings.Join(args, " "))
			}
			return help(with.streams, topic)
		},
	}
}

// help explains a command.
func help(s *streams, cmd *cobra.Command) error {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n", cmd.UseLine())
	if cmd.Long != "" {
		fmt.Fprintf(&b, "%s\n", cmd.Long)
	} else {
		fmt.Fprintf(&b, "%s.\n", cmd.Short)
	}
	helpCommands(&b, cmd)
	helpFlags(&b, "Flags", cmd.LocalFlags())
	helpFlags(&b, "Flags of every command", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	b.WriteString("\nExit status:\n")
	for _, line := range exitStatus(cmd.Annotations[negativeKey]) {
		b.WriteString("  " + line + "\n")
	}
	return s.write(b.String())
}

func helpCommands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands:\n")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
}

func helpFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.NoOptDefVal == "" {
			name += " " + value
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.NoOptDefVal == "" && f.DefValue != "" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "  %-28s %s\n", name, usage)
	})
}
