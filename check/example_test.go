package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal/check"
)

// A store in which one value was written over.
func Example() {
	dir, err := os.MkdirTemp("", "check-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	const one = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" // of the text 1
	if err := os.Mkdir(filepath.Join(dir, "values"), 0o700); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "values", one+".json"), []byte("2"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	summary, err := check.Store(context.Background(), dir, check.Options{}, func(f check.Finding) {
		fmt.Println(f.Kind, f.Path)
		fmt.Println(f.Advice)
	})
	fmt.Println(summary.OK(), summary.Value(), err)
	// Output:
	// object-damaged values/6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b.json
	// hashes to sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35: move the file away
	// false {"attention":0,"bytes":1,"damage":1,"files":1,"info":0,"objects":1,"ok":false,"processes":0} <nil>
}
