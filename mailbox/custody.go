//go:build unix

package mailbox

import (
	"context"

	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
)

// Custody returns the admission of a store on disk: the lease that every runtime
// takes for creating mailboxes in the store at root (custody.md §7.1).
func Custody(files *durable.Publisher, root string) Admission {
	return func(ctx context.Context) (release func() error, err error) {
		lease, err := custody.Acquire(ctx, files, custody.MailboxAdmission(root))
		if err != nil {
			return nil, err
		}
		return lease.Release, nil
	}
}
