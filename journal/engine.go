package journal

import "github.com/algal-vm/algal/canon"

// Engine keeps the documents of one store (custody.md §3): bounded JSON values
// that are published durably and whole. It knows nothing of what they hold.
//
// Names are slash-separated and relative to the store, as journal.md §1 lays them
// out, "." being the store itself. An engine forms no name of its own. It refuses
// with the codes and texts of custody.md §8. After an error a document may be there
// or not, but never in part.
//
// Implementations are safe for concurrent use.
type Engine interface {
	// Directory refuses a name that has anything but a directory behind it, be it a
	// link to one. What is not there is fine.
	Directory(name string) error

	// Ensure makes a directory and those above it, durably.
	Ensure(name string) error

	// Read returns a document of at most bound bytes, the absent value when there is
	// none (custody.md §3.1).
	Read(name string, bound int) (canon.Value, error)

	// Write publishes a document that never changes, of at most bound bytes. One
	// that has the name already must hold the same value (§3.2).
	Write(name string, v canon.Value, bound int) error

	// Replace publishes a document in the place of the one that has the name.
	Replace(name string, v canon.Value, bound int) error

	// Remove takes a document away, durably.
	Remove(name string) error

	// Scan returns the at most limit names in a directory that match, in byte order,
	// none when there is no such directory. Leftovers of publications are passed
	// over; any other name is refused once match has seen it (§3.3).
	Scan(dir string, limit int, match func(name string) bool) ([]string, error)
}
