// Package check examines the directory of a store and says what is damaged in it,
// what an interrupted operation left behind and what needs an operator
// (toolchain.md §5).
//
// [Store] reads and nothing else: it takes no lease and no lock, opens no
// database, writes nothing, and goes on to the end whatever it finds. It may run
// beside live operations; what one of them has half done at that moment may be
// found as interrupted.
//
// # What is examined
//
// Every process is examined as its verification would: head, chain, receipts, and
// the replay of every generation with the recorded effects. What that looks up is
// reachable, and so are the records of its journals and the capability records
// that mailboxes name. A reachable object that is absent is damage; an absence that
// the replay itself reproduces, a missing value the program handled, is not. Every
// object is held to its name, reachable or not.
//
// A program that needs tools whose signatures are not given cannot be replayed. Its
// history and the manifests that it embeds are examined all the same, and the
// process is reported as a [PlaceUnknown]: an information that part of it was not
// interpreted. The values that such a program reads count as unreferenced.
//
// # What is not found
//
// Removals that leave a legal state: an object nobody needs, a memo, a slot, a
// delivery marker, a whole mailbox or journal. Whether a lease database is the
// contract's, since only its owner may open it (custody.md §2.5). And a history
// that was forged consistently: only a digest known from elsewhere tells one.
package check
