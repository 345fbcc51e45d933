package transport

import (
	"errors"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/bundle"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/durable"
)

// Directory is a transport that reads the files of a directory, one a bundle,
// named by [bundle.FileName] (bundle.md §4.2).
type Directory struct {
	label, dir string
	maxBytes   int // bundle.MaxBytes; tests lower it
}

// NewDirectory returns the transport of dir. An empty id stands for dir.
func NewDirectory(id, dir string) *Directory {
	if id == "" {
		id = dir
	}
	return &Directory{label: labelOf(id), dir: dir, maxBytes: bundle.MaxBytes}
}

// Fetch installs the bundle rooted at root. It reports false when the directory
// has no file of that name or does not exist. The file may be a link to a regular
// file; one of another type, or of more than 67,108,864 bytes, is refused with
// BUDGET_EXHAUSTED, and it never makes Fetch wait.
func (d *Directory) Fetch(root algal.Digest, into cas.Store) (bool, error) {
	path := filepath.Join(d.dir, bundle.FileName(root))
	text, err := durable.ReadNamed(path, d.label, d.maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if fault, ok := errors.AsType[*durable.Fault](err); ok {
		return false, algal.Errorf(fault.Code(), "%s: %v", d.label, fault)
	}
	if err != nil {
		return false, err
	}
	if !utf8.ValidString(text) {
		return false, algal.Errorf(algal.ParseFailed, "%s: invalid UTF-8", d.label)
	}
	if err := install(text, d.label, path, root, into); err != nil {
		return false, err
	}
	return true, nil
}
