//go:build unix

package disk

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// Effect returns the memo of a request under the identity of an executor (store.md
// §6.3).
func (s *Store) Effect(identity string, request algal.Digest) (canon.Value, error) {
	if _, err := algal.ParseDigest(string(request), "effect request digest"); err != nil {
		return canon.Value{}, err
	}
	return s.read(effects, cas.EffectKey(identity, request).Hex(), s.answers(request))
}

// PutEffect keeps a memo in normal form. The first one for a key wins and later
// ones are dropped, but not in favour of a damaged one (store.md §6.2). A fresh memo
// is not read back, as §11 leaves open.
func (s *Store) PutEffect(identity string, receipt canon.Value) error {
	if err := admissible(receipt); err != nil {
		return err
	}
	normal, err := s.admitEffect(receipt)
	if err != nil {
		return err
	}
	request, err := cas.EffectRequest(normal)
	if err != nil {
		return err
	}
	text, err := document(effects, normal)
	if err != nil {
		return err
	}
	name := cas.EffectKey(identity, request).Hex()
	if err := s.guard(effects, name); err != nil {
		return err
	}
	fresh, err := s.files.Create(s.path(effects, name), text)
	if fresh || err != nil {
		return err
	}
	found, err := s.retain(effects, name, text, s.answers(request))
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "published effect memo is missing")
	}
	return err
}

// answers judges a memo: an effect receipt for the request.
func (s *Store) answers(request algal.Digest) check {
	return func(v canon.Value) (canon.Value, error) {
		normal, err := s.admitEffect(v)
		if err != nil {
			return canon.Value{}, err
		}
		claimed, err := cas.EffectRequest(normal)
		if err != nil {
			return canon.Value{}, err
		}
		if claimed != request {
			return canon.Value{}, algal.Errorf(algal.DigestMismatch, "effect file %s claims request %s", request, claimed)
		}
		return normal, nil
	}
}
