package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/algal-vm/algal"

	"github.com/algal-vm/algal/durable"
)

// writeFile puts text into the file that the user named, whole or not at all: the
// bytes go to a temporary file beside it, are synced, and then take its name. A
// file that is there is replaced and keeps its mode; where the name is a link, the
// file behind it is.
func writeFile(path, text string) error {
	target, mode, err := replaceable(path)
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(target), ".tmp-"+rand.Text())
	err = writeNew(temp, text, mode)
	if err == nil {
		err = os.Rename(temp, target)
	}
	if err != nil {
		os.Remove(temp) // it may not be there
		return algal.Errorf(algal.IOFailed, "%s: %v", absolute(path), durable.Cause(err))
	}
	return nil
}

// newFile is the mode of a file that was not there, before the umask.
const newFile fs.FileMode = 0o666

// replaceable returns the file that path leads to and the mode it is to have.
func replaceable(path string) (target string, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, newFile, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return "", 0, algal.Errorf(algal.IOFailed, "%s: not a regular file", absolute(path))
	}
	if err == nil {
		target, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", 0, algal.Errorf(algal.IOFailed, "%s: %v", absolute(path), durable.Cause(err))
	}
	return target, info.Mode().Perm(), nil
}

func writeNew(path, text string, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if failed := f.Close(); err == nil {
			err = failed
		}
	}()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if mode != newFile {
		if err := f.Chmod(mode); err != nil {
			return fmt.Errorf("keeping the mode: %w", err)
		}
	}
	return f.Sync()
}
