package transport_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/transport"
)

// A directory with one bundle serves its root, and nothing else.
func Example() {
	const root = algal.Digest("sha256:12ba340db032e3613695cfa9c537c32205e66b01f94c6eaa9f808b53d6533080")
	const document = `{"contract":"algal.bundle.v1","root":"` + string(root) + `","manifests":{"` + string(root) +
		`":{"contract":"algal.organism.v1","key":"organism:t","name":"T","cells":[]}}}`

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, bundle.FileName(root)), []byte(document), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	config := canon.Object(canon.M("hub", canon.String(".")), canon.M("web", canon.String("https://example.org/bundles")))
	transports, err := transport.ParseConfig(context.Background(), config, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	store := cas.NewMemory()
	fmt.Println(transports["hub"].Fetch(root, store))
	fmt.Println(transports["hub"].Fetch(canon.Null().Digest(), store))
	fmt.Println(store.Manifest(root))
	// Output:
	// true <nil>
	// false <nil>
	// {"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},"cells":[],"contract":"algal.organism.v1","edges":[],"key":"organism:t","name":"T"} <nil>
}
