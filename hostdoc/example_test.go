//go:build unix

package hostdoc_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
)

func Example() {
	dir, err := os.MkdirTemp("", "hostdoc-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	files, path := durable.NewPublisher(durable.Options{}), filepath.Join(dir, "header.json")
	fmt.Println(hostdoc.Write(files, path, canon.Object(canon.M("n", canon.Int(1))), 4096))
	fmt.Println(hostdoc.Write(files, path, canon.Object(canon.M("n", canon.Int(2))), 4096))
	fmt.Println(hostdoc.Read(path, 4096))
	// Output:
	// <nil>
	// immutable host state conflicts
	// {"n":1} <nil>
}
