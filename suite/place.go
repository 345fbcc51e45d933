package suite

import (
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// place is where an example's folder lies. It is not a file system of its own:
// that of fs.Sub tells the type of a file only by opening it, and opening a FIFO
// waits.
type place struct {
	fsys fs.FS // of the suite
	name string
}

func (p place) list(dir string) ([]fs.DirEntry, error) {
	return fs.ReadDir(p.fsys, path.Join(p.name, dir))
}

func (p place) manifest(file string) (*organism.Manifest, error) {
	v, err := p.json(file, organism.MaxManifestBytes)
	if err != nil {
		return nil, err
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		return nil, named(file, err)
	}
	return m, nil
}

// optional reads a file that need not be there; absent then.
func (p place) optional(file string, bound int) (canon.Value, error) {
	if _, err := fs.Stat(p.fsys, path.Join(p.name, file)); errors.Is(err, fs.ErrNotExist) {
		return canon.Value{}, nil
	}
	return p.json(file, bound)
}

// json reads a regular file of at most bound bytes. One of another type or size is
// BUDGET_EXHAUSTED, anything else PARSE_FAILED (cli.md §1.4).
func (p place) json(file string, bound int) (canon.Value, error) {
	info, err := fs.Stat(p.fsys, path.Join(p.name, file))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > int64(bound)) {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "%s is not a regular file of at most %d bytes", file, bound)
	}
	var text []byte
	if err == nil {
		text, err = p.read(file, bound)
	}
	if err != nil {
		return canon.Value{}, unreadable(file, err)
	}
	v, err := canon.Parse(string(text), canon.Limits{Bytes: bound})
	if err != nil {
		return canon.Value{}, named(file, err)
	}
	return v, nil
}

// read takes one byte more than the bound of a file that has grown: its text is
// then refused for its length.
func (p place) read(file string, bound int) ([]byte, error) {
	f, err := p.fsys.Open(path.Join(p.name, file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(bound)+1))
}

// named puts the file before the text of an error.
func named(file string, err error) *algal.Error {
	return algal.Errorf(algal.CodeOf(err), "%s: %v", file, err)
}

// unreadable is the error of a file that the system does not give. The path in the
// system's text is not the user's, so only its reason is told.
func unreadable(file string, err error) *algal.Error {
	var reason *fs.PathError
	if errors.As(err, &reason) {
		err = reason.Err
	}
	return algal.Errorf(algal.ParseFailed, "%s: %v", file, err)
}
