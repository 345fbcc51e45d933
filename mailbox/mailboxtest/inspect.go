package mailboxtest

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

func inspect(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	_, err := s.Service().Inspect("inbox")
	Refused(t, "inspect", err, algal.StoreMiss, `mailbox "inbox" is not in the store`)
	b := newBox(t, s, "inbox", 4, 64)
	b.mustSend(1, canon.Null())
	b.mustSend(2, canon.Null())
	m, err := b.tryReceive()
	must(t, err)
	id := b.plantClaim(mailbox.Message{Mailbox: "inbox", Key: Key(3), Value: canon.Null()})
	if taken, err := s.Engine.Lock(b.lock()); !taken || err != nil {
		t.Fatal(taken, err)
	}
	want := mailbox.Inspection{
		Config: b.Config, Send: mailbox.Active, Receive: mailbox.Active, Pending: 1, Consumed: 1, InterruptedKeys: 1, Locked: true,
		Interrupted: []mailbox.Interruption{{Key: string(Key(3)), State: mailbox.InterruptedSend}},
	}
	got := b.mustInspect().Record().String()
	if got != want.Record().String() {
		t.Errorf("inspected\n%s\nwant\n%s", got, want.Record())
	}
	_, err = b.trySend(3, canon.Null())
	Refused(t, "send", err, algal.IOFailed, `mailbox "inbox" is locked; reconcile the owning operation before retrying`)
	if b.Idle(b.Config.Receive.String()) {
		t.Error("a mailbox with a message looks idle")
	}
	must(t, s.Engine.Unlock(b.lock()))
	if sent := b.mustSend(3, canon.Null()); sent != id {
		t.Errorf("the send was completed as %s, want %s", sent, id)
	}
	if i := b.mustInspect(); i.Pending != 2 || i.InterruptedKeys != 0 || i.Locked {
		t.Errorf("inspected %+v", i)
	}
	left := []algal.Digest{Key(3), Key(1)}
	if m.Key == Key(1) {
		left[1] = Key(2)
	}
	b.drain(left)
}
