package main

import (
	"strings"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/verify"
)

// printSnapshot prints a process. A terminal also sees what it waits for and what
// to type next.
func printSnapshot(s *streams, snapshot *process.Snapshot) error {
	return s.result(snapshot.Value(), func(p *page) { accountOfProcess(p, snapshot) })
}

func accountOfProcess(p *page, snapshot *process.Snapshot) {
	r := snapshot.Record
	p.line("%s", r.Name)
	p.row("status", "%s", r.Status)
	p.row("generation", "%d of at most %d", r.Generation, r.MaxGenerations)
	p.row("head", "%s", snapshot.Digest)
	p.row("program", "%s", r.ManifestDigest)
	p.row("args", "%d of at most %d bytes", r.Args.Size(), chain.MaxArgsBytes)
	if h := snapshot.History; h != nil {
		accountOfWeight(p, h)
	}
	for _, handle := range r.Wake {
		p.row("waits for", "%s", handle)
	}
	if r.Cause != "" {
		p.row("cause", "%s", r.Cause)
	}
	for _, line := range nextCommands(r) {
		p.row("next", "%s", line)
	}
	p.verdict(r.Status != chain.Failed && r.Status != chain.Stuck && r.Status != chain.Uncertain, "%s", meaningOf(r))
}

// accountOfWeight tells how large the history is, and what an export would weigh
// at least.
func accountOfWeight(p *page, h *chain.History) {
	receipts, largest := 0, 0
	seen := map[string]bool{}
	for _, o := range h.Outcomes {
		largest = max(largest, o.Value.Size())
		if !seen[string(o.Receipt)] {
			seen[string(o.Receipt)] = true
			receipts += o.Value.Size()
		}
	}
	records := 0
	for _, r := range h.Records {
		records += r.Value().Size()
	}
	p.row("history", "%d of at most %d records, %s", len(h.Records), chain.MaxRecords, counted(len(h.Outcomes), "outcome"))
	if largest > 0 {
		p.row("receipts", "the largest has %d of at most %d bytes", largest, chain.MaxReceiptBytes)
	}
	p.row("export", "at least %d of at most %d bytes", records+receipts, verify.MaxBytes)
}

// nextCommands says what may be typed next.
func nextCommands(r *chain.Record) []string {
	switch {
	case r.Status == chain.Ready:
		return []string{"algal process tick " + r.Name}
	case r.Status == chain.Suspended && r.Generation >= r.MaxGenerations:
		return []string{"algal process export " + r.Name + " > " + r.Name + ".evidence.json"}
	case r.Status == chain.Suspended && len(r.Wake) > 0:
		return []string{"algal mailbox send SENDHANDLE message.json", "algal process schedule"}
	case r.Status == chain.Suspended:
		return []string{"algal process tick " + r.Name}
	case r.Status == chain.Uncertain:
		return []string{"algal process explain " + r.Name, "algal process journal " + r.Name}
	}
	return []string{"algal process export " + r.Name + " > " + r.Name + ".evidence.json"}
}

// meaningOf says in a sentence where a process stands.
func meaningOf(r *chain.Record) string {
	switch r.Status {
	case chain.Ready:
		return "ready: never dispatched"
	case chain.Uncertain:
		return "uncertain: generation " + canon.Int(r.Generation).String() + " was dispatched and its outcome is not known; nothing dispatches it again"
	case chain.Suspended:
		switch {
		case r.Generation >= r.MaxGenerations:
			return "suspended: its generations are used up"
		case len(r.Wake) > 0:
			return "suspended: waiting for a message"
		}
		return "suspended: waiting for a manual tick"
	case chain.Complete:
		return "complete"
	}
	return strings.ToLower(string(r.Status)) + ": its program ended without completing"
}
