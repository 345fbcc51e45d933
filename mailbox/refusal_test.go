//go:build unix

package mailbox_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

// TestLinks: no name that the service forms may be a link (§4.2).
func TestLinks(t *testing.T) {
	const text = "mailbox symlinks are not admitted"
	for _, c := range []struct {
		name           string
		sends, creates bool // is refused by
		receives       bool
	}{
		{"mailboxes", true, true, true},
		{"capabilities", true, true, true},
		{"mailboxes/box", true, true, true},
		{"mailboxes/box/config.json", true, true, true},
		{"mailboxes/box/messages", true, true, true},
		{"mailboxes/box/pending", true, true, true},
		{"mailboxes/box/consumed", true, true, true},
		{"MESSAGE", true, false, true},
		{"PENDING", true, false, true},
		{"CAPABILITY", true, true, false},
	} {
		w := newWorld(t, 4, 64)
		w.mustSend(1, `1`)
		name := strings.NewReplacer(
			"MESSAGE", w.file("messages", 1), "PENDING", w.file("pending", 1),
			"CAPABILITY", "capabilities/"+w.box.Send.Digest.Hex()+".json",
		).Replace(c.name)
		must(t, os.Rename(w.path(name), w.path("kept")))
		must(t, os.Symlink(w.path("kept"), w.path(name)))
		w.unchanged("a link at "+c.name, func() {
			check := func(what string, refuses bool, err error) {
				t.Helper()
				if refuses {
					refused(t, c.name+": "+what, err, algal.IOFailed, text)
				}
			}
			_, err := w.send(1, `1`)
			check("send", c.sends, err)
			_, err = w.Create(ctx, "box", 4, 64)
			check("create", c.creates, err)
			if !c.receives {
				return
			}
			_, err = w.receive()
			check("receive", true, err)
			check("probe", c.name != "MESSAGE", w.probe())
			i, err := w.Inspect("box")
			if c.creates {
				check("inspect", true, err)
			} else if err != nil || i.InterruptedKeys != 1 || i.Interrupted[0].State != mailbox.Corrupt {
				t.Errorf("%s: inspected %+v, %v", c.name, i, err)
			}
			if w.idle() {
				t.Errorf("%s: looks idle", c.name)
			}
		})
	}
}

// TestLinkedRoot: the root itself may be no link, but may be reached through one.
func TestLinkedRoot(t *testing.T) {
	w := newWorld(t, 4, 64)
	must(t, os.Symlink(w.root, w.root+"-link"))
	linked := openStore(w.root+"-link", unsynced).Service()
	_, err := linked.List()
	refused(t, "list", err, algal.IOFailed, "mailbox symlinks are not admitted")
	_, err = linked.Find("box")
	refused(t, "find", err, algal.IOFailed, "mailbox symlinks are not admitted")
	above := t.TempDir() + "/above"
	must(t, os.Symlink(strings.TrimSuffix(w.root, "/store"), above))
	if list, err := openStore(above+"/store", unsynced).Service().List(); len(list) != 1 || err != nil {
		t.Errorf("listed %v, %v", list, err)
	}
}

// TestFileText: what a record's file may hold (§4.1).
func TestFileText(t *testing.T) {
	for _, c := range []struct {
		name, content string
		code          algal.Code
		text          string
	}{
		{"empty", "", algal.ParseFailed, "FILE: not JSON"},
		{"truncated", `{"a":`, algal.ParseFailed, "FILE: not JSON"},
		{"two values", `{} {}`, algal.ParseFailed, "FILE: not JSON"},
		{"BOM", "\ufeff{}", algal.ParseFailed, "FILE: not JSON"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", algal.ParseFailed, "FILE: invalid UTF-8"},
		{"lone surrogate", `{"a":"\ud800"}`, algal.ParseFailed, "FILE: lone surrogate"},
		{"overflow", `1e999`, algal.ParseFailed, "FILE: "},
		{"deep", strings.Repeat("[", 66) + strings.Repeat("]", 66), algal.BudgetExhausted, "FILE: JSON depth exceeds 64"},
		{"array", `[]`, algal.ParseFailed, "must be an object"},
	} {
		w := newWorld(t, 4, 64)
		w.mustSend(1, `1`)
		file := w.file("pending", 1)
		w.write(file, c.content)
		w.unchanged(c.name, func() {
			_, err := w.receive()
			refused(t, c.name, err, c.code, strings.Replace(c.text, "FILE", file, 1))
			if w.idle() {
				t.Errorf("%s: looks idle", c.name)
			}
			i, err := w.Inspect("box")
			if err != nil || i.InterruptedKeys != 1 || i.Interrupted[0].State != mailbox.Corrupt {
				t.Errorf("%s: inspected %+v, %v", c.name, i, err)
			}
		})
	}
}

// TestOtherSpelling: white space and member order do not matter, also where a
// record that is published again must be the same.
func TestOtherSpelling(t *testing.T) {
	w := newWorld(t, 4, 64)
	id := w.mustSend(1, `{"a":1}`)
	w.write(w.file("messages", 1), " "+strings.Replace(w.read(w.file("messages", 1)), `{"contract":"algal.mailbox-message.v1",`, `{"contract" : "algal.mailbox-message.v1", `, 1)+"\n")
	w.write("mailboxes/box/config.json", w.read("mailboxes/box/config.json")+"\n")
	if again := w.mustSend(1, `{"a":1}`); again != id {
		t.Errorf("sent %s, want %s", again, id)
	}
	if again, err := w.Create(ctx, "box", 4, 64); err != nil || again != w.box {
		t.Errorf("created %v, %v", again, err)
	}
	if m := w.mustReceive(); m.ID != id {
		t.Errorf("received %s, want %s", m.ID, id)
	}
}

// TestFileType: a record is a regular file of at most 64 MiB, and nothing waits for
// any other.
func TestFileType(t *testing.T) {
	for name, lay := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"FIFO":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"oversized": func(path string) error {
			must(t, os.WriteFile(path, nil, 0o600))
			return os.Truncate(path, durable.MaxBytes+1)
		},
	} {
		w := newWorld(t, 4, 64)
		w.mustSend(1, `1`)
		w.remove(w.file("messages", 1))
		must(t, lay(w.path(w.file("messages", 1))))
		_, sent := w.send(1, `1`)
		_, received := w.receive()
		for what, err := range map[string]error{"send": sent, "receive": received} {
			refused(t, name+": "+what, err, algal.BudgetExhausted, "mailbox artifact file type or bytes")
		}
	}
}

// TestPendingFiles: every regular file called .json counts, others spend only the
// physical bound (§7.2).
func TestPendingFiles(t *testing.T) {
	w := newWorld(t, 2, 64)
	w.write("mailboxes/box/pending/junk", "x")
	w.write("mailboxes/box/pending/.tmp-0123", "x")
	must(t, os.Mkdir(w.path("mailboxes/box/pending/x.json"), 0o700))
	w.mustSend(1, `1`)
	w.write("mailboxes/box/pending/zzz.json", "x")
	_, err := w.send(2, `2`)
	refused(t, "send", err, algal.MailboxFull, `mailbox "box" is full`)
	w.mustReceive()
	_, err = w.receive()
	refused(t, "receive", err, algal.ParseFailed, "mailboxes/box/pending/zzz.json: not JSON")
	if i, err := w.Inspect("box"); err != nil || i.InterruptedKeys != 1 || i.Interrupted[0].Key != "zzz.json" {
		t.Errorf("inspected %+v, %v", i, err)
	}
	w.write("mailboxes/box/pending/.json", "x")
	w.write("mailboxes/box/pending/yyy.json", "x")
	_, err = w.receive()
	refused(t, "receive", err, algal.BudgetExhausted, "mailboxes/box/pending exceeds 2 entries")
}

// TestNamespace: what may lie among the mailboxes (§8).
func TestNamespace(t *testing.T) {
	w := newWorld(t, 2, 64)
	w.write("mailboxes/file", "x")
	must(t, os.MkdirAll(w.path("mailboxes/interrupted/messages"), 0o700))
	if list, err := w.List(); err != nil || len(list) != 1 {
		t.Errorf("listed %v, %v", list, err)
	}
	if found, err := w.Find("interrupted"); found != nil || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	must(t, os.Mkdir(w.path("mailboxes/Upper"), 0o700))
	_, err := w.List()
	refused(t, "list", err, algal.ParseFailed, "mailbox name must be a lowercase kebab-case id")
	w.remove("mailboxes/Upper")
	must(t, os.Symlink("box", w.path("mailboxes/link")))
	_, err = w.List()
	refused(t, "list", err, algal.IOFailed, "mailbox symlinks are not admitted")
	w.remove("mailboxes")
	w.write("mailboxes", "x")
	_, err = w.List()
	refused(t, "list of a file", err, algal.IOFailed, "")
}

// TestVanishing: records that go away or change between two looks at them.
func TestVanishing(t *testing.T) {
	prepare := func() (root string, receive func(hook durable.Hook) error, w world) {
		w = newWorld(t, 4, 64)
		w.mustSend(1, `1`)
		return w.root, func(hook durable.Hook) error {
			_, err := openStore(w.root, hook).Service().Receive(ctx, w.box.Receive.String())
			return err
		}, w
	}
	// at does something before the first step of a kind.
	at := func(op durable.Op, act func()) durable.Hook {
		return func(s durable.Step, do func() error) error {
			if s.Op == op {
				act()
			}
			return unsynced(s, do)
		}
	}
	_, receive, w := prepare()
	err := receive(at(durable.OpLink, func() {
		w.write(w.file("consumed", 1), mailbox.Delivery{ID: mailboxtest.Key(9)}.Record().String())
	}))
	if e := refused(t, "conflict", err, algal.DigestMismatch, "immutable mailbox publication conflicts"); !e.Uncertain {
		t.Error("a conflict is certain")
	}
	_, receive, w = prepare()
	err = receive(func(s durable.Step, do func() error) error {
		err := unsynced(s, do)
		if s.Op == durable.OpLink {
			return os.ErrExist // somebody was faster
		}
		if s.Op == durable.OpUnlinkTemp {
			w.remove(w.file("consumed", 1))
		}
		return err
	})
	refused(t, "vanished", err, algal.IOFailed, "retained mailbox publication disappeared")
	_, receive, w = prepare()
	refused(t, "lock gone", receive(at(durable.OpUnlinkPending, func() { w.remove("mailboxes/box/.lock") })), algal.IOFailed, "unlink-lock failed")
	if i, err := w.Inspect("box"); err != nil || i.Consumed != 1 {
		t.Errorf("inspected %+v, %v", i, err)
	}
}

// TestCancelled: a cancelled operation did not begin.
func TestCancelled(t *testing.T) {
	w := newWorld(t, 4, 64)
	w.mustSend(1, `1`)
	over, cancel := cancelled()
	cancel()
	w.unchanged("a cancelled operation", func() {
		_, sent := w.Service.Send(over, w.box.Send.String(), parse(t, `2`), mailboxtest.Key(2))
		_, received := w.Receive(over, w.box.Receive.String())
		_, probed := w.HasPending(over, w.box.Receive.String())
		_, created := w.Create(over, "other", 4, 64)
		for what, err := range map[string]error{"send": sent, "receive": received, "probe": probed, "create": created, "revoke": w.Revoke(over, w.box.Send.String())} {
			if e := refused(t, what, err, algal.BudgetExhausted, "cancelled before"); e.Uncertain {
				t.Errorf("%s: flagged uncertain", what)
			}
		}
	})
}
