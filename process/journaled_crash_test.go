//go:build unix

package process_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

// The environment of a child that kills itself.
const (
	crashRoot = "ALGAL_JOURNALED_CRASH_ROOT" // the store
	crashVerb = "ALGAL_JOURNALED_CRASH_VERB" // tick or recover
	crashAt   = "ALGAL_JOURNALED_CRASH_AT"   // the event in whose place the child dies
)

// crashChild dispatches or recovers a process and dies in the place of an event: a
// step that changes the store, or a call before or after it has had its effect.
func crashChild(t *testing.T, root string) {
	at, err := strconv.Atoi(os.Getenv(crashAt))
	must(t, err)
	events := 0
	b := bench{root, func() {
		if events++; events > at {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal has arrived
		}
	}}
	must(t, b.run(t, os.Getenv(crashVerb)))
}

// bench is a store with a process whose effects leave a mark in a ledger outside it:
// a model, a read tool and a write tool, one after the other.
type bench struct {
	root  string
	event func() // before each event; nil when nobody dies
}

const crashBudget = 3 // recoveries

var (
	crashProgram = cells(`{"id":"ask","kind":"agent","prompt":"?","output":{"kind":"text"}},{"id":"look","kind":"tool","tool":"look"},{"id":"save","kind":"tool","tool":"save"}`,
		"ask.out look.in", "look.out save.in")
	crashOptions = process.Options{Journal: true, MaxRecoveries: crashBudget}
)

func (b bench) ledger() string { return filepath.Join(filepath.Dir(b.root), "ledger") }

// call has its effect: a line in the ledger.
func (b bench) call(name string, key algal.Digest) error {
	b.pass()
	f, err := os.OpenFile(b.ledger(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, name, key); err != nil {
		return err
	}
	b.pass()
	return f.Close()
}

// pass passes an event, or does not survive it.
func (b bench) pass() {
	if b.event != nil {
		b.event()
	}
}

func (b bench) hook(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil // the machine does not crash
	}
	b.pass()
	return do()
}

func (b bench) desk(t testing.TB) *desk {
	d := deskAt(t, b.root)
	d.hook = b.hook
	for _, tool := range []struct{ name, effect string }{{"look", "read"}, {"save", "write"}} {
		d.tool(tool.name, tool.effect, func(c runtime.ToolCall) (canon.Value, error) {
			return canon.Object(canon.M("out", canon.String("from "+tool.name))), b.call(tool.name, c.IdempotencyKey)
		})
	}
	d.host.Executors = []runtime.Executor{described{
		runtime.Description{ID: "model", Configuration: canon.DigestText("model")},
		func(q *runtime.Request) (runtime.Answer, error) {
			return runtime.Answer{Output: canon.String("answer")}, b.call("model", q.Digest)
		},
	}}
	return d
}

func (b bench) run(t testing.TB, verb string) error {
	d := b.desk(t)
	if verb == "tick" {
		_, err := d.processes().Tick(t.Context(), "p", crashOptions)
		return err
	}
	_, err := d.recover("p")
	return err
}

// calls counts the lines of the ledger by name, and checks that a name has one key.
func (b bench) calls(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(b.ledger())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	counts, keys := map[string]int{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		counts[name]++
		if keys[name] == "" {
			keys[name] = key
		}
		if keys[name] != key {
			t.Errorf("%s was called under the keys %s and %s", name, keys[name], key)
		}
	}
	return counts
}

// die lets a child die at an event and reports false if it came to its end before.
func (b bench) die(t *testing.T, verb string, at int) bool {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKill$")
	child.Env = append(os.Environ(), crashRoot+"="+b.root, crashVerb+"="+verb, fmt.Sprint(crashAt, "=", at))
	output, err := child.CombinedOutput()
	if err == nil {
		return false
	}
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child failed: %v: %s", err, output)
	}
	return true
}

// state is the status of the process and, while it has no outcome, its journal.
func (b bench) state(t *testing.T) string {
	t.Helper()
	d := b.desk(t)
	status := string(d.head("p").Record.Status)
	if status != "uncertain" {
		return status
	}
	j := d.journalOf("p")
	state := fmt.Sprintf("recovery %d:", j.Attempts())
	for _, e := range j.Effects() {
		state += " " + e.Executor + strings.Repeat("+", e.Attempt)
		if e.Completed() {
			state += "."
		}
	}
	return state
}

// copied returns a copy of the bench with its ledger.
func (b bench) copied(t *testing.T) bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.CopyFS(dir, os.DirFS(filepath.Dir(b.root))))
	return bench{root: filepath.Join(dir, "store")}
}

// TestKill kills a journaled dispatch, its recovery, and the recovery of that, in
// the place of every event that changes anything. Whatever has settled is never
// called again; an unsettled read is, under the same key; an unsettled write or
// provider call stops everything without spending an attempt; and what can be
// recovered ends as if nothing had happened.
func TestKill(t *testing.T) {
	if root := os.Getenv(crashRoot); root != "" {
		crashChild(t, root)
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	created := bench{root: filepath.Join(dir, "store")}
	created.desk(t).createWith(process.Definition{Name: "p", Manifest: manifest(t, crashProgram), MaxGenerations: 2})
	plain := created.copied(t)
	must(t, plain.run(t, "tick"))
	m := &killing{T: t, want: plain.desk(t).head("p").Digest, seen: map[string]bench{}, ends: map[string]int{}}

	m.everywhere(created, "tick")
	for _, state := range []string{"recovery 0:", "recovery 0: model. tool:look"} {
		m.everywhere(m.reached(state), "recover")
	}
	m.everywhere(m.reached("recovery 1: model. tool:look+"), "recover")

	for _, end := range []string{"recovered", "repeated", "blocked", "complete", "ready"} {
		if m.ends[end] == 0 {
			t.Errorf("nothing was %s", end)
		}
	}
	t.Logf("%d kills, %d states, ends %v", m.kills, len(m.seen), m.ends)
}

// killing is the whole of TestKill.
type killing struct {
	*testing.T
	want  algal.Digest     // the head that an undisturbed dispatch leads to
	seen  map[string]bench // one bench per state after a kill
	ends  map[string]int
	kills int
}

func (m *killing) reached(state string) bench {
	m.Helper()
	b, ok := m.seen[state]
	if !ok {
		m.Fatalf("no kill led to %q", state)
	}
	return b
}

// everywhere kills a command on copies of a bench at one event after the other.
func (m *killing) everywhere(from bench, verb string) {
	m.Helper()
	for at := 0; ; at++ {
		b := from.copied(m.T)
		if !b.die(m.T, verb, at) {
			if at < 20 {
				m.Errorf("%s had %d events", verb, at)
			}
			return
		}
		m.kills++
		state := b.state(m.T)
		if _, ok := m.seen[state]; !ok {
			m.seen[state] = b.copied(m.T)
		}
		m.check(fmt.Sprintf("%s killed at event %d, %s", verb, at, state), b)
	}
}

// check goes on after a kill and holds what happens to what had happened.
func (m *killing) check(what string, b bench) {
	m.Helper()
	d, before := b.desk(m.T), b.calls(m.T)
	d.sound()
	switch status := d.head("p").Record.Status; status {
	case "ready":
		if len(before) > 0 {
			m.Errorf("%s: called %v before the intent", what, before)
		}
		m.ends["ready"]++
		m.end(what, b, b.run(m.T, "tick"), map[string]int{"model": 1, "look": 1, "save": 1})
		return
	case "complete":
		m.ends["complete"]++
		m.end(what, b, nil, before)
		return
	}
	j := d.journalOf("p")
	after := map[string]int{"model": 1, "look": 1, "save": 1}
	for _, e := range j.Effects() {
		name := strings.TrimPrefix(e.Executor, "tool:")
		switch {
		case e.Completed():
			after[name] = before[name]
		case e.Read:
			after[name] = before[name] + 1
		default:
			m.blocked(what, b, j.Attempts())
			return
		}
	}
	if slices.ContainsFunc(j.Effects(), func(e journal.Effect) bool { return !e.Completed() }) {
		m.ends["repeated"]++
	}
	m.ends["recovered"]++
	m.end(what, b, b.run(m.T, "recover"), after)
}

// end checks that the process has come to the one outcome with these calls.
func (m *killing) end(what string, b bench, err error, calls map[string]int) {
	m.Helper()
	if err != nil {
		m.Errorf("%s: %v", what, err)
		return
	}
	d := b.desk(m.T)
	if head := d.head("p"); head.Digest != m.want {
		m.Errorf("%s: the outcome is %s", what, head.Value())
	}
	if diff := cmp.Diff(calls, b.calls(m.T)); diff != "" {
		m.Errorf("%s: calls: %s", what, diff)
	}
	if n := b.calls(m.T); n["model"] != 1 || n["save"] != 1 {
		m.Errorf("%s: called %v", what, n)
	}
	if _, err := d.processes().Verify(m.Context(), "p"); err != nil {
		m.Errorf("%s: %v", what, err)
	}
}

// blocked checks that a recovery is refused and changes nothing.
func (m *killing) blocked(what string, b bench, attempts int) {
	m.Helper()
	m.ends["blocked"]++
	d, before := b.desk(m.T), b.calls(m.T)
	_, err := d.recover("p")
	var r *journal.Refusal
	if !errors.As(err, &r) || r.Consumed || algal.CodeOf(err) != algal.IOFailed {
		m.Errorf("%s: recover: %v", what, err)
	}
	if diff := cmp.Diff(before, b.calls(m.T)); diff != "" {
		m.Errorf("%s: a refused recovery called: %s", what, diff)
	}
	if n := d.journalOf("p").Attempts(); n != attempts {
		m.Errorf("%s: %d attempts after a refused recovery, want %d", what, n, attempts)
	}
}
