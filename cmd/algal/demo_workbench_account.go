package main

import (
	"path/filepath"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
	"github.com/algal-vm/algal/internal/shell"
)

// accountOfWorkbench tells what happened, what the program proposes, and what may
// be typed next.
func accountOfWorkbench(p *page, r *workbench.Report) {
	v := r.Value()
	proposal := v.Get("proposal").Get("value")
	p.line("%s", r.Root)
	p.row("status", "%s", r.Status)
	p.row("evidence", "%s", shown(v.Get("evidence").Get("value")))
	p.row("proposes", "%s: write %s in the workbench", proposal.Get("title").Text(), workbench.PublicationName)
	p.row("proposal", "%s", v.Get("proposal").Get("digest").Text())
	if approval := v.Get("approval"); approval.Is(canon.KindObject) {
		p.row("decision", "%s, kept in %s", approval.Get("decision").Text(), workbench.DecisionName)
	}
	counters := v.Get("counters")
	p.row("happened", "%s by the model, %s, %s",
		countedValue(counters.Get("decisions"), "recommendation"),
		countedValue(counters.Get("proposals"), "proposal")+" delivered",
		countedValue(counters.Get("publications"), "publication"))
	verification := v.Get("verification")
	p.row("history", "%s, %s, replayed and in order",
		countedValue(verification.Get("generations"), "generation"), countedValue(verification.Get("receipts"), "receipt"))
	if publication := v.Get("artifacts").Get("publication"); publication.Is(canon.KindString) {
		p.row("published", "%s", filepath.Join(r.Root, publication.Text()))
	}
	p.row("page", "%s", filepath.Join(r.Root, workbench.PageName))
	nextOfWorkbench(p, r)
	p.verdict(r.Status.Good(), "%s", r.Status.Sentence())
}

// nextOfWorkbench writes what may be typed next.
func nextOfWorkbench(p *page, r *workbench.Report) {
	commands := r.Value().Get("commands")
	next := func(name, key string) {
		if line, shown := workbench.ShellLine(commands.Get(key)); shown {
			p.row(name, "%s", line)
		}
	}
	switch r.Status {
	case workbench.Waiting:
		if retained := r.Value().Get("approval").Get("decision").Text(); retained != "" {
			next("next", retained) // it was interrupted before it was delivered
			return
		}
		next("approve", "approve")
		next("or deny", "deny")
	case workbench.Approved, workbench.Denied:
		next("next", "export")
		p.row("or", "algal demo prove DIR")
	case workbench.Uncertain:
		store := shell.Quote(filepath.Join(r.Root, workbench.StoreName))
		p.row("next", "algal process explain %s --dir %s", workbench.ProcessName, store)
		p.row("", "which says whether the dispatch can be recovered; if not, keep this root and choose a new one")
	case workbench.Ready, workbench.Failed:
		p.row("next", "keep this root and choose a new one")
	}
}

func accountOfExport(p *page, r *workbench.Report) {
	v := r.Value().Get("exportVerification")
	p.line("%s", filepath.Join(r.Root, workbench.EvidenceName))
	p.row("status", "%s", v.Get("status").Text())
	p.row("history", "%s, %s", countedValue(v.Get("generations"), "generation"), countedValue(v.Get("receipts"), "receipt"))
	p.row("head", "%s", v.Get("digest").Text())
	p.row("evidence", "%s", v.Get("evidenceDigest").Text())
	if line, shown := workbench.ShellLine(r.Value().Get("commands").Get("verify")); shown {
		p.row("next", "%s", line)
	}
	p.verdict(true, "exported and verified: whoever has the file can replay the history without this workbench")
}

// countedValue is counted for a number of a record.
func countedValue(v canon.Value, noun string) string { return counted(int(v.Float()), noun) }
