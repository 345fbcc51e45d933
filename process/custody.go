//go:build unix

package process

import (
	"context"

	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
)

// leases is custody by the leases of a store directory.
type leases struct {
	files *durable.Publisher
	root  string
}

// Leases returns the custody of the processes in the store directory root
// (custody.md §7). It never waits: a live owner is IO_FAILED at once.
func Leases(files *durable.Publisher, root string) Custody { return leases{files, root} }

func (l leases) Process(ctx context.Context, name string) (release func() error, err error) {
	return held(custody.Acquire(ctx, l.files, custody.Process(l.root, name)))
}

func (l leases) Creation(ctx context.Context) (release func() error, err error) {
	return held(custody.AcquireProcessCreation(ctx, l.files, l.root))
}

func held(lease *custody.Lease, err error) (func() error, error) {
	if err != nil {
		return nil, err
	}
	return lease.Release, nil
}
