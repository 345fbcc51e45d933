package suite

import (
	"io/fs"
	"maps"
	"os"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
)

// Bounds of a folder that is copied, and of the entries of modules/ (store.md §9).
const (
	maxEntries = 4_096
	maxBytes   = 67_108_864
)

// addTools adds the tools of an example's tools file. What the file names lies in a
// copy of the folder, which release removes.
func addTools(tools map[string]*runtime.HostTool, file canon.Value, in place) (release func() error, err error) {
	dir, err := os.MkdirTemp("", "algal-suite-")
	if err != nil {
		return nil, algal.Errorf(algal.IOFailed, "%v", err)
	}
	release = func() error {
		if err := os.RemoveAll(dir); err != nil {
			return algal.Errorf(algal.IOFailed, "%v", err)
		}
		return nil
	}
	declared, err := openTools(file, in, dir)
	if err != nil {
		if failed := release(); failed != nil {
			err = failed
		}
		return nil, err
	}
	maps.Copy(tools, declared)
	return release, nil
}

func openTools(file canon.Value, in place, dir string) (map[string]*runtime.HostTool, error) {
	fsys, err := fs.Sub(in.fsys, in.name)
	if err != nil {
		return nil, algal.Errorf(algal.IOFailed, "%v", err)
	}
	if err := checkExtent(fsys); err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, fsys); err != nil {
		return nil, algal.Errorf(algal.IOFailed, "%v", err)
	}
	tools, err := hostfile.Parse(file, dir)
	if err != nil {
		return nil, named(toolsFile, err)
	}
	return tools, nil
}

// checkExtent bounds what is copied.
func checkExtent(fsys fs.FS) error {
	entries, bytes := 0, int64(0)
	err := fs.WalkDir(fsys, ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entries++; info.Mode().IsRegular() {
			bytes += info.Size()
		}
		if entries > maxEntries || bytes > maxBytes {
			return algal.Errorf(algal.BudgetExhausted, "folder has more than %d entries or %d bytes", maxEntries, maxBytes)
		}
		return nil
	})
	if err != nil && algal.CodeOf(err) == algal.Internal {
		return algal.Errorf(algal.ParseFailed, "%v", err)
	}
	return err
}
