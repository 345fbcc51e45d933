package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// authored returns a manifest as somebody would write it, without budgets.
func authored(t testing.TB, name string, cells ...string) canon.Value {
	t.Helper()
	return parse(t, fmt.Sprintf(`{"contract":"algal.organism.v1","key":"organism:%s","name":"","cells":[%s]}`, name, strings.Join(cells, ",")))
}

func embed(id string, d algal.Digest) string {
	return fmt.Sprintf(`{"id":"%s","kind":"organism","manifest":"%s"}`, id, d)
}

// refs returns a const cell with a ref port for every digest.
func refs(id string, digests ...algal.Digest) string {
	ports := make([]string, len(digests))
	for i, d := range digests {
		ports[i] = fmt.Sprintf(`"p%d":{"type":"ref","value":"%s"}`, i, d)
	}
	return fmt.Sprintf(`{"id":"%s","kind":"const","outputs":{%s}}`, id, strings.Join(ports, ","))
}

// store is a memory store that counts what is done to it.
type store struct {
	cas.Store
	reads, writes int
}

func newStore() *store { return &store{Store: cas.NewMemory()} }

func (s *store) Value(d algal.Digest) (canon.Value, error) {
	s.reads++
	return s.Store.Value(d)
}

func (s *store) Manifest(d algal.Digest) (canon.Value, error) {
	s.reads++
	return s.Store.Manifest(d)
}

func (s *store) PutValue(v canon.Value) (algal.Digest, error) {
	s.writes++
	return s.Store.PutValue(v)
}

func (s *store) PutManifest(v canon.Value) (algal.Digest, error) {
	s.writes++
	return s.Store.PutManifest(v)
}

// put admits an authored manifest, keeps its normal form and returns its digest.
func (s *store) put(t testing.TB, v canon.Value) algal.Digest {
	t.Helper()
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Store.PutManifest(m.Normal())
	if err != nil {
		t.Fatal(err)
	}
	if d != m.Digest() {
		t.Fatalf("store keeps %s as %s", m.Digest(), d)
	}
	return d
}

func (s *store) putValue(t testing.TB, v canon.Value) algal.Digest {
	t.Helper()
	d, err := s.Store.PutValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func pack(t testing.TB, root algal.Digest, from cas.Store) canon.Value {
	t.Helper()
	v, err := bundle.Pack(root, from)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// install parses and installs a document and returns the counts.
func install(t testing.TB, document string, into cas.Store) (manifests, values int) {
	t.Helper()
	b, err := bundle.ParseText(document)
	if err != nil {
		t.Fatal(err)
	}
	if manifests, values, err = b.Install(into); err != nil {
		t.Fatal(err)
	}
	return manifests, values
}

// refused fails the test unless err has the code and the exact text.
func refused(t testing.TB, err error, code algal.Code, text string) {
	t.Helper()
	if algal.CodeOf(err) != code || err.Error() != text {
		t.Errorf("got  %s %v\nwant %s %s", algal.CodeOf(err), err, code, text)
	}
}
