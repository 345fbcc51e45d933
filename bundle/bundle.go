package bundle

import (
	"errors"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Contract is the name of the bundle contract.
const Contract = "algal.bundle.v1"

// Bounds of a bundle, all inclusive. They hold for the document as it is written
// and again for its normalised form, which may be larger (conformance.md B-3 to B-5).
const (
	MaxEntries = 512            // manifests, and values
	MaxBytes   = canon.MaxBytes // of the text and of the canonical text
	MaxDepth   = canon.MaxDepth // levels below the document itself
	MaxNodes   = 1_000_000      // values in the document
)

// Bundle is an admitted bundle. What its entries hold is not verified before
// [Bundle.Install].
type Bundle struct {
	Root      algal.Digest
	Manifests []Entry // in document order, in the form the document gives them
	Values    []Entry // in document order
}

// Entry is an object under the digest that the document claims for it.
type Entry struct {
	Digest algal.Digest
	Value  canon.Value
}

// FileName returns the conventional name of a bundle file (bundle.md §1.2).
func FileName(root algal.Digest) string { return root.Hex() + ".bundle.json" }

// ParseText admits a bundle document. Where text is no JSON at all the error is
// a [*canon.Fault], for which readers have their own wire texts; the other errors
// are those of [Parse].
func ParseText(text string) (*Bundle, error) {
	v, err := canon.Parse(text, canon.Limits{Bytes: MaxBytes, Depth: MaxDepth, Nodes: MaxNodes})
	if err == nil {
		return Parse(v)
	}
	fault, ok := errors.AsType[*canon.Fault](err)
	switch {
	case !ok || !fault.Bounds():
		return nil, err
	case fault.Kind == canon.FaultBytes:
		return nil, tooLong()
	}
	return nil, tooDeep()
}

// Parse admits a bundle in the order of bundle.md §2, after the bounds of the
// whole document. It does not look into the entries.
func Parse(v canon.Value) (*Bundle, error) {
	if err := checkBounds(v); err != nil {
		return nil, err
	}
	if err := canon.AsObject(v, "bundle"); err != nil {
		return nil, err
	}
	for key := range v.Members() {
		if !slices.Contains(members, key) {
			return nil, algal.Errorf(algal.ParseFailed, `bundle: unknown key "%s"`, key)
		}
	}
	if !v.Get("contract").IsText(Contract) {
		return nil, algal.Errorf(algal.ParseFailed, `expected contract "%s"`, Contract)
	}
	var b Bundle
	root, err := canon.Require(v, "bundle", "root")
	if err != nil {
		return nil, err
	}
	if b.Root, err = canon.AsDigest(root, "bundle.root"); err != nil {
		return nil, err
	}
	manifests, err := canon.Require(v, "bundle", "manifests")
	if err != nil {
		return nil, err
	}
	if b.Manifests, err = parseEntries(manifests, "bundle.manifests"); err != nil {
		return nil, err
	}
	if values := v.Get("values"); values.Exists() {
		if b.Values, err = parseEntries(values, "bundle.values"); err != nil {
			return nil, err
		}
	}
	return &b, nil
}

var members = []string{"contract", "root", "manifests", "values"}

func parseEntries(v canon.Value, what string) ([]Entry, error) {
	if err := canon.AsObject(v, what); err != nil {
		return nil, err
	}
	if v.Len() > MaxEntries {
		return nil, algal.Errorf(algal.BudgetExhausted, "%s exceeds %d entries", what, MaxEntries)
	}
	entries := make([]Entry, 0, v.Len())
	for key, value := range v.Members() {
		d, err := algal.ParseDigest(key, what+" key")
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{d, value})
	}
	return entries, nil
}

// document returns the bundle document with the given content. It is the form
// that Pack returns and that bounds what Install writes.
func document(root algal.Digest, manifests, values []Entry) canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(Contract)),
		canon.M("root", canon.String(string(root))),
		canon.M("manifests", object(manifests)),
		canon.M("values", object(values)),
	)
}

func object(entries []Entry) canon.Value {
	list := make([]canon.Member, len(entries))
	for i, e := range entries {
		list[i] = canon.M(string(e.Digest), e.Value)
	}
	return canon.Object(list...)
}

func checkBounds(document canon.Value) error {
	if document.Depth() > MaxDepth || document.Nodes() > MaxNodes {
		return tooDeep()
	}
	if document.Size() > MaxBytes {
		return tooLong()
	}
	return nil
}

func tooDeep() error {
	return algal.Errorf(algal.BudgetExhausted, "bundle depth/node bound exceeded: at most depth %d and %d values", MaxDepth, MaxNodes)
}

func tooLong() error {
	return algal.Errorf(algal.BudgetExhausted, "bundle exceeds %d bytes", MaxBytes)
}

// checkDigest compares what an entry of the given kind claims with what it is.
func checkDigest(kind string, claimed, actual algal.Digest) error {
	if claimed != actual {
		return algal.Errorf(algal.DigestMismatch, "bundle %s claims %s, hashes to %s", kind, claimed, actual)
	}
	return nil
}
