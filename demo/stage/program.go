package stage

import (
	"context"
	"errors"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Program runs one executable, each time as a fresh process in a process group of
// its own. It is safe for concurrent use.
type Program struct {
	Path      string   // of the executable, absolute
	Dir       string   // the working directory of its processes; "" is that of this one
	Env       []string // their whole environment; nil is that of this process
	MaxOutput int      // bytes of standard output, and of standard error
	Patience  time.Duration

	calls atomic.Int64
}

// Ended is how a process ended.
type Ended struct {
	Stdout, Stderr string
	Exit           int            // -1 for one that a signal ended
	Signal         syscall.Signal // which, 0 for none
}

// Value returns what the process printed, as the JSON value that it must be.
func (e Ended) Value() (canon.Value, error) { return canon.Parse(e.Stdout, canon.Limits{}) }

// Calls returns how many processes were started.
func (p *Program) Calls() int { return int(p.calls.Load()) }

// Run runs a process to its end. An exit code that is not 0 is no error: the caller
// knows what it wants. A process that prints more than the bound or takes longer
// than the patience is killed, BUDGET_EXHAUSTED; one that cannot be started is
// IO_FAILED.
func (p *Program) Run(ctx context.Context, args ...string) (Ended, error) {
	owned, err := p.Start(ctx, args...)
	if err != nil {
		return Ended{}, err
	}
	return owned.Wait()
}

// Start starts a process, which the caller must wait for or kill. It is killed when
// ctx ends.
func (p *Program) Start(ctx context.Context, args ...string) (*Owned, error) {
	within, stop := context.WithTimeoutCause(ctx, p.Patience, errSlow)
	o := &Owned{
		program: p, within: within, stop: stop, done: make(chan struct{}),
		stdout: bounded{left: p.MaxOutput, over: stop},
		stderr: bounded{left: p.MaxOutput, over: stop},
	}
	o.cmd = exec.CommandContext(within, p.Path, args...)
	o.cmd.Dir, o.cmd.Env = p.Dir, p.Env
	o.cmd.Stdout, o.cmd.Stderr = &o.stdout, &o.stderr
	o.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	o.cmd.Cancel = o.signal
	o.cmd.WaitDelay = grace
	if err := o.cmd.Start(); err != nil {
		stop()
		return nil, algal.Errorf(algal.IOFailed, "cannot start %s: %v", p.Path, durable.Cause(err))
	}
	p.calls.Add(1)
	go o.join()
	return o, nil
}

// grace is how long the streams of a killed process may stay open, should a
// grandchild that left the group hold them.
const grace = time.Second

var errSlow = errors.New("too slow")
