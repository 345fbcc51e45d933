// Package durable admits files that are read and publishes files so that what
// was acknowledged survives a crash (store.md §3, §9).
//
// # Reading
//
// [Open] admits a regular file within a byte bound and reads it whole. Nothing is
// allocated for a file beyond the bound, and no FIFO or device can make a reader
// wait. [Read] does the same and closes, [ReadNamed] is the reader of files that
// the user names, with its wire texts, and [Entries] lists a directory within a
// bound. Refusals are a [*Fault]: the owner of a file turns its kind into the wire
// text of that owner.
//
// This half builds on every system. The other half, publication, needs the names
// and syncs of a Unix file system.
//
// # Publishing
//
// A [Publisher] makes a file appear under its name with all of its bytes or not
// at all: bytes go to a temporary file in the same directory, the file is synced,
// then linked or renamed to its name, then the directory is synced. Only when
// that is done may the caller acknowledge anything. A file that exists already is
// made durable with [Publisher.Retain] after the caller has read and judged it.
//
// Every step runs under an optional [Hook] with the name that the contract gives
// it, so that tests record traces, kill the process at a step, or let it fail.
//
// # Which ancestors are synced
//
// A name is durable when its directory was synced after it appeared, and the name
// of that directory likewise, up to the root. The first publication into a
// directory therefore syncs it and all its ancestors. Later ones of the same
// Publisher leave out the ancestors as long as every component of the path is the
// directory that was synced then, told by device, inode and time of birth; the
// inode alone would not do, since file systems use the numbers of removed
// directories again. Where the system does not tell the time of birth nothing is
// left out.
//
// What a crash can lose is unchanged by this. Let D be the directory of a new
// file and A any directory above it. In the earlier walk A was synced while it
// held the name of the next component. That the name still leads to the same
// directory means nobody replaced it, and a name that was durable stays so until
// it is removed or replaced: syncing A again would make no name on the path more
// durable than it is. What is new since is the file's name in D, and D is synced
// every time. A component that another process made or put in its place has
// another identity and gets the whole walk, and so does everything after a
// directory sync has failed. The one thing that the full walk would add concerns
// a hand that moves a directory of the path away and back between two
// publications: a crash may then undo the second move and keep the first. No
// runtime moves directories.
//
// The package knows neither JSON nor any record; what a file must hold is for its
// owner to check.
package durable
