package main

import (
	"context"
	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/replay"
)

type inspectOptions struct{ receipt string }

func newInspectCommand(with *shared) *cobra.Command {
	o := &inspectOptions{}
	return &cobra.Command{
		Use:   "inspect RECEIPT",
		Short: "Show what a receipt says",
		Long: `Shows the cells and effects of a receipt in the order in which they happened, and whether its
digest is that of its contents. Nothing is replayed: see algal verify.

Result: {"cells","digest","digestOk","effects","failure","manifestDigest","manifestKey","outcome",
"runtime","work"}. At a terminal it is shown in words; the last line says the outcome, or that the digest is wrong.`,
		Example: `  algal inspect receipt.json`,
		Args:    positional("RECEIPT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.receipt = args[0]
			return runInspect(cmd.Context(), with.streams, o)
		},
	}
}

func runInspect(_ context.Context, s *streams, o *inspectOptions) error {
	receipt, err := readReceipt(o.receipt)
	if err != nil {
		return err
	}
	v := inspection(receipt)
	return s.result(v, func(p *page) { accountOfReceipt(p, v, receipt) })
}

func inspection(receipt canon.Value) canon.Value {
	digest := receipt.DigestWithout("digest")
	members := []canon.Member{
		canon.M("cells", cellRows(receipt)),
		canon.M("digest", canon.String(string(digest))),
		canon.M("digestOk", canon.Bool(receipt.Get("digest").IsText(string(digest)))),
		canon.M("effects", effectRows(receipt)),
		canon.M("failure", orNull(receipt.Get("failure"))),
	}
	for _, key := range []string{"manifestDigest", "manifestKey", "outcome", "runtime", "work"} {
		members = append(members, canon.M(key, receipt.Get(key)))
	}
	return canon.Object(members...)
}

func orNull(v canon.Value) canon.Value {
	if !v.Exists() {
		return canon.Null()
	}
	return v
}

func cellRows(receipt canon.Value) canon.Value {
	cells := receipt.Get("cells")
	var rows []canon.Value
	for _, path := range replay.ActivationOrder(receipt) {
		cell := cells.Get(path)
		if !cell.Exists() {
			continue // an event of a cell that has no record
		}
		rows = append(rows, canon.Object(
			canon.M("failure", cell.Get("failure")),
			canon.M("path", canon.String(path)),
			canon.M("slot", cell.Get("slot")),
			canon.M("status", cell.Get("status")),
			canon.M("via", cell.Get("via")),
			canon.M("work", cell.Get("work")),
		))
	}
	return canon.Array(rows...)
}

func effectRows(receipt canon.Value) canon.Value {
	paths := replay.EffectPaths(receipt)
	var rows []canon.Value
	for i, e := range receipt.Get("effects").Elements() {
		path := canon.Null()
		if paths[i] != "" {
			path = canon.String(paths[i])
		}
		rows = append(rows, canon.Object(
			canon.M("cached", e.Get("cached")),
			canon.M("error", e.Get("error")),
			canon.M("executor", e.Get("executor")),
			canon.M("path", path),
			canon.M("requestDigest", e.Get("requestDigest")),
			canon.M("wake", e.Get("wake")),
		))
	}
	return canon.Array(rows...)
}

func accountOfReceipt(p *page, v, receipt canon.Value) {
	p.Line("%s", v.Get("manifestKey").Text())
	p.Row("manifest", "%s", v.Get("manifestDigest").Text())
	p.Row("receipt", "%s", v.Get("digest").Text())
	p.Row("runtime", "%s %s", v.Get("runtime").Get("name").Text(), v.Get("runtime").Get("version").Text())
	for _, c := range v.Get("cells").Elements() {
		p.Row("cell", "%s: %s, %s units%s", c.Get("path").Text(), c.Get("status").Text(), shown(c.Get("work")), because(c.Get("failure")))
	}
	for _, e := range v.Get("effects").Elements() {
		cached := ""
		if e.Get("cached").Bool() {
			cached = ", from the memo"
		}
		p.Row("effect", "%s by %s%s%s", shown(e.Get("path")), e.Get("executor").Text(), cached, because(e.Get("error")))
	}
	accountOfWork(p, receipt)
	if !v.Get("digestOk").Bool() {
		p.Verdict(false, "altered: the receipt claims to be %s", receipt.Get("digest").Text())
		return
	}
	verdictOfRun(p, receipt)
}

// because tells a failure record.
func because(failure canon.Value) string {
	if !failure.Exists() {
		return ""
	}
	return ": " + failure.Get("code").Text() + ": " + shown(failure.Get("message"))
}
