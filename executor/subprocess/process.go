package subprocess

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/algal-vm/algal"
)

// process is a launched command with our ends of its streams.
type process struct {
	cmd                   *exec.Cmd
	stdin, stdout, stderr *os.File
	rest                  []byte // of the request, not yet written
}

// ending is how a command ended.
type ending struct {
	stdout      bytes.Buffer
	undelivered error            // why the request was not written completely, or nil
	state       *os.ProcessState // not nil unless aborted
	aborted     error            // why the command was killed or its end is unknown, or nil
}

// start launches the command. The pipes are our own rather than those of os/exec,
// which stops waiting for its streams once the process has exited.
func start(c *Command, input []byte) (p *process, err error) {
	p = &process{cmd: exec.Command(c.Argv[0], c.Argv[1:]...), rest: input}
	p.cmd.Dir, p.cmd.Env = c.Dir, c.Env
	var theirs []*os.File
	defer func() {
		closeAll(theirs...)
		if err != nil {
			closeAll(p.stdin, p.stdout, p.stderr)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	stdin, ours := pipe()
	p.stdin = ours
	ours, stdout := pipe()
	p.stdout = ours
	ours, stderr := pipe()
	p.stderr = ours
	theirs = []*os.File{stdin, stdout, stderr}
	if err != nil {
		return nil, err
	}
	// A command may answer without reading its request. What fits into the pipe is
	// there before the command can exit, so that this is no race.
	p.rest = p.rest[fill(p.stdin, p.rest):]
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	lead(p.cmd)
	return p, p.cmd.Start()
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close() // of no file is an error, and harmless
	}
}

// wait brings the command to its end. When it returns the command is reaped, no
// goroutine is left and all descriptors are closed.
func (p *process) wait(ctx context.Context, maxStdout int) *ending {
	e := &ending{}
	var work sync.WaitGroup
	streams := make(chan error, 2)
	work.Go(func() { streams <- drain(&e.stdout, p.stdout, maxStdout) })
	work.Go(func() { streams <- drain(io.Discard, p.stderr, MaxStderr) })
	work.Go(func() { e.undelivered = p.deliver() })
	if e.aborted = bothEnd(ctx, streams); e.aborted != nil {
		p.kill()
	}
	p.reap(ctx, e)
	// A stream that a process outside of the group holds is given up here.
	closeAll(p.stdin, p.stdout, p.stderr)
	work.Wait()
	return e
}

// deliver writes the rest of the request.
func (p *process) deliver() error {
	defer p.stdin.Close()
	if len(p.rest) == 0 {
		return nil // even if the command is over already
	}
	_, err := p.stdin.Write(p.rest)
	return err
}

// drain copies a stream to its end. One byte above the bound is an error.
func drain(to io.Writer, stream io.Reader, bound int) error {
	n, err := io.Copy(to, io.LimitReader(stream, int64(bound)+1))
	if err != nil {
		return unavailable(algal.EffectFailed)
	}
	if n > int64(bound) {
		return unavailable(algal.BudgetExhausted)
	}
	return nil
}

// bothEnd waits for the end of both streams.
func bothEnd(ctx context.Context, streams <-chan error) error {
	for range 2 {
		select {
		case err := <-streams:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return cancelled()
		}
	}
	return nil
}

func cancelled() error {
	return uncertain(algal.BudgetExhausted, "command cancelled or timed out")
}

// reap waits for the command itself. It comes after the streams on purpose: an
// exited command keeps its number, which is also that of its group, until it is
// reaped, so that a kill before cannot hit a stranger.
func (p *process) reap(ctx context.Context, e *ending) {
	reaped := make(chan error, 1)
	go func() {
		state, err := p.cmd.Process.Wait()
		e.state = state
		reaped <- err
	}()
	var err error
	select {
	case err = <-reaped:
	case <-ctx.Done():
		if e.aborted == nil {
			e.aborted = cancelled()
			p.kill()
		}
		err = <-reaped
	}
	if err != nil && e.aborted == nil {
		e.aborted = unavailable(algal.EffectFailed)
	}
}
