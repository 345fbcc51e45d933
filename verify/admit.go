package verify

import (
	"fmt"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// admit holds the document to evidence.md §3 steps 3 to 10, in that order.
func (e *Evidence) admit(v canon.Value, s *sums) *Refusal {
	for _, step := range []func(canon.Value, *sums) *Refusal{
		e.admitDocument, e.admitRecords, e.admitReceipts, e.admitProgram, e.admitMissing, e.admitBinding, e.admitTools,
	} {
		if r := step(v, s); r != nil {
			return r
		}
	}
	return nil
}

func mismatch(format string, args ...any) error {
	return algal.Errorf(algal.ReceiptMismatch, format, args...)
}

func (e *Evidence) admitDocument(v canon.Value, _ *sums) *Refusal {
	err := canon.AsObject(v, "process evidence")
	if err == nil {
		err = canon.NoUnknownKeys(v, "process evidence", "contract", "head", "records", "receipts", "program", "tools", "missing")
	}
	if err == nil && !v.Get("contract").IsText(Contract) {
		err = mismatch("invalid process evidence contract: got %s, this verifier speaks %s", foreign(v.Get("contract")), Contract)
	}
	if err == nil {
		e.Head, err = canon.AsDigest(v.Get("head"), "process evidence.head")
	}
	if err != nil {
		return refusal(StageDocument, err)
	}
	return nil
}

// foreign shows a contract member that is not the expected one.
func foreign(v canon.Value) string {
	switch {
	case !v.Exists():
		return "none"
	case v.Size() > 80:
		return "a " + v.Kind().String()
	}
	return v.String()
}

// admitEntries makes the count and digest pass over a map of digests.
func admitEntries(v canon.Value, name string, maximum int, s *sums) (canon.Value, *Refusal) {
	stage := Stage(name)
	if stage != StageRecords && stage != StageReceipts {
		stage = StageProgram
	}
	m, what := entryMap(v, name), "evidence "+name
	if err := canon.AsObject(m, what); err != nil {
		return m, refusal(stage, err)
	}
	if m.Len() > maximum {
		return m, refusal(stage, algal.Errorf(algal.BudgetExhausted, "%s count exceeded: %d entries, at most %d", what, m.Len(), maximum))
	}
	for i := range m.Len() {
		key, err := algal.ParseDigest(m.Key(i), what+" key")
		if err == nil && s.of(name, i) != key {
			err = algal.Errorf(algal.DigestMismatch, "%s digest mismatch", what)
		}
		if err != nil {
			return m, refusal(stage, err).at(key)
		}
	}
	return m, nil
}

func (e *Evidence) admitRecords(v canon.Value, s *sums) (r *Refusal) {
	if e.records, r = admitEntries(v, "records", chain.MaxRecords, s); r != nil {
		return r
	}
	for key, record := range e.records.Members() {
		if _, err := chain.ParseRecord(record); err != nil {
			return refusal(StageRecords, err).at(algal.Digest(key))
		}
	}
	return nil
}

func (e *Evidence) admitReceipts(v canon.Value, s *sums) (r *Refusal) {
	if e.receipts, r = admitEntries(v, "receipts", MaxReceipts, s); r != nil {
		return r
	}
	for i := range e.receipts.Len() {
		receipt := e.receipts.At(i)
		var err error
		if receipt.Size() > chain.MaxReceiptBytes {
			err = algal.Errorf(algal.BudgetExhausted, "evidence receipt exceeds %d bytes", chain.MaxReceiptBytes)
		}
		if err == nil {
			err = runtime.ParseReceipt(receipt)
		}
		if err == nil && !receipt.Get("digest").IsText(string(s.intrinsic(i))) {
			err = algal.Errorf(algal.DigestMismatch, "evidence receipt digest mismatch")
		}
		if err != nil {
			return refusal(StageReceipts, err).at(algal.Digest(e.receipts.Key(i)))
		}
	}
	return nil
}

func (e *Evidence) admitProgram(v canon.Value, s *sums) (r *Refusal) {
	program := v.Get("program")
	err := canon.AsObject(program, "evidence program")
	if err == nil {
		err = canon.NoUnknownKeys(program, "evidence program", "contract", "root", "manifests", "values")
	}
	if err == nil && !program.Get("contract").IsText(BundleContract) {
		err = mismatch("invalid evidence program contract: got %s, this verifier speaks %s", foreign(program.Get("contract")), BundleContract)
	}
	if err == nil {
		e.Root, err = canon.AsDigest(program.Get("root"), "evidence program.root")
	}
	if err != nil {
		return refusal(StageProgram, err)
	}
	if e.manifests, r = admitEntries(v, "manifests", MaxManifests, s); r != nil {
		return r
	}
	for key, manifest := range e.manifests.Members() {
		if err := admitManifest(algal.Digest(key), manifest); err != nil {
			return refusal(StageProgram, err).at(algal.Digest(key))
		}
	}
	e.values, r = admitEntries(v, "values", MaxValues, s)
	return r
}

// admitManifest admits only a normal form under its digest.
func admitManifest(key algal.Digest, v canon.Value) error {
	if v.Size() > chain.MaxManifestBytes {
		return algal.Errorf(algal.BudgetExhausted, "evidence manifest exceeds %d bytes", chain.MaxManifestBytes)
	}
	m, err := organism.ParseManifest(v)
	if err == nil && m.Digest() != key {
		err = algal.Errorf(algal.DigestMismatch, "evidence manifest digest mismatch")
	}
	return err
}

func (e *Evidence) admitMissing(v canon.Value, _ *sums) *Refusal {
	missing := v.Get("missing")
	err := canon.AsObject(missing, "evidence missing")
	if err == nil {
		err = canon.NoUnknownKeys(missing, "evidence missing", "manifests", "values")
	}
	if err == nil {
		e.missing.manifests, err = digestSet(missing.Get("manifests"), "missing manifests")
	}
	if err == nil {
		e.missing.values, err = digestSet(missing.Get("values"), "missing values")
	}
	if err == nil {
		err = e.overlap()
	}
	if err != nil {
		return refusal(StageMissing, err)
	}
	return nil
}

// digestSet admits a strictly ascending list of digests and returns it as an
// object, in which a member can be looked up.
func digestSet(list canon.Value, what string) (canon.Value, error) {
	if !list.Is(canon.KindArray) || list.Len() > MaxMissing {
		return canon.Value{}, mismatch("%s count exceeded", what)
	}
	members := make([]canon.Member, 0, list.Len())
	for _, v := range list.Elements() {
		d, err := canon.AsDigest(v, what)
		if err != nil {
			return canon.Value{}, err
		}
		if n := len(members); n > 0 && members[n-1].Key >= string(d) {
			return canon.Value{}, mismatch("%s must be sorted and unique", what)
		}
		members = append(members, canon.M(string(d), canon.Null()))
	}
	return canon.Object(members...), nil
}

// overlap refuses a digest that is there and declared missing (step 8).
func (e *Evidence) overlap() error {
	for _, pair := range []struct{ present, missing canon.Value }{
		{e.manifests, e.missing.manifests}, {e.values, e.missing.values}, {e.records, e.missing.values},
	} {
		for key := range pair.missing.Members() {
			if pair.present.Get(key).Exists() {
				return mismatch("positive and missing evidence overlap")
			}
		}
	}
	return nil
}

func (e *Evidence) admitBinding(canon.Value, *sums) *Refusal {
	head := e.records.Get(string(e.Head))
	if !head.Get("manifestDigest").IsText(string(e.Root)) || !e.manifests.Get(string(e.Root)).Exists() {
		return refusal(StageDocument, mismatch("process evidence head or root is missing or mismatched")).at(e.Head)
	}
	return nil
}

func (e *Evidence) admitTools(v canon.Value, _ *sums) *Refusal {
	tools := v.Get("tools")
	err := canon.AsObject(tools, "evidence tools")
	if err == nil && tools.Len() > MaxTools {
		err = algal.Errorf(algal.BudgetExhausted, "evidence tool count exceeded")
	}
	if err != nil {
		return refusal(StageTools, err)
	}
	e.tools = make(map[string]*organism.Tool, tools.Len())
	for name, signature := range tools.Members() {
		if e.tools[name], err = admitTool(name, signature); err != nil {
			return refusal(StageTools, err)
		}
	}
	return nil
}

func admitTool(name string, signature canon.Value) (*organism.Tool, error) {
	if canon.Units(name) > maxToolName {
		return nil, algal.Errorf(algal.ParseFailed, "evidence tool name must be a string of at most %d characters", maxToolName)
	}
	if name == "" || strings.ContainsRune(name, 0) {
		return nil, mismatch("invalid evidence tool name")
	}
	return organism.ParseTool(signature, fmt.Sprintf("evidence tool %s", name))
}
