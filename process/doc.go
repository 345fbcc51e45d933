// Package process keeps durable named processes: it creates, inspects, dispatches,
// schedules and verifies them (process.md).
//
// Between two invocations nothing is in memory. All of a process is a chain of
// immutable records, run receipts and a manifest, and one small head that names
// the current record. A dispatch publishes its intent and moves the head to it
// before anything runs, and moves it again to the outcome when the receipt is
// durable; so whoever finds an intent as the head knows that its outcome is not
// known, and dispatches nothing.
//
// A dispatch may keep a journal (package journal). Then an intent that is found as
// the head can be carried to its outcome by [Supervisor.Recover], unless an effect
// was under way that must not be repeated.
//
// [Supervisor] holds the rules. What it needs of the world are small interfaces:
// an [Engine] for records, [Custody] for sole ownership of a process, [Mailboxes]
// for readiness. The order of publications is the contract's, and each is a point
// at which a test kills the program (§12).
//
// The package runs no program itself: package runtime does, over the host that
// the supervisor is given.
package process
