package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

type completionOptions struct{ shell string }

// shells maps each shell to what writes its script.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func newCompletionCommand(with *shared) *cobra.Command {
	o := &completionOptions{}
	const names = "bash|zsh|fish|powershell"
	return &cobra.Command{
		Use:       "completion " + names,
		Short:     "Print the completion script of a shell",
		Long:      `Prints the script that completes the commands and flags of algal in a shell.`,
		Example:   `  source <(algal completion bash)`,
		Args:      positional(names),
		ValidArgs: strings.Split(names, "|"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.shell = args[0]
			return runCompletion(cmd.Context(), with.streams, o, cmd.Root())
		},
	}
}

func runCompletion(_ context.Context, s *streams, o *completionOptions, root *cobra.Command) error {
	generate := shells[o.shell]
	if generate == nil {
		return usage("algal completion bash|zsh|fish|powershell, got %s", o.shell)
	}
	var script strings.Builder
	if err := generate(root, &script); err != nil {
		return err
	}
	return s.write(script.String())
}
