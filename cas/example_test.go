package cas_test

import (
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
)

// A value is kept under the digest of its canonical text. An overlay reads through
// to the store below it, which nothing written to the overlay reaches.
func Example() {
	below := cas.NewMemory()
	greeting, err := below.PutValue(canon.Object(canon.M("text", canon.String("hello"))))
	if err != nil {
		fmt.Println(err)
		return
	}
	over := cas.NewOverlay(below)
	v, err := over.Value(greeting)
	fmt.Println(v, err)

	farewell, err := over.PutValue(canon.Object(canon.M("text", canon.String("bye"))))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err = below.Value(farewell)
	fmt.Println(v.Exists(), err)

	// Output:
	// {"text":"hello"} <nil>
	// false <nil>
}
