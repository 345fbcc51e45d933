package laboratory

import (
	"io/fs"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

// maxCounted bounds the files that are looked at in one directory of a mailbox: far
// more than a demonstration leaves.
const maxCounted = 64

// deliveries are the records of one mailbox on disk. Every record was admitted again:
// its members, its name, which is that of the key, and its id.
type deliveries struct {
	messages int // ever sent
	markers  int // of messages that wait or were received
}

// countDeliveries reads a mailbox. A mailbox that is not there has none.
func countDeliveries(store *disk.Store, name string) (deliveries, error) {
	box := &box{store.Mailboxes(), "mailboxes/" + name}
	ids := map[string]algal.Digest{}
	err := box.visit("messages", func(file string, v canon.Value) error {
		m, err := mailbox.ParseMessage(v, "mailbox message "+file)
		if err == nil && (m.Mailbox != name || m.Key.Hex()+".json" != file) {
			err = algal.Errorf(algal.DigestMismatch, "mailbox message %s is that of another mailbox or key", file)
		}
		ids[file] = m.ID
		return err
	})
	count := deliveries{messages: len(ids)}
	for _, space := range []string{"pending", "consumed"} {
		if err != nil {
			break
		}
		err = box.visit(space, func(file string, v canon.Value) error {
			d, err := mailbox.ParseDelivery(v, "mailbox delivery "+file)
			if err == nil && ids[file] != d.ID {
				err = algal.Errorf(algal.DigestMismatch, "mailbox delivery %s is of no message", file)
			}
			count.markers++
			return err
		})
	}
	return count, err
}

// box is the directory of a mailbox.
type box struct {
	files *disk.Mailboxes
	dir   string
}

// visit calls admit with every record in a directory of the mailbox.
func (b *box) visit(space string, admit func(file string, v canon.Value) error) error {
	dir := b.dir + "/" + space
	return b.files.Scan(dir, maxCounted, func(file string, _ fs.FileMode) error {
		if durable.IsTemp(file) {
			return nil
		}
		if !strings.HasSuffix(file, ".json") {
			return algal.Errorf(algal.IOFailed, "%s holds the foreign entry %s", dir, file)
		}
		text, _, err := b.files.Read(dir + "/" + file)
		if err != nil {
			return err
		}
		v, err := canon.Parse(text, canon.Limits{})
		if err != nil {
			return err
		}
		return admit(file, v)
	})
}
