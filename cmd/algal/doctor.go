package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/doctor"
	"github.com/algal-vm/algal/durable"
)

type doctorOptions struct{ *globals }

func newDoctorCommand(with *shared) *cobra.Command {
	o := &doctorOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "doctor",
		Short: "Examine whether this machine can keep a store",
		Long: `Examines the place of the store, --dir, whether the store exists or not: access, room, the type of
the file system, exclusive creation, hard links, renaming, syncs, publication and its time, and
whether a lease excludes other processes as long as its owner lives and no longer. For that a
second process of this program is started and killed. Each finding that is not ok comes with an
advice. A check is left out where an earlier problem leaves it no ground.

What is tried is tried in a directory .algal-doctor-… beside the store, or directly in it where the
store is a mount point or nothing can be made beside it; that directory is removed again. Nothing
that belongs to the store is changed, and a store that is not there is not made. What is in a store
is not looked at.

Result: {"checks":[{"advice","finding","name","status"},…],"ok","store"}, checks always in the same
order; status is ok, warning or problem, and advice is empty where it is ok. At a terminal: a line for
each check; the last line says the verdict.`,
		Example: `  algal doctor
  algal doctor --dir /srv/algal`,
		Args:        positional(),
		Annotations: map[string]string{negativeKey: "there is a problem, and no store should be kept there"},
		RunE: func(*cobra.Command, []string) error {
			return runDoctor(with.signals.unwind(), with.streams, o)
		},
	}
}

func runDoctor(ctx context.Context, s *streams, o *doctorOptions) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	machine := doctor.Machine{Holder: func(ctx context.Context, dir string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, holderCommand, dir)
		cmd.Args[0] = os.Args[0]
		return cmd
	}}
	report, err := doctor.Examine(ctx, machine, o.dir, func(name string) { s.progress("examining: %s", name) })
	if f, ok := errors.AsType[*durable.Fault](err); ok {
		return about(err, "%s is left; remove it by hand", f.Path)
	}
	if err != nil {
		return about(err, "store %s", absolute(o.dir))
	}
	if err := s.result(report.Value(), func(p *page) { accountOfDoctor(p, report) }); err != nil {
		return err
	}
	if !report.OK() {
		return errNegative
	}
	return nil
}

func accountOfDoctor(p *page, report *doctor.Report) {
	p.Line("%s", report.Store)
	for _, c := range report.Checks {
		p.Mark(c.Status == doctor.OK, string(c.Status), "%-16s %s", c.Name, c.Finding)
		if c.Advice != "" {
			p.Line("          %-16s advice: %s", "", c.Advice)
		}
	}
	verdict := "ok: a store can be kept here"
	if !report.OK() {
		verdict = "no store should be kept here: " + counted(report.Count(doctor.Problem), "problem")
	}
	if n := report.Count(doctor.Warning); n > 0 {
		verdict += ", " + counted(n, "warning")
	}
	p.Verdict(report.OK(), "%s", verdict)
}
