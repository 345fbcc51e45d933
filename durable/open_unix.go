//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// O_NONBLOCK keeps the open of a FIFO from waiting for a writer, O_NOCTTY keeps a
// terminal from becoming ours.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

func openFile(path string, links Links) (*os.File, error) {
	return os.OpenFile(path, openFlags|linkFlag(links), 0)
}

func openDirectory(path string, links Links) (*os.File, error) {
	return os.OpenFile(path, openFlags|syscall.O_DIRECTORY|linkFlag(links), 0)
}

func linkFlag(links Links) int {
	if links == Follow {
		return 0
	}
	return syscall.O_NOFOLLOW
}

func openFault(path string, links Links, err error) *Fault {
	f := systemFault(OpOpen, path, err)
	switch {
	case links == NoFollow && errors.Is(err, syscall.ELOOP):
		f.Kind = Symlink
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		f.Kind = Irregular // a socket, or a device without a driver
	}
	return f
}
