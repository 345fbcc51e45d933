// Package mailboxtest holds the tests that every [mailbox.Engine] passes, whatever
// keeps its records (mailbox.md). [Suite] runs them all. [Operations] are the
// operations that publish, with what must hold after one of them was interrupted
// anywhere; tests that kill processes use them too.
//
// What only some engines do, such as links and damaged text, is tested beside them.
package mailboxtest

import (
	"context"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

// Store is an engine with the admission that goes with it.
type Store struct {
	Engine mailbox.Engine
	Admit  mailbox.Admission
}

// Service returns the mailboxes of the store.
func (s Store) Service() *mailbox.Service { return mailbox.New(s.Engine, s.Admit) }

// Suite runs the tests. open returns a new empty store.
func Suite(t *testing.T, open func(t *testing.T) Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func(t *testing.T) Store)
	}{
		{"records", records},
		{"directories", directories},
		{"locks", locks},
		{"admission", admission},
		{"create", create},
		{"many mailboxes", manyMailboxes},
		{"send", send},
		{"receive", receive},
		{"revoke", revoke},
		{"uncertain", uncertain},
		{"damage", damage},
		{"inspect", inspect},
		{"faults", faults},
		{"nested", nested},
		{"concurrent", concurrent},
		{"creators", creators},
		{"hands", hands},
		{"looks", looks},
		{"model", model},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// box is a mailbox of a store under test.
type box struct {
	t testing.TB
	Store
	*mailbox.Service
	mailbox.Config
}

// newBox makes a mailbox.
func newBox(t testing.TB, s Store, name string, maxMessages, maxMessageBytes int) box {
	t.Helper()
	svc := s.Service()
	c, err := svc.Create(ctx, name, maxMessages, maxMessageBytes)
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	return box{t, s, svc, c}
}

// boxOf returns a mailbox that is there.
func boxOf(t testing.TB, s Store, name string) box {
	t.Helper()
	svc := s.Service()
	c, err := svc.Find(name)
	if err != nil || c == nil {
		t.Fatalf("find %s: %v, %v", name, c, err)
	}
	return box{t, s, svc, *c}
}

var ctx = context.Background()

// Key returns the idempotency key of the golden data for a number.
func Key(n int) algal.Digest { return canon.Object(canon.M("n", canon.Int(n))).Digest() }

func (b box) trySend(n int, value canon.Value) (algal.Digest, error) {
	return b.Service.Send(ctx, b.Config.Send.String(), value, Key(n))
}

func (b box) mustSend(n int, value canon.Value) algal.Digest {
	b.t.Helper()
	id, err := b.trySend(n, value)
	if err != nil {
		b.t.Fatalf("send %d: %v", n, err)
	}
	return id
}

func (b box) tryReceive() (mailbox.Message, error) {
	return b.Service.Receive(ctx, b.Config.Receive.String())
}

// mustReceive receives the message of a key.
func (b box) mustReceive(key algal.Digest) mailbox.Message {
	b.t.Helper()
	m, err := b.tryReceive()
	if err != nil || m.Key != key {
		b.t.Fatalf("received %s, %v, want the message of %s", m.Key, err, key)
	}
	return m
}

func (b box) mustBeEmpty() {
	b.t.Helper()
	m, err := b.tryReceive()
	if algal.CodeOf(err) != algal.EffectSuspended {
		b.t.Fatalf("received %s, %v from what should be empty", m.Key, err)
	}
	if ready, err := b.HasPending(ctx, b.Config.Receive.String()); ready || err != nil {
		b.t.Fatalf("an empty mailbox is ready: %v, %v", ready, err)
	}
	if !b.Idle(b.Config.Receive.String()) {
		b.t.Fatal("an empty mailbox is not idle")
	}
}

func (b box) mustInspect() mailbox.Inspection {
	b.t.Helper()
	i, err := b.Inspect(b.Name)
	if err != nil {
		b.t.Fatalf("inspect: %v", err)
	}
	return i
}

// record names a record of the mailbox, as mailbox.md §4 lays them out.
func (b box) record(space string, key algal.Digest) string {
	return "mailboxes/" + b.Name + "/" + space + "/" + key.Hex() + ".json"
}

func (b box) lock() string { return "mailboxes/" + b.Name + "/.lock" }

// plant puts a record in place as no service would.
func (b box) plant(name string, record canon.Value) {
	b.t.Helper()
	if err := b.Engine.Replace(name, record.String()); err != nil {
		b.t.Fatal(err)
	}
}

func (b box) remove(name string) {
	b.t.Helper()
	if err := b.Engine.Remove(name); err != nil {
		b.t.Fatal(err)
	}
}

func (b box) has(name string) bool {
	b.t.Helper()
	_, found, err := b.Engine.Read(name)
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// Refused demands an error of a code whose message contains part. It returns the
// error.
func Refused(t testing.TB, what string, err error, code algal.Code, part string) *algal.Error {
	t.Helper()
	e := algal.AsError(err)
	if e == nil {
		t.Errorf("%s was not refused, want %s %s", what, code, part)
		return &algal.Error{}
	}
	if e.Code != code || !strings.Contains(e.Message, part) {
		t.Errorf("%s: %s %s, want %s %s", what, e.Code, e.Message, code, part)
	}
	return e
}
