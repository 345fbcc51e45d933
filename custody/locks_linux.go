package custody

import (
	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// keepLocksPerDescriptor makes SQLite in this process lock through open file
// descriptions instead of POSIX record locks. The kernel drops the latter as soon
// as any descriptor of the file is closed anywhere in the process (§2.5); the
// former exclude the POSIX locks of other processes just the same and do not have
// this hazard. The rule of the package comment stays: other systems have only the
// POSIX kind, and so has a process that locked an SQLite file before.
//
// The first lock of the process fixes the kind, after which this does nothing.
func keepLocksPerDescriptor(tls *libc.TLS) { sqlite.Xmodernc_ofd_locking(tls, 1) }
