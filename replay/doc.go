// Package replay re-executes recorded receipts (run.md §13 to §15).
//
// [Verifier] runs a program again with every effect answered from the record and
// names each difference: verification is re-execution compared bit for bit. It
// writes to an overlay only and calls nothing. [Resume] continues a checkpoint
// against the real store with live executors for what was not answered yet.
// [Compare] runs a revised program under the recorded effects and says where it
// parts from the original.
//
// What verification cannot notice is what it takes from the record: executor
// ids, usage, configuration digests, slot values read, transports, the runtime
// stamp.
package replay
