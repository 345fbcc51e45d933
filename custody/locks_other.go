//go:build unix && !linux

package custody

import "modernc.org/libc"

// keepLocksPerDescriptor does nothing: locks of open file descriptions are a
// facility of Linux.
func keepLocksPerDescriptor(*libc.TLS) {}
