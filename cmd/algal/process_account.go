package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/verify"
)

// printSnapshot prints a process. A terminal also sees what it waits for and what
// to type next.
func (o *processOptions) printSnapshot(ctx context.Context, s *streams, supervisor *process.Supervisor, snapshot *process.Snapshot) error {
	return s.result(snapshot.Value(), func(p *page) {
		if full, err := supervisor.Inspect(o.name); err == nil && full.Digest == snapshot.Digest {
			snapshot = full // with its history, which a dispatch does not return
		}
		accountOfProcess(p, newGuide(o.dir, s), snapshot, storyOf(ctx, supervisor, snapshot))
	})
}

// storyOf returns the story of an uncertain process, nil of any other, and where
// there is none or the process has gone on meanwhile.
func storyOf(ctx context.Context, supervisor *process.Supervisor, snapshot *process.Snapshot) *process.Story {
	if snapshot.Record.Status != chain.Uncertain {
		return nil
	}
	story, err := supervisor.Explain(ctx, snapshot.Record.Name)
	if err != nil || story.Digest != snapshot.Digest {
		return nil
	}
	return story
}

func accountOfProcess(p *page, g *guide, snapshot *process.Snapshot, story *process.Story) {
	r := snapshot.Record
	p.Line("%s", r.Name)
	p.Row("status", "%s", r.Status)
	p.Row("generation", "%d of at most %d%s", r.Generation, r.MaxGenerations, causeText(g, r.Cause))
	p.Row("head", "%s", snapshot.Digest)
	p.Row("program", "%s", r.ManifestDigest)
	p.Row("args", "%d of at most %d bytes", r.Args.Size(), chain.MaxArgsBytes)
	if h := snapshot.History; h != nil {
		accountOfWeight(p, h)
		if failure := snapshot.Checkpoint().Get("failure"); r.Status == chain.Failed {
			p.Row("failure", "%s", failureText(failure))
		}
	}
	if story != nil {
		accountOfDispatch(p, g, story, current(story))
		p.Row("next", "%s", g.command("process", "explain", r.Name))
	}
	accountOfWake(p, g, r)
	endOfProcess(p, g, r, story)
}

// accountOfWeight tells how large the history is, and what an export would weigh
// at least.
func accountOfWeight(p *page, h *chain.History) {
	total, largest := 0, 0
	weighed := map[string]bool{}
	for _, o := range h.Outcomes {
		largest = max(largest, o.Value.Size())
		if !weighed[string(o.Receipt)] {
			weighed[string(o.Receipt)] = true
			total += o.Value.Size()
		}
	}
	for _, r := range h.Records {
		total += r.Value().Size()
	}
	p.Row("history", "%d of at most %d records, %s", len(h.Records), chain.MaxRecords, counted(len(h.Outcomes), "outcome"))
	if largest > 0 {
		p.Row("receipts", "the largest has %d of at most %d bytes", largest, chain.MaxReceiptBytes)
	}
	p.Row("export", "at least %d of at most %d bytes", total, verify.MaxBytes)
}

// causeText says why a generation was dispatched, "" where none was.
func causeText(g *guide, cause string) string {
	switch cause {
	case "":
		return ""
	case chain.CauseStart:
		return ", the first dispatch"
	case chain.CauseManual:
		return ", dispatched by a tick"
	}
	if box := g.mailbox(cause); box != nil {
		return fmt.Sprintf(", woken by a message in mailbox %s", box.Name)
	}
	return ", woken by " + cause
}

// accountOfWake tells what a process waits for.
func accountOfWake(p *page, g *guide, r *chain.Record) {
	if r.Status != chain.Suspended {
		return
	}
	for _, w := range g.waits(r) {
		p.Row("waits for", "%s%s", w.handle, w.text())
	}
}

// text says what there is behind a handle.
func (w *wait) text() string {
	switch {
	case w.box == nil:
		return ""
	case w.idle:
		return fmt.Sprintf(", mailbox %s, which is empty", w.box.Name)
	case w.messages > 0:
		return fmt.Sprintf(", mailbox %s, which has %s", w.box.Name, counted(w.messages, "message"))
	}
	return fmt.Sprintf(", mailbox %s, which is not in order", w.box.Name)
}

func isReceiveHandle(handle string) bool {
	return strings.HasPrefix(handle, "cap:"+mailbox.ReceiveClass+":")
}

// endOfProcess writes what may be typed next, and the verdict.
func endOfProcess(p *page, g *guide, r *chain.Record, story *process.Story) {
	for _, line := range g.next(r, story) {
		p.Row("next", "%s", line)
	}
	p.Verdict(r.Status != chain.Failed && r.Status != chain.Stuck && r.Status != chain.Uncertain, "%s", meaningOf(r))
}

// meaningOf says in a sentence where a process stands.
func meaningOf(r *chain.Record) string {
	switch r.Status {
	case chain.Ready:
		return "ready: never dispatched"
	case chain.Uncertain:
		return fmt.Sprintf("uncertain: generation %d has no outcome; it is still at work, or what it did is not known", r.Generation)
	case chain.Complete:
		return "complete"
	case chain.Suspended:
		switch {
		case r.Generation >= r.MaxGenerations:
			return "suspended: its generations are used up"
		case slices.ContainsFunc(r.Wake, isReceiveHandle):
			return "suspended: waiting for a message"
		}
		return "suspended: waiting for a tick"
	}
	return string(r.Status) + ": its program ended without completing"
}
