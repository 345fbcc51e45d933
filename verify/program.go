package verify

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Graph compiles the root program of the document, with what it embeds, as
// [Evidence.Verify] does first of all. The error is a [*Refusal].
func (e *Evidence) Graph() (*organism.Graph, error) {
	m, err := organism.ParseManifest(e.manifests.Get(string(e.Root)))
	if err != nil {
		return nil, refusal(StageCompile, err).at(e.Root)
	}
	g, err := compileRoot(m, e.tools, &source{Evidence: e})
	if err != nil {
		return nil, refusal(StageCompile, err).at(e.Root)
	}
	return g, nil
}

// Requests returns by their digests the requests behind the effects of a receipt of
// a document that verifies. A receipt has the digests only, so it is replayed once
// more.
func (e *Evidence) Requests(ctx context.Context, receipt canon.Value) (map[algal.Digest]canon.Value, error) {
	prepare, err := e.compile(&source{Evidence: e})
	if err != nil {
		return nil, err
	}
	v, err := prepare()
	if err != nil {
		return nil, err
	}
	return v.Requests(ctx, receipt)
}

// Contents counts what a document holds.
type Contents struct {
	Records, Receipts, Manifests, Values, Tools int
	Missing                                     int // manifests and values that were looked up and not found
}

// Contents counts what the document holds.
func (e *Evidence) Contents() Contents {
	return Contents{
		Records:   e.records.Len(),
		Receipts:  e.receipts.Len(),
		Manifests: e.manifests.Len(),
		Values:    e.values.Len(),
		Tools:     len(e.tools),
		Missing:   e.missing.manifests.Len() + e.missing.values.Len(),
	}
}
