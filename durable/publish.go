//go:build unix

package durable

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/algal-vm/algal"
)

const fileMode = 0o600

// Create publishes a new file (store.md §3.2). fresh is false when some file has
// the name already: nothing is known about that one, and before the caller may
// acknowledge anything it must read it, judge it and [Publisher.Retain] it.
//
// After an error the file may be there all the same. A repeated Create finds it.
func (p *Publisher) Create(path, content string) (fresh bool, err error) {
	return p.publish(filepath.Dir(path), path, content, OpLink)
}

// CreateVia is Create with the temporary file in the directory staging, for a
// directory whose listings admit no foreign name (store.md §1.2). Where staging
// lies on another file system the temporary stays beside the file.
func (p *Publisher) CreateVia(staging, path, content string) (fresh bool, err error) {
	fresh, err = p.publish(staging, path, content, OpLink)
	if errors.Is(err, syscall.EXDEV) {
		return p.Create(path, content)
	}
	return fresh, err
}

// Replace publishes a file in the place of the one that has the name, if any.
// After an error either of them is there.
func (p *Publisher) Replace(path, content string) error {
	_, err := p.publish(filepath.Dir(path), path, content, OpReplace)
	return err
}

// Retain makes an existing file durable that the caller has read through f and
// found good (store.md §3.3).
func (p *Publisher) Retain(f *File) error {
	if err := p.Do(Step{Op: OpFileSync, Path: f.path}, f.file.Sync); err != nil {
		return err
	}
	dir, err := filepath.Abs(filepath.Dir(f.path))
	if err != nil {
		return systemFault(OpStat, f.path, err)
	}
	if dir, err = realDirectory(dir); err != nil {
		return err
	}
	return p.syncName(dir)
}

// Unlink removes a name durably (store.md §3.4). op is the name of the step. It
// tries once: after an error the name may or may not be gone.
func (p *Publisher) Unlink(op Op, path string) error {
	if err := p.Do(Step{Op: op, Path: path}, func() error { return unlink(path) }); err != nil {
		return err
	}
	_, err := p.syncDirectory(filepath.Dir(path))
	return err
}

func (p *Publisher) publish(staging, path, content string, op Op) (fresh bool, err error) {
	parent, err := p.Ensure(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	if staging, err = p.staging(staging, path, parent); err != nil {
		return false, err
	}
	temp, file, err := createTemp(staging)
	if err != nil {
		return false, err
	}
	err = p.fill(temp, file, content)
	if err == nil {
		fresh, err = p.place(temp, filepath.Join(parent, filepath.Base(path)), op)
	}
	if fresh && err == nil {
		_, err = p.syncDirectory(parent)
	}
	// The temporary name goes in any case; an earlier error is the one to report.
	if unlinkErr := p.unlinkTemp(temp); err == nil {
		err = unlinkErr
	}
	return fresh && err == nil, err
}

// staging ensures the directory of the temporary file, unless that is parent.
func (p *Publisher) staging(dir, path, parent string) (string, error) {
	if dir == filepath.Dir(path) {
		return parent, nil
	}
	return p.Ensure(dir)
}

func createTemp(dir string) (temp string, file *os.File, err error) {
	var random [tempBytes]byte
	rand.Read(random[:]) // never fails
	temp = filepath.Join(dir, tempPrefix+hex.EncodeToString(random[:]))
	file, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, fileMode)
	if err != nil {
		return "", nil, systemFault(OpWriteTemp, temp, err)
	}
	return temp, file, nil
}

// fill writes and syncs the temporary file and closes it.
func (p *Publisher) fill(temp string, file *os.File, content string) (err error) {
	defer func() {
		if closeErr := file.Close(); err == nil && closeErr != nil {
			err = systemFault(OpFileSync, temp, closeErr)
		}
	}()
	err = p.Do(Step{Op: OpWriteTemp, Path: temp}, func() error {
		_, err := file.WriteString(content)
		return err
	})
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return systemFault(OpStat, temp, err)
	}
	if !info.Mode().IsRegular() {
		return algal.Errorf(algal.IOFailed, "publication file descriptor is not regular")
	}
	return p.Do(Step{Op: OpFileSync, Path: temp}, file.Sync)
}

// place gives the finished file its name. Only a link can find the name taken.
func (p *Publisher) place(temp, path string, op Op) (fresh bool, err error) {
	move := os.Link
	if op == OpReplace {
		move = os.Rename
	}
	err = p.Do(Step{Op: op, Path: temp, Target: path}, func() error { return move(temp, path) })
	if op == OpLink && errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

func (p *Publisher) unlinkTemp(temp string) error {
	err := p.Do(Step{Op: OpUnlinkTemp, Path: temp}, func() error { return unlink(temp) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unlink removes a name that is not a directory's.
func unlink(path string) error {
	for {
		if err := syscall.Unlink(path); err != syscall.EINTR {
			return err
		}
	}
}
