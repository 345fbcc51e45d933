package report

import (
	"fmt"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/report/page"
	"github.com/algal-vm/algal/runtime"
)

// What the sections of generations may take besides values, so that the values get
// the rest of the page: in bytes, at most.
const (
	maxEffects     = 320
	effectRoom     = 5 << 10
	generationRoom = 6 << 10
	tailRoom       = 16 << 10 // of what follows them
	localRoom      = 320 << 10
)

// dispatches writes a section for each generation. If there are too many effects
// for the page, the generations share it.
func (w *writer) dispatches() {
	wants := make([]int, len(w.generations))
	for i := range w.generations {
		wants[i] = len(w.generations[i].effects)
	}
	shown, total := shares(wants, maxEffects), 0
	for i := range shown {
		total += shown[i]
		w.hiddenEffects += wants[i] - shown[i]
	}
	reserve := len(shown)*generationRoom + total*effectRoom + tailRoom
	if w.Local != nil {
		reserve += localRoom
	}
	values := &room{MaxBytes - w.Len() - reserve, total}
	for i := range w.generations {
		w.dispatch(&w.generations[i], shown[i], values)
	}
}

func (w *writer) dispatch(g *generation, shown int, values *room) {
	w.section(anchor(g.number), fmt.Sprintf("Generation %d", g.number), func() {
		w.Open("p")
		w.Element("span", string(g.status), badge(g.status))
		w.Close()
		w.facts(func() {
			w.factText("Cause", causeText(g.cause))
			w.factDigest("Intent", g.intent)
			w.factDigest("Outcome", g.outcome)
			w.factDigest("Receipt", g.stored)
			if work := g.receipt.Get("work"); work.Exists() {
				w.factText("Work", fmt.Sprintf("%s, %s, %s", counted(int(work.Get("steps").Float()), "step"),
					counted(int(work.Get("agentCalls").Float()), "provider call"), counted(int(work.Get("units").Float()), "unit")))
			}
			if failure := g.receipt.Get("failure"); failure.Exists() {
				w.fact("Failure", func() { w.failure(failure) })
			}
		})
		if len(g.wake) > 0 {
			w.Element("h3", "What it waited for")
			w.handles(g.wake)
		}
		w.Element("h3", "Effects")
		w.paragraph(effectsText(g))
		for _, e := range g.effects[:shown] {
			w.effect(e, values)
		}
		if hidden := len(g.effects) - shown; hidden > 0 {
			w.Open("p", page.Class("cut"))
			w.Text(fmt.Sprintf("%s more are left out here. They are in the receipt ", page.Count(hidden)))
			w.Digest(string(g.stored))
			w.Text(".")
			w.Close()
		}
	})
}

func effectsText(g *generation) string {
	if g.status == chain.Uncertain {
		return "The dispatch has no outcome, so the document knows nothing of its effects."
	}
	var text string
	if len(g.effects) == 0 {
		text = "It called nobody."
	} else {
		text = "It made " + counted(len(g.effects), "effect") + "."
	}
	if g.carried > 0 {
		text += fmt.Sprintf(" %s of earlier generations took part as recorded, without being called again.", counted(g.carried, "answered effect"))
	}
	return text
}

// effect shows one effect: who was asked what, and what came of it.
func (w *writer) effect(e effect, values *room) {
	r := e.receipt
	request := w.requests[algal.Digest(r.Get("requestDigest").Text())]
	w.fold(e.summary(), func() {
		w.facts(func() {
			if e.cell != "" {
				w.fact("Cell", func() { w.code(e.cell) })
			}
			w.fact("Executor", func() { w.code(r.Get("executor").Text()) })
			if kind := request.Get("kind"); kind.Exists() {
				w.factText("Kind", kind.Text())
			}
			if class := request.Get("effect"); class.Exists() {
				w.factText("Kind", class.Text()+" tool")
			}
			w.factText("Outcome", e.outcome())
			if failed := r.Get("error"); failed.Exists() {
				w.fact("Error", func() { w.failure(failed) })
			}
			w.usage(r.Get("usage"))
			w.factDigest("Request", algal.Digest(r.Get("requestDigest").Text()))
			w.factDigest("Configuration", algal.Digest(r.Get("configurationDigest").Text()))
		})
		parts := partsOf(request, r.Get("output"))
		own := room{values.share(), len(parts)}
		given := own.left
		for _, p := range parts {
			w.Element("p", p.name, page.Class("small soft"))
			if p.text != "" {
				w.passage(p.text, request.Digest(), &own)
			} else {
				w.value(p.value, &own)
			}
		}
		values.spend(given - own.left)
		if !request.Exists() {
			w.paragraph("The document has the digest of the request only.")
		}
	})
}

// part is a piece of a request or an answer: a text or a value.
type part struct {
	name  string
	text  string
	value canon.Value
}

// partsOf returns what there is to show of an effect. The request is absent where
// the run that made it is not the one whose requests are known.
func partsOf(request, output canon.Value) (parts []part) {
	contract := request.Get("output")
	if questions := request.Get("questions"); questions.Exists() {
		contract = questions
	}
	for _, p := range []part{
		{name: "Inputs", value: request.Get("inputs")},
		{name: "Prompt", text: request.Get("prompt").Text()},
		{name: "Context", value: request.Get("context")},
		{name: "What it had to answer", value: contract},
		{name: "Output", value: output},
	} {
		if p.text != "" || p.value.Exists() {
			parts = append(parts, p)
		}
	}
	return parts
}

func (w *writer) usage(usage canon.Value) {
	if !usage.Exists() {
		return
	}
	var parts []string
	if model := usage.Get("model").Text(); model != "" {
		parts = append(parts, model)
	}
	for _, tokens := range []struct{ member, text string }{{"tokensIn", "in"}, {"tokensOut", "out"}} {
		if n := usage.Get(tokens.member); n.Exists() {
			parts = append(parts, fmt.Sprintf("%s tokens %s", n, tokens.text))
		}
	}
	w.factText("Usage", strings.Join(parts, ", "))
}

// summary is the line of an effect that is folded.
func (e effect) summary() string {
	name := "an unnamed cell"
	if e.cell != "" {
		name = e.cell
	}
	return fmt.Sprintf("Effect %d: %s, %s", e.ordinal, name, e.outcome())
}

// outcome says how an effect ended.
func (e effect) outcome() string {
	failed := e.receipt.Get("error")
	switch {
	case runtime.IsSuspended(e.receipt):
		return "suspended"
	case failed.Exists():
		return "failed, " + failed.Get("code").Text()
	case e.receipt.Get("cached").Bool():
		return "answered by the effect memo"
	}
	return "answered"
}
