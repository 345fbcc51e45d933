package root

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// MaxPath bounds the path that names a root, in bytes.
const MaxPath = 4096

// Root is a directory that was found to be real.
type Root struct {
	Path string // absolute; the parent has no links in it

	device, inode uint64
}

// New makes the directory at path, with mode 0700, and makes it durable. Anything
// that has the name already is refused with IO_FAILED and stays as it is.
func New(files *durable.Publisher, path string) (Root, error) {
	at, err := resolve(path)
	if err != nil {
		return Root{}, err
	}
	err = files.Do(durable.Step{Op: durable.OpMkdir, Path: at}, func() error { return os.Mkdir(at, 0o700) })
	if errors.Is(err, fs.ErrExist) {
		return Root{}, algal.Errorf(algal.IOFailed, "the root exists already: choose one that does not")
	}
	if err != nil {
		return Root{}, algal.Errorf(algal.IOFailed, "cannot make the root: %v", durable.Cause(err))
	}
	if _, err := files.Ensure(at); err != nil {
		return Root{}, err
	}
	return identify(at)
}

// Open finds the directory at path. What is missing, a link, or no directory is
// IO_FAILED.
func Open(path string) (Root, error) {
	at, err := resolve(path)
	if err != nil {
		return Root{}, err
	}
	return identify(at)
}

// Identity returns {device, inode}, by which a root is told from others that had or
// will have its path.
func (r Root) Identity() canon.Value {
	return canon.Object(
		canon.M("device", canon.String(strconv.FormatUint(r.device, 10))),
		canon.M("inode", canon.String(strconv.FormatUint(r.inode, 10))),
	)
}

// Join returns the path of a file in the root.
func (r Root) Join(name ...string) string {
	return filepath.Join(append([]string{r.Path}, name...)...)
}

// resolve returns the absolute path of a root: links are resolved in its parent,
// which must exist, and the last component is taken as it is.
func resolve(path string) (string, error) {
	switch {
	case path == "":
		return "", algal.Errorf(algal.ParseFailed, "the root is empty")
	case len(path) > MaxPath:
		return "", algal.Errorf(algal.ParseFailed, "the root has %d bytes, more than %d", len(path), MaxPath)
	case !utf8.ValidString(path):
		return "", algal.Errorf(algal.ParseFailed, "the root is not valid UTF-8")
	case slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".."):
		return "", algal.Errorf(algal.ParseFailed, "the root has a component ..")
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "the working directory is not known: %v", durable.Cause(err))
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(at))
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "the parent of the root is not there: %v", durable.Cause(err))
	}
	return filepath.Join(parent, filepath.Base(at)), nil
}

func identify(at string) (Root, error) {
	info, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return Root{}, algal.Errorf(algal.IOFailed, "the root is not there")
	}
	if err != nil {
		return Root{}, algal.Errorf(algal.IOFailed, "the root cannot be looked at: %v", durable.Cause(err))
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return Root{}, algal.Errorf(algal.IOFailed, "the root must be a real directory, not a link or a file")
	}
	return Root{Path: at, device: uint64(stat.Dev), inode: stat.Ino}, nil
}
