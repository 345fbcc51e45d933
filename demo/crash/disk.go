package crash

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
)

// maxSmall bounds the small documents of a process, in bytes, and maxNames how many
// of a kind are looked at: more archived owners than a store admits (custody.md §1.1).
const (
	maxSmall = process.MaxHeadBytes
	maxNames = 256
)

// processFile returns the path of a file of the process.
func (c *incident) processFile(name ...string) string {
	return filepath.Join(append([]string{custody.Process(c.file(storeDir), worker).Dir}, name...)...)
}

// journalFile returns the path of a file of the intent's journal (journal.md §1).
func (c *incident) journalFile(name ...string) string {
	return c.processFile(append([]string{"journals", c.intent.Hex()}, name...)...)
}

// atIntent asserts that the head on disk names the intent.
func (c *incident) atIntent(line string) error {
	head, err := hostdoc.Read(c.processFile("head.json"), maxSmall)
	if err != nil {
		return c.holds(false, line, "%v", err)
	}
	return c.holds(head.Get("record").IsText(string(c.intent)), line, "%s", head)
}

// readMarker returns the bytes of the owner's marker, "" where there is none.
func (c *incident) readMarker() string {
	text, err := durable.Read(c.processFile(".lock"), maxSmall, durable.NoFollow)
	if err != nil {
		return ""
	}
	return text
}

// readEffect returns the current record of an effect of the journal.
func (c *incident) readEffect(ordinal int) (canon.Value, error) {
	head, err := hostdoc.Read(c.journalFile("entries", fmt.Sprintf("%06d.json", ordinal)), maxSmall)
	if err != nil {
		return canon.Value{}, err
	}
	digest, err := journal.ParseHead(head)
	if err != nil {
		return canon.Value{}, err
	}
	record, err := disk.Open(c.file(storeDir), disk.Options{}).Value(digest)
	if err == nil && !record.Exists() {
		err = algal.Errorf(algal.StoreMiss, "the entry names the record %s, which is not there", digest)
	}
	return record, err
}

// documents returns the documents of a directory of the process, in byte order of
// their names.
func documents(dir string) ([]canon.Value, error) {
	names, err := hostdoc.Scan(dir, maxNames, func(name string) bool { return strings.HasSuffix(name, ".json") }, hostdoc.RefuseOthers)
	if err != nil {
		return nil, err
	}
	var list []canon.Value
	for _, name := range names {
		v, err := hostdoc.Read(filepath.Join(dir, name), maxSmall)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}
