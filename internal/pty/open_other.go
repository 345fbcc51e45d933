//go:build !linux

package pty

import (
	"errors"
	"os"
)

// Open fails.
func Open() (ours, theirs *os.File, err error) {
	return nil, nil, errors.New("no pseudo-terminal is known on this system")
}
