//go:build unix

package durable_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal/durable"
)

// An immutable file is published, and published again.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "values", "greeting.json")

	p := durable.NewPublisher(durable.Options{})
	for range 2 {
		fresh, err := p.Create(path, `"hello"`)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("fresh:", fresh)
		if fresh {
			continue
		}
		// Somebody was here before: judge what is there, then make it durable.
		f, err := durable.Open(path, 1000, durable.NoFollow)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		fmt.Println("found:", f.Text)
		if err := p.Retain(f); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// fresh: true
	// fresh: false
	// found: "hello"
}
