//go:build unix

package process_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// desk is a store on disk with a host whose tools note every call.
type desk struct {
	t      testing.TB
	root   string
	host   runtime.Host
	ledger []string // what was called, with its idempotency key
	keys   []algal.Digest

	// Hook runs the steps of publications; nil does them without waiting for a disk.
	hook durable.Hook
}

// newDesk returns a desk over an empty store, which must be sound in the end.
func newDesk(t testing.TB) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	d := deskAt(t, filepath.Join(dir, "store"))
	t.Cleanup(d.sound)
	return d
}

// sound fails the test unless the store is sound. A dispatch may be without an
// outcome.
func (d *desk) sound() {
	d.t.Helper()
	tools := map[string]*organism.Tool{}
	for name, tool := range d.host.Tools {
		tools[name] = tool.Signature
	}
	checktest.Now(d.t, d.root, checktest.Allow(check.ProcessUncertain), checktest.Tools(tools))
}

func deskAt(t testing.TB, root string) *desk {
	t.Helper()
	d := &desk{t: t, root: root}
	d.host = runtime.Host{Store: d.store(), Tools: map[string]*runtime.HostTool{}, Deadline: deadline}
	return d
}

func deadline(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

func (d *desk) files() *durable.Publisher {
	return durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if d.hook != nil {
			return d.hook(s, do)
		}
		return unsynced(s, do)
	}})
}

// unsynced leaves the syncs out: in these tests no machine crashes.
func unsynced(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil
	}
	return do()
}

func (d *desk) store() *disk.Store {
	admit := func(receipt canon.Value) (canon.Value, error) { return receipt, runtime.ParseEffect(receipt) }
	return disk.Open(d.root, disk.Options{Files: d.files(), AdmitEffect: admit})
}

// processes is a supervisor as a new invocation of a command makes one.
func (d *desk) processes() *process.Supervisor {
	files, store := d.files(), d.store()
	return process.New(store.Processes(), store.Journals(), process.Leases(files, d.root), d.mailboxes(), d.host)
}

func (d *desk) mailboxes() *mailbox.Service {
	return mailbox.New(d.store().Mailboxes(), mailbox.Custody(d.files(), d.root))
}

// tool adds a tool to the host. It takes a port "in", unless it is called "first",
// and gives one "out".
func (d *desk) tool(name, effect string, call func(runtime.ToolCall) (canon.Value, error)) *runtime.HostTool {
	d.t.Helper()
	inputs := `{"in":"json"}`
	if name == "first" {
		inputs = `{}`
	}
	signature, err := organism.ParseTool(parse(d.t, `{"inputs":`+inputs+`,"outputs":{"out":"json"},"effect":"`+effect+`","cost":1,"maxOutputBytes":262144}`), name)
	must(d.t, err)
	tool := &runtime.HostTool{
		Signature:     signature,
		Configuration: canon.DigestText(name),
		Call: func(_ context.Context, c runtime.ToolCall) (canon.Value, error) {
			d.ledger = append(d.ledger, name)
			d.keys = append(d.keys, c.IdempotencyKey)
			return call(c)
		},
	}
	d.host.Tools[name] = tool
	return tool
}

// answers is the call of a tool that gives a text.
func answers(text string) func(runtime.ToolCall) (canon.Value, error) {
	return func(runtime.ToolCall) (canon.Value, error) {
		return canon.Object(canon.M("out", canon.String(text))), nil
	}
}

// dies is the call of a tool of which nobody hears again, as if the host had died
// during it.
func dies(runtime.ToolCall) (canon.Value, error) {
	return canon.Value{}, &algal.Error{Code: algal.ToolFailed, Message: "the connection was lost", Uncertain: true}
}

// scripted lets an executor answer from a table.
func (d *desk) scripted(table string) {
	d.t.Helper()
	e, err := scripted.New(parse(d.t, table), "")
	must(d.t, err)
	d.host.Executors = []runtime.Executor{e}
}

// create creates a process of a program.
func (d *desk) create(name, program string) {
	d.t.Helper()
	d.createWith(process.Definition{Name: name, Manifest: manifest(d.t, program), MaxGenerations: 4})
}

func (d *desk) createWith(def process.Definition) {
	d.t.Helper()
	_, err := d.processes().Create(d.t.Context(), def)
	must(d.t, err)
}

func (d *desk) journaledTick(name string) (*process.Snapshot, error) {
	return d.processes().Tick(d.t.Context(), name, process.Options{Journal: true, MaxRecoveries: 2})
}

// recover recovers a process from its current head.
func (d *desk) recover(name string) (*process.Snapshot, error) {
	d.t.Helper()
	return d.processes().Recover(d.t.Context(), name, d.head(name).Digest)
}

func (d *desk) head(name string) *process.Snapshot {
	d.t.Helper()
	s, err := d.processes().Inspect(name)
	must(d.t, err)
	return s
}

// journalOf opens the journal of the current dispatch.
func (d *desk) journalOf(name string) *journal.Journal {
	d.t.Helper()
	h := d.head(name).History
	for i := len(h.Records) - 1; i >= 0; i-- {
		if r := h.Records[i]; r.Status == "uncertain" {
			j, err := journal.Open(d.store().Journals(), journal.Dispatch{Process: name, Intent: h.Digests[i], Manifest: r.ManifestDigest})
			must(d.t, err)
			return j
		}
	}
	d.t.Fatalf("%s was never dispatched", name)
	return nil
}

// holds fails the test unless the journal has these entries: executor, a plus per
// repetition, and a full stop once it has settled.
func (d *desk) holds(name string, want ...string) {
	d.t.Helper()
	var got []string
	for _, e := range d.journalOf(name).Effects() {
		s := e.Executor + strings.Repeat("+", e.Attempt)
		if e.Completed() {
			s += "."
		}
		got = append(got, s)
	}
	if !slices.Equal(got, want) {
		d.t.Errorf("the journal has %q, want %q", got, want)
	}
}

// called fails the test unless exactly these tools were called since the last time.
func (d *desk) called(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.ledger, want) {
		d.t.Errorf("called %q, want %q", d.ledger, want)
	}
	d.ledger = nil
}

// uncertain fails the test unless the process has no outcome.
func (d *desk) uncertain(name string) {
	d.t.Helper()
	if s := d.head(name); s.Record.Status != "uncertain" {
		d.t.Errorf("%s is %s, want uncertain", name, s.Record.Status)
	}
}

// completes fails the test unless the process has ended well, with an outcome that
// verifies.
func (d *desk) completes(name string, s *process.Snapshot, err error) {
	d.t.Helper()
	if err != nil || s.Record.Status != "complete" {
		d.t.Fatalf("%s: %+v, %v, want it complete", name, s, err)
	}
	if _, err := d.processes().Verify(d.t.Context(), name); err != nil {
		d.t.Errorf("%s: %v", name, err)
	}
}

// unchanged runs do and fails the test if the store is another one afterwards, but
// for the evidence of custody.
func (d *desk) unchanged(what string, do func()) {
	d.t.Helper()
	before := tree(d.t, d.root)
	do()
	if diff := cmp.Diff(before, tree(d.t, d.root)); diff != "" {
		d.t.Errorf("%s changed the store: %s", what, diff)
	}
}

// tree returns the content of every file below root by relative path; directories
// have the content "/", links show where they lead.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(e.Name(), ".owner.sqlite") {
			return err
		}
		switch e.Type() {
		case fs.ModeDir:
			files[name] = "/"
			return nil
		case fs.ModeSymlink:
			target, err := os.Readlink(path)
			files[name] = "-> " + target
			return err
		}
		content, err := os.ReadFile(path)
		files[name] = string(content)
		return err
	})
	must(t, err)
	return files
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	must(t, err)
	return v
}

func manifest(t testing.TB, program string) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(parse(t, program))
	must(t, err)
	return m
}

// cells returns a program of cells with edges from port to port.
func cells(cells string, edges ...string) string {
	list := make([]string, len(edges))
	for i, e := range edges {
		from, to, _ := strings.Cut(e, " ")
		list[i] = `{"from":` + port(from) + `,"to":` + port(to) + `}`
	}
	return `{"contract":"algal.organism.v1","key":"organism:test","name":"Test","cells":[` + cells + `],"edges":[` + strings.Join(list, ",") + `]}`
}

func port(ref string) string {
	cell, name, _ := strings.Cut(ref, ".")
	return `{"cell":"` + cell + `","port":"` + name + `"}`
}

// twoTools calls a tool "first" and then one "second" with what it gave.
var twoTools = cells(`{"id":"a","kind":"tool","tool":"first"},{"id":"b","kind":"tool","tool":"second"}`, "a.out b.in")

// refused fails the test unless err has the code and the message.
func refused(t testing.TB, what string, err error, code algal.Code, message string) {
	t.Helper()
	if e := algal.AsError(err); e == nil || e.Code != code || e.Message != message {
		t.Errorf("%s: %s %v, want %s %s", what, algal.CodeOf(err), err, code, message)
	}
}
