package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/export"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/tool/builtin"
)

// chain validates the history behind a head and replays it. Objects that are
// damaged or missing are reported with the objects; here only what is wrong with
// sound ones.
func (p *processExamination) chain(ctx context.Context, head algal.Digest) {
	seen := p.source()
	reader := export.Reader{Store: seen}
	record, err := reader.Record(head)
	if err == nil {
		p.history, err = chain.Validate(head, record, reader)
	}
	seen.need(p.dir, true)
	switch {
	case err != nil && seen.met(damaged, irregular, unread, absent):
		return
	case err != nil:
		p.report(p.invalid(err, seen))
		return
	case p.history.Last().Name != p.name:
		p.report(Finding{Kind: HeadDamaged, Path: p.dir + "/" + headFile, Digest: head, Advice: "names a record of process " + p.history.Last().Name})
		return
	}
	p.replay(ctx)
}

// invalid words a history that does not follow the rules.
func (p *processExamination) invalid(err error, seen *source) Finding {
	f := Finding{Kind: HistoryInvalid, Path: p.dir, Advice: err.Error()}
	var fault *chain.Fault
	if !errors.As(err, &fault) {
		return f
	}
	f.Digest = fault.Digest
	if fault.Generation < 0 { // the record itself is none
		return f
	}
	f.Advice = inGeneration(fault.Generation, err)
	// What breaks a rule of the chain is RECEIPT_MISMATCH. The rest is a receipt
	// that is none.
	if algal.CodeOf(err) != algal.ReceiptMismatch {
		f.Kind = ReceiptInvalid
		if record, err := seen.Value(fault.Digest); err == nil {
			f.Digest = algal.Digest(record.Get("receipt").Text())
		}
	}
	return f
}

func inGeneration(n int, err error) string { return fmt.Sprintf("generation %d: %v", n, err) }

// tools returns the signatures that are known.
func (e *examination) tools() map[string]*organism.Tool {
	tools := maps.Clone(e.options.Tools)
	if tools == nil {
		tools = map[string]*organism.Tool{}
	}
	for _, name := range builtin.Names() {
		tools[name] = builtin.Signature(name)
	}
	return tools
}

// replay replays every generation. What is missing then is damage only where the
// replay fails: otherwise the record has it as missing.
func (p *processExamination) replay(ctx context.Context) {
	tools := p.tools()
	if name := unknownTool(p.history, tools); name != "" {
		p.unreplayed("tool " + name)
		return
	}
	seen := p.source()
	err := export.Reader{Store: seen}.Replay(ctx, tools, p.history)
	var fault *chain.Fault
	switch {
	case ctx.Err() != nil:
		return
	case algal.CodeOf(err) == algal.ToolUnknown:
		p.unreplayed(err.Error())
		return
	case err != nil && !errors.As(err, &fault): // it does not compile
		embedded(seen, p.history.Last().ManifestDigest, map[algal.Digest]bool{})
		seen.need(p.dir, true)
		if !seen.met(damaged, irregular, unread, absent) {
			p.report(Finding{Kind: HistoryInvalid, Path: p.dir, Digest: p.history.Last().ManifestDigest, Advice: "the program does not compile: " + err.Error()})
		}
		return
	}
	seen.need(p.dir, false)
	if err == nil {
		return
	}
	p.needAbsent(ctx, tools, fault)
	if !seen.met(damaged, irregular, unread) {
		p.report(Finding{Kind: ReceiptInvalid, Path: p.dir, Digest: fault.Digest, Advice: err.Error()})
	}
}

// needAbsent replays the outcome at fault alone. Nothing says that what it looks up
// in vain may be missing.
func (p *processExamination) needAbsent(ctx context.Context, tools map[string]*organism.Tool, fault *chain.Fault) {
	at := slices.IndexFunc(p.history.Outcomes, func(o chain.Outcome) bool { return o.Receipt == fault.Digest })
	alone := *p.history
	alone.Outcomes = alone.Outcomes[at : at+1]
	seen := p.source()
	if (export.Reader{Store: seen}).Replay(ctx, tools, &alone) != nil && ctx.Err() == nil {
		seen.need(p.dir, true)
	}
}

// unknownTool returns a tool that a receipt says was called and whose signature is
// not known, "" if there is none. It may be that of a spawned program, which no
// compilation meets.
func unknownTool(h *chain.History, tools map[string]*organism.Tool) string {
	for _, outcome := range h.Outcomes {
		for _, effect := range outcome.Value.Get("effects").Elements() {
			name, isTool := strings.CutPrefix(effect.Get("executor").Text(), "tool:")
			if isTool && tools[name] == nil {
				return name
			}
		}
	}
	return ""
}

// unreplayed examines what can be without the tools of a program: the manifests
// that it embeds.
func (p *processExamination) unreplayed(why string) {
	seen := p.source()
	embedded(seen, p.history.Last().ManifestDigest, map[algal.Digest]bool{})
	seen.need(p.dir, true)
	p.report(Finding{Kind: PlaceUnknown, Path: p.dir, Digest: p.history.Head, Advice: why + ": its receipts were not replayed, since that needs the signatures of its tools (--tools)"})
}

// embedded reads a manifest and all that it embeds.
func embedded(s *source, d algal.Digest, visited map[algal.Digest]bool) {
	if visited[d] {
		return
	}
	visited[d] = true
	v, err := s.Manifest(d)
	if err != nil || !v.Exists() {
		return
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		return
	}
	for _, cell := range m.Cells {
		switch cell.Kind {
		case organism.KindOrganism, organism.KindRepeat, organism.KindEach:
			embedded(s, algal.Digest(cell.Manifest), visited)
		}
	}
}
