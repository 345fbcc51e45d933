//go:build unix

package mailbox_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/mailbox"
)

// goldenWorld copies a golden store to a directory, without its mailboxes being
// told anything.
func goldenWorld(t *testing.T, dir string, emptyDirectories canon.Value) world {
	t.Helper()
	root, n := scratch(t), 0
	for _, pattern := range []string{"/*/*", "/*/*/*", "/*/*/*/*"} {
		for _, name := range globOrNone(t, dir, pattern) {
			lay(t, filepath.Join(root, strings.TrimPrefix(name, dir)), string(golden.Read(t, name)))
			n++
		}
	}
	if n == 0 {
		t.Fatalf("%s is empty", dir)
	}
	for _, d := range emptyDirectories.Elements() {
		must(t, os.MkdirAll(filepath.Join(root, d.Text()), 0o700))
	}
	return world{t: t, root: root, Service: openStore(root, unsynced).Service()}
}

var goldenNames []string

// globOrNone is golden.Glob where nothing is no fault.
func globOrNone(t *testing.T, dir, pattern string) (names []string) {
	t.Helper()
	if goldenNames == nil {
		for _, top := range []string{"stores/*/*/*", "stores/*/*/*/*", "stores/*/*/*/*/*",
			"processes/*/*/*/*", "processes/*/*/*/*/*", "processes/*/*/*/*/*/*", "processes/*/*/*/*/*/*/*"} {
			goldenNames = append(goldenNames, golden.Glob(t, top)...)
		}
	}
	for _, name := range goldenNames {
		if ok, err := path.Match(dir+pattern, name); ok && err == nil {
			names = append(names, name)
		}
	}
	return names
}

// goldenStore returns a store of golden/stores and what its index expects.
func goldenStore(t *testing.T, name string) (world, canon.Value) {
	t.Helper()
	for _, entry := range parse(t, string(golden.Read(t, "stores/index.json"))).Get("stores").Elements() {
		if entry.Get("name").IsText(name) {
			return goldenWorld(t, "stores/"+name, entry.Get("emptyDirectories")), entry.Get("expect")
		}
	}
	t.Fatalf("no store %s in the index", name)
	return world{}, canon.Value{}
}

// at returns the world of one of its mailboxes.
func (w world) at(name string) world {
	w.t.Helper()
	c, err := w.Find(name)
	if err != nil || c == nil {
		w.t.Fatalf("find %s: %v, %v", name, c, err)
	}
	w.box = *c
	return w
}

func TestGoldenMailbox(t *testing.T) {
	w, expect := goldenStore(t, "mailbox")
	list, err := w.List()
	must(t, err)
	if len(list) != expect.Get("mailboxes").Len() {
		t.Errorf("%d mailboxes", len(list))
	}
	for _, c := range list {
		if want := expect.Get("mailboxes").Get(c.Name); !canon.Equal(c.Record(), want) {
			t.Errorf("%s, want %s", c.Record(), want)
		}
	}
	inbox := w.at("inbox")
	i, err := w.Inspect("inbox")
	if err != nil || i.Pending != 3 || i.Consumed != 2 || i.InterruptedKeys != 0 || i.Send != mailbox.Active {
		t.Errorf("inspected %+v, %v", i, err)
	}
	n := 0
	w.unchanged("sending again", func() {
		for _, m := range expect.Get("inboxMessages").Elements() {
			id, err := w.Service.Send(ctx, inbox.box.Send.String(), m.Get("value"), algal.Digest(m.Get("key").Text()))
			if err != nil || string(id) != m.Get("id").Text() {
				t.Errorf("sent %s, %v, want %s", id, err, m)
			}
			n++
		}
		revoked := w.at("revoked-box")
		_, err = w.Service.Send(ctx, revoked.box.Send.String(), canon.Int(1), mailbox.NewKey())
		refused(t, "revoked", err, algal.Code(expect.Get("revokedSend").Get("code").Text()), expect.Get("revokedSend").Get("message").Text())
	})
	for _, id := range expect.Get("nextReceiveOrder").Elements() {
		m, err := inbox.receive()
		if err != nil || string(m.ID) != id.Text() {
			t.Errorf("received %s, %v, want %s", m.ID, err, id)
		}
		n++
	}
	_, err = inbox.receive()
	refused(t, "receive", err, algal.EffectSuspended, `mailbox "inbox" is empty`)
	if m, err := w.at("revoked-box").receive(); err != nil {
		t.Errorf("received %v, %v through the other right", m, err)
	}
	t.Logf("%d deliveries", n)
}

func TestGoldenCrashSend(t *testing.T) {
	w, expect := goldenStore(t, "mailbox-crash-send")
	w = w.at("inbox")
	key, value := algal.Digest(expect.Get("key").Text()), expect.Get("value")
	send := func() (algal.Digest, error) { return w.Service.Send(ctx, w.box.Send.String(), value, key) }
	w.unchanged("the locked mailbox", func() {
		_, sent := send()
		_, received := w.receive()
		for what, err := range map[string]error{"send": sent, "receive": received, "probe": w.probe()} {
			refused(t, what, err, algal.Code(expect.Get("whileLocked").Get("code").Text()), expect.Get("whileLocked").Get("message").Text())
		}
		i, err := w.Inspect("inbox")
		if err != nil || !i.Locked || i.Pending != 3 || i.InterruptedKeys != 1 || i.Interrupted[0] != (mailbox.Interruption{Key: string(key), State: mailbox.InterruptedSend}) {
			t.Errorf("inspected %+v, %v", i, err)
		}
	})
	w.remove("mailboxes/inbox/.lock")
	if m, err := w.receive(); err != nil || m.Key == key {
		t.Errorf("received %s, %v before the send was completed", m.Key, err)
	}
	if _, err := send(); err != nil {
		t.Errorf("send: %v", err)
	}
	got := map[algal.Digest]int{}
	for range 3 {
		got[w.mustReceive().Key]++
	}
	if got[key] != 1 || len(got) != 3 {
		t.Errorf("received %v", got)
	}
}

func TestGoldenCrashReceive(t *testing.T) {
	w, expect := goldenStore(t, "mailbox-crash-receive")
	w = w.at("inbox")
	_, err := w.receive()
	refused(t, "receive", err, algal.IOFailed, `mailbox "inbox" is locked; reconcile the owning operation before retrying`)
	w.remove("mailboxes/inbox/.lock")
	w.unchanged("the uncertain mailbox", func() {
		_, err := w.receive()
		refused(t, "receive", err, algal.Code(expect.Get("afterLockRemoved").Get("code").Text()), expect.Get("afterLockRemoved").Get("message").Text())
		refused(t, "probe", w.probe(), algal.IOFailed, expect.Get("afterLockRemoved").Get("message").Text())
		i, err := w.Inspect("inbox")
		if err != nil || i.Pending != 2 || i.Consumed != 2 || i.InterruptedKeys != 1 || i.Interrupted[0].State != mailbox.InterruptedReceive {
			t.Errorf("inspected %+v, %v", i, err)
		}
	})
}

func TestGoldenCrashCreate(t *testing.T) {
	w, expect := goldenStore(t, "mailbox-crash-create")
	list, err := w.List()
	must(t, err)
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	var want []string
	for _, name := range expect.Get("list").Elements() {
		want = append(want, name.Text())
	}
	if !slices.Equal(names, want) {
		t.Errorf("listed %v, want %v", names, want)
	}
	marker := w.read(".mailbox-admission/.lock")
	before, err := os.ReadDir(w.path("capabilities"))
	must(t, err)
	c, err := w.Create(ctx, "late-box", 64, 65_536)
	must(t, err)
	for _, e := range before {
		if e.Name() == c.Send.Digest.Hex()+".json" || e.Name() == c.Receive.Digest.Hex()+".json" {
			t.Errorf("%s is the handle of an interrupted creation", e.Name())
		}
	}
	archived := ".mailbox-admission/owners/" + parse(t, marker).Get("nonce").Text() + ".json"
	if got := w.read(archived); got != marker {
		t.Errorf("archived %s, want %s", got, marker)
	}
}

// TestGoldenProcesses: the mailboxes in the stores of the process histories read as
// the commands showed them, and what was sent can be sent again.
func TestGoldenProcesses(t *testing.T) {
	boxes, sends, stores := 0, 0, 0
	for _, file := range golden.Glob(t, "processes/*/scenario.json") {
		scenario := parse(t, string(golden.Read(t, file)))
		dir := path.Dir(file)
		if len(globOrNone(t, dir+"/store", "/mailboxes/*/*")) == 0 {
			continue
		}
		stores++
		w := goldenWorld(t, dir+"/store", scenario.Get("emptyDirectories").Get("store"))
		for _, c := range scenario.Get("commands").Elements() {
			argv := c.Get("argv")
			if argv.Len() < 4 || !argv.At(0).IsText("mailbox") || int(c.Get("exit").Float()) != 0 {
				continue
			}
			stdout := parse(t, c.Get("stdout").Text())
			switch argv.At(1).Text() {
			case "create":
				if got := w.at(argv.At(2).Text()).box.Record(); !canon.Equal(got, stdout) {
					t.Errorf("%s: %s, want %s", dir, got, stdout)
				}
				boxes++
			case "send":
				value := parse(t, string(golden.Read(t, dir+"/"+argv.At(3).Text())))
				if !argv.At(4).IsText("--idempotency-key") {
					t.Fatalf("%s: %s", dir, argv)
				}
				w.unchanged("sending again", func() {
					id, err := w.Service.Send(ctx, argv.At(2).Text(), value, algal.Digest(argv.At(5).Text()))
					if err != nil || string(id) != stdout.Get("id").Text() {
						t.Errorf("%s: sent %s, %v, want %s", dir, id, err, stdout)
					}
				})
				sends++
			}
		}
		list, err := w.List()
		must(t, err)
		for _, c := range list {
			i, err := w.Inspect(c.Name)
			if err != nil || i.InterruptedKeys != 0 || i.Locked {
				t.Errorf("%s: inspected %+v, %v", dir, i, err)
			}
		}
	}
	if stores < 3 || boxes < 3 || sends < 3 {
		t.Errorf("only %d stores, %d mailboxes, %d sends", stores, boxes, sends)
	}
	t.Logf("%d stores, %d mailboxes, %d sends", stores, boxes, sends)
}
