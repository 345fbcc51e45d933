//go:build unix

package custody

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// AcquireProcessCreation takes custody of the creation of processes in the store
// at root (§7.2). It never waits; the errors are those of [Acquire].
//
// Older runtimes take the existence of processes/.lock for their lock. To keep
// them out the lease occupies that path for as long as it lasts. A file there that
// no creation of this contract left is IO_FAILED and stays.
func AcquireProcessCreation(ctx context.Context, files *durable.Publisher, root string) (*Lease, error) {
	l, err := Acquire(ctx, files, ProcessCreation(root))
	if err != nil {
		return nil, err
	}
	if err := l.occupy(interlock(root)); err != nil {
		l.Release() // its failure is the lesser one
		return nil, err
	}
	return l, nil
}

// occupy publishes the interlock. The temporary file lies in the custody
// directory: a kill must not leave a name in processes/, which every listing would
// refuse.
func (l *Lease) occupy(f markerFile) error {
	if err := f.succeed(l.files); err != nil {
		return err
	}
	marker, err := f.publish(l.files, l.dir)
	if err != nil {
		return err
	}
	l.vacate = func() error { return l.leave(f, marker) }
	return nil
}

// leave removes the interlock, unless somebody has put something else there.
func (l *Lease) leave(f markerFile, marker canon.Value) error {
	if held, _ := f.holds(marker); !held {
		return nil
	}
	return l.files.Unlink(durable.OpUnlinkLock, f.path)
}
