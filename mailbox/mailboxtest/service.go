package mailboxtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
)

func create(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	svc := s.Service()
	if list, err := svc.List(); len(list) > 0 || err != nil {
		t.Fatalf("an empty store lists %v, %v", list, err)
	}
	if c, err := svc.Find("inbox"); c != nil || err != nil {
		t.Fatalf("found %v, %v", c, err)
	}
	b := newBox(t, s, "inbox", 2, 64)
	for range 2 {
		if again := newBox(t, s, "inbox", 2, 64); again.Config != b.Config {
			t.Errorf("created again: %v, want %v", again.Config, b.Config)
		}
	}
	for _, bounds := range [][2]int{{3, 64}, {2, 65}} {
		_, err := svc.Create(ctx, "inbox", bounds[0], bounds[1])
		Refused(t, "other bounds", err, algal.ParseFailed, `mailbox "inbox" already has different bounds`)
	}
	for _, bounds := range [][2]int{{0, 1}, {1025, 1}, {-1, 0}} {
		_, err := svc.Create(ctx, "x", bounds[0], bounds[1])
		Refused(t, "bounds", err, algal.ParseFailed, "mailbox maxMessages must be an integer in [1, 1024]")
	}
	for _, bytes := range []int{0, 250_001} {
		_, err := svc.Create(ctx, "x", 1, bytes)
		Refused(t, "bounds", err, algal.ParseFailed, "mailbox maxMessageBytes must be an integer in [1, 250000]")
	}
	for _, name := range []string{"", "A", "../escaped", "a/b", "a.json", "1a", "é", strings.Repeat("a", 65)} {
		_, err := svc.Create(ctx, name, 1, 1)
		Refused(t, "name "+name, err, algal.ParseFailed, "mailbox name must be a lowercase kebab-case id")
		_, err = svc.Find(name)
		Refused(t, "name "+name, err, algal.ParseFailed, "mailbox name must be a lowercase kebab-case id")
	}
	newBox(t, s, strings.Repeat("z", 64), 1024, 250_000)
	newBox(t, s, "a", 1, 1)
	list, err := svc.List()
	if names := namesOf(list); err != nil || !slices.Equal(names, []string{"a", "inbox", strings.Repeat("z", 64)}) {
		t.Errorf("list %v, %v", names, err)
	}
	nonces(t, b)
	if b.Config.Send == b.Config.Receive || list[0].Send == list[1].Send {
		t.Error("handles are not unique")
	}
}

// nonces: both rights have one random nonce, with their names (mailbox.md §5).
func nonces(t *testing.T, b box) {
	var got []string
	for _, h := range []organism.Handle{b.Config.Send, b.Config.Receive} {
		record, _, err := readRecord(b, "capabilities/"+h.Digest.Hex()+".json")
		must(t, err)
		got = append(got, record.Get("nonce").Text())
	}
	base, ok := strings.CutSuffix(got[0], "-send")
	if !ok || got[1] != base+"-receive" || !algal.IsDigest("sha256:"+base) {
		t.Errorf("nonces %v", got)
	}
}

func namesOf(list []mailbox.Config) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// manyMailboxes: a store holds 1,024 mailboxes. A refused one leaves nothing.
func manyMailboxes(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	first := newBox(t, s, "box-0", 1, 1)
	for i := 1; i < 1024; i++ { // laid by hand: each creation lists all
		c := first.Config
		c.Name = fmt.Sprint("box-", i)
		first.plant("mailboxes/"+c.Name+"/config.json", c.Record())
	}
	capabilities := entries(t, s, "capabilities")
	_, err := s.Service().Create(ctx, "one-more", 1, 1)
	Refused(t, "mailbox 1025", err, algal.BudgetExhausted, "mailbox count exhausted")
	if there, err := s.Engine.Directory("mailboxes/one-more"); there || err != nil {
		t.Errorf("a refused mailbox has a directory: %v, %v", there, err)
	}
	if now := entries(t, s, "capabilities"); now != capabilities {
		t.Errorf("%d capability records, were %d", now, capabilities)
	}
	if again := newBox(t, s, "box-0", 1, 1); again.Config != first.Config {
		t.Error("a mailbox of a full store was made again")
	}
	first.remove("mailboxes/box-7/config.json")
	newBox(t, s, "box-7", 1, 1)
	if list, err := s.Service().List(); len(list) != 1024 || err != nil {
		t.Errorf("%d mailboxes, %v", len(list), err)
	}
	one := first.Config
	one.Name = "one-more"
	first.plant("mailboxes/one-more/config.json", one.Record())
	_, err = s.Service().List()
	Refused(t, "listing 1025", err, algal.BudgetExhausted, "mailbox count exhausted")
}

func entries(t *testing.T, s Store, dir string) (n int) {
	t.Helper()
	must(t, s.Engine.Scan(dir, 1<<20, countInto(&n)))
	return n
}

func send(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	b := newBox(t, s, "inbox", 2, 64)
	one, two := canon.String("one"), canon.String("two")
	id := b.mustSend(1, one)
	if b.mustSend(1, one) != id || b.mustInspect().Pending != 1 {
		t.Error("a repeated send did something")
	}
	_, err := b.trySend(1, two)
	certain(t, Refused(t, "another value", err, algal.DigestMismatch, "idempotency key already claims a different mailbox message"))
	b.mustSend(2, two)
	_, err = b.trySend(3, one)
	certain(t, Refused(t, "a third message", err, algal.MailboxFull, `mailbox "inbox" is full`))
	if b.mustSend(1, one) != id {
		t.Error("a full mailbox refuses a repeated send")
	}
	b.mustReceive(Key(1))
	if b.mustSend(1, one) != id || b.mustInspect().Pending != 1 {
		t.Error("a received message was sent again")
	}
	sizes(t, s)
	claimedAndFull(t, s)
	_, err = b.Service.Send(ctx, b.Config.Send.String(), one, "../../escaped")
	Refused(t, "key", err, algal.ParseFailed, "mailbox idempotency key must be a sha256:<64 lowercase hex> digest")
	_, err = b.Service.Send(ctx, b.Config.Send.String(), canon.Value{}, Key(9))
	Refused(t, "no value", err, algal.ParseFailed, "mailbox message is not a JSON value")
	handles(t, b)
}

// certain demands that an error is not flagged: nothing had begun.
func certain(t *testing.T, e *algal.Error) {
	t.Helper()
	if e.Uncertain {
		t.Errorf("flagged uncertain: %v", e)
	}
}

// claimedAndFull: an interrupted send is completed only when there is room.
func claimedAndFull(t *testing.T, s Store) {
	b := newBox(t, s, "claimed", 1, 64)
	id := b.mustSend(1, canon.Null())
	b.remove(b.record("pending", Key(1)))
	b.mustSend(2, canon.Null())
	_, err := b.trySend(1, canon.Null())
	certain(t, Refused(t, "send", err, algal.MailboxFull, `mailbox "claimed" is full`))
	b.mustReceive(Key(2))
	if b.mustSend(1, canon.Null()) != id {
		t.Error("the send was completed as another message")
	}
}

// sizes: the bound counts canonical bytes, and exactly the bound is accepted.
func sizes(t *testing.T, s Store) {
	b := newBox(t, s, "sized", 4, 4)
	b.mustSend(1, canon.String("é"))
	b.mustSend(2, canon.Int(1000))
	_, err := b.trySend(3, canon.Int(10000))
	certain(t, Refused(t, "a byte too many", err, algal.BudgetExhausted, "mailbox message 5B exceeds 4B"))
	for value, message := range map[string]string{"éé": "mailbox message 6B exceeds 4B", strings.Repeat("x", 100): "mailbox message 102B exceeds 4B"} {
		_, err := b.trySend(3, canon.String(value))
		certain(t, Refused(t, value, err, algal.BudgetExhausted, message))
	}
	deep := newBox(t, s, "deep", 4, 250_000)
	nested := canon.Null()
	for range 63 {
		nested = canon.Array(nested)
	}
	id := deep.mustSend(1, nested)
	_, err = deep.trySend(2, canon.Array(nested))
	Refused(t, "a claim of depth 65", err, algal.BudgetExhausted, "JSON depth exceeds 64")
	if m := deep.mustReceive(Key(1)); m.ID != id || !canon.Equal(m.Value, nested) {
		t.Errorf("received %v", m)
	}
}

// handles: what is no handle, of the other class or unknown.
func handles(t *testing.T, b box) {
	unknown := "cap:mailbox-send:" + string(Key(77))
	foreign := "cap:wait:" + string(Key(77))
	for _, c := range []struct {
		handle  string
		class   string // that the operation wants
		code    algal.Code
		message string
	}{
		{"", "", algal.TypeMismatch, "capability handle is not a valid capability handle"},
		{b.Config.Send.String() + "\n", "", algal.TypeMismatch, "capability handle is not a valid capability handle"},
		{"cap:mailbox-send:sha256:../../escaped", "", algal.TypeMismatch, "capability handle is not a valid capability handle"},
		{b.Config.Receive.String(), "mailbox-send", algal.TypeMismatch, "capability handle carries mailbox-receive, expected mailbox-send"},
		{b.Config.Send.String(), "mailbox-receive", algal.TypeMismatch, "capability handle carries mailbox-send, expected mailbox-receive"},
		{foreign, "mailbox-send", algal.TypeMismatch, "capability handle carries wait, expected mailbox-send"},
		{foreign, "mailbox-receive", algal.TypeMismatch, "capability handle carries wait, expected mailbox-receive"},
		{foreign, "revoke", algal.TypeMismatch, "capability handle carries wait, expected mailbox-receive"},
		{unknown, "mailbox-send", algal.CapabilityDenied, "capability is not admitted"},
		{unknown, "revoke", algal.CapabilityDenied, "capability is not admitted"},
		{strings.Replace(unknown, "send", "receive", 1), "mailbox-receive", algal.CapabilityDenied, "capability is not admitted"},
		{strings.Replace(b.Config.Send.String(), "send", "receive", 1), "mailbox-receive", algal.CapabilityDenied, "capability is not active"},
	} {
		if c.class == "" || c.class == "mailbox-send" {
			_, err := b.Service.Send(ctx, c.handle, canon.Null(), Key(5))
			Refused(t, "send through "+c.handle, err, c.code, c.message)
		}
		if c.class == "" || c.class == "mailbox-receive" {
			_, err := b.Service.Receive(ctx, c.handle)
			Refused(t, "receive through "+c.handle, err, c.code, c.message)
			_, err = b.HasPending(ctx, c.handle)
			Refused(t, "probe of "+c.handle, err, c.code, c.message)
			if b.Idle(c.handle) {
				t.Errorf("%s looks idle", c.handle)
			}
		}
		if c.class == "" || c.class == "revoke" {
			Refused(t, "revoke of "+c.handle, b.Revoke(ctx, c.handle), c.code, c.message)
		}
	}
}

func receive(t *testing.T, open func(*testing.T) Store) {
	b := newBox(t, open(t), "inbox", 8, 64)
	_, err := b.tryReceive()
	e := Refused(t, "receive", err, algal.EffectSuspended, `mailbox "inbox" is empty`)
	if !slices.Equal(e.Wake, []string{b.Config.Receive.String()}) || e.Uncertain {
		t.Errorf("suspended with %+v", e)
	}
	b.mustBeEmpty()
	want := map[algal.Digest]algal.Digest{}
	var keys []algal.Digest
	for n := range 8 {
		keys = append(keys, Key(n))
		want[Key(n)] = b.mustSend(n, canon.Int(n))
	}
	if b.Idle(b.Config.Receive.String()) {
		t.Error("a mailbox with messages looks idle")
	}
	if ready, err := b.HasPending(ctx, b.Config.Receive.String()); !ready || err != nil {
		t.Errorf("not ready: %v", err)
	}
	slices.Sort(keys)
	for i, key := range keys {
		m := b.mustReceive(key)
		if m.ID != want[key] || m.Mailbox != "inbox" || Key(int(m.Value.Float())) != key {
			t.Errorf("received %+v", m)
		}
		if i := b.mustInspect(); i.Pending+i.Consumed != 8 {
			t.Errorf("inspected %+v", i)
		}
		if i == 3 {
			b = boxOf(t, b.Store, "inbox") // nothing depends on who asks
		}
	}
	b.mustBeEmpty()
}

func revoke(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	b := newBox(t, s, "inbox", 8, 64)
	b.mustSend(1, canon.Null())
	must(t, b.Revoke(ctx, b.Config.Send.String()))
	again := newBox(t, s, "inbox", 8, 64)
	if again.Config != b.Config {
		t.Errorf("creation made %v, want %v", again.Config, b.Config)
	}
	_, err := b.trySend(2, canon.Null())
	certain(t, Refused(t, "send", err, algal.CapabilityDenied, "capability is not active"))
	Refused(t, "second revocation", b.Revoke(ctx, b.Config.Send.String()), algal.CapabilityDenied, "capability is not active")
	if i := b.mustInspect(); i.Send != mailbox.Revoked || i.Receive != mailbox.Active {
		t.Errorf("inspected %+v", i)
	}
	b.mustReceive(Key(1))
	must(t, b.Revoke(ctx, b.Config.Receive.String()))
	_, err = b.tryReceive()
	Refused(t, "receive", err, algal.CapabilityDenied, "capability is not active")
	_, err = b.HasPending(ctx, b.Config.Receive.String())
	Refused(t, "probe", err, algal.CapabilityDenied, "capability is not active")
	if b.Idle(b.Config.Receive.String()) {
		t.Error("a revoked handle looks idle")
	}
}
