//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/algal-vm/algal/durable"
)

// Mailboxes keeps the files of the mailboxes of a store (mailbox.md §4): the disk
// engine of package mailbox, which owns their rules. Names are slash-separated
// and relative to the root; who calls has admitted their parts.
//
// It knows files and directories, not what they hold. What it refuses is a
// [*durable.Fault], for package mailbox to put into the words of the contract.
type Mailboxes struct {
	root  string
	files *durable.Publisher
}

// Mailboxes returns the mailbox files of the store. Nothing is touched.
func (s *Store) Mailboxes() *Mailboxes { return &Mailboxes{s.root, s.files} }

// opCreateLock is the step that takes the lock of a mailbox (mailbox.md §6).
const opCreateLock durable.Op = "create-lock"

func (m *Mailboxes) path(name string) string { return filepath.Join(m.root, filepath.FromSlash(name)) }

// Guard refuses a name that is a symbolic link (mailbox.md §4.2). What is not
// there is fine.
func (m *Mailboxes) Guard(names ...string) error {
	for _, name := range names {
		info, err := m.lstat(name)
		if err != nil {
			return err
		}
		if info != nil && info.Mode().Type() == fs.ModeSymlink {
			return &durable.Fault{Kind: durable.Symlink, Op: durable.OpStat, Path: m.path(name)}
		}
	}
	return nil
}

// Read returns the content of a file.
func (m *Mailboxes) Read(name string) (text string, found bool, err error) {
	text, err = durable.Read(m.path(name), durable.MaxBytes, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return text, err == nil, err
}

// Retain makes a file durable whose content judge accepts, through the descriptor
// by which it was read (mailbox.md §4.1, store.md §3.3).
func (m *Mailboxes) Retain(name string, judge func(text string) error) (found bool, err error) {
	f, err := durable.Open(m.path(name), durable.MaxBytes, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := judge(f.Text); err != nil {
		return true, err
	}
	return true, m.files.Retain(f)
}

// Create publishes a file; fresh is false when its name is taken.
func (m *Mailboxes) Create(name, text string) (fresh bool, err error) {
	return m.files.Create(m.path(name), text)
}

// Replace publishes a file in the place of the one that has its name.
func (m *Mailboxes) Replace(name, text string) error { return m.files.Replace(m.path(name), text) }

// Remove takes the marker of a delivered message away, durably.
func (m *Mailboxes) Remove(name string) error {
	return m.files.Unlink(durable.OpUnlinkPending, m.path(name))
}

// Directory reports whether a name is that of a directory, not of a link to one.
func (m *Mailboxes) Directory(name string) (bool, error) {
	info, err := m.lstat(name)
	return info != nil && info.IsDir(), err
}

// Ensure makes a directory and its ancestors, durably.
func (m *Mailboxes) Ensure(name string) error {
	_, err := m.files.Ensure(m.path(name))
	return err
}

// Scan visits the entries of a directory in byte order of their names, none when
// there is no directory. More than bound entries are refused before any is
// visited (store.md §9).
func (m *Mailboxes) Scan(name string, bound int, visit func(name string, mode fs.FileMode) error) error {
	entries, err := durable.Entries(m.path(name), bound, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := visit(e.Name(), e.Type()); err != nil {
			return err
		}
	}
	return nil
}

// Lock makes an empty lock file; taken is false when there is one already. Nothing
// but Unlock removes it, a crash least of all (mailbox.md §6).
func (m *Mailboxes) Lock(name string) (taken bool, err error) {
	path := m.path(name)
	err = m.files.Do(durable.Step{Op: opCreateLock, Path: path}, func() error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// Unlock removes a lock file, durably and in one attempt.
func (m *Mailboxes) Unlock(name string) error {
	return m.files.Unlink(durable.OpUnlinkLock, m.path(name))
}

// Locked reports whether there is anything in the place of a lock file.
func (m *Mailboxes) Locked(name string) (bool, error) {
	info, err := m.lstat(name)
	return info != nil, err
}

// lstat describes a name without following it, nil when there is nothing.
func (m *Mailboxes) lstat(name string) (fs.FileInfo, error) {
	path := m.path(name)
	info, err := os.Lstat(path)
	if err == nil {
		return info, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, &durable.Fault{Kind: durable.System, Op: durable.OpStat, Path: path, Err: errors.Unwrap(err)}
}
