//go:build unix

package disk

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
)

// Journals keeps the documents of the recovery journals of a store (journal.md
// §1): the disk engine of package journal, which owns their rules. They are host
// documents (custody.md §3). Names are as in [Mailboxes].
type Journals struct{ store *Mailboxes }

// Journals returns the journal documents of the store. Nothing is touched.
func (s *Store) Journals() *Journals { return &Journals{s.Mailboxes()} }

// Directory refuses a name that is not a directory's, such as a link to one. What
// is not there is fine.
func (j *Journals) Directory(name string) error {
	info, err := j.store.lstat(name)
	if info != nil && !info.IsDir() {
		return algal.Errorf(algal.IOFailed, "publication directory must be a real directory")
	}
	return err
}

// Ensure makes a directory and its ancestors, durably.
func (j *Journals) Ensure(name string) error { return j.store.Ensure(name) }

// Read returns a document of at most bound bytes, the absent value when there is
// none.
func (j *Journals) Read(name string, bound int) (canon.Value, error) {
	return hostdoc.Read(j.store.path(name), bound)
}

// Write publishes a document that never changes.
func (j *Journals) Write(name string, v canon.Value, bound int) error {
	return hostdoc.Write(j.store.files, j.store.path(name), v, bound)
}

// Replace publishes a document in the place of the one that has its name.
func (j *Journals) Replace(name string, v canon.Value, bound int) error {
	return hostdoc.Replace(j.store.files, j.store.path(name), v, bound)
}

// opUnlinkJournal takes away a journal that nothing was written into.
const opUnlinkJournal durable.Op = "unlink-journal"

// Remove takes a document away, durably.
func (j *Journals) Remove(name string) error {
	return j.store.files.Unlink(opUnlinkJournal, j.store.path(name))
}

// Scan returns the names in a directory that match, none when there is no
// directory.
func (j *Journals) Scan(dir string, limit int, match func(name string) bool) ([]string, error) {
	return hostdoc.Scan(j.store.path(dir), limit, match, hostdoc.RefuseOthers)
}
