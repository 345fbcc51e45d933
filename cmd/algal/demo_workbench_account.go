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
	p.Line("%s", r.Root)
	p.Row("status", "%s", r.Status)
	p.Row("evidence", "%s", shown(v.Get("evidence").Get("value")))
	p.Row("proposes", "%s: write %s in the workbench", proposal.Get("title").Text(), workbench.PublicationName)
	p.Row("proposal", "%s", v.Get("proposal").Get("digest").Text())
	if approval := v.Get("approval"); approval.Is(canon.KindObject) {
		p.Row("decision", "%s, kept in %s", approval.Get("decision").Text(), workbench.DecisionName)
	}
	counters := v.Get("counters")
	p.Row("happened", "%s by the model, %s, %s",
		countedValue(counters.Get("decisions"), "recommendation"),
		countedValue(counters.Get("proposals"), "proposal")+" delivered",
		countedValue(counters.Get("publications"), "publication"))
	verification := v.Get("verification")
	p.Row("history", "%s, %s, replayed and in order",
		countedValue(verification.Get("generations"), "generation"), countedValue(verification.Get("receipts"), "receipt"))
	if publication := v.Get("artifacts").Get("publication"); publication.Is(canon.KindString) {
		p.Row("published", "%s", filepath.Join(r.Root, publication.Text()))
	}
	p.Row("page", "%s", filepath.Join(r.Root, workbench.PageName))
	nextOfWorkbench(p, r)
	p.Verdict(r.Status.Good(), "%s", r.Status.Sentence())
}

// nextOfWorkbench writes what may be typed next.
func nextOfWorkbench(p *page, r *workbench.Report) {
	commands := r.Value().Get("commands")
	next := func(name, key string) {
		if line, shown := workbench.ShellLine(commands.Get(key)); shown {
			p.Row(name, "%s", line)
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
		p.Row("or", "algal demo prove DIR")
	case workbench.Uncertain:
		store := shell.Quote(filepath.Join(r.Root, workbench.StoreName))
		p.Row("next", "algal process explain %s --dir %s", workbench.ProcessName, store)
		p.Row("", "which says whether the dispatch can be recovered; if not, keep this root and choose a new one")
	case workbench.Ready, workbench.Failed:
		p.Row("next", "keep this root and choose a new one")
	}
}

func accountOfExport(p *page, r *workbench.Report) {
	v := r.Value().Get("exportVerification")
	p.Line("%s", filepath.Join(r.Root, workbench.EvidenceName))
	p.Row("status", "%s", v.Get("status").Text())
	p.Row("history", "%s, %s", countedValue(v.Get("generations"), "generation"), countedValue(v.Get("receipts"), "receipt"))
	p.Row("head", "%s", v.Get("digest").Text())
	p.Row("evidence", "%s", v.Get("evidenceDigest").Text())
	if line, shown := workbench.ShellLine(r.Value().Get("commands").Get("verify")); shown {
		p.Row("next", "%s", line)
	}
	p.Verdict(true, "exported and verified: whoever has the file can replay the history without this workbench")
}

// countedValue is counted for a number of a record.
func countedValue(v canon.Value, noun string) string { return counted(int(v.Float()), noun) }
