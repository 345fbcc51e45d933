package organism

import (
	"strings"

	"github.com/algal-vm/algal/canon"
)

// Recall is what a recall cell adds (§7.8). The query is the cell's Program.
type Recall struct {
	K        int    // 8 when not declared
	Embedder string // "local" when not declared
	Rerank   *Rerank
}

// Rerank reorders recall hits by a second effect.
type Rerank struct {
	Route canon.Value
	Take  int // 0 when not declared
}

const (
	maxRecall     = 32
	defaultRecall = 8
	localEmbedder = "local"
)

var recallMembers = []string{"id", "kind", "inputs", "query", "k", "embedder", "route", "rerank", "budget", "retry"}

// readRecall reads a recall cell, whose inputs always stand in the normal form.
func readRecall(c *Cell, o object) []canon.Member {
	m, recall := &Model{}, &Recall{}
	c.Model, c.Recall = m, recall
	inputs := o.inputs(c)
	if !inputs.Value.Exists() {
		inputs.Value = canon.Object()
	}
	c.Program = o.program(o.require("query"), o.at("query"), c.Inputs.names())
	recall.K = o.optInteger("k", 1, maxRecall, defaultRecall)
	recall.Embedder = o.embedder()
	m.Route = o.route()
	recall.Rerank = o.rerank(recall.K)
	c.Budget = o.budget("maxContextBytes", "maxOutputBytes", "maxEffectMs")
	m.Attempts = o.attempts()
	return []canon.Member{inputs}
}

func (o object) embedder() string {
	name, given := o.optText("embedder", maxRef)
	if !given {
		return localEmbedder
	}
	model, remote := strings.CutPrefix(name, "gateway:")
	if name != localEmbedder && name != "gateway" && (!remote || model == "") {
		o.refuse(`%s.embedder: unknown embedder "%s" (want local, gateway, or gateway:<model>)`, o.path, name)
	}
	return name
}

// rerank reads how the hits, at most k, are reordered; its normal form is as
// written.
func (o object) rerank(k int) *Rerank {
	v := o.get("rerank")
	if !v.Exists() {
		return nil
	}
	q := o.object(v, o.at("rerank"))
	q.closed("route", "take")
	q.require("route")
	route := q.route()
	if !route.Get("provider").Exists() && !route.Get("preset").Exists() {
		o.refuse("%s.route requires provider or preset", q.path)
	}
	return &Rerank{Route: route, Take: q.optInteger("take", 1, k, 0)}
}
