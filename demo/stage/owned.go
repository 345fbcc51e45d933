package stage

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"syscall"

	"github.com/algal-vm/algal"
)

// Owned is a process that was started here and has not been waited for.
type Owned struct {
	program        *Program
	cmd            *exec.Cmd
	within         context.Context
	stop           context.CancelFunc
	stdout, stderr bounded

	done  chan struct{} // closed when the process was joined; what follows is set then
	ended Ended
	err   error
}

// Done is closed when the process has ended and was joined.
func (o *Owned) Done() <-chan struct{} { return o.done }

// Pid returns the process id. It may be reused as soon as the process was joined.
func (o *Owned) Pid() int { return o.cmd.Process.Pid }

// Wait waits for the process. The error is as [Program.Run] says.
func (o *Owned) Wait() (Ended, error) {
	<-o.done
	return o.ended, o.err
}

// Kill kills the process and its group with SIGKILL and joins it. That it had ended
// by itself, or ended by anything but that signal, is a RECEIPT_MISMATCH error.
func (o *Owned) Kill() (Ended, error) {
	select {
	case <-o.done:
		return o.ended, algal.Errorf(algal.ReceiptMismatch, "the process ended by itself, with exit %d, before it was killed", o.ended.Exit)
	default:
	}
	if err := o.signal(); err != nil {
		return Ended{}, algal.Errorf(algal.IOFailed, "cannot kill process %d: %v", o.Pid(), err)
	}
	ended, err := o.Wait()
	if err == nil && ended.Signal != syscall.SIGKILL {
		err = algal.Errorf(algal.ReceiptMismatch, "the process ended with exit %d instead of by SIGKILL", ended.Exit)
	}
	return ended, err
}

// signal kills the group, which has the id of its leader until that was joined.
func (o *Owned) signal() error { return syscall.Kill(-o.cmd.Process.Pid, syscall.SIGKILL) }

// join waits for the process and says how it ended.
func (o *Owned) join() {
	defer close(o.done)
	defer o.stop()
	err := o.cmd.Wait()
	o.ended = Ended{Stdout: o.stdout.String(), Stderr: o.stderr.String(), Exit: o.cmd.ProcessState.ExitCode()}
	if status, ok := o.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.ended.Signal = status.Signal()
	}
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case o.stdout.left < 0 || o.stderr.left < 0:
		o.err = algal.Errorf(algal.BudgetExhausted, "the process printed more than %d bytes", o.program.MaxOutput)
	case errors.Is(context.Cause(o.within), errSlow):
		o.err = algal.Errorf(algal.BudgetExhausted, "the process took longer than %v", o.program.Patience)
	case o.within.Err() != nil:
		o.err = algal.Errorf(algal.BudgetExhausted, "interrupted")
	case err != nil && !exited:
		o.err = algal.Errorf(algal.IOFailed, "the process cannot be waited for: %v", err)
	}
}

// bounded keeps what is written to it, up to a bound.
type bounded struct {
	strings.Builder
	left int    // bytes that may still come, negative once more came
	over func() // ends the writer
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.over()
		return 0, errors.New("too much output")
	}
	return b.Builder.Write(p)
}
