// Package lifecycle is the demonstration of the life of durable processes (demo.md
// §1): a program decides something, proposes it and waits for an approval in a
// mailbox; nothing runs while it waits; a message wakes only the process that waited
// for it, in whichever runtime comes by; the decision is not made again; and every
// history verifies offline. Two processes with the same arguments are told apart,
// and a program that is run from the start instead pays twice for its decisions.
//
// The flow is in three scenes with a store each: actors, twins and baseline.
// The decisions are those of an adapter of our own, [Recommend], which logs each one:
// the lines of its log are the number of decisions made. Every number of the report
// is counted in what the processes printed, the log holds, or the store's receipts
// say.
//
// How it is held, with one runtime or with two, is the job of package qualification.
package lifecycle
