// Command algal runs bounded programs over a store of digest-addressed objects and
// looks at what they leave behind (cli.md).
//
// A command is an options struct, its flags, and one function of a context, the
// streams and the options; it has no rules of its own. Results go to standard
// output: one line of canonical JSON, or words at a terminal. Everything else goes
// to standard error, and a failure ends it with one line {"error", "message"}.
package main

import (
	"os"
	"runtime/debug"
)

// gcPercent trades memory for time: most runs are short and what they read is
// bounded.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	signals := watchSignals()
	s := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	done := make(chan int, 1)
	go func() { done <- execute(signals, s, os.Args[1:]) }()
	select {
	case code := <-done:
		os.Exit(code)
	case <-signals.end:
		s.fail(errInterrupted)
		os.Exit(exitInterrupted)
	}
}
