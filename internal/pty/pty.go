// Package pty opens pseudo-terminals, on which tests show what a command writes for
// a reader. It knows those of Linux only.
package pty
