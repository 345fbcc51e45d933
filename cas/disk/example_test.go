//go:build unix

package disk_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
)

// A value is put and read back by the digest of its canonical text.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s := disk.Open(filepath.Join(dir, ".algal"), disk.Options{})
	digest, err := s.PutValue(canon.Object(canon.M("b", canon.Int(2)), canon.M("a", canon.Int(1))))
	if err != nil {
		log.Fatal(err)
	}
	v, err := s.Value(digest)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(digest)
	fmt.Println(v)

	none, err := s.Value(canon.DigestText("something else"))
	fmt.Println(none.Exists(), err)
	// Output:
	// sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777
	// {"a":1,"b":2}
	// false <nil>
}
