//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/google/go-cmp/cmp"
)

// The rules of mailboxes, and with them most of this engine, are tested in package
// mailbox. Here are the names, steps and refusals that belong to the disk.

const (
	claimFile = "mailboxes/box/messages/a.json"
	lockFile  = "mailboxes/box/.lock"
)

func mailboxes(root string, hook durable.Hook) *disk.Mailboxes {
	return disk.Open(root, disk.Options{Files: durable.NewPublisher(durable.Options{Hook: hook})}).Mailboxes()
}

// TestMailboxSteps compares the steps of each call with store.md §3 and mailbox.md
// §6. The directories are known to be durable.
func TestMailboxSteps(t *testing.T) {
	root := filepath.Join(scratch(t), "store")
	var trace []string
	m := mailboxes(root, func(s durable.Step, do func() error) error {
		if strings.HasPrefix(s.Path, root) {
			trace = append(trace, tempName.ReplaceAllString(strings.ReplaceAll(s.String(), root+"/", ""), "TEMP"))
		}
		return do()
	})
	if err := m.Ensure("mailboxes/box/messages"); err != nil {
		t.Fatal(err)
	}
	const dir, temp = "mailboxes/box/messages", "mailboxes/box/messages/TEMP"
	accept := func(string) error { return nil }
	refusal := errors.New("refusal")
	for _, c := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"create", func() error { _, err := m.Create(claimFile, "{}"); return err }, []string{
			"write-temp " + temp, "file-sync " + temp, "link " + temp + " -> " + claimFile, "dir-sync " + dir, "unlink-temp " + temp}},
		{"create again", func() error { _, err := m.Create(claimFile, "[]"); return err }, []string{
			"write-temp " + temp, "file-sync " + temp, "link " + temp + " -> " + claimFile, "unlink-temp " + temp}},
		{"retain", func() error { _, err := m.Retain(claimFile, accept); return err }, []string{"file-sync " + claimFile, "dir-sync " + dir}},
		{"retain what is refused", func() error {
			if _, err := m.Retain(claimFile, func(string) error { return refusal }); err != refusal {
				return err
			}
			return nil
		}, nil},
		{"replace", func() error { return m.Replace(claimFile, "[]") }, []string{
			"write-temp " + temp, "file-sync " + temp, "replace " + temp + " -> " + claimFile, "dir-sync " + dir, "unlink-temp " + temp}},
		{"read", func() error { _, _, err := m.Read(claimFile); return err }, nil},
		{"remove", func() error { return m.Remove(claimFile) }, []string{"unlink-pending " + claimFile, "dir-sync " + dir}},
		{"lock", func() error { _, err := m.Lock(lockFile); return err }, []string{"create-lock " + lockFile}},
		{"lock again", func() error { _, err := m.Lock(lockFile); return err }, []string{"create-lock " + lockFile}},
		{"unlock", func() error { return m.Unlock(lockFile) }, []string{"unlink-lock " + lockFile, "dir-sync mailboxes/box"}},
		{"look", func() error { _, err := m.Locked(lockFile); return err }, nil},
		{"ensure", func() error { return m.Ensure("mailboxes/box/messages") }, nil},
	} {
		trace = nil
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, trace); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestMailboxLock: the lock is an empty file of mode 0600, and whatever else has
// its name is a lock too.
func TestMailboxLock(t *testing.T) {
	root := scratch(t)
	m := mailboxes(root, nil)
	if err := m.Ensure("mailboxes/box"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, lockFile)
	if taken, err := m.Lock(lockFile); !taken || err != nil {
		t.Fatal(taken, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Size() != 0 || info.Mode() != 0o600 {
		t.Errorf("lock %v, %v", info, err)
	}
	for name, lay := range map[string]func() error{
		"link":      func() error { return os.Symlink("nowhere", path) },
		"directory": func() error { return os.Mkdir(path, 0o700) },
		"FIFO":      func() error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := errors.Join(os.Remove(path), lay()); err != nil {
			t.Fatal(err)
		}
		taken, err := m.Lock(lockFile)
		locked, lookErr := m.Locked(lockFile)
		if taken || !locked || err != nil || lookErr != nil {
			t.Errorf("%s: taken %v, %v, locked %v, %v", name, taken, err, locked, lookErr)
		}
	}
}

// TestMailboxRefusals: links and special files have kinds of their own, and other
// failures say what the system said.
func TestMailboxRefusals(t *testing.T) {
	root := scratch(t)
	m := mailboxes(root, nil)
	lay(t, root, claimFile, "{}")
	lay(t, root, "mailboxes/file", "x")
	dir := "mailboxes/box/messages/"
	for name, err := range map[string]error{
		"link":   os.Symlink("a.json", filepath.Join(root, dir, "link")),
		"linked": os.Symlink("box", filepath.Join(root, "mailboxes/linked")),
		"FIFO":   syscall.Mkfifo(filepath.Join(root, dir, "fifo"), 0o600),
	} {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	read := func(name string) error { _, _, err := m.Read(name); return err }
	retain := func(name string) error {
		_, err := m.Retain(name, func(string) error { t.Errorf("judged %s", name); return nil })
		return err
	}
	scan := func(name string) error {
		return m.Scan(name, 9, func(string, fs.FileMode) error { t.Errorf("visited %s", name); return nil })
	}
	for _, c := range []struct {
		what string
		err  error
		kind durable.Kind
	}{
		{"guard of a link", m.Guard(".", claimFile, dir+"absent", dir+"link"), durable.Symlink},
		{"read of a link", read(dir + "link"), durable.Symlink},
		{"retain of a link", retain(dir + "link"), durable.Symlink},
		{"read of a FIFO", read(dir + "fifo"), durable.Irregular},
		{"read of a directory", read("mailboxes/box"), durable.Irregular},
		{"scan of a link", scan("mailboxes/linked"), durable.System},
		{"scan of a file", scan("mailboxes/file"), durable.System},
		{"guard below a file", m.Guard("mailboxes/file/x"), durable.System},
		{"look below a file", errorOf(m.Locked("mailboxes/file/x")), durable.System},
		{"lock without a directory", errorOf(m.Lock("mailboxes/none/.lock")), durable.System},
		{"removal of nothing", m.Remove(dir + "absent"), durable.System},
	} {
		var f *durable.Fault
		if !errors.As(c.err, &f) || f.Kind != c.kind || f.Kind == durable.System && algal.CodeOf(c.err) != algal.IOFailed {
			t.Errorf("%s: %v", c.what, c.err)
		}
		if c.err != nil && strings.Contains(c.err.Error(), root) {
			t.Errorf("%s: the sentence has a path: %v", c.what, c.err)
		}
	}
	for name, want := range map[string]bool{"mailboxes/box": true, "mailboxes/linked": false, claimFile: false, "mailboxes/none": false} {
		if got, err := m.Directory(name); got != want || err != nil {
			t.Errorf("%s a directory: %v, %v", name, got, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }
