// Package mailbox delivers messages between programs and hosts through bounded
// durable queues in a store (mailbox.md).
//
// # Concepts
//
// A mailbox has a name, a bound on waiting messages and one on the size of each,
// and two capability handles: who holds the send handle may put messages in, who
// holds the receive handle may take them out. A [Service] offers the operations on
// the mailboxes of one store to hosts, and [Service.Tools] two of them to programs.
//
// A send is named by an idempotency key. The key's claim, a record of the message,
// is published first and kept for ever; then a pending marker makes the message
// receivable. A receive publishes a consumed marker and removes the pending one.
// So a repeated send never delivers twice, before or after the message was
// received. Messages are received in ascending order of their keys, which is no
// order of arrival.
//
// # What a crash leaves
//
// Each operation on a mailbox holds its lock, a file that no crash releases. It
// blocks the mailbox until an operator has looked, since the operation may be half
// done, and nothing here guesses what an interrupted one meant:
// [Service.Inspect] tells what it left, §6 and cli.md §5 what may be done by hand.
// An operation that fails after it began to publish says so with an uncertain
// error. Creation is different: it holds the crash-released lease of package
// custody, and its last step, the configuration, is the only one that counts.
//
// # The world
//
// Records are kept by an [Engine] under the names of the contract's directory
// layout. The engine on disk is in cas/disk, [Memory] keeps records in memory, and
// package mailboxtest holds the tests that every engine passes. The lease comes in
// as an [Admission]; [Custody] is the one to use with a store on disk.
//
// A mailbox is a local service of one store: no broker, and no border between the
// users of an operating system.
package mailbox
