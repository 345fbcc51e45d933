package workbench

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// replace puts a text in the place of a file of the root.
func (b *bench) replace(name, text string) error {
	return replace(b.files, b.root.Path, name, text)
}

// replace puts a text in the place of a file of a directory, whole or not at all. A
// file that holds the text already is left as it is; anything but a regular file in
// its place is IO_FAILED and stays.
//
// It is not durable.Publisher.Replace because of the name of its temporary file,
// which the contract gives (demo.md §4.6), and because equal content is not written
// again.
func replace(files *durable.Publisher, dir, name, text string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return algal.Errorf(algal.IOFailed, "the root must be a real directory")
	}
	path := filepath.Join(dir, name)
	switch equal, err := holds(files, path, text); {
	case err != nil || equal:
		return err
	}
	temp, err := writeTemp(files, dir, text)
	if err == nil {
		err = files.Do(durable.Step{Op: durable.OpReplace, Path: temp, Target: path}, func() error { return os.Rename(temp, path) })
		if err == nil {
			return files.Do(durable.Step{Op: durable.OpDirSync, Path: dir}, func() error { return syncDirectory(dir) })
		}
	}
	if temp != "" {
		os.Remove(temp) // the earlier error is the one to report
	}
	return err
}

// holds reports whether a file has the text, and makes it durable then.
func holds(files *durable.Publisher, path, text string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, algal.Errorf(algal.IOFailed, "%s cannot be looked at: %v", filepath.Base(path), durable.Cause(err))
	case !info.Mode().IsRegular():
		return false, irregular(filepath.Base(path))
	case info.Size() != int64(len(text)):
		return false, nil
	}
	f, err := durable.Open(path, max(len(text), 1), durable.NoFollow)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if f.Text != text {
		return false, nil
	}
	return true, files.Retain(f)
}

const (
	tempPrefix = ".report-"
	tempSuffix = ".tmp"
	tempBytes  = 24 // of its random part
)

// writeTemp writes and syncs a new temporary file. Its name is returned with an
// error too if it is there.
func writeTemp(files *durable.Publisher, dir, text string) (temp string, err error) {
	var random [tempBytes]byte
	rand.Read(random[:]) // never fails
	temp = filepath.Join(dir, tempPrefix+hex.EncodeToString(random[:])+tempSuffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "cannot make a temporary file in the root: %v", durable.Cause(err))
	}
	err = files.Do(durable.Step{Op: durable.OpWriteTemp, Path: temp}, func() error {
		_, err := f.WriteString(text)
		return err
	})
	if err == nil {
		err = files.Do(durable.Step{Op: durable.OpFileSync, Path: temp}, f.Sync)
	}
	if failed := f.Close(); err == nil && failed != nil {
		err = algal.Errorf(algal.IOFailed, "cannot close a temporary file in the root: %v", durable.Cause(failed))
	}
	return temp, err
}

func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
