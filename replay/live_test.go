package replay_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// The recorded runs are repeated here from their inputs, in memory, and must
// give the recorded receipts byte for byte.

// world is the outside of one recorded run.
type world struct {
	asked  asked
	expire func() // ends the deadline of the call under way, nil when there is none
	file   func(name string) canon.Value
	store  cas.Store
}

// deadline is one that ends only when a command that would sleep says so.
func (w *world) deadline(ctx context.Context, _ int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	w.expire = cancel
	return ctx, func() { cancel(); w.expire = nil }
}

// host lays out the executors and tools of a case. file reads the data files that
// its entry names.
func newWorld(t testing.TB, c *goldenrun.Case, file func(string) canon.Value) (*world, runtime.Host) {
	t.Helper()
	w := &world{file: file, store: cas.NewMemory()}
	if c.Transports != nil {
		c.Manifests = nil // the transport brings them
	}
	c.Fill(t, w.store)
	w.store = damage(w.store, c.Record.Get("files"))
	host := runtime.Host{Store: w.store, Tools: c.Signatures(t), Transports: c.Transports, Deadline: w.deadline}
	for _, e := range executorsOf(c).Elements() {
		host.Executors = append(host.Executors, w.executor(c, e))
	}
	for name, tool := range c.Tools.Members() {
		host.Tools[name] = scriptedTool(name, host.Tools[name].Signature, tool.Get("exec").Text(), w.toolFile(c, name))
	}
	return w, host
}

// executorsOf returns the executors of a case as the index writes them. Where only
// responses or a command are given, that is the one executor.
func executorsOf(c *goldenrun.Case) canon.Value {
	if list := c.Record.Get("executors"); list.Exists() {
		return list
	}
	kind := func(k string, more ...canon.Member) canon.Value {
		return canon.Array(canon.Object(append(more, canon.M("kind", canon.String(k)))...))
	}
	if line := c.Record.Get("command"); line.Exists() {
		return kind("command", canon.M("command", line), canon.M("options", c.Record.Get("commandOptions")))
	}
	if c.Record.Get("responses").Exists() {
		return kind("scripted")
	}
	return canon.Array()
}

func (w *world) executor(c *goldenrun.Case, e canon.Value) runtime.Executor {
	id := e.Get("id").Text()
	if e.Get("kind").IsText("command") {
		return newCommand(e.Get("command").Text(), id, e.Get("options"), w)
	}
	if id == "" {
		id = "scripted"
	}
	responses := e.Get("responses")
	if !responses.Exists() {
		responses = c.Record.Get("responses")
	}
	if name := e.Get("file"); name.Exists() {
		responses = w.file(name.Text())
	}
	return newScripted(id, responses, &w.asked)
}

// toolFile returns the reader of a tool's data, which the golden files keep in
// three ways.
func (w *world) toolFile(c *goldenrun.Case, tool string) func(string) canon.Value {
	if data := c.Record.Get("toolData"); data.Exists() {
		return func(string) canon.Value { return data.Get(tool) }
	}
	if files := c.Record.Get("toolFiles"); files.Exists() {
		return files.Get
	}
	return w.file
}

// damaged is a store in which some files hold what they should not (store.md §10).
type damaged struct {
	cas.Store
	files canon.Value
}

func damage(store cas.Store, files canon.Value) cas.Store {
	if !files.Exists() {
		return store
	}
	return damaged{store, files}
}

func (s damaged) fault(name string, d algal.Digest) error {
	file := s.files.Get(name)
	switch {
	case file.Get("dir").Exists():
		return algal.Errorf(algal.IOFailed, "store symlinks and unexpected file types are not admitted")
	case file.Get("text").Exists():
		return algal.Errorf(algal.ParseFailed, "store file contains invalid JSON")
	case file.Get("json").Exists():
		return algal.Errorf(algal.DigestMismatch, "value file %s hashes to %s", d, file.Get("json").Digest())
	}
	return nil
}

func (s damaged) Value(d algal.Digest) (canon.Value, error) {
	if err := s.fault("values/"+d.Hex()+".json", d); err != nil {
		return canon.Value{}, err
	}
	return s.Store.Value(d)
}

func (s damaged) PutValue(v canon.Value) (algal.Digest, error) {
	d := v.Digest()
	if err := s.fault("values/"+d.Hex()+".json", d); err != nil {
		return "", err
	}
	return s.Store.PutValue(v)
}

// SetSlot replaces a damaged slot, but not a directory.
func (s damaged) SetSlot(name string, v canon.Value) error {
	if err := s.fault("slots/"+name+".json", ""); algal.CodeOf(err) == algal.IOFailed {
		return err
	}
	return s.Store.SetSlot(name, v)
}

func (s damaged) Slot(name string) (canon.Value, error) {
	if err := s.fault("slots/"+name+".json", ""); err != nil {
		return canon.Value{}, err
	}
	return s.Store.Slot(name)
}

// live runs a case as it was run.
func live(t testing.TB, c *goldenrun.Case, host runtime.Host) (*runtime.Result, error) {
	t.Helper()
	m, err := organism.ParseManifest(c.Manifest)
	if err != nil {
		return nil, err
	}
	return runtime.Run(t.Context(), m, c.Args, host, nil)
}

func TestLiveReceipts(t *testing.T) {
	n, withRequests := 0, 0
	for _, c := range goldenrun.Receipts(t) {
		if !c.Receipt.Exists() {
			continue // case 38, see TestEventCap
		}
		w, host := newWorld(t, &c, caseFile(t, c.Name))
		if c.Name == "32-tool-suspend-wake" {
			host.Tools["wait.read"].Call = suspendingTool
		}
		if c.Record.Get("cacheEffects").Bool() {
			host.Executors = []runtime.Executor{memo{host.Executors[0], w.store}}
			if _, err := live(t, &c, host); err != nil { // fills the memo
				t.Error(err)
			}
		}
		result, err := live(t, &c, host)
		if err != nil || result.Receipt().String() != c.Receipt.String() {
			t.Errorf("%s: %v", c.Name, difference(result, err, c.Receipt))
			continue
		}
		if c.Record.Get("files").Get("requests").Exists() {
			withRequests++
			got, want := w.asked.distinct(), goldenrun.Parse(t, "receipts/"+c.Name+"/requests.json")
			if got.String() != want.String() {
				t.Errorf("%s: asked\n%s\nwant\n%s", c.Name, got, want)
			}
		}
		n++
	}
	if n == 0 || withRequests == 0 {
		t.Fatal("no receipts")
	}
	t.Logf("%d receipts are byte-identical, and the requests of %d", n, withRequests)
}

// caseFile reads the files of a case's folder.
func caseFile(t testing.TB, name string) func(string) canon.Value {
	return func(file string) canon.Value { return goldenrun.Parse(t, path.Join("receipts", name, file)) }
}

// suspendingTool is the in-process tool of case 32 (run.md §18).
func suspendingTool(context.Context, runtime.ToolCall) (canon.Value, error) {
	handle, err := organism.MintHandle("mailbox-receive", canon.Object(canon.M("mailbox", canon.String("demo"))))
	if err != nil {
		return canon.Value{}, err
	}
	return canon.Value{}, &algal.Error{Code: algal.EffectSuspended, Message: "inbox empty", Wake: []string{handle}}
}

func difference(result *runtime.Result, err error, want canon.Value) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("receipt\n%s\nwant\n%s", result.Receipt(), want)
}

func TestLiveFailures(t *testing.T) {
	var same, thrown int
	for _, c := range goldenrun.Failures(t) {
		if !c.Manifest.Exists() || c.Name == "args-bytes-over" {
			continue // described in words, see TestLiveGenerated
		}
		_, host := newWorld(t, &c, nil)
		result, err := live(t, &c, host)
		if want := c.Record.Get("thrown"); want.Exists() {
			checkError(t, c.Name, err, want)
			thrown++
			continue
		}
		if c.Name == "args-depth-63" {
			// Conformance V-6: a receipt that could not be read is not handed out.
			result, err = unbounded(t, &c, host)
		}
		if err != nil || result.Receipt().String() != c.Receipt.String() {
			t.Errorf("%s: %s", c.Name, difference(result, err, c.Receipt))
		}
		same++
	}
	if same == 0 || thrown == 0 {
		t.Fatal("no cases")
	}
	t.Logf("%d receipts are byte-identical, %d runs are refused as recorded", same, thrown)
}

// unbounded runs a case without the last look at the receipt's bounds.
func unbounded(t testing.TB, c *goldenrun.Case, host runtime.Host) (*runtime.Result, error) {
	t.Helper()
	m, err := organism.ParseManifest(c.Manifest)
	if err != nil {
		return nil, err
	}
	p, err := runtime.Prepare(host)
	if err != nil {
		return nil, err
	}
	graph, err := p.Compile(m)
	if err != nil {
		return nil, err
	}
	return p.Run(t.Context(), graph, c.Args, nil)
}

func checkError(t testing.TB, what string, err error, want canon.Value) {
	t.Helper()
	if e := algal.AsError(err); e == nil || string(e.Code) != want.Get("code").Text() || e.Message != want.Get("message").Text() {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// TestLiveRandom repeats the random runs but for those that need mailboxes.
func TestLiveRandom(t *testing.T) {
	var same, mailbox int
	for _, c := range goldenrun.Random(t) {
		if !c.Receipt.Exists() {
			continue // refused before it started, see TestRandomRuns
		}
		if strings.Contains(c.Receipt.Get("effects").String(), `"tool:mailbox.`) {
			mailbox++
			continue
		}
		_, host := newWorld(t, &c, nil)
		result, err := live(t, &c, host)
		if err != nil || result.Receipt().String() != c.Receipt.String() {
			t.Errorf("%s: %s", c.Name, difference(result, err, c.Receipt))
		}
		same++
	}
	if same == 0 {
		t.Fatal("no runs")
	}
	t.Logf("%d receipts are byte-identical, %d runs need mailboxes", same, mailbox)
}

// newStore returns a store that holds what a case's store held.
func newStore(t testing.TB, c *goldenrun.Case) cas.Store {
	t.Helper()
	store := cas.NewMemory()
	c.Fill(t, store)
	return store
}
