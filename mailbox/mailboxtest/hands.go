package mailboxtest

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

// handAt returns the service of a box whose engine lets a hand, one that heeds no
// lock, do something before a call: the nth of its kind.
func (b box) handAt(call string, nth int, hand func()) *mailbox.Service {
	seen := 0
	tap := func(c string, do func() error) error {
		if c == call {
			if seen++; seen == nth {
				hand()
			}
		}
		return do()
	}
	return mailbox.New(tapped{b.Engine, tap}, b.Admit)
}

// hands change records between two looks of an operation at them, which notices
// before it publishes anything.
func hands(t *testing.T, open func(*testing.T) Store) {
	create := func(svc *mailbox.Service) error { return doCreate(svc) }
	for _, c := range []struct {
		name    string
		prepare func(testing.TB, Store)
		call    string
		nth     int
		hand    func(b box)
		do      func(*mailbox.Service) error
		code    algal.Code
		message string
	}{
		{
			"configuration changes", prepareSent, "retain", 3,
			func(b box) {
				c := b.Config
				c.MaxMessages++
				b.plant("mailboxes/box/config.json", c.Record())
			},
			create, algal.DigestMismatch, "mailbox configuration changed during publication",
		},
		{
			"configuration goes", prepareSent, "retain", 3, func(b box) { b.remove("mailboxes/box/config.json") },
			create, algal.IOFailed, "retained mailbox configuration disappeared",
		},
		{
			"delivery goes", prepareTwo, "retain", 2, func(b box) { b.remove(b.record("pending", Key(1))) },
			doSend, algal.IOFailed, "mailbox delivery disappeared",
		},
		{
			"delivery changes", prepareTwo, "retain", 2, func(b box) { b.plant(b.record("pending", Key(1)), mailbox.Delivery{ID: Key(9)}.Record()) },
			doSend, algal.DigestMismatch, "mailbox delivery claims another message",
		},
		{
			"claim goes", prepareTwo, "retain", 1, func(b box) { b.remove(b.record("messages", min(Key(1), Key(2)))) },
			doReceive, algal.IOFailed, "mailbox message disappeared",
		},
		{
			"claim changes", prepareTwo, "retain", 1,
			func(b box) {
				other, _, err := readRecord(b, b.record("messages", max(Key(1), Key(2))))
				must(t, err)
				b.plant(b.record("messages", min(Key(1), Key(2))), other)
			},
			doReceive, algal.DigestMismatch, "mailbox message changed during consumption",
		},
		{
			"receive elsewhere", prepareTwo, "read", 9, // after both resolutions, the ambiguity check, marker and claim
			func(b box) {
				first := min(Key(1), Key(2))
				marker, _, err := readRecord(b, b.record("pending", first))
				must(t, err)
				b.plant(b.record("consumed", first), marker)
			},
			doReceive, algal.IOFailed, uncertainText,
		},
		{
			"right goes", prepareTwo, "lock", 1,
			func(b box) { must(t, b.Revoke(ctx, b.Config.Send.String())) },
			doSend, algal.CapabilityDenied, "capability is not active",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			c.prepare(t, s)
			b := boxOf(t, s, opBox)
			err := c.do(b.handAt(c.call, c.nth, func() { c.hand(b) }))
			certain(t, Refused(t, c.name, err, c.code, c.message))
			if locked, err := s.Engine.Locked(b.lock()); locked || err != nil {
				t.Errorf("locked %v, %v", locked, err)
			}
		})
	}
	busy(t, open(t))
	vanishingPlaces(t, open(t))
	settled(t, open(t))
}

// busy: markers that vanish between the list and the look at them are given up
// after sixteen rounds.
func busy(t *testing.T, s Store) {
	prepareTwo(t, s)
	b := boxOf(t, s, opBox)
	scans, reads := 0, 0
	tap := func(call string, do func() error) error {
		switch call {
		case "scan":
			scans++
		case "read":
			if reads++; reads > 4 && scans > 0 { // capability and configuration, twice
				return nil // not found
			}
		}
		return do()
	}
	_, err := mailbox.New(tapped{s.Engine, tap}, s.Admit).Receive(ctx, b.Config.Receive.String())
	e := Refused(t, "receive", err, algal.EffectSuspended, `mailbox "box" is busy`)
	if !slices.Equal(e.Wake, []string{b.Config.Receive.String()}) || e.Uncertain || scans != 16 {
		t.Errorf("suspended with %+v after %d rounds", e, scans)
	}
	b.drain([]algal.Digest{Key(1), Key(2)})
}

// vanishingPlaces: directories that are gone, or are links, when an operation has
// come to them.
func vanishingPlaces(t *testing.T, s Store) {
	prepareTwo(t, s)
	for nth := 1; nth <= 4; nth++ {
		seen := 0
		tap := func(call string, do func() error) error {
			if call == "directory" {
				if seen++; seen == nth {
					return nil // no directory
				}
			}
			return do()
		}
		err := doSend(mailbox.New(tapped{s.Engine, tap}, s.Admit))
		certain(t, Refused(t, "send", err, algal.IOFailed, "admitted mailbox directory is missing or invalid"))
	}
	ensured := 0
	tap := func(call string, do func() error) error {
		if call == "ensure" {
			ensured++
		}
		if call == "guard" && ensured > 0 {
			return &durable.Fault{Kind: durable.Symlink, Op: durable.OpStat}
		}
		return do()
	}
	_, err := mailbox.New(tapped{s.Engine, tap}, s.Admit).Create(ctx, "other", 8, 64)
	Refused(t, "create", err, algal.IOFailed, "mailbox symlinks are not admitted")
	if n := entries(t, s, "capabilities"); n != 2 || ensured != 4 {
		t.Errorf("%d capability records after %d directories", n, ensured)
	}
}

// settled: what looks interrupted at the first look and has arrived, or gone, by
// the second one is not taken for it.
func settled(t *testing.T, s Store) {
	prepareClaimed(t, s)
	b := boxOf(t, s, opBox)
	stray := b.record("pending", Key(5))
	b.plant(stray, mailbox.Delivery{ID: Key(5)}.Record())
	i, err := b.handAt("locked", 1, func() { b.remove(stray); b.mustSend(1, canon0) }).Inspect(opBox)
	if err != nil || i.Pending != 2 || i.InterruptedKeys != 0 || len(i.Interrupted) != 0 {
		t.Errorf("inspected %+v, %v", i, err)
	}
}

// looks that fail say so; only [mailbox.Service.Idle] says nothing at all.
func looks(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	newBox(t, s, opBox, 8, 64)
	b := boxOf(t, s, opBox)
	n := 0
	for name, look := range map[string]func(*mailbox.Service) error{
		"list":    func(svc *mailbox.Service) error { _, err := svc.List(); return err },
		"find":    func(svc *mailbox.Service) error { _, err := svc.Find(opBox); return err },
		"inspect": func(svc *mailbox.Service) error { _, err := svc.Inspect(opBox); return err },
		"probe":   func(svc *mailbox.Service) error { _, err := svc.HasPending(ctx, b.Config.Receive.String()); return err },
		"idle": func(svc *mailbox.Service) error {
			if svc.Idle(b.Config.Receive.String()) {
				return nil
			}
			return &durable.Fault{Kind: durable.System, Op: "x", Err: syscall.EIO}
		},
	} {
		for at := 0; ; at++ {
			f := &fault{at: at, err: syscall.EIO}
			err := look(mailbox.New(tapped{s.Engine, f.tap}, s.Admit))
			if f.failed == "" {
				must(t, err)
				break
			}
			var errno syscall.Errno
			if algal.CodeOf(err) != algal.IOFailed || !errors.As(err, &errno) || errno != syscall.EIO {
				t.Errorf("%s: fault at call %d, %s: %v", name, at, f.failed, err)
			}
			if locked, _ := s.Engine.Locked(b.lock()); locked {
				must(t, s.Engine.Unlock(b.lock())) // the fault was in its removal
			}
			n++
		}
	}
	if n < 30 {
		t.Errorf("only %d faults", n)
	}
	damagedMedium(t, s, b)
	b.mustSend(1, canon0)
	tap := func(call string, do func() error) error {
		if call == "unlock" {
			return errors.Join(do(), algal.Errorf(algal.IOFailed, "failing unlock"))
		}
		return do()
	}
	ready, err := mailbox.New(tapped{s.Engine, tap}, s.Admit).HasPending(ctx, b.Config.Receive.String())
	if e := Refused(t, "probe", err, algal.IOFailed, "failing unlock"); ready || e.Uncertain {
		t.Errorf("ready %v with %+v", ready, e)
	}
}

// damagedMedium: what an engine refuses by kind has the wire text of the kind.
func damagedMedium(t *testing.T, s Store, b box) {
	for kind, want := range map[durable.Kind]*algal.Error{
		durable.Symlink:   {Code: algal.IOFailed, Message: "mailbox symlinks are not admitted"},
		durable.Irregular: {Code: algal.BudgetExhausted, Message: "mailbox artifact file type or bytes"},
		durable.TooLarge:  {Code: algal.BudgetExhausted, Message: "mailbox artifact file type or bytes"},
		durable.Grown:     {Code: algal.BudgetExhausted, Message: "mailbox artifact bytes"},
	} {
		tap := func(call string, do func() error) error {
			if call == "read" || call == "retain" {
				return &durable.Fault{Kind: kind, Op: durable.OpRead}
			}
			return do()
		}
		svc := mailbox.New(tapped{s.Engine, tap}, s.Admit)
		_, err := svc.Find(opBox)
		if e := Refused(t, "find", err, want.Code, want.Message); e.Message != want.Message {
			t.Errorf("find: %s, want %s", e.Message, want.Message)
		}
		_, err = svc.Send(ctx, b.Config.Send.String(), canon.Null(), Key(1))
		Refused(t, "send", err, want.Code, want.Message)
	}
}
