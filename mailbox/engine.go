package mailbox

import (
	"context"
	"io/fs"
)

// Engine keeps the records of all mailboxes of one store. It knows nothing of what
// they hold: the rules are [Service]'s.
//
// Names are slash-separated and relative to the store, as mailbox.md §4 lays them
// out, "." being the store itself. An engine forms no name of its own, and the
// service none from an unadmitted part.
//
// An engine that refuses what lies under a name returns a *durable.Fault, whose
// kind the service words. Every other error says why the medium failed. After an
// error the record may be there or not, but never in part.
//
// Implementations are safe for concurrent use, and an engine whose medium is
// shared between processes is so among these.
type Engine interface {
	Records
	Directories
	Locks
}

// Records are texts of at most 64 MiB.
type Records interface {
	// Guard refuses names that lead elsewhere, as symbolic links do (§4.2). What is
	// not there is fine.
	Guard(names ...string) error

	// Read returns the text of a record.
	Read(name string) (text string, found bool, err error)

	// Retain makes a record that is there as durable as one that was just created,
	// if judge accepts its text (store.md §3.3). It returns judge's error as it is.
	Retain(name string, judge func(text string) error) (found bool, err error)

	// Create publishes a record, durably and whole. fresh is false when the name is
	// taken, and then nothing is known about that record.
	Create(name, text string) (fresh bool, err error)

	// Replace publishes a record in the place of the one that has the name.
	Replace(name, text string) error

	// Remove takes a record away, durably.
	Remove(name string) error
}

// Directories hold records.
type Directories interface {
	// Directory reports whether the name is that of a directory.
	Directory(name string) (bool, error)

	// Ensure makes a directory and those above it, durably.
	Ensure(name string) error

	// Scan visits the entries of a directory in byte order of their names, none
	// when there is no such directory. More than bound entries are a fault of kind
	// TooMany, and then none is visited (store.md §9). An error of visit ends the
	// scan and is returned as it is.
	Scan(dir string, bound int, visit func(name string, mode fs.FileMode) error) error
}

// Locks are names that exist or do not. Nothing but Unlock ends a lock, a crash
// least of all (§6).
type Locks interface {
	// Lock takes a lock and never waits: taken is false when somebody has it.
	Lock(name string) (taken bool, err error)

	// Unlock gives a lock up, durably. It tries once.
	Unlock(name string) error

	// Locked reports whether somebody has the lock.
	Locked(name string) (bool, error)
}

// Admission takes custody of the creation of mailboxes (§5 step 3), or fails at
// once when a live operation has it. Custody ends with release, or with the
// process.
type Admission func(ctx context.Context) (release func() error, err error)
