package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
)

type processExplainOptions struct {
	processOptions
	tools string
}

func newProcessExplainCommand(with *shared) *cobra.Command {
	o := &processExplainOptions{processOptions: processOptions{globals: with.globals}}
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Tell what a process has done, and what may be done about it",
		Long: `Tells the story of a process generation by generation: why it was dispatched, what its effects
came to, what it waits for, and what its journal says. Of an uncertain one it says what is settled,
what would be repeated by a recovery and what stands in its way. It takes no lease, calls nothing
and changes nothing.

Result: {"digest","generations","manifestDigest","maxGenerations","name","next","status"}, next
being the commands that may be typed next.`,
		Example: `  algal process explain review
  algal process explain review --tools tools.json --json`,
		Args: positional("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return runProcessExplain(with.signals.unwind(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.tools, "tools", "`FILE` that declares the tools that the program names; nothing in it is run")
	return cmd
}

func runProcessExplain(ctx context.Context, s *streams, o *processExplainOptions) error {
	signatures, err := readSignatures(o.tools)
	if err != nil {
		return err
	}
	story, err := readingSupervisor(s, o.dir, signatures).Explain(ctx, o.name)
	if err != nil {
		return err
	}
	g := newGuide(o.dir, s)
	if o.tools != "" {
		g.host = []string{"--tools", o.tools}
	}
	v := story.Value().With(canon.M("next", textArray(g.next(story.Record, story))))
	return s.result(v, func(p *page) { accountOfStory(p, g, story) })
}

func accountOfStory(p *page, g *guide, story *process.Story) {
	r := story.Record
	p.Line("%s", r.Name)
	p.Row("program", "%s", r.ManifestDigest)
	p.Row("generations", "%d of at most %d", r.Generation, r.MaxGenerations)
	for i := range story.Generations {
		generation := &story.Generations[i]
		p.Line("generation %d%s: %s", generation.Number, causeText(g, generation.Cause), generation.Status)
		accountOfEffects(p, generation)
		accountOfDispatch(p, g, story, generation)
		if i < len(story.Generations)-1 {
			for _, handle := range generation.Wake {
				p.Row("waited for", "%s", handle)
			}
		}
	}
	accountOfWake(p, g, r)
	endOfProcess(p, g, r, story)
}

// accountOfEffects tells what the effects of a generation came to.
func accountOfEffects(p *page, g *process.Generation) {
	for i, e := range g.Effects {
		p.Row(fmt.Sprintf("effect %d", i), "%s%s: %s", e.Executor, cellText(&e), outcomeText(&e))
	}
	if g.Failure.Exists() {
		p.Row("failure", "%s", failureText(g.Failure))
	}
}

func cellText(e *process.Effect) string {
	if e.Cell == "" {
		return ""
	}
	return ", cell " + e.Cell
}

func outcomeText(e *process.Effect) string {
	text := string(e.Outcome)
	switch {
	case e.Outcome == process.EffectUnsettled:
		text = "unsettled, it was called and nobody knows more"
	case e.Error != nil:
		text += fmt.Sprintf(", %s: %s", e.Error.Code, shown(canon.String(e.Error.Message)))
	case e.Cached:
		text += " by the effect memo"
	}
	if e.Attempt > 0 {
		text += ", called again " + counted(e.Attempt, "time")
	}
	return text
}

// failureText is the failure of a receipt.
func failureText(failure canon.Value) string {
	at := ""
	if path := failure.Get("path").Text(); path != "" {
		at = " at " + path
	}
	return fmt.Sprintf("%s%s: %s", failure.Get("code").Text(), at, shown(failure.Get("message")))
}

// accountOfDispatch tells what the journal of a generation says, and while it has
// no outcome what a recovery would do.
func accountOfDispatch(p *page, g *guide, story *process.Story, generation *process.Generation) {
	if j := generation.Journal; j != nil {
		if j.Fault != nil {
			p.Row("journal", "cannot be read: %s", journal.Told(j.Fault))
		} else {
			p.Row("journal", "%s settled, %d unsettled, %d of %d recoveries spent", counted(j.Settled, "effect"), j.Unsettled, j.Attempts, j.MaxRecoveries)
		}
	}
	if generation.Recover == nil {
		return
	}
	p.Row("recovery", "%s", recoveryText(generation))
	if generation.Journal != nil {
		p.Row("recover by", "%s", g.recovery(story))
		p.Row("with", "the tools and executors of the dispatch%s", attendants(generation))
	}
}

// recoveryText says what recovering the current dispatch would do, or what stands
// in its way.
func recoveryText(g *process.Generation) string {
	switch recovery := g.Recover; {
	case g.Journal == nil:
		return "impossible: the dispatch kept no journal, so nobody knows what its effects did"
	case recovery.Refused != nil:
		return "refused: " + journal.Told(recovery.Refused)
	case recovery.Repeats >= 0:
		return fmt.Sprintf("possible: effect %d only reads and would be called again; what is settled would not", recovery.Repeats)
	case g.Journal.Settled > 0:
		return "possible: what is settled would not be called again"
	}
	return "possible: no effect was called yet"
}

// attendants names who was asked by a dispatch.
func attendants(g *process.Generation) string {
	var names []string
	for _, e := range g.Effects {
		if !slices.Contains(names, e.Executor) {
			names = append(names, e.Executor)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", among them " + strings.Join(names, ", ")
}
