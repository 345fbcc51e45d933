//go:build unix

package mailbox_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

// Group M of the conformance catalogue on disk. M-27 and M-28 are package
// organism's, M-26 and M-29 are with the tools.

func TestM1CreateAgain(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.unchanged("creating again", func() {
		again, err := w.Create(ctx, "box", 4, 64)
		if err != nil || again != w.box {
			t.Errorf("created %v, %v, want %v", again, err, w.box)
		}
	})
	if entries, err := os.ReadDir(w.path("capabilities")); len(entries) != 2 || err != nil {
		t.Errorf("%d capability records, %v", len(entries), err)
	}
}

func TestM2OtherBounds(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.unchanged("creating with other bounds", func() {
		_, err := w.Create(ctx, "box", 4, 65)
		refused(t, "create", err, algal.ParseFailed, `mailbox "box" already has different bounds`)
	})
}

func TestM3SendTwice(t *testing.T) {
	w := newWorld(t, 4, 64)
	id := w.mustSend(1, `{"a":1}`)
	w.unchanged("a repeated send", func() {
		if again := w.mustSend(1, `{"a":1.0}`); again != id {
			t.Errorf("sent %s, want %s", again, id)
		}
	})
	if i, err := w.Inspect("box"); i.Pending != 1 || err != nil {
		t.Errorf("inspected %+v, %v", i, err)
	}
}

func TestM4OtherValue(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.mustSend(1, `1`)
	w.unchanged("another value", func() {
		_, err := w.send(1, `2`)
		refused(t, "send", err, algal.DigestMismatch, "idempotency key already claims a different mailbox message")
	})
}

func TestM5Full(t *testing.T) {
	w := newWorld(t, 2, 64)
	w.mustSend(1, `1`)
	w.mustSend(2, `2`)
	w.unchanged("a message too many", func() {
		_, err := w.send(3, `3`)
		refused(t, "send", err, algal.MailboxFull, `mailbox "box" is full`)
	})
	w.mustReceive()
	w.mustSend(3, `3`)
}

func TestM6SendAfterReceive(t *testing.T) {
	w := newWorld(t, 2, 64)
	id := w.mustSend(1, `1`)
	if m := w.mustReceive(); m.ID != id {
		t.Errorf("received %s, want %s", m.ID, id)
	}
	w.unchanged("sending what was received", func() {
		if again := w.mustSend(1, `1`); again != id {
			t.Errorf("sent %s, want %s", again, id)
		}
	})
}

func TestM7Empty(t *testing.T) {
	w := newWorld(t, 2, 64)
	w.unchanged("receiving nothing", func() {
		_, err := w.receive()
		e := refused(t, "receive", err, algal.EffectSuspended, `mailbox "box" is empty`)
		if len(e.Wake) != 1 || e.Wake[0] != w.box.Receive.String() {
			t.Errorf("wake %v, want %s", e.Wake, w.box.Receive)
		}
	})
}

func TestM8Order(t *testing.T) {
	w := newWorld(t, 16, 64)
	for n := range 16 {
		w.mustSend(n, fmt.Sprint(n))
	}
	last := algal.Digest("")
	for range 16 {
		m := w.mustReceive()
		if m.Key <= last || m.Value.String() != numberOf(t, m.Key) {
			t.Errorf("received %s with %s after %s", m.Key, m.Value, last)
		}
		last = m.Key
	}
}

func numberOf(t *testing.T, key algal.Digest) string {
	for n := range 16 {
		if mailboxtest.Key(n) == key {
			return fmt.Sprint(n)
		}
	}
	t.Errorf("key %s was never sent", key)
	return ""
}

func TestM9Oversized(t *testing.T) {
	w := newWorld(t, 4, 4)
	w.mustSend(1, `"é"`)
	_, err := w.send(2, `"éé"`)
	refused(t, "send", err, algal.BudgetExhausted, "mailbox message 6B exceeds 4B")
	w.mustReceive()

	// A consistent claim beyond the bound, as another mailbox would have written it.
	big := newWorld(t, 4, 64)
	id := big.mustSend(3, `"éé"`)
	w.write(w.file("messages", 3), big.read(big.file("messages", 3)))
	w.write(w.file("pending", 3), mailbox.Delivery{ID: id}.Record().String())
	w.unchanged("receiving too much", func() {
		_, err := w.receive()
		refused(t, "receive", err, algal.BudgetExhausted, "mailbox message 6B exceeds 4B")
	})
	if _, err := os.Lstat(w.path(w.file("consumed", 3))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a consumed marker: %v", err)
	}
}

func TestM10WrongClass(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.unchanged("handles of the wrong class", func() {
		_, err := w.Send(ctx, w.box.Receive.String(), parse(t, `1`), mailboxtest.Key(1))
		refused(t, "send", err, algal.TypeMismatch, "capability handle carries mailbox-receive, expected mailbox-send")
		_, err = w.Receive(ctx, w.box.Send.String())
		refused(t, "receive", err, algal.TypeMismatch, "capability handle carries mailbox-send, expected mailbox-receive")
	})
}

func TestM11UnknownHandle(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.unchanged("an unknown handle", func() {
		_, err := w.Send(ctx, "cap:mailbox-send:"+string(mailboxtest.Key(1)), parse(t, `1`), mailboxtest.Key(1))
		refused(t, "send", err, algal.CapabilityDenied, "capability is not admitted")
	})
}

func TestM12Revoked(t *testing.T) {
	w := newWorld(t, 4, 64)
	must(t, w.Revoke(ctx, w.box.Send.String()))
	w.unchanged("a revoked handle", func() {
		_, err := w.send(1, `1`)
		refused(t, "send", err, algal.CapabilityDenied, "capability is not active")
		if again, err := w.Create(ctx, "box", 4, 64); err != nil || again != w.box {
			t.Errorf("created %v, %v, want %v", again, err, w.box)
		}
		_, err = w.send(1, `1`)
		refused(t, "send", err, algal.CapabilityDenied, "capability is not active")
	})
}

func TestM13EditedCapability(t *testing.T) {
	w := newWorld(t, 4, 64)
	name := "capabilities/" + w.box.Send.Digest.Hex() + ".json"
	w.write(name, strings.Replace(w.read(name), `"mailbox":"box"`, `"mailbox":"other"`, 1))
	_, err := w.send(1, `1`)
	refused(t, "send", err, algal.DigestMismatch, "capability record.handle does not match its admission")
}

func TestM14KeyIsNoPath(t *testing.T) {
	w := newWorld(t, 4, 64)
	for _, key := range []algal.Digest{"../../escaped", "", "sha256:../../escaped", mailboxtest.Key(1)[:70], mailboxtest.Key(1) + "0", "SHA256:" + mailboxtest.Key(1)[7:]} {
		w.unchanged("key "+string(key), func() {
			_, err := w.Send(ctx, w.box.Send.String(), parse(t, `1`), key)
			refused(t, string(key), err, algal.ParseFailed, "mailbox idempotency key must be a sha256:<64 lowercase hex> digest")
		})
	}
}

func TestM15NameIsNoPath(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.unchanged("a foreign name", func() {
		_, created := w.Create(ctx, "../escaped", 4, 64)
		_, found := w.Find("../escaped")
		_, inspected := w.Inspect("../escaped")
		for what, err := range map[string]error{"create": created, "find": found, "inspect": inspected} {
			refused(t, what, err, algal.ParseFailed, "mailbox name must be a lowercase kebab-case id")
		}
	})
}

func TestM16SymlinkedNamespace(t *testing.T) {
	root, elsewhere := scratch(t), t.TempDir()
	must(t, os.MkdirAll(root, 0o700))
	must(t, os.Symlink(elsewhere, root+"/mailboxes"))
	svc := openStore(root, unsynced).Service()
	_, err := svc.Create(ctx, "box", 4, 64)
	refused(t, "create", err, algal.IOFailed, "mailbox symlinks are not admitted")
	_, err = svc.List()
	refused(t, "list", err, algal.IOFailed, "mailbox symlinks are not admitted")
	if entries, err := os.ReadDir(elsewhere); len(entries) != 0 || err != nil {
		t.Errorf("%v was made behind the link, %v", entries, err)
	}
}

func TestM17DirectoryRemoved(t *testing.T) {
	for _, dir := range []string{"mailboxes/box/messages", "mailboxes/box/pending", "mailboxes/box/consumed", "capabilities"} {
		w := newWorld(t, 4, 64)
		if dir == "capabilities" { // kept elsewhere and linked: no real directory
			must(t, os.Rename(w.path(dir), w.path("kept")))
			must(t, os.Symlink(w.path("kept"), w.path(dir)))
		} else {
			w.remove(dir)
		}
		w.unchanged("without "+dir, func() {
			text := "admitted mailbox directory is missing or invalid"
			if dir == "capabilities" {
				text = "mailbox symlinks are not admitted"
			}
			_, err := w.send(1, `1`)
			refused(t, "send", err, algal.IOFailed, text)
			_, err = w.receive()
			refused(t, "receive", err, algal.IOFailed, text)
			refused(t, "probe", w.probe(), algal.IOFailed, text)
			if w.idle() {
				t.Errorf("looks idle without %s", dir)
			}
		})
		if dir != "capabilities" {
			_, err := w.Create(ctx, "box", 4, 64)
			refused(t, "create", err, algal.IOFailed, "mailbox directory is not admitted")
		}
	}
}

func TestM18BothMarkers(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.mustSend(1, `1`)
	w.write(w.file("consumed", 1), w.read(w.file("pending", 1)))
	w.refuseMarkers(algal.IOFailed, "mailbox delivery is uncertain; pending and consumed evidence require reconciliation")
}

func TestM19ForeignConsumed(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.mustSend(1, `1`)
	w.write(w.file("consumed", 1), mailbox.Delivery{ID: mailboxtest.Key(9)}.Record().String())
	w.refuseMarkers(algal.DigestMismatch, "mailbox delivery claims another message")
}

func (w world) refuseMarkers(code algal.Code, text string) {
	w.t.Helper()
	w.unchanged("contradictory markers", func() {
		_, err := w.receive()
		refused(w.t, "receive", err, code, text)
		refused(w.t, "probe", w.probe(), code, text)
		_, err = w.send(1, `1`)
		refused(w.t, "send", err, code, text)
		if w.idle() {
			w.t.Error("looks idle")
		}
	})
}

func TestM20MarkerWithoutClaim(t *testing.T) {
	for _, space := range []string{"pending", "consumed"} {
		w := newWorld(t, 4, 64)
		w.write(w.file(space, 1), mailbox.Delivery{ID: mailboxtest.Key(9)}.Record().String())
		w.unchanged("a marker without a claim", func() {
			_, err := w.send(1, `1`)
			refused(t, "send", err, algal.DigestMismatch, "mailbox delivery has no message claim")
		})
	}
}

func TestM21Locked(t *testing.T) {
	const text = `mailbox "box" is locked; reconcile the owning operation before retrying`
	w := newWorld(t, 4, 64)
	for _, lay := range []func(path string) error{
		func(path string) error { return os.WriteFile(path, nil, 0o600) },
		func(path string) error { return os.WriteFile(path, []byte("12345"), 0o600) },
		func(path string) error { return os.Mkdir(path, 0o700) },
		func(path string) error { return os.Symlink("nowhere", path) },
	} {
		w.remove("mailboxes/box/.lock")
		must(t, lay(w.path("mailboxes/box/.lock")))
		w.unchanged("a locked mailbox", func() {
			_, sent := w.send(1, `1`)
			_, received := w.receive()
			for what, err := range map[string]error{"send": sent, "receive": received, "probe": w.probe(), "revoke": w.Revoke(ctx, w.box.Send.String())} {
				refused(t, what, err, algal.IOFailed, text)
			}
			if i, err := w.Inspect("box"); !i.Locked || err != nil {
				t.Errorf("inspected %+v, %v", i, err)
			}
			if !w.idle() {
				t.Error("an empty mailbox with a lock is not idle")
			}
			if _, err := w.Create(ctx, "box", 4, 64); err != nil {
				t.Errorf("create: %v", err)
			}
		})
	}
}

// TestM22Reopen has the other process in processes_test.go too, at work.
func TestM22Reopen(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.mustSend(1, `1`)
	id := w.mustSend(2, `2`)
	first := w.mustReceive()
	c := startChild(t, "receive", w.root)
	if said := c.wait(); first.ID == id || said != string(id) {
		t.Errorf("this process received %s, the other %q, sent %s last", first.ID, said, id)
	}
	_, err := w.receive()
	refused(t, "receive", err, algal.EffectSuspended, "")
}

func TestM23ManyMailboxes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, 1)
	layMailboxes(w, 1023-1)
	made, refusals := 0, 0
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, name := range []string{"left", "right"} {
		group.Go(func() {
			_, err := w.Create(ctx, name, 1, 1)
			for custody.Held(err) {
				_, err = w.Create(ctx, name, 1, 1)
			}
			_, stat := os.Lstat(w.path("mailboxes/" + name))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
				return
			}
			refusals++
			refused(t, "create", err, algal.BudgetExhausted, "mailbox count exhausted")
			if !errors.Is(stat, os.ErrNotExist) {
				t.Errorf("the loser has a directory: %v", stat)
			}
		})
	}
	group.Wait()
	if made != 1 || refusals != 1 {
		t.Errorf("%d creations at 1023 mailboxes, %d refusals", made, refusals)
	}
	if entries, err := os.ReadDir(w.path("capabilities")); len(entries) != 4 || err != nil {
		t.Errorf("%d capability records, %v", len(entries), err)
	}
}

// layMailboxes lays the configurations of n more mailboxes.
func layMailboxes(w world, n int) {
	for i := range n {
		c := w.box
		c.Name = fmt.Sprint("box-", i)
		w.write("mailboxes/"+c.Name+"/config.json", c.Record().String())
	}
}

func TestM24WrongDirectory(t *testing.T) {
	w := newWorld(t, 4, 64)
	must(t, os.Rename(w.path("mailboxes/box"), w.path("mailboxes/other")))
	for what, err := range map[string]error{"list": errOf(w.List()), "find": errOf(w.Find("other")), "inspect": errOf(w.Inspect("other"))} {
		refused(t, what, err, algal.DigestMismatch, "mailbox config is in the wrong directory")
	}
}

func errOf[T any](_ T, err error) error { return err }

func TestM25PhysicalEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, 64)
	for i := range 2*2 + 16 {
		w.write(fmt.Sprintf("mailboxes/box/pending/junk-%d", i), "")
	}
	w.remove("mailboxes/box/pending/junk-0")
	id := w.mustSend(1, `1`)
	if m := w.mustReceive(); m.ID != id {
		t.Errorf("received %s", m.ID)
	}
	w.write("mailboxes/box/pending/junk-0", "")
	_, err := w.receive()
	refused(t, "receive", err, algal.EffectSuspended, "")
	w.write("mailboxes/box/pending/one-more", "")
	w.unchanged("an overfull directory", func() {
		_, sent := w.send(2, `2`)
		_, received := w.receive()
		for what, err := range map[string]error{"send": sent, "receive": received, "probe": w.probe()} {
			refused(t, what, err, algal.BudgetExhausted, "mailbox directory physical entry bound exceeded")
		}
	})

	for i := range 2064 - 1 {
		w.write(fmt.Sprintf("mailboxes/junk-%d", i), "")
	}
	if list, err := w.List(); len(list) != 1 || err != nil {
		t.Errorf("listed %v, %v", list, err)
	}
	w.write("mailboxes/one-more", "")
	_, err = w.List()
	refused(t, "list", err, algal.BudgetExhausted, "mailbox namespace physical entry bound exceeded")
	_, err = w.Create(ctx, "new", 1, 1)
	refused(t, "create", err, algal.BudgetExhausted, "mailbox namespace physical entry bound exceeded")
}
