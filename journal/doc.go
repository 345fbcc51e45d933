// Package journal keeps the recovery journal of a process dispatch: every live
// effect is recorded before it is attempted and again when it has settled, so that
// an interrupted dispatch can be carried on without repeating anything whose
// outcome is not known (journal.md).
//
// # Concepts
//
// A journal belongs to exactly one dispatch, named by the digest of its intent. It
// has a header, one entry per effect in the order of execution, and one file per
// recovery attempt. An entry is a small head that names the current record of its
// effect; records are immutable values of the store, and each names the one
// before:
//
//	started, attempt 0  <-  started, attempt 1  <-  completed, attempt 1
//
// A [Journal] is the seam by which package runtime presents effects
// ([runtime.Journal]). [Create] makes the one of a new dispatch, [Open] reads one
// and holds all of it to the rules of the contract. After [Journal.Recover] the
// same program runs again: settled effects are answered from the record, and an
// unsettled one is repeated if it is the call of a read tool, within the budget of
// the header. Anything else unsettled stops recovery before it begins.
//
// # Poison
//
// The first failure of a journal stays: nothing can be recorded after it, and the
// dispatch ends without an outcome. So does an effect whose outcome is not known.
// Its entry remains started, which is the truth.
//
// # The world
//
// Documents are kept by an [Engine]. The one on disk is in cas/disk, [Memory]
// keeps them in memory, and package journaltest holds the tests that every engine
// passes. Reading a journal writes nothing. Whoever writes one has custody of the
// process from before it is opened until after its last use; the package takes
// none.
//
// A journal is no evidence. Receipts alone say what happened, and a run that was
// recovered leaves the receipt that an uninterrupted one would have left.
package journal
