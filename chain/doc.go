// Package chain knows process records and the rules by which one follows another
// (process.md §2, §4, §5).
//
// A process is a chain of immutable records, each named by its digest and linked
// to its predecessor. [ParseRecord] admits one record; [Validate] walks the chain
// from a head to the ready record of generation zero and checks every transition
// and every receipt that a record names. It does not replay receipts: package
// verify and the supervisor do.
//
// Records and receipts come from a [Reader], so the same rules hold for a store
// on disk and for an evidence document.
package chain
