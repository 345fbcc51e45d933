//go:build unix

package disk

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal/durable"
)

// Processes keeps the files of the processes of a store (process.md §1): the disk
// engine of package process, which owns their rules. It differs from [Mailboxes]
// in what it bounds and in the names of its steps.
type Processes struct{ *Mailboxes }

// Processes returns the process files of the store. Nothing is touched.
func (s *Store) Processes() *Processes { return &Processes{s.Mailboxes()} }

// opUnlinkCreating removes the marker of a creation that is over.
const opUnlinkCreating durable.Op = "unlink-creating"

// ReadBounded returns the content of a file of at most bound bytes.
func (p *Processes) ReadBounded(name string, bound int) (text string, found bool, err error) {
	text, err = durable.Read(p.path(name), bound, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return text, err == nil, err
}

// Remove takes a marker away, durably.
func (p *Processes) Remove(name string) error {
	return p.files.Unlink(opUnlinkCreating, p.path(name))
}
