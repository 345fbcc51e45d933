//go:build unix

package custody_test

import (
	"context"
	"fmt"
	"os"

	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
)

// One dispatch at a time: whoever comes meanwhile is refused at once.
func Example() {
	root, err := os.MkdirTemp("", "store-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)

	ctx, files := context.Background(), durable.NewPublisher(durable.Options{})
	place := custody.Process(root, "demo")

	dispatch := func(name string, action func()) (err error) {
		lease, err := custody.Acquire(ctx, files, place)
		if err != nil {
			return err
		}
		defer lease.End(&err)
		fmt.Println(name, "owns the process")
		action()
		return nil
	}

	err = dispatch("first", func() {
		err := dispatch("second", func() {})
		fmt.Println("second:", err, custody.Held(err))
	})
	fmt.Println("first:", err)
	// Output:
	// first owns the process
	// second: host lease is held by another live operation true
	// first: <nil>
}
