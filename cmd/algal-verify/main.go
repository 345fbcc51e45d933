// Command algal-verify checks process evidence on any machine: no store, no
// network, no subprocess, no host flag. It reads documents, replays them in
// memory and says what it found (toolchain.md §1).
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent trades memory for time: a run is short and its garbage little, and
// what it reads is bounded.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}
