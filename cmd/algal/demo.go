package main

import (
	"github.com/spf13/cobra"
)

func newDemoCommand(with *shared) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "demo",
		Short: "See a program wait, survive a kill and be verified",
		Long: `Demonstrations of the machine, each with real processes of this very program, without a model and
without a network. What they show is measured, and nothing is shown because it was expected.`,
		Example: `  algal demo prove /tmp/proof
  algal demo vm
  algal demo recovery
  algal demo evidence`,
	},
		newDemoAdapterRecommendCommand(with),
		newDemoAdapterStageCommand(with),
		newDemoApproveCommand(with),
		newDemoDenyCommand(with),
		newDemoEvidenceCommand(with),
		newDemoExportCommand(with),
		newDemoFixtureRecoverCommand(with),
		newDemoFixtureStartCommand(with),
		newDemoInspectCommand(with),
		newDemoProveCommand(with),
		newDemoRecoveryCommand(with),
		newDemoStartCommand(with),
		newDemoVMCommand(with),
		newDemoVerifyCommand(with),
	)
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("dir") {
			return usage("%s takes no --dir: it has stores of its own", cmd.CommandPath()[len("algal "):])
		}
		return nil
	}
	return cmd
}
