//go:build unix

package disk

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Value returns the value with the given digest (store.md §4.3).
func (s *Store) Value(d algal.Digest) (canon.Value, error) {
	return s.object(values, d, matches("value", d))
}

// PutValue keeps a value (store.md §4.2).
func (s *Store) PutValue(v canon.Value) (algal.Digest, error) { return s.putObject(values, "value", v) }

// Receipt returns the run receipt with the given storage digest.
func (s *Store) Receipt(d algal.Digest) (canon.Value, error) {
	return s.object(runs, d, matches("receipt", d))
}

// PutReceipt keeps a run receipt, which is any JSON value to the store.
func (s *Store) PutReceipt(receipt canon.Value) (algal.Digest, error) {
	return s.putObject(runs, "receipt", receipt)
}

// Manifest returns the normal form whose digest is d. The file may hold any form
// of the manifest (store.md §5).
func (s *Store) Manifest(d algal.Digest) (canon.Value, error) {
	return s.object(manifests, d, normalises(d))
}

// PutManifest keeps the normal form of an admitted manifest. A file that is there
// must hold just that form.
func (s *Store) PutManifest(normal canon.Value) (algal.Digest, error) {
	return s.putObject(manifests, "manifest", normal)
}

func (s *Store) object(in space, d algal.Digest, judge check) (canon.Value, error) {
	if _, err := algal.ParseDigest(string(d), "store digest"); err != nil {
		return canon.Value{}, err
	}
	return s.read(in, d.Hex(), judge)
}

func (s *Store) putObject(in space, kind string, v canon.Value) (algal.Digest, error) {
	text, err := document(in, v)
	if err != nil {
		return "", err
	}
	d := canon.DigestText(text)
	if err := s.guard(in, d.Hex()); err != nil {
		return "", err
	}
	fresh, err := s.files.Create(s.path(in, d.Hex()), text)
	if err != nil {
		return "", err
	}
	if fresh {
		return d, nil
	}
	found, err := s.retain(in, d.Hex(), text, matches(kind, d))
	if err != nil {
		return "", err
	}
	if !found {
		return "", algal.Errorf(algal.IOFailed, "published store object is missing")
	}
	return d, nil
}

// matches judges an object by the digest of its canonical form.
func matches(kind string, d algal.Digest) check {
	return func(v canon.Value) (canon.Value, error) {
		if actual := v.Digest(); actual != d {
			return canon.Value{}, mismatch(kind, d, actual)
		}
		return v, nil
	}
}

// normalises judges a manifest by the digest of its normal form.
func normalises(d algal.Digest) check {
	return func(v canon.Value) (canon.Value, error) {
		m, err := organism.ParseManifest(v)
		if err != nil {
			return canon.Value{}, err
		}
		if m.Digest() != d {
			return canon.Value{}, mismatch("manifest", d, m.Digest())
		}
		return m.Normal(), nil
	}
}

func mismatch(kind string, requested, actual algal.Digest) error {
	return algal.Errorf(algal.DigestMismatch, "%s file %s hashes to %s", kind, requested, actual)
}

// document admits a value that is written and returns its canonical text.
func document(in space, v canon.Value) (string, error) {
	if err := admissible(v); err != nil {
		return "", err
	}
	if v.Size() > in.bound {
		return "", algal.Errorf(algal.BudgetExhausted, "store document byte bound exceeded")
	}
	return v.String(), nil
}

func admissible(v canon.Value) error {
	if !v.Exists() {
		return notJSON()
	}
	return admitted.check(v)
}
