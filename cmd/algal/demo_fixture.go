package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/laboratory"
)

// fixtureOptions are those of the hidden commands that the crash laboratory runs on
// its own children (demo.md §4.7).
type fixtureOptions struct{ root, mode, token, intent string }

func newDemoFixtureStartCommand(with *shared) *cobra.Command {
	o := &fixtureOptions{}
	cmd := &cobra.Command{
		Use:    "fixture-start ROOT --mode read|write --token TOKEN",
		Short:  "Dispatch a process that stands still until it is killed",
		Hidden: true,
		Args:   positional("ROOT"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.root = args[0]
			return runDemoFixtureStart(with.signals.unwind(), o)
		},
	}
	textFlag(cmd.Flags(), &o.mode, "mode", "`EFFECT` in which it stands still, read or write (required)")
	textFlag(cmd.Flags(), &o.token, "token", "`TOKEN` by which its parent knows it (required)")
	return cmd
}

func runDemoFixtureStart(ctx context.Context, o *fixtureOptions) error {
	mode, err := laboratory.ParseMode(o.mode)
	if err != nil {
		return err
	}
	return about(laboratory.StartFixture(ctx, o.root, mode, o.token), "fixture in %s", absolute(o.root))
}

func newDemoFixtureRecoverCommand(with *shared) *cobra.Command {
	o := &fixtureOptions{}
	cmd := &cobra.Command{
		Use:    "fixture-recover ROOT --token TOKEN --intent DIGEST",
		Short:  "Recover the process of a fixture that was killed, and report",
		Hidden: true,
		Args:   positional("ROOT"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.root = args[0]
			return runDemoFixtureRecover(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.token, "token", "`TOKEN` of the fixture (required)")
	textFlag(cmd.Flags(), &o.intent, "intent", "`DIGEST` of the uncertain head (required)")
	return cmd
}

func runDemoFixtureRecover(ctx context.Context, s *streams, o *fixtureOptions) error {
	intent, err := algal.ParseDigest(o.intent, "intent")
	if err != nil {
		return err
	}
	report, err := laboratory.RecoverFixture(ctx, o.root, o.token, intent)
	if err != nil {
		return about(err, "fixture in %s", absolute(o.root))
	}
	return s.result(report, nil)
}
