package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// ComparisonContract names the record of a comparison.
const ComparisonContract = "algal.replay-comparison.v1"

// The verdicts of a comparison.
const (
	Identical      = "identical"
	Diverged       = "diverged"
	CouldNotReplay = "could-not-replay"
)

// maxCompared bounds prefix and added, inclusive.
const maxCompared = 256

// Comparison is how a revised program fares under recorded effects (run.md §15).
type Comparison struct {
	Record canon.Value
	// Revised is the revised run's receipt, absent when nothing ran.
	Revised canon.Value
}

// Compare runs a revision, as supplied, under the effects of a recorded receipt.
// override replaces recorded arguments port by port and may be absent. The host's
// executors answer what the record does not; its store is only read.
func Compare(ctx context.Context, receipt, revision, override canon.Value, host runtime.Host) (Comparison, error) {
	if err := runtime.ParseReceipt(receipt); err != nil {
		return Comparison{}, err
	}
	if !runtime.CheckDigest(receipt) {
		return Comparison{}, algal.Errorf(algal.DigestMismatch, "receipt digest does not match its contents")
	}
	if override.Exists() {
		if _, err := runtime.AdmitArgs(override); err != nil {
			return Comparison{}, err
		}
	}
	c := &comparison{original: receipt, supplied: revision, args: overlay(receipt.Get("args"), override)}
	if err := c.replay(ctx, host); err != nil {
		return Comparison{}, err
	}
	record := c.record()
	return Comparison{record, c.revised}, ParseComparison(record)
}

// overlay replaces arguments per cell and per port.
func overlay(args, override canon.Value) canon.Value {
	for cell, ports := range override.Members() {
		merged := args.Get(cell)
		if !merged.Exists() {
			merged = canon.Object()
		}
		for port, v := range ports.Members() {
			merged = merged.With(canon.M(port, v))
		}
		args = args.With(canon.M(cell, merged))
	}
	return args
}

// comparison is the state of one comparison; absent members of the record are
// written as null.
type comparison struct {
	original, supplied, args canon.Value

	revisionDigest canon.Value
	revised        canon.Value
	prefix         []canon.Value
	prefixCut      bool
	added          []canon.Value
	addedCut       bool
	divergence     canon.Value
	effectsMatch   canon.Value
	reason         canon.Value
}

func (c *comparison) replay(ctx context.Context, host runtime.Host) error {
	m, err := organism.ParseManifest(c.supplied)
	if err != nil {
		c.invalid(err)
		return nil
	}
	c.revisionDigest = canon.String(string(m.Digest()))
	host.Store = cas.NewOverlay(host.Store)
	p, err := runtime.Prepare(host)
	if err != nil {
		return err
	}
	graph, err := p.Compile(m)
	if err != nil {
		c.invalid(err)
		return nil
	}
	if at := missingInput(m, c.args); at != "" {
		c.reason = reason("missing-input", at, canon.Value{}, fmt.Sprintf("wired input %s has no recorded or supplied value", at))
		return nil
	}
	args, err := runtime.AdmitArgs(c.args)
	if err != nil {
		return err
	}
	result, err := p.Run(ctx, graph, args, verifying(c.original))
	if err != nil {
		return err
	}
	c.revised = result.Receipt()
	c.compare()
	return nil
}

func (c *comparison) invalid(err error) {
	e := algal.AsError(err)
	c.reason = reason("manifest-invalid", "", canon.Value{}, fmt.Sprintf("%s: %s", e.Code, e.Message))
}

func reason(code, path string, request canon.Value, detail string) canon.Value {
	var at canon.Value
	if path != "" {
		at = canon.String(path)
	}
	return canon.Object(
		canon.M("code", canon.String(code)),
		canon.M("detail", canon.String(detail)),
		canon.M("path", at),
		canon.M("request", request),
	)
}

// missingInput returns the first wired port of an input cell without a value.
func missingInput(m *organism.Manifest, args canon.Value) string {
	for _, cell := range m.Cells {
		if cell.Kind != organism.KindInput {
			continue
		}
		for _, port := range cell.Outputs {
			wired := slices.ContainsFunc(m.Edges, func(e *organism.Edge) bool {
				return e.From == organism.PortRef{Cell: cell.ID, Port: port.Name}
			})
			if wired && !args.Get(cell.ID).Get(port.Name).Exists() {
				return cell.ID + "." + port.Name
			}
		}
	}
	return ""
}

// compare walks both runs in activation order up to the first difference.
func (c *comparison) compare() {
	before, after := c.original.Get("cells"), c.revised.Get("cells")
	for _, path := range ActivationOrder(c.original) {
		a, b := before.Get(path), after.Get(path)
		if !canon.Equal(a, b) {
			c.diverge("cell", canon.String(path), side(a), side(b), "")
			break
		}
		if len(c.prefix) == maxCompared {
			c.prefixCut = true
			continue
		}
		c.prefix = append(c.prefix, canon.Object(
			canon.M("digest", canon.String(string(a.Digest()))),
			canon.M("path", canon.String(path)),
		))
	}
	for _, path := range sortedKeys(after) {
		if before.Get(path).Exists() {
			continue
		}
		if len(c.added) == maxCompared {
			c.addedCut = true
			break
		}
		c.added = append(c.added, canon.String(path))
	}
	if len(c.added) > 0 && !c.divergence.Exists() {
		c.diverge("cell", c.added[0], canon.Null(), side(after.Get(c.added[0].Text())), "")
	}
	c.reason = c.missingEffect()
	effectsMatch := canon.Equal(c.original.Get("effects"), c.revised.Get("effects"))
	c.effectsMatch = canon.Bool(effectsMatch)
	c.compareRest(effectsMatch)
}

// compareRest looks for a difference that shows in no cell.
func (c *comparison) compareRest(effectsMatch bool) {
	if c.divergence.Exists() {
		return
	}
	a, b := c.original, c.revised
	text := func(v canon.Value, otherwise string) string {
		if !v.Exists() {
			return otherwise
		}
		return shown(v, "")
	}
	null := canon.Null()
	switch {
	case !effectsMatch:
		c.diverge("effects", null, null, null, "effect sequences differ")
	case !canon.Equal(a.Get("outcome"), b.Get("outcome")):
		c.diverge("outcome", null, null, null, a.Get("outcome").Text()+" vs "+b.Get("outcome").Text())
	case !canon.Equal(a.Get("failure"), b.Get("failure")):
		c.diverge("failure", null, null, null, text(a.Get("failure").Get("code"), "none")+" vs "+text(b.Get("failure").Get("code"), "none"))
	case !canon.Equal(a.Get("work"), b.Get("work")):
		c.diverge("work", null, null, null, "units "+text(a.Get("work").Get("units"), "")+" vs "+text(b.Get("work").Get("units"), ""))
	}
}

func (c *comparison) diverge(kind string, path, original, revised canon.Value, detail string) {
	var more canon.Value
	if detail != "" {
		more = canon.String(detail)
	}
	c.divergence = canon.Object(
		canon.M("detail", more),
		canon.M("kind", canon.String(kind)),
		canon.M("original", original),
		canon.M("path", path),
		canon.M("revised", revised),
	)
}

// side is one run's record of a cell, null when it has none.
func side(cell canon.Value) canon.Value {
	if !cell.Exists() {
		return canon.Null()
	}
	return canon.Object(canon.M("digest", canon.String(string(cell.Digest()))), canon.M("status", cell.Get("status")))
}

// missingEffect explains a revised run that failed for want of something that
// the record does not hold and the original did not lack.
func (c *comparison) missingEffect() canon.Value {
	before, after := c.original.Get("cells"), c.revised.Get("cells")
	for _, path := range ActivationOrder(c.revised) {
		cell := after.Get(path)
		failure := cell.Get("failure")
		if !cell.Get("status").IsText(runtime.Failed) || !slices.Contains(wanting, algal.Code(failure.Get("code").Text())) {
			continue
		}
		was := before.Get(path)
		if was.Exists() && (canon.Equal(was, cell) || canon.Equal(was.Get("failure"), failure)) {
			continue
		}
		code := "missing-effect"
		if failure.Get("code").IsText(string(algal.InputMissing)) {
			code = "missing-input"
		}
		return reason(code, path, lastEffect(c.revised, path), failure.Get("message").Text())
	}
	return canon.Value{}
}

var wanting = []algal.Code{algal.EffectUnbound, algal.ToolUnknown, algal.FnUnknown, algal.InputMissing}

// lastEffect returns the request of a cell's last effect event.
func lastEffect(receipt canon.Value, path string) canon.Value {
	var last canon.Value
	for _, e := range receipt.Get("events").Elements() {
		if e.Get("kind").IsText("effect") && e.Get("path").IsText(path) {
			last = e.Get("digest")
		}
	}
	return last
}

func (c *comparison) verdict() string {
	switch {
	case c.reason.Exists():
		return CouldNotReplay
	case c.divergence.Exists():
		return Diverged
	}
	return Identical
}

func (c *comparison) record() canon.Value {
	revisedDigest := c.revised.Get("digest")
	return canon.Object(
		canon.M("added", canon.Array(c.added...)),
		canon.M("addedTruncated", canon.Bool(c.addedCut)),
		canon.M("args", canon.String(string(c.args.Digest()))),
		canon.M("contract", canon.String(ComparisonContract)),
		canon.M("divergence", orNull(c.divergence)),
		canon.M("effectsMatch", orNull(c.effectsMatch)),
		canon.M("manifest", c.original.Get("manifestDigest")),
		canon.M("outcomes", canon.Object(
			canon.M("original", c.original.Get("outcome")),
			canon.M("revised", orNull(c.revised.Get("outcome"))),
		)),
		canon.M("prefix", canon.Array(c.prefix...)),
		canon.M("prefixTruncated", canon.Bool(c.prefixCut)),
		canon.M("reason", orNull(c.reason)),
		canon.M("receipt", c.original.Get("digest")),
		canon.M("revisedReceipt", orNull(revisedDigest)),
		canon.M("revision", orNull(c.revisionDigest)),
		canon.M("supplied", canon.String(string(c.supplied.Digest()))),
		canon.M("verdict", canon.String(c.verdict())),
	)
}
