package mailboxtest

import (
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

// Operation is an operation that publishes. Do may end anywhere, by an error, a
// crash or a kill; then After must hold, whatever the medium.
type Operation struct {
	Name  string
	Locks bool // Do takes the lock of its mailbox

	// Prepare brings a new store into the state before.
	Prepare func(t testing.TB, s Store)

	// Do does the operation.
	Do func(svc *mailbox.Service) error

	// After demands of a store in which Do was begun once: what was acknowledged is
	// there, what was there before still is, half-done work is blocked and explained
	// and never guessed, and what an operator may do helps. It uses the store up.
	After func(t testing.TB, s Store, acknowledged bool)
}

// opBox is the mailbox of the operations.
const opBox = "box"

var canon0 = canon.Int(0)

// Operations returns the operations that publish.
func Operations() []Operation {
	return []Operation{
		{Name: "create", Prepare: prepareNothing, Do: doCreate, After: afterCreate},
		{Name: "create again", Prepare: prepareSent, Do: doCreate, After: afterCreateAgain},
		{Name: "send", Locks: true, Prepare: prepareSent, Do: doSend, After: afterSend},
		{Name: "send that completes", Locks: true, Prepare: prepareClaimed, Do: doSend, After: afterSend},
		{Name: "receive", Locks: true, Prepare: prepareTwo, Do: doReceive, After: afterReceive},
		{Name: "revoke", Locks: true, Prepare: prepareSent, Do: doRevoke, After: afterRevoke},
	}
}

func prepareNothing(testing.TB, Store) {}

// prepareSent makes the mailbox with one waiting message.
func prepareSent(t testing.TB, s Store) {
	t.Helper()
	newBox(t, s, opBox, 8, 64).mustSend(2, canon0)
}

func prepareTwo(t testing.TB, s Store) {
	t.Helper()
	prepareSent(t, s)
	boxOf(t, s, opBox).mustSend(1, canon0)
}

// prepareClaimed leaves the claim of an interrupted send.
func prepareClaimed(t testing.TB, s Store) {
	t.Helper()
	prepareSent(t, s)
	b := boxOf(t, s, opBox)
	b.mustSend(1, canon0)
	b.remove(b.record("pending", Key(1)))
}

func doCreate(svc *mailbox.Service) error {
	_, err := svc.Create(ctx, opBox, 8, 64)
	return err
}

func do(svc *mailbox.Service, op func(c *mailbox.Config) error) error {
	c, err := svc.Find(opBox)
	if err != nil {
		return err
	}
	return op(c)
}

func doSend(svc *mailbox.Service) error {
	return do(svc, func(c *mailbox.Config) error {
		_, err := svc.Send(ctx, c.Send.String(), canon0, Key(1))
		return err
	})
}

func doReceive(svc *mailbox.Service) error {
	return do(svc, func(c *mailbox.Config) error {
		_, err := svc.Receive(ctx, c.Receive.String())
		return err
	})
}

func doRevoke(svc *mailbox.Service) error {
	return do(svc, func(c *mailbox.Config) error { return svc.Revoke(ctx, c.Send.String()) })
}

// afterCreate: without a configuration nothing was created; whatever else is there,
// the next creation succeeds without an operator.
func afterCreate(t testing.TB, s Store, acknowledged bool) {
	t.Helper()
	before, err := s.Service().Find(opBox)
	must(t, err)
	if before == nil && acknowledged {
		t.Fatal("an acknowledged mailbox is gone")
	}
	list, err := s.Service().List()
	if err != nil || len(list) > 0 != (before != nil) {
		t.Fatalf("list %v, %v", list, err)
	}
	b := newBox(t, s, opBox, 8, 64)
	if before != nil && *before != b.Config {
		t.Fatalf("created %v, was %v", b.Config, *before)
	}
	b.mustSend(1, canon0)
	b.drain([]algal.Digest{Key(1)})
}

// afterCreateAgain: the mailbox is as it was.
func afterCreateAgain(t testing.TB, s Store, acknowledged bool) {
	t.Helper()
	before := boxOf(t, s, opBox)
	if b := newBox(t, s, opBox, 8, 64); b.Config != before.Config {
		t.Fatalf("created %v, was %v", b.Config, before.Config)
	}
	before.drain([]algal.Digest{Key(2)})
}

// afterSend: the key is unused, claimed or waiting. A repeated send makes it
// waiting, once.
func afterSend(t testing.TB, s Store, acknowledged bool) {
	t.Helper()
	b := boxOf(t, s, opBox)
	b.reconcileLock()
	claimed, waits := b.has(b.record("messages", Key(1))), b.has(b.record("pending", Key(1)))
	if b.has(b.record("consumed", Key(1))) || waits && !claimed || acknowledged && !waits {
		t.Fatalf("claimed %v, waits %v, acknowledged %v", claimed, waits, acknowledged)
	}
	i := b.mustInspect()
	switch {
	case claimed && !waits:
		if i.InterruptedKeys != 1 || i.Interrupted[0] != (mailbox.Interruption{Key: string(Key(1)), State: mailbox.InterruptedSend}) {
			t.Fatalf("inspected %+v", i)
		}
		b.drain([]algal.Digest{Key(2)}) // receive does not see it
		if _, err := b.trySend(1, canon.Null()); algal.CodeOf(err) != algal.DigestMismatch {
			t.Fatalf("another value under a claimed key: %v", err)
		}
		b.mustSend(1, canon0)
		b.drain([]algal.Digest{Key(1)})
	default:
		if i.InterruptedKeys != 0 || i.Pending != map[bool]int{false: 1, true: 2}[waits] {
			t.Fatalf("inspected %+v", i)
		}
		b.mustSend(1, canon0)
		b.drain([]algal.Digest{Key(1), Key(2)})
	}
	b.mustSend(1, canon0)
	b.mustBeEmpty()
}

// afterReceive: the first message waits, is uncertain or was received.
func afterReceive(t testing.TB, s Store, acknowledged bool) {
	t.Helper()
	b := boxOf(t, s, opBox)
	b.reconcileLock()
	first, second := min(Key(1), Key(2)), max(Key(1), Key(2))
	waits, gone := b.has(b.record("pending", first)), b.has(b.record("consumed", first))
	if !waits && !gone || acknowledged && (waits || !gone) {
		t.Fatalf("waits %v, received %v, acknowledged %v", waits, gone, acknowledged)
	}
	left := []algal.Digest{second}
	i := b.mustInspect()
	switch {
	case waits && gone:
		if i.InterruptedKeys != 1 || i.Interrupted[0] != (mailbox.Interruption{Key: string(first), State: mailbox.InterruptedReceive}) {
			t.Fatalf("inspected %+v", i)
		}
		_, err := b.tryReceive()
		Refused(t, "receive", err, algal.IOFailed, uncertainText)
		_, err = b.HasPending(ctx, b.Config.Receive.String())
		Refused(t, "probe", err, algal.IOFailed, uncertainText)
		if b.Idle(b.Config.Receive.String()) {
			t.Fatal("looks idle")
		}
		b.remove(b.record("consumed", first)) // the operator knows that it was not taken over
		left = append(left, first)
	case waits:
		left = append(left, first)
	}
	if i.Pending+i.Consumed+i.InterruptedKeys != 2 {
		t.Fatalf("inspected %+v", i)
	}
	b.drain(left)
}

// afterRevoke: the right is revoked or it is not.
func afterRevoke(t testing.TB, s Store, acknowledged bool) {
	t.Helper()
	b := boxOf(t, s, opBox)
	b.reconcileLock()
	state := b.mustInspect().Send
	if state == mailbox.Active && !acknowledged {
		b.mustSend(1, canon0)
		must(t, b.Revoke(ctx, b.Config.Send.String()))
	} else if state != mailbox.Revoked {
		t.Fatalf("the right is %s, acknowledged %v", state, acknowledged)
	}
	_, err := b.trySend(3, canon0)
	Refused(t, "send", err, algal.CapabilityDenied, "capability is not active")
	if m, err := b.tryReceive(); err != nil {
		t.Fatalf("received %v, %v", m, err)
	}
}

// reconcileLock does what an operator does with the lock of an operation that is
// known to have ended. Until then it blocks the mailbox.
func (b box) reconcileLock() {
	b.t.Helper()
	locked, err := b.Engine.Locked(b.lock())
	must(b.t, err)
	if !locked {
		return
	}
	if !b.mustInspect().Locked {
		b.t.Fatal("the inspection shows no lock")
	}
	b.mustBeLocked()
	must(b.t, b.Engine.Unlock(b.lock()))
}

// mustBeLocked demands that the lock stops every operation that a handle still
// allows.
func (b box) mustBeLocked() {
	b.t.Helper()
	_, received := b.tryReceive()
	_, probed := b.HasPending(ctx, b.Config.Receive.String())
	refusals := map[string]error{"receive": received, "probe": probed, "revoke": b.Revoke(ctx, b.Config.Receive.String())}
	if b.mustInspect().Send == mailbox.Active {
		_, refusals["send"] = b.trySend(9, canon0)
	}
	for what, err := range refusals {
		e := Refused(b.t, what, err, algal.IOFailed, `mailbox "`+b.Name+`" is locked; reconcile the owning operation before retrying`)
		if e.Uncertain {
			b.t.Errorf("%s: flagged uncertain: %v", what, e)
		}
	}
	if locked, err := b.Engine.Locked(b.lock()); !locked || err != nil {
		b.t.Fatalf("the lock is gone: %v", err)
	}
}
