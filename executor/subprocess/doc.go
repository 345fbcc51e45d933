// Package subprocess runs one command of the host: a JSON request on its standard
// input, one JSON answer from its standard output, everything bounded (run.md
// §8.5.2). The command executors and the command tools share it, so both fail with
// the same wire texts.
//
// A command is its own process group. The call ends when standard output and
// standard error are at their end and the command has exited; a grandchild that
// keeps one of them open keeps the call open. On any other end (time, cancellation,
// a bound, a broken stream) the whole group is killed with SIGKILL and reaped
// before the call returns. A process that left the group is out of reach: it may go
// on, but it delays nothing.
//
// What the host cannot know is said: an error after the launch that leaves open
// whether the command did its work is marked uncertain. Diagnostics are read and
// dropped, since what a command prints to standard error may hold secrets.
//
// The child gets descriptors 0, 1 and 2 and no other.
package subprocess
