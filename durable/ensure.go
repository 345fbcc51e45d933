//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/algal-vm/algal"
)

// maxAncestors bounds the components of a path that are created, and those that
// are synced.
const maxAncestors = 256

const directoryMode = 0o700

func notDirectory() error {
	return algal.Errorf(algal.IOFailed, "publication directory must be a real directory")
}

func tooManyAncestors() error {
	return algal.Errorf(algal.BudgetExhausted, "publication ancestor bound exceeded")
}

// Ensure makes dir and its missing ancestors, durably, and returns its real path
// (store.md §3.1). dir itself must not be a link; its ancestors may be.
func (p *Publisher) Ensure(dir string) (real string, err error) {
	real, created, err := p.makeDirectory(dir)
	if err != nil {
		return "", err
	}
	if !created && p.known(real) {
		return real, nil
	}
	return real, p.syncAncestors(real)
}

func (p *Publisher) makeDirectory(dir string) (real string, created bool, err error) {
	existing, missing, err := splitMissing(dir)
	if err != nil {
		return "", false, err
	}
	if real, err = realDirectory(existing); err != nil {
		return "", false, err
	}
	for _, name := range missing {
		real = filepath.Join(real, name)
		err := p.Do(Step{Op: OpMkdir, Path: real}, func() error { return os.Mkdir(real, directoryMode) })
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", false, err
		}
		if err := checkDirectory(real); err != nil {
			return "", false, err
		}
	}
	return real, len(missing) > 0, nil
}

// splitMissing finds the nearest existing ancestor of dir and the names of the
// components below it, top down. When dir itself exists it must be a directory.
func splitMissing(dir string) (existing string, missing []string, err error) {
	if existing, err = filepath.Abs(dir); err != nil {
		return "", nil, systemFault(OpStat, dir, err)
	}
	for {
		info, err := os.Lstat(existing)
		if err == nil {
			if len(missing) == 0 && !info.IsDir() {
				return "", nil, notDirectory()
			}
			slices.Reverse(missing)
			return existing, missing, nil
		}
		if errors.Is(err, syscall.ENOTDIR) {
			return "", nil, notDirectory()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, systemFault(OpStat, existing, err)
		}
		if len(missing) == maxAncestors {
			return "", nil, tooManyAncestors()
		}
		missing = append(missing, filepath.Base(existing))
		existing = filepath.Dir(existing)
	}
}

// realDirectory returns the path of a directory without links in it.
func realDirectory(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", systemFault(OpStat, dir, err)
	}
	return real, checkDirectory(real)
}

func checkDirectory(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return systemFault(OpStat, path, err)
	}
	if !info.IsDir() {
		return notDirectory()
	}
	return nil
}

// syncName makes the names in dir durable: dir is synced in any case, its
// ancestors unless they are known to be.
func (p *Publisher) syncName(dir string) error {
	if p.known(dir) {
		_, err := p.syncDirectory(dir)
		return err
	}
	return p.syncAncestors(dir)
}

// syncAncestors syncs a real directory and all its ancestors, from the inside
// out, and remembers them.
func (p *Publisher) syncAncestors(dir string) error {
	chain := ancestors(dir)
	if len(chain) > maxAncestors {
		return tooManyAncestors()
	}
	ids := make([]identity, len(chain))
	for i, d := range chain {
		var err error
		if ids[i], err = p.syncDirectory(d); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, d := range chain {
		p.synced[d] = ids[i]
	}
	return nil
}

// ancestors returns a real directory and the directories above it, up to the root.
func ancestors(dir string) []string {
	chain := []string{dir}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		chain = append(chain, up)
	}
	return chain
}

// syncDirectory syncs one directory and tells which one that was. After a failure
// nothing is taken for durable any more.
func (p *Publisher) syncDirectory(dir string) (identity, error) {
	f, err := openDirectory(dir, NoFollow)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return identity{}, algal.Errorf(algal.IOFailed, "publication directory descriptor is not a directory")
	}
	if err != nil {
		return identity{}, systemFault(OpDirSync, dir, err)
	}
	defer f.Close()
	if err := p.Do(Step{Op: OpDirSync, Path: dir}, f.Sync); err != nil {
		p.forget()
		return identity{}, err
	}
	return identityOf(f), nil
}

// known reports whether every component of a real path is the directory that was
// synced under that name.
func (p *Publisher) known(dir string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.synced[dir]; !ok {
		return false
	}
	for _, d := range ancestors(dir) {
		if id := identityAt(d); !id.told || p.synced[d] != id {
			return false
		}
	}
	return true
}

func (p *Publisher) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.synced)
}
