package runtime

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// request builds an effect request (run.md §8.2). Only what changes the question
// is in it: not the path, the tools, retry, turns or deadlines.
func (a *activation) request(kind EffectKind, prompt string, context canon.Value, output *organism.OutputContract, l limits, route canon.Value) *pending {
	p := &pending{
		Request: Request{
			CellID:         a.cell.ID,
			Kind:           kind,
			Output:         *output,
			MaxOutputBytes: l.output,
			Route: Route{
				Provider: route.Get("provider").Text(),
				Model:    route.Get("model").Text(),
				Preset:   route.Get("preset").Text(),
			},
		},
		contextBytes: context.Size(),
		bind:         output.Bind,
	}
	p.Record = canon.Object(
		canon.M("budget", canon.Object(
			canon.M("maxContextBytes", canon.Int(l.context)),
			canon.M("maxOutputBytes", canon.Int(l.output)),
		)),
		canon.M("cellId", canon.String(a.cell.ID)),
		canon.M("context", context),
		canon.M("contract", effectContract),
		canon.M("kind", canon.String(string(kind))),
		canon.M("output", output.Normal),
		canon.M("prompt", canon.String(prompt)),
		canon.M("route", route),
	)
	p.Digest = p.Record.Digest()
	return p
}

var effectContract = canon.String(EffectContract)

// pending is a request about to be attempted.
type pending struct {
	Request
	contextBytes int
	// bind admits an output; the contract's own rules unless a kind has more.
	bind func(output canon.Value, cellID string) (canon.Value, error)
}

// ask adds the questions of a decide request.
func (p *pending) ask(questions canon.Value) { p.extend("questions", questions) }

func (p *pending) extend(key string, v canon.Value) {
	p.Record = p.Record.With(canon.M(key, v))
	p.Digest = p.Record.Digest()
}

// toolRequest returns the record of a tool effect (§9.3).
func toolRequest(tool string, signature *organism.Tool, path string, inputs canon.Value) canon.Value {
	effect := "read"
	if signature.Write {
		effect = "write"
	}
	return canon.Object(
		canon.M("contract", canon.String(ToolEffectContract)),
		canon.M("effect", canon.String(effect)),
		canon.M("inputs", inputs),
		canon.M("path", canon.String(path)),
		canon.M("tool", canon.String(tool)),
	)
}

// idempotencyKey scopes a request to the process, if there is one (§9.4).
func (r *run) idempotencyKey(request algal.Digest) algal.Digest {
	if r.host.Process == "" {
		return request
	}
	return canon.Object(
		canon.M("contract", canon.String("algal.process-effect.v1")),
		canon.M("process", canon.String(r.host.Process)),
		canon.M("requestDigest", canon.String(string(request))),
	).Digest()
}
