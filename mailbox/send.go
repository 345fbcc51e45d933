package mailbox

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Send puts a message into the mailbox of a send handle and returns its id (§7).
// The key names the send: repeating it with the same value gives the same id and
// delivers nothing, even when the message has been received. A host that will not
// repeat a send takes a [NewKey].
//
// The message is durable when Send returns without an error. A full mailbox is
// MAILBOX_FULL, a value beyond its bound BUDGET_EXHAUSTED, another value under a
// used key DIGEST_MISMATCH, a handle that is unknown, revoked or of another class
// CAPABILITY_DENIED or TYPE_MISMATCH, a mailbox that is locked or holds an
// interrupted delivery of the key IO_FAILED. A cancelled ctx is BUDGET_EXHAUSTED
// and counts before the send begins, not later.
func (s *Service) Send(ctx context.Context, handle string, value canon.Value, key algal.Digest) (algal.Digest, error) {
	h, err := parseHandle(handle, SendClass)
	if err != nil {
		return "", err
	}
	var id algal.Digest
	err = s.operate(ctx, h, func(o *operation) (err error) {
		id, err = o.send(value, key)
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

func (o *operation) send(value canon.Value, key algal.Digest) (algal.Digest, error) {
	if _, err := algal.ParseDigest(string(key), "mailbox idempotency key"); err != nil {
		return "", err
	}
	if !value.Exists() {
		return "", algal.Errorf(algal.ParseFailed, "mailbox message is not a JSON value")
	}
	if _, err := o.confirm(); err != nil {
		return "", err
	}
	if err := o.checkSize(value); err != nil {
		return "", err
	}
	m := newMessage(o.config.Name, key, value)
	if m.envelope().Depth() > canon.MaxDepth { // canonical.md §2.6
		return "", algal.Errorf(algal.BudgetExhausted, "JSON depth exceeds %d", canon.MaxDepth)
	}
	for _, space := range []string{messages, pending, consumed} {
		if err := o.engine.Guard(o.place.record(space, m.file())); err != nil {
			return "", worded(err)
		}
	}
	if err := o.claim(m); err != nil {
		return "", err
	}
	return m.ID, o.deliver(m)
}

// checkSize applies the bound of the mailbox to a payload.
func (o *operation) checkSize(value canon.Value) error {
	if bound := o.config.MaxMessageBytes; value.Size() > bound {
		return algal.Errorf(algal.BudgetExhausted, "mailbox message %dB exceeds %dB", value.Size(), bound)
	}
	return nil
}

// claim makes sure that the key's claim is this message (§7 steps 5 and 6).
func (o *operation) claim(m Message) error {
	name := o.place.record(messages, m.file())
	claimed, err := o.retain(name, func(v canon.Value) error {
		have, err := ParseMessage(v, "mailbox message "+string(m.Key))
		if err == nil && !have.same(m) {
			err = algal.Errorf(algal.DigestMismatch, "idempotency key already claims a different mailbox message")
		}
		return err
	})
	if claimed || err != nil {
		return err
	}
	for _, space := range []string{pending, consumed} {
		v, err := o.read(o.place.record(space, m.file()))
		if err != nil {
			return err
		}
		if v.Exists() {
			return algal.Errorf(algal.DigestMismatch, "mailbox delivery has no message claim")
		}
	}
	if err := o.checkRoom(); err != nil {
		return err
	}
	o.publishing = true
	return o.writeNew(name, m.Record())
}

// deliver makes a claimed message receivable, unless it was made so before (§7
// steps 7 to 9).
func (o *operation) deliver(m Message) error {
	space, err := o.marker(o.place, m.file(), m.ID)
	if err != nil {
		return err
	}
	if space != "" {
		return o.retainDelivery(o.place.record(space, m.file()), m)
	}
	if err := o.checkRoom(); err != nil {
		return err
	}
	o.publishing = true
	return o.writeNew(o.place.record(pending, m.file()), Delivery{m.ID}.Record())
}

func (o *operation) retainDelivery(name string, m Message) error {
	found, err := o.retain(name, func(v canon.Value) error {
		d, err := ParseDelivery(v, "mailbox delivery "+string(m.Key))
		if err == nil && d.ID != m.ID {
			err = anotherMessage()
		}
		return err
	})
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "mailbox delivery disappeared")
	}
	return err
}

// checkRoom refuses a message more than may wait.
func (o *operation) checkRoom() error {
	files, err := o.pendingFiles(o.config)
	if err != nil {
		return err
	}
	if len(files) >= o.config.MaxMessages {
		return algal.Errorf(algal.MailboxFull, `mailbox "%s" is full`, o.config.Name)
	}
	return nil
}
