//go:build unix

package mailbox_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

var ctx = context.Background()

// openStore wires a store on disk as a command does.
func openStore(root string, hook durable.Hook) mailboxtest.Store {
	files := durable.NewPublisher(durable.Options{Hook: hook})
	store := disk.Open(root, disk.Options{Files: files})
	return mailboxtest.Store{Engine: store.Mailboxes(), Admit: mailbox.Custody(files, root)}
}

// unsynced leaves the syncs out, for tests of what is written and not of when.
func unsynced(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil
	}
	return do()
}

func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "store")
}

// TestSuite runs the suite on disk. The model is about the rules, which are the same
// on every engine, so here it takes fewer runs.
func TestSuite(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		must(t, f.Value.Set("15"))
		defer f.Value.Set(f.DefValue)
	}
	mailboxtest.Suite(t, func(t *testing.T) mailboxtest.Store { return openStore(used(t), unsynced) })
}

// used returns the root of an empty store in which a lease was taken before: making
// the database costs syncs that no hook leaves out.
func used(t testing.TB) string {
	t.Helper()
	database, err := leaseDatabase()
	must(t, err)
	root := scratch(t)
	lay(t, filepath.Join(root, leaseFile), database)
	return root
}

const leaseFile = ".mailbox-admission/.owner.sqlite"

var leaseDatabase = sync.OnceValues(func() (string, error) {
	root, err := os.MkdirTemp("", "mailbox-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(root)
	release, err := openStore(root, nil).Admit(ctx)
	if err != nil {
		return "", err
	}
	if err := release(); err != nil {
		return "", err
	}
	return durable.Read(filepath.Join(root, leaseFile), durable.MaxBytes, durable.NoFollow)
})

// world is a store on disk with one mailbox.
type world struct {
	t    testing.TB
	root string
	*mailbox.Service
	box mailbox.Config
}

func newWorld(t testing.TB, maxMessages, maxMessageBytes int) world {
	t.Helper()
	root := used(t)
	svc := openStore(root, unsynced).Service()
	box, err := svc.Create(ctx, "box", maxMessages, maxMessageBytes)
	if err != nil {
		t.Fatal(err)
	}
	return world{t, root, svc, box}
}

func (w world) send(n int, value string) (algal.Digest, error) {
	return w.Service.Send(ctx, w.box.Send.String(), parse(w.t, value), mailboxtest.Key(n))
}

func (w world) mustSend(n int, value string) algal.Digest {
	w.t.Helper()
	id, err := w.send(n, value)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w world) receive() (mailbox.Message, error) {
	return w.Service.Receive(ctx, w.box.Receive.String())
}

func (w world) mustReceive() mailbox.Message {
	w.t.Helper()
	m, err := w.receive()
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w world) probe() error {
	_, err := w.HasPending(ctx, w.box.Receive.String())
	return err
}

func (w world) idle() bool { return w.Idle(w.box.Receive.String()) }

// path returns the path of a file of the store.
func (w world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// file names a record of the mailbox.
func (w world) file(space string, n int) string {
	return "mailboxes/box/" + space + "/" + mailboxtest.Key(n).Hex() + ".json"
}

func (w world) read(name string) string {
	w.t.Helper()
	content, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

func (w world) write(name, content string) {
	w.t.Helper()
	lay(w.t, w.path(name), content)
}

func lay(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func (w world) remove(name string) {
	w.t.Helper()
	must(w.t, os.RemoveAll(w.path(name)))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unchanged demands that an action leaves every file as it was, the lease database
// apart. It opens no database: custody.md §2.5.
func (w world) unchanged(what string, action func()) {
	w.t.Helper()
	before := tree(w.t, w.root)
	action()
	if after := tree(w.t, w.root); before != after {
		w.t.Errorf("%s changed the store from\n%s\nto\n%s", what, before, after)
	}
}

// tree lists the files below root with their content.
func tree(t testing.TB, root string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(d.Name(), ".owner.sqlite") {
			return err
		}
		list.WriteString(strings.TrimPrefix(path, root) + " " + d.Type().String())
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			list.WriteString(" " + string(content))
		}
		list.WriteString("\n")
		return nil
	})
	must(t, err)
	return list.String()
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	must(t, err)
	return v
}

func cancelled() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }

var refused = mailboxtest.Refused
