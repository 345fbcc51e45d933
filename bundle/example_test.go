package bundle_test

import (
	"fmt"

	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
)

// A program leaves one store as a document and enters another.
func Example() {
	program, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:hello","name":"Hello","cells":[
		{"id":"greeting","kind":"const","outputs":{"text":{"type":"text","value":"hello"}}}]}`, canon.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := organism.ParseManifest(program)
	if err != nil {
		fmt.Println(err)
		return
	}
	here, there := cas.NewMemory(), cas.NewMemory()
	if _, err := here.PutManifest(m.Normal()); err != nil {
		fmt.Println(err)
		return
	}

	document, err := bundle.Pack(m.Digest(), here)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bundle.FileName(m.Digest()))

	b, err := bundle.ParseText(document.String())
	if err != nil {
		fmt.Println(err)
		return
	}
	manifests, values, err := b.Install(there)
	fmt.Println(manifests, values, err)
	// Output:
	// 9cc0007cbd3051f0aacf5e1e043a8db9d9561d80dabad17f60504f48554c8b42.bundle.json
	// 1 0 <nil>
}
