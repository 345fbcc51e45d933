//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"

	"github.com/algal-vm/algal"
)

// guard looks at the root, the space and the file before each access: each may be
// absent, none may be a link or of another type (store.md §4.1). The root itself
// may be reached through links.
func (s *Store) guard(in space, name string) error {
	if err := s.guardSpace(in); err != nil {
		return err
	}
	return guardType(s.path(in, name), 0)
}

func (s *Store) guardSpace(in space) error {
	if err := guardType(s.root, fs.ModeDir); err != nil {
		return err
	}
	return guardType(s.directory(in), fs.ModeDir)
}

func guardType(path string, want fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return algal.Errorf(algal.IOFailed, "store path cannot be examined: %s", errnoName(err))
	case info.Mode().Type() != want:
		return unexpectedType()
	}
	return nil
}
