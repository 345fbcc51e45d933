package export

import (
	"context"
	"maps"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/verify"
)

// Document is exported evidence.
type Document struct {
	Text     string // canonical, without a trailing newline: its SHA-256 is the evidence digest
	Evidence *verify.Evidence
	Report   *verify.Report // of Evidence
}

// Process exports the process whose head record hashes to head. The tools are the
// signatures that its program may name, at most 64.
func Process(ctx context.Context, head algal.Digest, record canon.Value, store cas.Store, tools map[string]*organism.Tool) (*Document, error) {
	if _, err := chain.ParseRecord(record); err != nil {
		return nil, err
	}
	if record.Digest() != head {
		return nil, algal.Errorf(algal.DigestMismatch, "process evidence head digest mismatch")
	}
	if len(tools) > verify.MaxTools {
		return nil, algal.Errorf(algal.BudgetExhausted, "evidence tool count exceeded")
	}
	recorder := cas.NewRecorder(store)
	reader := Reader{recorder}
	history, err := chain.Validate(head, record, reader)
	if err != nil {
		return nil, err
	}
	if err := reader.Replay(ctx, tools, history); err != nil {
		return nil, err
	}
	if err := recorder.Err(); err != nil {
		e := algal.AsError(err)
		return nil, algal.Errorf(e.Code, "process evidence dependency capture failed: %s", e.Message)
	}
	return admitted(ctx, document(recorder, history, tools))
}

// document assembles what was captured.
func document(c *cas.Recorder, history *chain.History, tools map[string]*organism.Tool) canon.Value {
	values := maps.Clone(c.Values())
	records := make(map[algal.Digest]canon.Value, len(history.Records))
	for i, r := range history.Records {
		records[history.Digests[i]] = r.Value()
		delete(values, history.Digests[i])
	}
	signatures := make(map[string]canon.Value, len(tools))
	for name, tool := range tools {
		signatures[name] = tool.Normal()
	}
	return canon.Object(
		canon.M("contract", canon.String(verify.Contract)),
		canon.M("head", canon.String(string(history.Head))),
		canon.M("missing", canon.Object(
			canon.M("manifests", digests(c.MissingManifests())),
			canon.M("values", digests(c.MissingValues())),
		)),
		canon.M("program", canon.Object(
			canon.M("contract", canon.String(verify.BundleContract)),
			canon.M("manifests", object(c.Manifests())),
			canon.M("root", canon.String(string(history.Last().ManifestDigest))),
			canon.M("values", object(values)),
		)),
		canon.M("receipts", object(c.Receipts())),
		canon.M("records", object(records)),
		canon.M("tools", object(signatures)),
	)
}

func object[K ~string](entries map[K]canon.Value) canon.Value {
	members := make([]canon.Member, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		members = append(members, canon.M(string(key), entries[key]))
	}
	return canon.Object(members...)
}

func digests(set map[algal.Digest]bool) canon.Value {
	list := make([]canon.Value, 0, len(set))
	for _, d := range slices.Sorted(maps.Keys(set)) {
		list = append(list, canon.String(string(d)))
	}
	return canon.Array(list...)
}

// admitted holds the document to the rules that its readers will apply.
func admitted(ctx context.Context, v canon.Value) (*Document, error) {
	text, err := canon.Encode(v)
	if err != nil {
		return nil, err
	}
	d := &Document{Text: string(text)}
	d.Evidence, err = verify.Parse(d.Text)
	if err == nil {
		d.Report, err = d.Evidence.Verify(ctx)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
