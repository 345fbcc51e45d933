package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

func newProcessRecoverCommand(with *shared) *cobra.Command {
	o := &dispatchOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "recover NAME --expected-intent DIGEST",
		Short: "Carry an interrupted journaled dispatch to its outcome",
		Long: `Runs an interrupted dispatch again with its journal: what is settled there is not called again,
an unsettled read is repeated, and an unsettled write or provider call stops the recovery. The
tools and executors must be those of the dispatch. DIGEST is the head of the uncertain process.

Result: the snapshot after the dispatch.`,
		Example:     `  algal process recover review --expected-intent sha256:... --tools tools.json`,
		Args:        positional("NAME"),
		Annotations: map[string]string{negativeKey: settledBadly},
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			ctx, _ := with.signals.finish(with.streams)
			return runProcessRecover(ctx, with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.intent, "expected-intent", "`DIGEST` of the uncertain head (required)")
	o.declare(cmd, false)
	return cmd
}

func runProcessRecover(ctx context.Context, s *streams, o *dispatchOptions) error {
	if o.intent == "" {
		return usage("algal process recover NAME --expected-intent DIGEST")
	}
	intent, err := algal.ParseDigest(o.intent, "expected intent")
	if err != nil {
		return err
	}
	supervisor, err := openSupervisor(ctx, s, o.dir, &o.program, &o.executor)
	if err != nil {
		return err
	}
	snapshot, err := supervisor.Recover(ctx, o.name, intent)
	if err != nil {
		if r, ok := errors.AsType[*journal.Refusal](err); ok {
			return aboutRefusedRecovery(r, err)
		}
		return o.aftermath(ctx, s, supervisor, o.name, err)
	}
	return o.printDispatched(ctx, s, supervisor, snapshot)
}

// aboutRefusedRecovery adds to a refused recovery what stands in its way and
// whether it cost an attempt.
func aboutRefusedRecovery(r *journal.Refusal, err error) error {
	if r.Ordinal >= 0 {
		err = about(err, "effect %d", r.Ordinal)
		err = about(err, "recorded: %s", bindingText(r.Recorded))
		if r.Configured.RequestDigest != "" {
			err = about(err, "configured now: %s", bindingText(r.Configured))
		}
	}
	if r.Consumed {
		return about(err, "a recovery attempt was consumed")
	}
	return about(err, "no recovery attempt was consumed")
}

func bindingText(b runtime.Binding) string {
	recovery := "never"
	if b.Read {
		recovery = "read"
	}
	return canon.Object(
		canon.M("configurationDigest", canon.String(string(b.ConfigurationDigest))),
		canon.M("executor", canon.String(b.Executor)),
		canon.M("recovery", canon.String(recovery)),
		canon.M("requestDigest", canon.String(string(b.RequestDigest))),
	).String()
}

// aftermath adds to the error of a dispatch in what state it has left the process,
// and what may be done.
func (o *dispatchOptions) aftermath(ctx context.Context, s *streams, supervisor *process.Supervisor, name string, err error) error {
	if custody.Held(err) {
		return about(err, "another command dispatches or recovers process %s right now", name)
	}
	story, failed := supervisor.Explain(ctx, name)
	if failed != nil {
		return err
	}
	g := newGuide(o.dir, s)
	g.host = hostWords(o.flags)
	switch story.Record.Status {
	case chain.Suspended:
		for _, w := range g.waits(story.Record) {
			if w.box != nil && !w.idle && w.messages == 0 {
				err = about(err, "see %s", g.command("mailbox", "inspect", w.box.Name))
			}
		}
		return err
	case chain.Uncertain:
	default:
		return err
	}
	generation := current(story)
	err = about(err, "process %s is uncertain: generation %d was dispatched and has no outcome", name, generation.Number)
	err = about(err, "recovery is %s", recoveryText(generation))
	if generation.Journal != nil {
		err = about(err, "recover by: %s", g.recovery(story))
	}
	return about(err, "see %s", g.command("process", "explain", name))
}

// aboutPass adds to the error of a scheduling pass what it is about and what the
// pass had advanced before.
func (o *dispatchOptions) aboutPass(ctx context.Context, s *streams, supervisor *process.Supervisor, advanced []*process.Snapshot, err error) error {
	if f, ok := errors.AsType[*process.Fault](err); ok {
		err = o.aftermath(ctx, s, supervisor, f.Name, err)
	}
	for _, snapshot := range advanced {
		err = about(err, "advanced before: %s, now %s", snapshot.Record.Name, snapshot.Record.Status)
	}
	return err
}

func newProcessJournalCommand(with *shared) *cobra.Command {
	o := &processOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "journal NAME",
		Short: "Show the journal of the latest dispatch",
		Long: `Shows the journal of the latest dispatch of a process, whether it has an outcome or not.

Result: {"bytes","effects","header"}.`,
		Example: `  algal process journal review`,
		Args:    positional("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runProcessJournal(cmd.Context(), with.streams, o)
		},
	}
}

func runProcessJournal(_ context.Context, s *streams, o *processOptions) error {
	v, err := inspectSupervisor(s, o.dir).Describe(o.name)
	if err != nil {
		return err
	}
	return s.result(v, func(p *page) {
		p.Row("intent", "%s", v.Get("header").Get("intent").Text())
		for i, e := range v.Get("effects").Elements() {
			r := e.Get("record")
			p.Row("effect", "%d %s by %s, attempt %s, recovery %s", i, r.Get("state").Text(), r.Get("executor").Text(), r.Get("attempt"), r.Get("recovery").Text())
		}
		p.Verdict(true, "%s, %s bytes", counted(v.Get("effects").Len(), "effect"), v.Get("bytes"))
	})
}
