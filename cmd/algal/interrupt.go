package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/algal-vm/algal"
)

// interrupts is what signals do to a command (cli.md §1.5).
//
// By default the first one ends the program where it stands: nothing that a
// command has begun needs putting away but a temporary file. A command that starts
// programs calls unwind and gets a context that the first signal cancels; it then
// ends its children and returns, and a second signal does not wait for that. A
// command that must not leave its work in the middle calls finish: the first signal
// then only asks it to start nothing more.
type interrupts struct {
	end chan struct{} // closed when the program must not wait any longer

	mu       sync.Mutex
	deferred bool   // a command wants to return by itself
	stopping func() // tells that nothing more is started; nil where nothing is finished
	stopped  bool
	first    context.Context
	cancel   context.CancelFunc
}

var errInterrupted = algal.Errorf(algal.BudgetExhausted, "interrupted")

// watchSignals begins to watch for the signals that interrupt. One that the caller
// had ignored, as nohup and background jobs do, stays ignored.
func watchSignals() *interrupts {
	i := newInterrupts()
	arrived := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(arrived, s)
		}
	}
	go func() {
		for range arrived {
			i.arrive()
		}
	}()
	return i
}

func newInterrupts() *interrupts {
	i := &interrupts{end: make(chan struct{})}
	i.first, i.cancel = context.WithCancel(context.Background())
	return i
}

// arrive takes in one signal.
func (i *interrupts) arrive() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopping != nil && !i.stopped {
		i.stopped = true
		i.stopping()
		return
	}
	if i.deferred && i.first.Err() == nil {
		i.cancel()
		return
	}
	i.cancel()
	select {
	case <-i.end:
	default:
		close(i.end)
	}
}

// unwind returns the context of a command that returns by itself when it is
// interrupted.
func (i *interrupts) unwind() context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.deferred = true
	return i.first
}

// finish returns the context of a command that brings what it has begun to an end,
// and what tells it to begin nothing more. The second signal cancels the context.
func (i *interrupts) finish(s *streams) (ctx context.Context, stop func() bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.deferred = true
	i.stopping = func() {
		s.note("interrupted: the running generation is brought to its outcome; interrupt again to end its effects and leave it uncertain")
	}
	return i.first, func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		return i.stopped
	}
}

// interrupted reports whether a signal has ended the command.
func (i *interrupts) interrupted() bool { return i.first.Err() != nil }
