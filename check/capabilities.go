package check

import (
	"context"
	"maps"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// capabilities examines the records of the rights, and reports those that a mailbox
// names and that are not there.
func (e *examination) capabilities(context.Context) {
	if e.closed[capabilitiesDir] {
		return
	}
	for _, d := range e.entries(capabilitiesDir, CapabilityDamaged) {
		path := capabilitiesDir + "/" + d.Name()
		digest, ok := digestOf(d.Name())
		if !ok {
			e.stranger(path, d)
			continue
		}
		named := e.rights[digest]
		delete(e.rights, digest)
		if why := e.capability(path, digest, named); why != "" {
			e.report(Finding{Kind: CapabilityDamaged, Path: path, Digest: digest, Advice: why + ": bring it back from a copy of the store", Referrers: first(named)})
		} else if len(named) == 0 {
			e.report(Finding{Kind: Residue, Path: path, Digest: digest, Advice: "the right on a mailbox whose creation was interrupted: nobody can use it"})
		}
	}
	for _, digest := range sortedKeys(e.rights) {
		e.report(Finding{
			Kind: ObjectMissing, Path: capabilitiesDir + "/" + digest.Hex() + suffix, Digest: digest, Referrers: first(e.rights[digest]),
			Advice: "a mailbox names it and it is not there, so nobody has the right: bring it back from a copy of the store",
		})
	}
}

// capability says what is wrong with a record, "" if nothing is.
func (e *examination) capability(path string, digest algal.Digest, named []string) string {
	v, found, err := e.document(path, durable.MaxBytes)
	if err == nil && !found {
		return "" // it has just gone
	}
	var c mailbox.Capability
	if err == nil {
		c, err = mailbox.ParseCapability(v, "capability record")
	}
	switch {
	case err != nil:
		return err.Error()
	case c.Handle.Digest != digest:
		return "the record of another right"
	}
	for _, dir := range named {
		if dir != mailboxesDir+"/"+c.Mailbox {
			return "mailbox authority does not match its configuration"
		}
	}
	return ""
}

func first(referrers []string) []string { return referrers[:min(len(referrers), MaxReferrers)] }
