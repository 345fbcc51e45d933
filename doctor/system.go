//go:build unix

package doctor

import (
	"context"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"github.com/algal-vm/algal/durable"
)

// System is what an examination asks of the machine. What it does with files runs
// as steps, so that one who stands in for the machine can refuse them or change
// what they leave.
type System interface {
	// Do runs a step by calling do, as a [durable.Hook].
	Do(s durable.Step, do func() error) error

	// Access refuses a directory that this process may not read, write and search.
	Access(dir string) error

	// Volume tells the file system of a directory.
	Volume(dir string) (Volume, error)

	// StartOwner starts another process that takes the lease of dir by [Hold], and
	// returns when it has. The process does not outlive ctx.
	StartOwner(ctx context.Context, dir string) (Owner, error)

	// Now returns the time by a clock that never goes back.
	Now() time.Time
}

// Owner is a process that holds a lease.
type Owner interface {
	// Kill ends the process, so that it can do nothing more, and returns when it is
	// gone. Killing it again does nothing.
	Kill() error
}

// Machine is the machine that the program runs on.
type Machine struct {
	// Holder returns the command that calls [Hold] with dir, its standard input and
	// its standard output: the running program itself, so that the two processes
	// lock by the same library. ctx ends it.
	Holder func(ctx context.Context, dir string) *exec.Cmd
}

func (Machine) Do(_ durable.Step, do func() error) error { return do() }

func (Machine) Access(dir string) error {
	return unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK)
}

func (Machine) Volume(dir string) (Volume, error) { return volumeOf(dir) }

func (Machine) Now() time.Time { return time.Now() }

func (m Machine) StartOwner(ctx context.Context, dir string) (Owner, error) {
	return startHolder(m.Holder(ctx, dir))
}
