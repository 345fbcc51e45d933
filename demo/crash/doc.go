// Package crash is the demonstration of crash recovery (demo.md §3).
//
// A runtime dispatches a process of two tool calls and is killed with SIGKILL in the
// middle of the second, so that nobody knows whether that call was answered. Another
// runtime then looks at what is on disk: it must be kept out as long as the owner
// lives, and carry exactly that intent to its outcome when the owner is dead and the
// call only reads. If the call writes, neither runtime may touch it. Each of the two
// is shown with either runtime as the owner.
//
// Everything that is asserted was printed by a process or lies in a file of the
// store; the adapter's own record says which calls were made.
package crash
