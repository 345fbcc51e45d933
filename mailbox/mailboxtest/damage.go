package mailboxtest

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

func countInto(n *int) func(string, fs.FileMode) error {
	return func(string, fs.FileMode) error { *n++; return nil }
}

const uncertainText = "mailbox delivery is uncertain; pending and consumed evidence require reconciliation"

// uncertain: a message with both markers blocks what mailbox.md §4 says, and an
// operator has two ways out.
func uncertain(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	for _, redeliver := range []bool{false, true} {
		b := newBox(t, s, map[bool]string{false: "taken", true: "again"}[redeliver], 8, 64)
		id := b.mustSend(1, canon.Null())
		other := b.mustSend(2, canon.Null())
		b.plant(b.record("consumed", Key(1)), mailbox.Delivery{ID: id}.Record())
		for range 2 {
			_, err := b.trySend(1, canon.Null())
			certain(t, Refused(t, "send", err, algal.IOFailed, uncertainText))
			_, err = b.tryReceive()
			certain(t, Refused(t, "receive", err, algal.IOFailed, uncertainText))
			_, err = b.HasPending(ctx, b.Config.Receive.String())
			Refused(t, "probe", err, algal.IOFailed, uncertainText)
			if b.Idle(b.Config.Receive.String()) {
				t.Error("looks idle")
			}
			if !b.has(b.record("consumed", Key(1))) || !b.has(b.record("pending", Key(1))) {
				t.Fatal("a marker is gone")
			}
		}
		b.mustSend(3, canon.Null()) // other sends go on
		want := []mailbox.Interruption{{Key: string(Key(1)), State: mailbox.InterruptedReceive}}
		if i := b.mustInspect(); i.InterruptedKeys != 1 || i.Interrupted[0] != want[0] || i.Pending != 2 || i.Consumed != 0 || i.Locked {
			t.Errorf("inspected %+v", i)
		}
		// Another id in the marker is no uncertainty but a contradiction.
		b.plant(b.record("consumed", Key(1)), mailbox.Delivery{ID: other}.Record())
		_, err := b.tryReceive()
		Refused(t, "receive", err, algal.DigestMismatch, "mailbox delivery claims another message")
		_, err = b.HasPending(ctx, b.Config.Receive.String())
		Refused(t, "probe", err, algal.DigestMismatch, "mailbox delivery claims another message")
		_, err = b.trySend(1, canon.Null())
		Refused(t, "send", err, algal.DigestMismatch, "mailbox delivery claims another message")
		if i := b.mustInspect(); i.InterruptedKeys != 1 || i.Interrupted[0].State != mailbox.Corrupt {
			t.Errorf("inspected %+v", i)
		}
		b.plant(b.record("consumed", Key(1)), mailbox.Delivery{ID: id}.Record())
		if redeliver {
			b.remove(b.record("consumed", Key(1)))
		} else {
			b.remove(b.record("pending", Key(1)))
		}
		left := []algal.Digest{Key(2), Key(3)}
		if redeliver {
			left = append(left, Key(1))
		}
		b.drain(left)
	}
}

// drain receives exactly the messages of the keys.
func (b box) drain(keys []algal.Digest) {
	b.t.Helper()
	left := map[algal.Digest]bool{}
	for _, key := range keys {
		left[key] = true
	}
	for range keys {
		m, err := b.tryReceive()
		if err != nil || !left[m.Key] {
			b.t.Fatalf("received %s, %v, want one of %v", m.Key, err, left)
		}
		delete(left, m.Key)
	}
	b.mustBeEmpty()
}

// damage: records that do not fit are refused and stay.
func damage(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	claims := func(b box, n int) canon.Value {
		v, _, err := readRecord(b, b.record("messages", Key(n)))
		must(t, err)
		return v
	}
	for i, c := range []struct {
		name    string
		plant   func(b box)
		send    algal.Code // of a repeated send
		sent    string
		receive algal.Code
		text    string
		state   mailbox.State
	}{
		{
			"marker without a claim",
			func(b box) { b.remove(b.record("messages", Key(1))) },
			algal.DigestMismatch, "mailbox delivery has no message claim",
			algal.ParseFailed, "mailbox message " + Key(1).Hex() + ".json must be an object", mailbox.Corrupt,
		},
		{
			"claim of another key",
			func(b box) { b.plant(b.record("messages", Key(1)), claims(b, 2)) },
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.DigestMismatch, "mailbox delivery " + Key(1).Hex() + ".json is corrupt", mailbox.Corrupt,
		},
		{
			"claim and marker of another key",
			func(b box) {
				other := claims(b, 2)
				b.plant(b.record("messages", Key(1)), other)
				b.plant(b.record("pending", Key(1)), mailbox.Delivery{ID: algal.Digest(other.Get("id").Text())}.Record())
			},
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.DigestMismatch, "mailbox delivery " + Key(1).Hex() + ".json is corrupt", mailbox.Corrupt,
		},
		{
			"claim and markers of another key",
			func(b box) {
				other := claims(b, 2)
				b.plant(b.record("messages", Key(1)), other)
				for _, space := range []string{"pending", "consumed"} {
					b.plant(b.record(space, Key(1)), mailbox.Delivery{ID: algal.Digest(other.Get("id").Text())}.Record())
				}
			},
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.DigestMismatch, "mailbox delivery has a foreign message claim", mailbox.Corrupt,
		},
		{
			"claim and marker of another mailbox",
			func(b box) { b.plantForeign("pending") },
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.DigestMismatch, "mailbox delivery " + Key(1).Hex() + ".json is corrupt", mailbox.Corrupt,
		},
		{
			"claim and markers of another mailbox",
			func(b box) { b.plantForeign("pending", "consumed") },
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.DigestMismatch, "mailbox delivery has a foreign message claim", mailbox.Corrupt,
		},
		{
			"claim that is not its id's",
			func(b box) {
				b.plant(b.record("messages", Key(1)), claims(b, 1).With(canon.M("value", canon.Int(7))))
			},
			algal.DigestMismatch, "mailbox message " + string(Key(1)) + ".id does not match its message",
			algal.DigestMismatch, "mailbox message " + Key(1).Hex() + ".json.id does not match its message", mailbox.Corrupt,
		},
		{
			"marker of another message",
			func(b box) { b.plant(b.record("pending", Key(1)), mailbox.Delivery{ID: Key(3)}.Record()) },
			algal.DigestMismatch, "mailbox delivery claims another message",
			algal.DigestMismatch, "mailbox delivery " + Key(1).Hex() + ".json is corrupt", mailbox.Corrupt,
		},
		{
			"marker of another contract",
			func(b box) { b.plant(b.record("pending", Key(1)), canon.Object()) },
			algal.ParseFailed, "mailbox delivery " + Key(1).Hex() + ".json.contract must be algal.mailbox-delivery.v1",
			algal.ParseFailed, "mailbox delivery " + Key(1).Hex() + ".json.contract must be algal.mailbox-delivery.v1", mailbox.Corrupt,
		},
		{
			"pending record of no key",
			func(b box) {
				b.remove(b.record("pending", Key(1)))
				b.plant("mailboxes/"+b.Name+"/pending/0.json", mailbox.Delivery{ID: Key(3)}.Record())
			},
			"", "", algal.ParseFailed, "mailbox message 0.json must be an object", mailbox.Corrupt,
		},
		{
			"claim beyond the bound",
			func(b box) {
				id := b.plantClaim(mailbox.Message{Mailbox: b.Name, Key: Key(1), Value: canon.String("three")})
				b.plant(b.record("pending", Key(1)), mailbox.Delivery{ID: id}.Record())
			},
			algal.DigestMismatch, "idempotency key already claims a different mailbox message",
			algal.BudgetExhausted, "mailbox message 7B exceeds 5B", "waiting",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t, s, fmt.Sprint("box-", i), 4, 5)
			b.mustSend(1, canon.String("one"))
			b.mustSend(2, canon.String("two"))
			c.plant(b)
			if Key(1) > Key(2) {
				b.remove(b.record("pending", Key(2))) // the damage is met first
			}
			for range 2 {
				if c.send != "" {
					_, err := b.trySend(1, canon.String("one"))
					certain(t, Refused(t, "send", err, c.send, c.sent))
				}
				_, err := b.tryReceive()
				certain(t, Refused(t, "receive", err, c.receive, c.text))
				if b.Idle(b.Config.Receive.String()) {
					t.Error("looks idle")
				}
			}
			i := b.mustInspect()
			if c.state == mailbox.Corrupt && (len(i.Interrupted) == 0 || i.Interrupted[0].State != c.state) {
				t.Errorf("inspected %+v", i)
			}
		})
	}
	authority(t, s)
}

// plantClaim puts the claim of a message in place and returns its id.
func (b box) plantClaim(m mailbox.Message) algal.Digest {
	b.t.Helper()
	record := m.Record()
	m.ID = record.Without("id").Digest()
	b.plant(b.record("messages", m.Key), m.Record())
	return m.ID
}

// plantForeign puts the message that key 1 would have in another mailbox in place.
func (b box) plantForeign(markers ...string) {
	b.t.Helper()
	id := b.plantClaim(mailbox.Message{Mailbox: "elsewhere", Key: Key(1), Value: canon.String("one")})
	for _, space := range markers {
		b.plant(b.record(space, Key(1)), mailbox.Delivery{ID: id}.Record())
	}
}

func readRecord(b box, name string) (canon.Value, bool, error) {
	text, found, err := b.Engine.Read(name)
	if err != nil || !found {
		return canon.Value{}, found, err
	}
	v, err := canon.Parse(text, canon.Limits{})
	return v, true, err
}

// authority: capability records that do not fit their handle or mailbox.
func authority(t *testing.T, s Store) {
	b, other := newBox(t, s, "authority", 4, 5), newBox(t, s, "other", 4, 5)
	name := "capabilities/" + b.Config.Send.Digest.Hex() + ".json"
	record, _, err := readRecord(b, name)
	must(t, err)
	edited := record.With(canon.M("mailbox", canon.String("other")))
	b.plant(name, edited)
	_, err = b.trySend(1, canon.Null())
	Refused(t, "edited record", err, algal.DigestMismatch, "capability record.handle does not match its admission")
	foreign, _, err := readRecord(b, "capabilities/"+other.Config.Send.Digest.Hex()+".json")
	must(t, err)
	b.plant(name, foreign)
	_, err = b.trySend(1, canon.Null())
	Refused(t, "record of another handle", err, algal.CapabilityDenied, "capability is not active")
	_, err = s.Service().Create(ctx, "authority", 4, 5)
	Refused(t, "create", err, algal.DigestMismatch, "mailbox authority does not match its configuration")
	b.remove(name)
	_, err = b.trySend(1, canon.Null())
	Refused(t, "no record", err, algal.CapabilityDenied, "capability is not admitted")
	_, err = s.Service().Create(ctx, "authority", 4, 5)
	Refused(t, "create", err, algal.DigestMismatch, "mailbox configuration has no authority record")
	if i := b.mustInspect(); i.Send != mailbox.Missing {
		t.Errorf("inspected %+v", i)
	}
	b.plant(name, record)
	b.mustSend(1, canon.Null())
	config := "mailboxes/authority/config.json"
	b.plant(config, other.Config.Record())
	_, err = b.trySend(1, canon.Null())
	Refused(t, "configuration of another mailbox", err, algal.DigestMismatch, "mailbox config is in the wrong directory")
	moved := other.Config
	moved.Name = "authority"
	b.plant(config, moved.Record())
	_, err = b.trySend(1, canon.Null())
	Refused(t, "configuration with other handles", err, algal.CapabilityDenied, "capability admission does not match its mailbox")
	b.remove(config)
	_, err = b.trySend(1, canon.Null())
	Refused(t, "no configuration", err, algal.CapabilityDenied, "capability admission does not match its mailbox")
}
