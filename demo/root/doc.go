// Package root keeps the rules of the directories that the demonstrations work in
// (demo.md §4.2).
//
// A root is a real directory under one absolute path, told from a copy and from one
// that was moved there by its device and inode. [New] makes one, exclusively and
// durably, and [Open] finds one again. What lies in it is its owner's business.
package root
