package disk_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// unprivileged runs f on a thread for which permissions hold, also when the tests
// run as root: it gives up the capabilities that pass over them, and stays the owner
// of its files wherever TMPDIR is. The thread ends with f.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := obeyPermissions()
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// obeyPermissions takes from the thread what lets root pass over permissions.
func obeyPermissions() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	sets[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	return unix.Capset(&header, &sets[0])
}

// chmod sets a mode until the test is over.
func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, 0o700) })
}

// TestReadOnly: a store that cannot be written can be read, and a put says what is
// wrong without a trace of the path.
func TestReadOnly(t *testing.T) {
	for _, k := range kinds {
		dir := scratch(t)
		root := filepath.Join(dir, "store")
		if err := k.put(open(root)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, k.file)
		chmod(t, path, 0o444)
		chmod(t, filepath.Dir(path), 0o555)
		chmod(t, root, 0o555)
		before := tree(t, root)
		unprivileged(t, func() {
			if got, err := k.get(open(root)); err != nil || got.String() != k.text {
				t.Errorf("%s: get = %s, %v", k.name, got, err)
			}
			refuses(t, k.name+": put", k.put(open(root)), algal.IOFailed, "write-temp failed: permission denied")
			refuses(t, k.name+": put below", k.put(open(filepath.Join(root, "store"))), algal.IOFailed, "mkdir failed: permission denied")
		})
		chmod(t, path, 0)
		unprivileged(t, func() {
			_, err := k.get(open(root))
			refuses(t, k.name+": get of an unreadable file", err, algal.IOFailed, "store file cannot be opened: EACCES")
		})
		chmod(t, path, 0o444)
		chmod(t, root, 0o111)
		unprivileged(t, func() {
			refuses(t, k.name+": put below an unreadable root", k.put(open(root)), algal.IOFailed, "dir-sync failed: permission denied")
		})
		chmod(t, root, 0)
		unprivileged(t, func() {
			_, err := k.get(open(root))
			refuses(t, k.name+": get below a closed root", err, algal.IOFailed, "store path cannot be examined: EACCES")
		})
		chmod(t, root, 0o555)
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("%s: %s", k.name, diff)
		}
	}
}
