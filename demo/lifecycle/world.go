package lifecycle

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/shell"
)

// world is a store, the log of the decisions made in it, and who is seen to do what.
type world struct {
	*qualification.Session
	fixture  *fixture
	store    string // the name of its directory in the workspace
	aside    string // what lines about an owner's mailboxes say besides
	log      string // the path of the log
	executor string // the shell line of the adapter that writes it

	keepers  map[string]*stage.Program // who dispatched a process last
	handoffs int                       // dispatches by another runtime than the one before
}

func newWorld(s *qualification.Session, f *fixture, name string) *world {
	log := s.Path(name + "-calls.jsonl")
	return &world{
		Session: s, fixture: f, store: name + "-store", log: log,
		executor: shell.Line(s.Self, "demo", Command, log),
		keepers:  map[string]*stage.Program{},
	}
}

// Command is the command of our program, below demo, that runs [Recommend]; its
// argument is the log.
const Command = "adapter-recommend"

// ask runs a command on the store that must succeed, and returns what it prints.
func (w *world) ask(ctx context.Context, p *stage.Program, line string, args ...string) (canon.Value, error) {
	return w.Ask(ctx, p, line, w.located(args)...)
}

// located adds the store to a command.
func (w *world) located(args []string) []string { return append(args, "--dir", w.Path(w.store)) }

// snapshot is where a process stands, as a runtime tells it. Of a member that is not
// told, or not of its kind, it has nothing, which no fact takes for true.
type snapshot struct {
	name, head, status, receipt string
	generation                  int
	wake                        canon.Value
}

func readSnapshot(v canon.Value) snapshot {
	p := v.Get("process")
	return snapshot{
		name: p.Get("name").Text(), head: v.Get("digest").Text(),
		status: p.Get("status").Text(), receipt: p.Get("receipt").Text(),
		generation: count(p.Get("generation")), wake: p.Get("wake"),
	}
}

// count returns a number that counts something, -1 for anything else.
func count(v canon.Value) int {
	if n, err := canon.AsInt(v, "", 0, maxCount); err == nil {
		return n
	}
	return -1
}

const maxCount = 1 << 20

func (s snapshot) String() string { return s.status + " at generation " + strconv.Itoa(s.generation) }

// stands asserts where a process is.
func (w *world) stands(line string, got snapshot, status string, generation int) error {
	want := snapshot{status: status, generation: generation}
	return stage.Same(&w.Facts, line, got.String(), want.String())
}

// inspect asks where a process stands.
func (w *world) inspect(ctx context.Context, p *stage.Program, name string) (snapshot, error) {
	v, err := w.ask(ctx, p, name+" can be inspected", "process", "inspect", name)
	return readSnapshot(v), err
}

// create makes a process of the program and asserts that it is ready.
func (w *world) create(ctx context.Context, p *stage.Program, name, args string) error {
	line := name + " is created, ready at generation 0"
	v, err := w.ask(ctx, p, line, "process", "create", name, w.fixture.program,
		"--args", args, "--modules", w.fixture.dir, "--max-generations", "4")
	if err != nil {
		return err
	}
	return w.stands(line, readSnapshot(v), "ready", 0)
}

// suspend dispatches a process for the first time and asserts that it waits for a
// message in its approvals mailbox.
func (w *world) suspend(ctx context.Context, p *stage.Program, name string, b boxes) (snapshot, error) {
	line := name + " is ticked, suspended at generation 1"
	v, err := w.ask(ctx, p, line, "process", "tick", name, "--executor-cmd", w.executor)
	if err != nil {
		return snapshot{}, err
	}
	w.keepers[name] = p
	s := readSnapshot(v)
	if err := w.stands(line, s, "suspended", 1); err != nil {
		return snapshot{}, err
	}
	wanted := canon.Array(canon.String(b.approvals.receive))
	return s, w.That(canon.Equal(s.wake, wanted), name+" waits for an approval and for nothing else", "that it waits for %s", s.wake)
}

// schedule runs one pass and returns the processes that it advanced. It has the
// executor, so that a decision could be made again.
func (w *world) schedule(ctx context.Context, p *stage.Program, line string) ([]snapshot, error) {
	v, err := w.ask(ctx, p, line, "process", "schedule", "--max-ticks", "8", "--executor-cmd", w.executor)
	if err != nil {
		return nil, err
	}
	var advanced []snapshot
	for _, e := range v.Get("processes").Elements() {
		s := readSnapshot(e)
		if w.keepers[s.name] != p {
			w.handoffs++
		}
		w.keepers[s.name] = p
		advanced = append(advanced, s)
	}
	if ticks := count(v.Get("ticks")); ticks != len(advanced) {
		return nil, w.That(false, line, "%d ticks and %d advanced processes", ticks, len(advanced))
	}
	return advanced, nil
}

// decisions returns how many decisions the log of this world holds.
func (w *world) decisions() (int, error) {
	text, err := durable.Read(w.log, maxLog, durable.NoFollow)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, algal.Errorf(algal.IOFailed, "the log of decisions: %v", err)
	}
	n := 0
	for line := range strings.Lines(text) {
		if line != decision(w.fixture.release)+"\n" {
			return 0, w.That(false, "the log holds a line for each decision and nothing else", "%s", line)
		}
		n++
	}
	return n, nil
}

const maxLog = 1 << 20 // bytes, several thousand decisions

// receipt reads a receipt out of the store.
func (w *world) receipt(digest string) (canon.Value, error) {
	const line = "the receipts that records name are in the store, under their digests"
	d, err := algal.ParseDigest(digest, "receipt")
	if err != nil {
		return canon.Value{}, w.That(false, line, "%v", err)
	}
	v, err := disk.Open(w.Path(w.store), disk.Options{}).Receipt(d)
	if err != nil {
		return canon.Value{}, w.That(false, line, "%s: %v", d, err)
	}
	if !v.Exists() {
		return canon.Value{}, w.That(false, line, "nothing under %s", d)
	}
	return v, nil
}
