package bundle_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// TestInstallRefuses has the checks of bundle.md §3 in order; no row may write.
func TestInstallRefuses(t *testing.T) {
	m, err := organism.ParseManifest(authored(t, "m"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := organism.ParseManifest(authored(t, "other"))
	if err != nil {
		t.Fatal(err)
	}
	one, two := canon.Int(1), canon.Int(2)
	wrong := bundle.Entry{Digest: one.Digest(), Value: two}
	good := bundle.Entry{Digest: m.Digest(), Value: m.Normal()}
	claims := func(kind string, claimed, actual algal.Digest) string {
		return fmt.Sprintf("bundle %s claims %s, hashes to %s", kind, claimed, actual)
	}
	for name, c := range map[string]struct {
		root              algal.Digest
		manifests, values []bundle.Entry
		code              algal.Code
		text              string
	}{
		"root missing, all else wrong": {
			other.Digest(), []bundle.Entry{{Digest: m.Digest(), Value: one}}, []bundle.Entry{wrong},
			algal.ParseFailed, fmt.Sprintf("bundle root %s is not among its manifests", other.Digest()),
		},
		"no manifest": {
			m.Digest(), []bundle.Entry{{Digest: m.Digest(), Value: one}, {Digest: other.Digest(), Value: m.Normal()}}, nil,
			algal.ParseFailed, "manifest must be an object",
		},
		"manifest digest, the first in document order": {
			m.Digest(), []bundle.Entry{good, {Digest: other.Digest(), Value: m.Normal()}, {Digest: one.Digest(), Value: one}}, []bundle.Entry{wrong},
			algal.DigestMismatch, claims("manifest", other.Digest(), m.Digest()),
		},
		"value digest, the first in document order": {
			m.Digest(), []bundle.Entry{good}, []bundle.Entry{{Digest: two.Digest(), Value: two}, wrong, {Digest: m.Digest(), Value: one}},
			algal.DigestMismatch, claims("value", one.Digest(), two.Digest()),
		},
	} {
		t.Run(name, func(t *testing.T) {
			into := newStore()
			b := &bundle.Bundle{Root: c.root, Manifests: c.manifests, Values: c.values}
			manifests, values, err := b.Install(into)
			refused(t, err, c.code, c.text)
			if manifests != 0 || values != 0 || into.writes != 0 {
				t.Errorf("%d manifests, %d values, %d writes after a refusal", manifests, values, into.writes)
			}
		})
	}
}

// TestInstallStoresNormalForm: an authored manifest is admitted under the digest
// of its normal form, and that is what the store gets; entries that the root does
// not need are installed like the others.
func TestInstallStoresNormalForm(t *testing.T) {
	root := authored(t, "m")
	m, err := organism.ParseManifest(root)
	if err != nil {
		t.Fatal(err)
	}
	spare := canon.String("not needed")
	b := &bundle.Bundle{
		Root:      m.Digest(),
		Manifests: []bundle.Entry{{Digest: m.Digest(), Value: root}},
		Values:    []bundle.Entry{{Digest: spare.Digest(), Value: spare}},
	}
	into := newStore()
	manifests, values, err := b.Install(into)
	if err != nil || manifests != 1 || values != 1 {
		t.Fatalf("%d manifests, %d values, %v", manifests, values, err)
	}
	kept, err := into.Manifest(m.Digest())
	if err != nil || !canon.Equal(kept, m.Normal()) || canon.Equal(kept, root) {
		t.Errorf("kept %s, %v; want %s", kept, err, m.Normal())
	}
	if v, err := into.Value(spare.Digest()); err != nil || !canon.Equal(v, spare) {
		t.Errorf("kept %s, %v", v, err)
	}
}

// failing refuses one kind of writes.
type failing struct {
	*store
	manifests, values error
}

func (f failing) PutManifest(v canon.Value) (algal.Digest, error) {
	if f.manifests != nil {
		return "", f.manifests
	}
	return f.store.PutManifest(v)
}

func (f failing) PutValue(v canon.Value) (algal.Digest, error) {
	if f.values != nil {
		return "", f.values
	}
	return f.store.PutValue(v)
}

// TestInstallPutsManifestsFirst and reports the fault of the store itself.
func TestInstallPutsManifestsFirst(t *testing.T) {
	from := newStore()
	root := from.put(t, authored(t, "m", refs("c", from.putValue(t, canon.Int(7)))))
	b, err := bundle.Parse(pack(t, root, from))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	for name, c := range map[string]struct {
		into   failing
		writes int
	}{
		"manifests": {failing{store: newStore(), manifests: full}, 0},
		"values":    {failing{store: newStore(), values: full}, 1},
	} {
		manifests, values, err := b.Install(c.into)
		if !errors.Is(err, full) || manifests != 0 || values != 0 || c.into.writes != c.writes {
			t.Errorf("%s: %d, %d, %v after %d writes, want %d", name, manifests, values, err, c.into.writes, c.writes)
		}
	}
}
