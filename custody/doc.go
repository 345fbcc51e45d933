// Package custody gives an operation the sole ownership of a directory, across
// processes and across the runtimes of the contract, and takes it back from owners
// that died (custody.md).
//
// # Leases
//
// A [Place] is a directory and the label under which its owners follow one
// another. [Acquire] opens a small SQLite database in the directory and begins a
// write transaction, which the [Lease] holds open, without writing, until
// [Lease.Release]. The operating system ends it when the process ends, however it
// ends. No process id, clock, age or mere existence of a file ever counts as
// ownership. A second owner is refused at once with IO_FAILED; [Held] recognises
// that refusal, the only one worth a retry.
//
// Beside the database lies the owner's marker, the file .lock. It goes before the
// transaction does, so a marker that a new owner finds belongs to one that died;
// it is kept below owners/ as evidence. A marker of any other shape stops
// everybody until an operator has looked at it.
//
// [AcquireProcessCreation] is the lease that also keeps older runtimes out.
// [Inspect] shows the markers of a place and touches nothing.
//
// # The database file is opened by SQLite alone
//
// Where SQLite locks with POSIX record locks, the kernel drops every lock that a
// process has on a file as soon as the process closes any descriptor of that file
// (§2.5). Code that shares a process with a lease must therefore never open
// .owner.sqlite, be it to copy, hash or measure it: os.Lstat tells its size. This
// package never does. It looks at types and sizes with lstat, and all of its
// connections belong to one SQLite library, which defers such closes itself. On
// Linux it also asks that library for locks that have no such hazard; the rule
// holds all the same, since not every file system grants them.
//
// Reading and inspecting build on every system, leases on Unix. What an operation
// does while it owns a place is not this package's business.
package custody
