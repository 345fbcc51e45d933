package process

import (
	"context"
	"io/fs"
)

// Engine keeps the records of one store. It knows nothing of what they hold.
//
// Names are slash-separated and relative to the store, as process.md §1 lays them
// out, "." being the store itself. What an engine refuses to open or to read it
// returns as a *durable.Fault, which the supervisor words; every other error says
// why the medium failed. After an error a record may be there or not, but never in
// part.
//
// Implementations are safe for concurrent use, also among processes where these
// share the medium.
type Engine interface {
	// Guard refuses names that lead elsewhere, as symbolic links do. What is not
	// there is fine.
	Guard(names ...string) error

	// ReadBounded returns the text of a record of at most bound bytes.
	ReadBounded(name string, bound int) (text string, found bool, err error)

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

	// Ensure makes a directory and those above it, durably.
	Ensure(name string) error

	// Scan visits the entries of a directory in byte order of their names, none
	// when there is no such directory. More than bound entries are a fault of kind
	// TooMany, and then none is visited. An error of visit ends the scan and is
	// returned as it is.
	Scan(dir string, bound int, visit func(name string, mode fs.FileMode) error) error
}

// Custody gives sole ownership, at once or not at all (custody.md). Ownership ends
// with release or with the process that holds it.
type Custody interface {
	// Process takes custody of the dispatches of a process.
	Process(ctx context.Context, name string) (release func() error, err error)
	// Creation takes custody of the creation of processes.
	Creation(ctx context.Context) (release func() error, err error)
}

// Mailboxes tells whether a suspended process may run.
type Mailboxes interface {
	// HasPending probes under the mailbox's lock whether a message waits behind a
	// receive handle (mailbox.md §9.2).
	HasPending(ctx context.Context, handle string) (bool, error)
	// Idle looks without lock and without writing: true only if nothing waits and
	// nothing is wrong (process.md §11.3).
	Idle(handle string) bool
}

// releasing ends custody at the end of an action and reports its failure unless
// the action has failed itself.
func releasing(release func() error, err *error) {
	if failed := release(); *err == nil {
		*err = failed
	}
}
