package docs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// packer is the name of the compressor that a reader has and a machine that runs
// tests may not have. The test program stands in for it when called by that name.
const packer = "zstd"

// bin is the folder of the commands, "" before there is one.
var bin string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == packer {
		if err := pack(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// binaries builds the commands and returns their folder.
var binaries = sync.OnceValues(func() (string, error) {
	var err error
	if bin, err = os.MkdirTemp("", "algal-docs-"); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", bin, "./cmd/algal", "./cmd/algal-verify")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return bin, os.Symlink(self, filepath.Join(bin, packer))
})

// pack does what zstd -q FILE does: it writes FILE.zst beside FILE.
func pack(args []string) error {
	if len(args) != 2 || args[0] != "-q" {
		return errors.New("usage: zstd -q FILE")
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1]+".zst", encoder.EncodeAll(text, nil), 0o644)
}
