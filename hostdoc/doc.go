// Package hostdoc keeps host documents: small JSON records with a byte bound that
// the host publishes durably for itself, such as the markers of owners and the
// files of journals (custody.md §3).
//
// [Read] admits a record strictly, [Write] publishes one that never changes,
// [Replace] puts one in the place of another, [Scan] and [List] return the names
// of a directory of them. Section numbers in this package are those of custody.md.
// What a record says is its owner's business.
//
// Reading builds on every system, publication on Unix.
package hostdoc
