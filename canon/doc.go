// Package canon reads, holds and writes JSON values in the one form that the
// whole contract hashes (canonical.md).
//
// Two values are the same when their canonical texts are the same, and the name
// of a value is the SHA-256 of that text. The canonical text has no white space;
// numbers are IEEE-754 doubles printed as ECMAScript prints them; members stand
// in an order that is not RFC 8785's: array-index keys by number, then the
// others by UTF-16 code units.
//
// A [Value] also remembers the member order of the document it came from, as the
// reference runtime sees it, because that order is observable: it decides which
// of several faults is reported first, and the digests of some requests. It
// never influences the canonical text.
//
// [Parse] is strict and bounded. A value parsed from canonical text keeps that
// text, so that its digest is the hash of a slice of the input and nothing is
// written again.
//
// The package knows no record of the contract and touches neither files nor
// clocks.
package canon
