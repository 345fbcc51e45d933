package mailbox

import "github.com/algal-vm/algal/organism"

// The directories of a store that hold mailboxes (§4).
const (
	mailboxesDir    = "mailboxes"
	capabilitiesDir = "capabilities"
)

// The three directories of a mailbox. A key has a record of the same name in each.
const (
	messages = "messages"
	pending  = "pending"
	consumed = "consumed"
)

// suffix ends the name of every record.
const suffix = ".json"

// place is the directory of one mailbox, by its name in the store.
type place string

func placeOf(mailbox string) place { return place(mailboxesDir + "/" + mailbox) }

func (p place) config() string { return string(p) + "/config" + suffix }

func (p place) lock() string { return string(p) + "/.lock" }

func (p place) dir(space string) string { return string(p) + "/" + space }

// dirs returns the three directories in the order of the contract.
func (p place) dirs() []string { return []string{p.dir(messages), p.dir(pending), p.dir(consumed)} }

func (p place) record(space, file string) string { return p.dir(space) + "/" + file }

// capabilityRecord names the record of a handle. The class is no part of it.
func capabilityRecord(h organism.Handle) string {
	return capabilitiesDir + "/" + h.Digest.Hex() + suffix
}

// guarded returns what must not be a link before anything is read (§4.2).
func guarded() []string { return []string{".", mailboxesDir, capabilitiesDir} }

func (p place) guarded() []string {
	return append(append(guarded(), string(p), p.config()), p.dirs()...)
}
