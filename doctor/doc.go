//go:build unix

// Package doctor examines the machine: whether the place of a store gives what
// durable publication (store.md §3) and leases (custody.md) rest on, and what to do
// where it does not.
//
// [Examine] goes through the [Names] of its checks in their order. Each is a
// [Check] with a status, what was found and, unless that is fine, an advice. A
// check without whose ground another one can say nothing is made first; when it has
// found a problem the others are left out, so that one cause is one finding.
//
// The checks try the real thing in a directory of their own, which they make beside
// the store, on the same file system: a file is created twice, linked, renamed and
// synced, files are published, and a second process takes a lease and is killed.
// Where nothing can be made beside the store, as above a mount point, the directory
// lies directly in the store, where no runtime looks for anything; its name begins
// with .algal-doctor-. It is removed in any case but that of a doctor that is
// itself killed. What belongs to the store is neither changed nor opened, and a
// store that is not there is not made.
//
// What the checks ask of the machine comes in through a [System], so that tests
// show every fault. [Machine] is the real one.
//
// What no check can see: a disk that acknowledges a sync and loses what it
// acknowledged when the power fails, and runtimes on other machines that use the
// same store. What is in a store is the business of package check.
package doctor
