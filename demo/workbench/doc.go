// Package workbench is the native workbench of demo.md §4: a program proposes to
// publish a report, waits for a person's decision on exactly that proposal, and
// publishes at most once, whatever is killed meanwhile and however often the
// decision is repeated.
//
// # A workbench
//
// A workbench is one directory, the root. [Start] makes it: an ordinary store with
// three mailboxes and one process, and the definition, review.json, which binds the
// root, the input evidence, the proposal and the action by their digests and never
// changes. [Decide] admits a decision, delivers it to the process and lets that
// continue. [Inspect] derives everything that a report says from the store again,
// [Export] writes the history as a document that verifies without the root.
//
// Every operation but Start reads the definition first and refuses a root that was
// moved, copied or edited; then it takes the lease of the root and reads it again.
// The program's model is scripted with the proposal of the definition, so nothing
// here asks anybody but the person at the command line.
//
// # Crashes
//
// Decide may be killed between any two of its steps. decision.json is there before
// the decision is sent, the send is named by the digest of the decision, and the
// dispatch keeps a journal: so repeating the same decision goes on where the killed
// one ended, and another one is refused. A kill within the dispatch itself leaves
// the process uncertain. Then nothing is repeated, and the report says so: what the
// journal holds may be recovered with "algal process recover", and otherwise the
// root is preserved and a new one chosen. A kill within a send or a receive leaves
// the lock of a mailbox, which an operator removes (cli.md §5).
//
// # What it does not do
//
// It keeps no model, no server and no clock; it judges no evidence. Replay shows
// that a history is consistent, not who made it or whether the evidence is true.
package workbench
