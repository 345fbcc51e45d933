// Package adapter is the tool by which the demonstrations lose an acknowledgement
// (demo.md §3.1). It records every call durably before it answers, and where its
// [Place] is blocked it hangs in the middle of one call until whoever would read
// the answer is gone.
//
// [Serve] is the tool itself, which a runtime starts as a command of a tools file;
// [Place] is what a demonstration does with the directory that the two share. The
// adapter decides nothing about its caller and tells no time.
package adapter
