package mailbox

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// The classes of the two rights.
const (
	SendClass    = "mailbox-send"
	ReceiveClass = "mailbox-receive"
)

const (
	capabilityContract = "algal.capability.v1"

	maxNonce = 128 // UTF-16 units
)

// Capability is the record behind a handle (§3.2). The handle is the digest of
// everything in it but Revoked, so revocation does not change the handle, and
// nobody who does not know the nonce can make one up.
type Capability struct {
	Handle  organism.Handle
	Class   string
	Mailbox string
	Nonce   string
	Revoked bool
}

// newCapability returns the record of a right on a mailbox.
func newCapability(class, mailbox, nonce string) Capability {
	c := Capability{Class: class, Mailbox: mailbox, Nonce: nonce}
	c.Handle = c.mint()
	return c
}

// mint computes the handle (§2).
func (c Capability) mint() organism.Handle {
	descriptor := canon.Object(
		canon.M("capability", canon.String(c.Class)),
		canon.M("contract", canon.String(capabilityContract)),
		canon.M("mailbox", canon.String(c.Mailbox)),
		canon.M("nonce", canon.String(c.Nonce)),
	)
	return organism.Handle{Class: c.Class, Digest: descriptor.Digest()}
}

// ParseCapability admits a capability record; what is the path of messages. Faults
// are PARSE_FAILED, of the handle TYPE_MISMATCH, and DIGEST_MISMATCH where it is
// not that of the record.
func ParseCapability(v canon.Value, what string) (Capability, error) {
	r := openRecord(v, what, capabilityContract, "handle", "capability", "mailbox", "nonce", "revoked")
	c := Capability{Class: r.right("capability")}
	c.Handle = r.handle("handle", c.Class)
	c.Mailbox = r.id("mailbox")
	c.Nonce = r.text("nonce", maxNonce)
	c.Revoked = r.boolean("revoked")
	if r.err == nil && c.Handle != c.mint() {
		r.err = algal.Errorf(algal.DigestMismatch, "%s.handle does not match its admission", what)
	}
	if r.err != nil {
		return Capability{}, r.err
	}
	return c, nil
}

func (r *reader) right(key string) string {
	class := r.id(key)
	if class != SendClass && class != ReceiveClass {
		r.refuse(key, "is not a mailbox right")
	}
	return class
}

// Record returns the record.
func (c Capability) Record() canon.Value {
	return canon.Object(
		canon.M("capability", canon.String(c.Class)),
		canon.M("contract", canon.String(capabilityContract)),
		canon.M("handle", canon.String(c.Handle.String())),
		canon.M("mailbox", canon.String(c.Mailbox)),
		canon.M("nonce", canon.String(c.Nonce)),
		canon.M("revoked", canon.Bool(c.Revoked)),
	)
}
