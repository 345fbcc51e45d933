//go:build linux || darwin

package terminal

import "golang.org/x/sys/unix"

func isTerminal(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), getTermios)
	return err == nil
}
