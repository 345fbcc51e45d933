package transport

import (
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// program returns a small bundle and its root.
func program(t testing.TB) (document string, root algal.Digest) {
	t.Helper()
	v, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:p","name":"P","cells":[]}`, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		t.Fatal(err)
	}
	store := cas.NewMemory()
	if _, err := store.PutManifest(m.Normal()); err != nil {
		t.Fatal(err)
	}
	packed, err := bundle.Pack(m.Digest(), store)
	if err != nil {
		t.Fatal(err)
	}
	return packed.String(), m.Digest()
}

// elsewhere is the root of no bundle.
var elsewhere = algal.Digest(fmt.Sprintf("sha256:%064x", 0xe))

// faults are documents that both transports refuse with the texts of bundle.md §2
// and §3 alone.
func faults(root algal.Digest) map[string]delivery {
	empty := fmt.Sprintf(`{"contract":"algal.bundle.v1","root":"%s","manifests":{}}`, root)
	return map[string]delivery{
		"no object": {"[]", algal.ParseFailed, "bundle must be an object"},
		"no root":   {empty, algal.ParseFailed, "bundle root " + string(root) + " is not among its manifests"},
		"too deep":  {deep(70), algal.BudgetExhausted, "bundle depth/node bound exceeded: at most depth 64 and 1000000 values"},
	}
}

type delivery struct {
	text  string
	code  algal.Code
	error string
}

func deep(n int) string {
	text := "0"
	for range n {
		text = "[" + text + "]"
	}
	return text
}

// fetch asks t for root and fails the test unless it was refused with that error,
// or served when code is "", or not found when code is absent.
func fetch(t *testing.T, from organism.Transport, root algal.Digest, code algal.Code, text string) {
	t.Helper()
	into := cas.NewMemory()
	found, err := from.Fetch(root, into)
	kept, storeErr := into.Manifest(root)
	if storeErr != nil {
		t.Fatal(storeErr)
	}
	if served := code == ""; found != served || kept.Exists() != served {
		t.Errorf("found %v, installed %v, %v", found, kept.Exists(), err)
	}
	switch {
	case code == "" || code == absent:
		if err != nil {
			t.Error(err)
		}
	case algal.CodeOf(err) != code || err.Error() != text:
		t.Errorf("got  %s %v\nwant %s %s", algal.CodeOf(err), err, code, text)
	}
}

// absent stands for "does not have it".
const absent algal.Code = "absent"
