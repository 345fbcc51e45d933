package mailbox

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

const (
	messageContract  = "algal.mailbox-message.v1"
	deliveryContract = "algal.mailbox-delivery.v1"
	wakeContract     = "algal.mailbox-wake.v1"
)

// Message is a message and the claim of its key (§3.3).
type Message struct {
	ID      algal.Digest // of the other members
	Mailbox string
	Key     algal.Digest // the idempotency key
	Value   canon.Value  // the payload, any JSON value
}

// newMessage returns the message that a key and a value make in a mailbox.
func newMessage(mailbox string, key algal.Digest, value canon.Value) Message {
	m := Message{Mailbox: mailbox, Key: key, Value: value}
	m.ID = m.envelope().Digest()
	return m
}

func (m Message) envelope() canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(messageContract)),
		canon.M("idempotencyKey", canon.String(string(m.Key))),
		canon.M("mailbox", canon.String(m.Mailbox)),
		canon.M("value", m.Value),
	)
}

// ParseMessage admits a claim; what is the path of messages. Faults are
// PARSE_FAILED, and DIGEST_MISMATCH where the id is not that of the record.
func ParseMessage(v canon.Value, what string) (Message, error) {
	r := openRecord(v, what, messageContract, "id", "mailbox", "idempotencyKey", "value")
	m := Message{Mailbox: r.id("mailbox"), Key: r.digest("idempotencyKey"), Value: r.member("value")}
	id := r.text("id", algal.DigestLen)
	if r.err != nil {
		return Message{}, r.err
	}
	m.ID = m.envelope().Digest()
	if id != string(m.ID) {
		return Message{}, algal.Errorf(algal.DigestMismatch, "%s.id does not match its message", what)
	}
	return m, nil
}

// Record returns the claim.
func (m Message) Record() canon.Value {
	return m.envelope().With(canon.M("id", canon.String(string(m.ID))))
}

// file names the records of the message's key (§3.3).
func (m Message) file() string { return m.Key.Hex() + suffix }

// same reports whether two messages are one. The id covers everything else.
func (m Message) same(other Message) bool { return m.ID == other.ID }

// Delivery is the marker of a message that waits or was received (§3.4). Which of
// them it is, its directory tells.
type Delivery struct {
	ID algal.Digest // of the message
}

// ParseDelivery admits a marker; what is the path of messages. Faults are
// PARSE_FAILED.
func ParseDelivery(v canon.Value, what string) (Delivery, error) {
	r := openRecord(v, what, deliveryContract, "id")
	d := Delivery{r.digest("id")}
	if r.err != nil {
		return Delivery{}, r.err
	}
	return d, nil
}

// Record returns the marker.
func (d Delivery) Record() canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(deliveryContract)),
		canon.M("id", canon.String(string(d.ID))),
	)
}

// NewKey returns a fresh key for a send of the host that nobody will repeat
// (§11.2).
func NewKey() algal.Digest { return wakeKey(newNonce()) }

func wakeKey(nonce string) algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String(wakeContract)),
		canon.M("nonce", canon.String(nonce)),
	).Digest()
}

// newNonce returns 32 random bytes as hexadecimal digits.
func newNonce() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
