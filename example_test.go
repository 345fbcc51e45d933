package algal_test

import (
	"errors"
	"fmt"

	"github.com/algal-vm/algal"
)

func Example() {
	_, err := algal.ParseDigest("sha256:abc", "head")
	fmt.Println(algal.CodeOf(err), err)
	fmt.Println(algal.CodeOf(errors.New("anything else")))
	// Output:
	// PARSE_FAILED head must be a sha256:<64 lowercase hex> digest
	// INTERNAL
}
