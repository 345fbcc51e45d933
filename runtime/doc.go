// Package runtime runs a compiled organism and leaves a receipt (run.md).
//
// A run is one ledger, one list of effects, one log of events and one record per
// activated cell, shared by all nesting levels. Cells activate in manifest order
// as their inputs resolve; model cells present effect requests to executors, tool
// cells call host tools, and everything that happened is in the receipt
// algal.run.v1, which names its inputs and outcomes by digest.
//
// [Run] is the only engine. Verification and resume are the same engine with
// effects answered from a recorded receipt, see [Replay]; what differs is only
// who answers.
//
// The package is pure: it reads no file, clock, environment or network. Executors
// and tools are interfaces ([Executor], [HostTool]), deadlines come from the host
// ([Deadline]), objects from a cas.Store.
package runtime
