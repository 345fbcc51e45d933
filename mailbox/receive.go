package mailbox

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// maxRounds bounds the lists that one receive takes (§1).
const maxRounds = 16

// Receive takes the waiting message with the lowest key out of the mailbox of a
// receive handle (§9). No other receive will get it; there is no way to put it
// back.
//
// An empty mailbox is EFFECT_SUSPENDED with the handle to wait on. A claim or
// marker that does not fit is DIGEST_MISMATCH or PARSE_FAILED, a message beyond
// the bound BUDGET_EXHAUSTED, an interrupted receive of any message IO_FAILED: each
// of them stays where it is and blocks the mailbox. The other errors are those of
// [Service.Send].
func (s *Service) Receive(ctx context.Context, handle string) (Message, error) {
	h, err := parseHandle(handle, ReceiveClass)
	if err != nil {
		return Message{}, err
	}
	var m Message
	err = s.operate(ctx, h, func(o *operation) (err error) {
		m, err = o.receive()
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

func (o *operation) receive() (Message, error) {
	if _, err := o.confirm(); err != nil {
		return Message{}, err
	}
	for range maxRounds {
		files, err := o.unambiguous(o.config)
		if err != nil {
			return Message{}, err
		}
		if len(files) == 0 {
			return Message{}, o.suspended("empty")
		}
		for _, file := range files {
			m, found, err := o.take(file)
			if found || err != nil {
				return m, err
			}
		}
	}
	return Message{}, o.suspended("busy")
}

func (o *operation) suspended(why string) error {
	return &algal.Error{
		Code:    algal.EffectSuspended,
		Message: fmt.Sprintf(`mailbox "%s" is %s`, o.config.Name, why),
		Wake:    []string{o.handle.String()},
	}
}

// take receives one delivery. found is false when its marker is gone.
func (o *operation) take(file string) (m Message, found bool, err error) {
	d, found, err := o.delivery(o.place, pending, file)
	if err != nil || !found {
		return Message{}, false, err
	}
	if m, err = o.message(o.place, file); err != nil {
		return Message{}, false, err
	}
	if d.ID != m.ID || m.file() != file || m.Mailbox != o.config.Name {
		return Message{}, false, algal.Errorf(algal.DigestMismatch, "mailbox delivery %s is corrupt", file)
	}
	if err := o.checkSize(m.Value); err != nil {
		return Message{}, false, err
	}
	if _, err := o.marker(o.place, file, m.ID); err != nil {
		return Message{}, false, err
	}
	if err := o.retainMessage(m); err != nil {
		return Message{}, false, err
	}
	o.publishing = true
	if err := o.writeNew(o.place.record(consumed, file), d.Record()); err != nil {
		return Message{}, false, err
	}
	if err := o.engine.Remove(o.place.record(pending, file)); err != nil {
		return Message{}, false, err
	}
	return m, true, nil
}

func (o *operation) retainMessage(m Message) error {
	found, err := o.retain(o.place.record(messages, m.file()), func(v canon.Value) error {
		have, err := ParseMessage(v, "retained mailbox message "+m.file())
		if err == nil && !have.same(m) {
			err = algal.Errorf(algal.DigestMismatch, "mailbox message changed during consumption")
		}
		return err
	})
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "mailbox message disappeared")
	}
	return err
}
