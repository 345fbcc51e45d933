//go:build unix

package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// workshop is a store with mailboxes and workers, and a ledger outside it in which
// every effect of a tool leaves a line.
type workshop struct {
	*desk
}

// opEffect is the step of a tool that has its effect, for hooks.
const opEffect durable.Op = "effect"

// workshopAt is the workshop over a store, whose steps a hook runs.
func workshopAt(t testing.TB, root string, hook durable.Hook) workshop {
	t.Helper()
	d := deskAt(t, root)
	w := workshop{d}
	if d.hook = hook; hook == nil {
		d.hook = unsynced
	}
	d.host.Store = d.store()
	for name, tool := range d.mailboxes().Tools() {
		d.host.Tools[name] = tool
	}
	for _, name := range []string{"begin", "finish"} {
		d.host.Tools[name] = &runtime.HostTool{
			Signature:     workerTools()[name],
			Configuration: canon.DigestText(name),
			Call: func(_ context.Context, c runtime.ToolCall) (canon.Value, error) {
				line := fmt.Sprintln(name, c.IdempotencyKey, c.Inputs.Get("message"))
				return canon.Object(canon.M("out", canon.String(string(c.IdempotencyKey)))), w.enter(line)
			},
		}
	}
	return w
}

// newWorkshop is a workshop over an empty store that is examined in the end.
func newWorkshop(t testing.TB, allowed ...check.Kind) workshop {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := workshopAt(t, filepath.Join(dir, "store"), nil)
	w.cleanAtEnd(allowed...)
	return w
}

// cleanAtEnd has the store examined when the test ends.
func (w workshop) cleanAtEnd(allowed ...check.Kind) {
	checktest.Clean(w.t, w.root, checktest.Allow(allowed...), checktest.Tools(workerTools()))
}

// workerTools are the signatures of the two tools that write the ledger.
func workerTools() map[string]*organism.Tool {
	signature := func(inputs string) *organism.Tool {
		v, err := canon.Parse(`{"inputs":`+inputs+`,"outputs":{"out":"json"},"effect":"write","cost":1,"maxOutputBytes":1024}`, canon.Limits{})
		if err != nil {
			panic(err) // the texts are constants
		}
		tool, err := organism.ParseTool(v, "tool")
		if err != nil {
			panic(err)
		}
		return tool
	}
	return map[string]*organism.Tool{"begin": signature(`{}`), "finish": signature(`{"message":"json"}`)}
}

func (w workshop) ledgerFile() string { return filepath.Join(filepath.Dir(w.root), "ledger") }

// enter appends a line to the ledger.
func (w workshop) enter(line string) error {
	return w.hook(durable.Step{Op: opEffect, Path: w.ledgerFile()}, func() error {
		f, err := os.OpenFile(w.ledgerFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(line)
		return err
	})
}

// effects returns the lines of the ledger in order.
func (w workshop) effects() []string {
	w.t.Helper()
	text, err := os.ReadFile(w.ledgerFile())
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// workerProgram begins, tells a mailbox, waits for a message of another, and
// finishes with it.
var workerProgram = cells(
	`{"id":"in","kind":"input","outputs":{"send":{"type":"cap","capability":"mailbox-send"},"receive":{"type":"cap","capability":"mailbox-receive"}}},`+
		`{"id":"begin","kind":"tool","tool":"begin"},`+
		`{"id":"tell","kind":"tool","tool":"mailbox.send.v1"},`+
		`{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"},`+
		`{"id":"finish","kind":"tool","tool":"finish"}`,
	"in.send tell.mailbox", "begin.out tell.message", "in.receive wait.mailbox", "wait.message finish.message")

// sleeperProgram only waits for a message and ends.
var sleeperProgram = cells(
	`{"id":"in","kind":"input","outputs":{"receive":{"type":"cap","capability":"mailbox-receive"}}},{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"}`,
	"in.receive wait.mailbox")

// box creates a mailbox.
func (w workshop) box(name string) mailbox.Config {
	w.t.Helper()
	c, err := w.mailboxes().Create(w.t.Context(), name, mailbox.DefaultMaxMessages, mailbox.DefaultMaxMessageBytes)
	must(w.t, err)
	return c
}

// found returns a mailbox that is there.
func (w workshop) found(name string) mailbox.Config {
	w.t.Helper()
	c, err := w.mailboxes().Find(name)
	if err != nil || c == nil {
		w.t.Fatalf("mailbox %s: %v, %v", name, c, err)
	}
	return *c
}

// worker is the definition of a process that tells one mailbox and waits on another.
func (w workshop) worker(name string, tell, wait mailbox.Config) process.Definition {
	return process.Definition{
		Name:     name,
		Manifest: manifest(w.t, workerProgram),
		Args: canon.Object(canon.M("in", canon.Object(
			canon.M("receive", canon.String(wait.Receive.String())), canon.M("send", canon.String(tell.Send.String()))))),
		MaxGenerations: 8,
	}
}

// sleeper is the definition of a process that waits on a mailbox.
func (w workshop) sleeper(name string, wait mailbox.Config) process.Definition {
	return process.Definition{
		Name:           name,
		Manifest:       manifest(w.t, sleeperProgram),
		Args:           canon.Object(canon.M("in", canon.Object(canon.M("receive", canon.String(wait.Receive.String()))))),
		MaxGenerations: 64,
	}
}

func (w workshop) tick(name string) (*process.Snapshot, error) {
	return w.processes().Tick(context.Background(), name, process.Options{})
}

// mustTick ticks a process and wants it to be in a status afterwards.
func (w workshop) mustTick(name, status string) *process.Snapshot {
	w.t.Helper()
	s, err := w.tick(name)
	if err != nil || string(s.Record.Status) != status {
		w.t.Fatalf("tick %s: %v, %v, want it %s", name, s, err, status)
	}
	return s
}

func (w workshop) schedule() ([]*process.Snapshot, error) {
	return w.processes().Schedule(context.Background(), process.Pass{MaxTicks: process.MaxTicks})
}

// advanced schedules and wants exactly the named processes to advance.
func (w workshop) advanced(names ...string) []*process.Snapshot {
	w.t.Helper()
	list, err := w.schedule()
	var got []string
	for _, s := range list {
		got = append(got, s.Record.Name)
	}
	if err != nil || !slices.Equal(got, names) {
		w.t.Fatalf("schedule advanced %q, %v, want %q", got, err, names)
	}
	return list
}

// send sends a message of the host.
func (w workshop) send(to mailbox.Config, key, value string) algal.Digest {
	w.t.Helper()
	id, err := w.mailboxes().Send(context.Background(), to.Send.String(), canon.String(value), canon.DigestText(key))
	must(w.t, err)
	return id
}

// copied returns the workshop over a copy of the store, with its ledger.
func (w workshop) copied(t testing.TB) workshop {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.CopyFS(dir, os.DirFS(filepath.Dir(w.root))))
	return workshopAt(t, filepath.Join(dir, "store"), nil)
}
