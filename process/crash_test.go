//go:build unix

package process_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/process"
)

var everyStep = flag.Bool("everystep", false, "kill also after syncs, which leave what the step before has left")

// operations are what is interrupted: by name, what prepares a store for it, and the
// operation itself.
var operations = map[string]struct {
	prepare func(w workshop)
	do      func(w workshop) error
}{
	"create": {
		func(w workshop) { w.box("outbox"); w.box("inbox") },
		func(w workshop) error {
			return second(w.processes().Create(context.Background(), w.worker("p", w.found("outbox"), w.found("inbox"))))
		},
	},
	"start": {func(w workshop) { w.createWith(w.worker("p", w.box("outbox"), w.box("inbox"))) }, tickWorker},
	"manual": {
		func(w workshop) {
			w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
			w.mustTick("p", "suspended")
		},
		tickWorker,
	},
	"manual with a message": {awaited, tickWorker},
	"wake":                  {awaited, func(w workshop) error { return second(w.schedule()) }},
	"pass": {
		func(w workshop) {
			out, in, other := w.box("outbox"), w.box("inbox"), w.box("other")
			w.createWith(w.worker("a-sender", out, in))
			w.createWith(w.sleeper("b-woken", out))
			w.createWith(w.sleeper("c-asleep", other))
			w.createWith(w.sleeper("d-awaited", in))
			w.mustTick("b-woken", "suspended")
			w.mustTick("c-asleep", "suspended")
			w.mustTick("d-awaited", "suspended")
			w.send(in, "1", "hello")
		},
		func(w workshop) error { return second(w.schedule()) },
	},
}

func tickWorker(w workshop) error { return second(w.tick("p")) }

// awaited is a worker that waits, and a message that it waits for.
func awaited(w workshop) {
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	w.mustTick("p", "suspended")
	w.send(w.found("inbox"), "1", "hello")
}

// childDies does an operation and is killed at a step of it.
func childDies(t *testing.T, words []string) {
	root, operation, when := words[0], words[1], words[3]
	at, err := strconv.Atoi(words[2])
	must(t, err)
	steps := 0
	w := workshopAt(t, root, func(s durable.Step, do func() error) error {
		n := steps
		steps++
		if n == at && when == "before" {
			dieHere()
		}
		err := unsynced(s, do)
		if n == at && when == "after" {
			dieHere()
		}
		return err
	})
	must(t, operations[operation].do(w))
}

// stepsOf returns the steps of an undisturbed operation.
func stepsOf(t testing.TB, w workshop, operation string) (steps []durable.Step) {
	t.Helper()
	c := w.copied(t)
	must(t, operations[operation].do(workshopAt(t, c.root, func(s durable.Step, do func() error) error {
		s.Path, s.Target = strings.Replace(s.Path, filepath.Dir(c.root), "$", 1), strings.Replace(s.Target, filepath.Dir(c.root), "$", 1)
		steps = append(steps, s)
		return unsynced(s, do)
	})))
	return steps
}

// deaths are the points of an operation at which a kill can leave something of its
// own: after every step but the syncs of what is above the store, and before those
// that follow work which is no step.
func deaths(steps []durable.Step) (list []death) {
	for at, s := range steps {
		if !strings.HasPrefix(s.Path, "$/") {
			continue
		}
		if s.Op == durable.OpWriteTemp || s.Op == opEffect || at == 0 {
			list = append(list, death{at, "before", s})
		}
		if *everyStep || s.Op != durable.OpFileSync && s.Op != durable.OpDirSync {
			list = append(list, death{at, "after", s})
		}
	}
	return list
}

type death struct {
	at   int
	when string
	step durable.Step
}

func (d death) String() string { return fmt.Sprintf("killed %s step %d, %s", d.when, d.at, d.step) }

// matrix is one operation with what it leads to when nothing disturbs it.
type matrix struct {
	*testing.T
	operation string
	base      workshop
	want      workshop // after an undisturbed operation
	ends      map[string]int
}

// TestKilledAtEveryStep kills a process at every step of every operation. Whatever
// was left, what process.md §12 says may happen next is what happens: an operation
// that had not begun can be repeated and leads to the same end; one whose end is not
// known is repeated by nobody; no effect has happened twice, and no acknowledged
// message is lost or delivered twice.
func TestKilledAtEveryStep(t *testing.T) {
	least := map[string]int{"create": 12, "start": 30, "manual": 12, "manual with a message": 25, "wake": 25, "pass": 60}
	for operation, o := range operations {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			base := newWorkshop(t)
			o.prepare(base)
			want := base.copied(t)
			must(t, o.do(want))
			m := &matrix{t, operation, base, want, map[string]int{}}
			list := deaths(stepsOf(t, base, operation))
			for _, d := range list {
				w := base.copied(t)
				if !startHelper(t, "die", w.root, operation, fmt.Sprint(d.at), d.when).end() {
					t.Fatalf("%s: not killed", d)
				}
				m.check(w)
				if t.Failed() {
					t.Fatal(d)
				}
				must(t, os.RemoveAll(filepath.Dir(w.root)))
			}
			if len(list) < least[operation] {
				t.Errorf("killed only %d times", len(list))
			}
			t.Logf("killed %d times: %v", len(list), m.ends)
		})
	}
}

// check looks at what a kill has left.
func (m *matrix) check(w workshop) {
	m.Helper()
	w.t = m.T
	allowed := []check.Kind{check.ProcessUncertain, check.MailboxLocked, check.MailboxInterrupted, check.CreationInterrupted}
	checktest.Now(m, w.root, checktest.Allow(allowed...), checktest.Tools(workerTools()))
	if m.operation == "create" {
		m.checkCreation(w)
		return
	}
	for _, e := range w.effects() {
		if n := strings.Count(strings.Join(w.effects(), ""), e); n != 1 {
			m.Errorf("%d times: %s", n, e)
		}
	}
	names, err := w.processes().Names()
	must(m, err)
	blocked := map[string]algal.Digest{}
	for _, name := range names {
		if m.checkProcess(w, name) {
			blocked[name] = w.head(name).Digest
		}
	}
	m.reconcile(w)
	m.checkMessages(w)
	m.goOn(w, blocked)
	checktest.Now(m, w.root, checktest.Allow(check.ProcessUncertain), checktest.Tools(workerTools()))
}

// checkProcess holds a process to the three states that a dispatch can be killed in,
// and reports whether nobody can carry it on.
func (m *matrix) checkProcess(w workshop, name string) (blocked bool) {
	m.Helper()
	s, before, after := w.head(name), m.base.head(name), m.want.head(name)
	switch {
	case s.Digest == after.Digest:
		m.ends["settled"]++
	case s.Digest == before.Digest:
		m.ends["not begun"]++
	case s.Record.Status == chain.Uncertain && s.Record.Previous == before.Digest && s.Record.Generation == before.Record.Generation+1:
		m.ends["uncertain"]++
		m.checkUncertain(w, s)
		return true
	default:
		m.Errorf("%s is at %s", name, s.Value())
	}
	if _, err := w.processes().Verify(m.Context(), name); err != nil {
		m.Errorf("verify %s: %v", name, err)
	}
	return false
}

// checkUncertain: nothing carries on a dispatch whose end is not known and that kept
// no journal.
func (m *matrix) checkUncertain(w workshop, s *process.Snapshot) {
	m.Helper()
	name := s.Record.Name
	_, err := w.tick(name)
	refused(m, "tick", err, algal.IOFailed, "process dispatch is uncertain; reconcile before any further execution")
	_, err = w.processes().Recover(m.Context(), name, s.Digest)
	refused(m, "recover", err, algal.IOFailed, "dispatch has no recovery journal")
	v, err := w.processes().Verify(m.Context(), name)
	if err != nil || v.Generations != s.Record.Generation {
		m.Errorf("verify: %+v, %v", v, err)
	}
	if now := w.head(name); now.Digest != s.Digest {
		m.Errorf("%s is at %s", name, now.Value())
	}
}

// reconcile does by hand what cli.md §5 says may be done: it removes the locks of
// mailboxes, and of a delivery that was interrupted between its markers the one that
// does not hold. The programs here act on a message after the receive, so a message
// without an effect was not taken over.
func (m *matrix) reconcile(w workshop) {
	m.Helper()
	list, err := w.mailboxes().List()
	must(m, err)
	for _, box := range list {
		lock := w.path("mailboxes/" + box.Name + "/.lock")
		if _, err := os.Lstat(lock); err == nil {
			m.ends["locked"]++
			_, err := w.mailboxes().Receive(m.Context(), box.Receive.String())
			refused(m, "receive", err, algal.IOFailed, `mailbox "`+box.Name+`" is locked; reconcile the owning operation before retrying`)
			must(m, os.Remove(lock))
		}
		i, err := w.mailboxes().Inspect(box.Name)
		must(m, err)
		for _, e := range i.Interrupted {
			m.ends["interrupted "+string(e.State)]++
			switch e.State {
			case "send":
				m.resend(w, box.Name, e.Key)
			case "receive":
				must(m, os.Remove(w.path("mailboxes/"+box.Name+"/consumed/"+algal.Digest(e.Key).Hex()+".json")))
			default:
				m.Errorf("%s: %s is %s", box.Name, e.Key, e.State)
			}
		}
	}
}

// resend repeats an interrupted send with its key and value.
func (m *matrix) resend(w workshop, box, key string) {
	m.Helper()
	claim := parse(m, w.read("mailboxes/"+box+"/messages/"+algal.Digest(key).Hex()+".json"))
	_, err := w.mailboxes().Send(m.Context(), w.found(box).Send.String(), claim.Get("value"), algal.Digest(key))
	must(m, err)
}

// checkMessages: every message that was acknowledged before, and every one that a
// settled dispatch has sent, is there; none waits after it was consumed.
func (m *matrix) checkMessages(w workshop) {
	m.Helper()
	claims := func(w workshop) (list []string) {
		for name := range tree(m, w.path("mailboxes")) {
			if strings.Contains(name, "/messages/") && strings.HasSuffix(name, ".json") {
				list = append(list, name)
			}
		}
		slices.Sort(list)
		return list
	}
	have, could := claims(w), claims(m.want)
	for _, name := range claims(m.base) {
		if !slices.Contains(have, name) {
			m.Errorf("message %s is lost", name)
		}
	}
	for _, name := range have {
		if !slices.Contains(could, name) {
			m.Errorf("message %s is nobody's", name)
		}
		waits, gone := m.exists(w, strings.Replace(name, "messages", "pending", 1)), m.exists(w, strings.Replace(name, "messages", "consumed", 1))
		if waits == gone {
			m.Errorf("message %s waits: %v, was consumed: %v", name, waits, gone)
		}
	}
}

func (m *matrix) exists(w workshop, name string) bool {
	m.Helper()
	_, err := os.Lstat(w.path("mailboxes/" + name))
	if err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	return err == nil
}

// goOn repeats the operation until nothing changes. Who is not blocked comes to the
// end that it would have come to, and every message that waits is received once.
func (m *matrix) goOn(w workshop, blocked map[string]algal.Digest) {
	m.Helper()
	if len(blocked) == 0 && m.operation != "pass" {
		if w.head("p").Digest == m.base.head("p").Digest {
			must(m, operations[m.operation].do(w))
		}
		if got, want := w.head("p"), m.want.head("p"); got.Digest != want.Digest {
			m.Errorf("went on to %s, want %s", got.Value(), want.Value())
		}
		if got, want := w.effects(), m.want.effects(); !slices.Equal(got, want) {
			m.Errorf("effects %q, want %q", got, want)
		}
	}
	for range 3 {
		_, err := w.schedule()
		must(m, err)
	}
	for name, head := range blocked {
		if now := w.head(name); now.Digest != head {
			m.Errorf("%s was carried on to %s", name, now.Value())
		}
	}
	m.receiveAll(w)
}

// receiveAll receives what waits. Nothing of it was received before, be it by a
// program.
func (m *matrix) receiveAll(w workshop) {
	m.Helper()
	seen := map[algal.Digest]bool{}
	list, err := w.mailboxes().List()
	must(m, err)
	for _, box := range list {
		for {
			message, err := w.mailboxes().Receive(m.Context(), box.Receive.String())
			if algal.CodeOf(err) == algal.EffectSuspended {
				break
			}
			must(m, err)
			if seen[message.ID] {
				m.Errorf("received twice: %s", message.Record())
			}
			seen[message.ID] = true
			if slices.ContainsFunc(w.effects(), func(e string) bool {
				return strings.HasPrefix(e, "finish ") && strings.HasSuffix(e, " "+message.Value.String()+"\n")
			}) {
				m.Errorf("received and acted on: %s", message.Record())
			}
		}
	}
}

// checkCreation: a name is free, resumable by the same definition, blocked for good,
// or a process.
func (m *matrix) checkCreation(w workshop) {
	m.Helper()
	create := operations["create"].do
	if _, err := os.Lstat(w.path("processes/p")); os.IsNotExist(err) {
		m.ends["free"]++
		w.advanced()
		must(m, create(w))
	} else if _, err := os.Lstat(w.path("processes/p/head.json")); err == nil {
		m.ends["created"]++
		refused(m, "create", create(w), algal.IOFailed, "process name already exists")
	} else {
		_, err := w.processes().List()
		refused(m, "list", err, algal.StoreMiss, "process head missing")
		_, err = w.schedule()
		refused(m, "schedule", err, algal.StoreMiss, "process head missing")
		other := w.worker("p", w.found("outbox"), w.found("inbox"))
		other.MaxGenerations = 9
		const retained = "process name is retained by a completed or interrupted creation"
		refused(m, "create another", second(w.processes().Create(m.Context(), other)), algal.IOFailed, retained)
		if _, err := os.Lstat(w.path("processes/p/.creating.json")); os.IsNotExist(err) {
			m.ends["blocked"]++
			refused(m, "create", create(w), algal.IOFailed, retained)
			must(m, os.RemoveAll(w.path("processes/p"))) // the operator
		} else {
			m.ends["interrupted"]++
		}
		must(m, create(w))
	}
	if got, want := w.head("p"), m.want.head("p"); got.Digest != want.Digest {
		m.Errorf("created %s, want %s", got.Value(), want.Value())
	}
	list, err := w.processes().List()
	if err != nil || len(list) != 1 {
		m.Errorf("list: %v, %v", list, err)
	}
	w.mustTick("p", "suspended")
	checktest.Now(m, w.root, checktest.Tools(workerTools()))
}

// TestJournalOfADispatchThatNeverBegan: a journaled dispatch that died before its
// head moved leaves an empty journal under the digest of the intent that the next
// dispatch has too. If that one keeps no journal, nobody may take the empty one for
// its account: the effects of a dispatch that was interrupted would happen again.
func TestJournalOfADispatchThatNeverBegan(t *testing.T) {
	w := newWorkshop(t, check.ProcessUncertain)
	w.createWith(w.worker("p", w.box("outbox"), w.box("inbox")))
	failed := workshopAt(t, w.root, func(s durable.Step, do func() error) error {
		if s.Op == durable.OpReplace && strings.HasSuffix(s.Target, "/processes/p/head.json") {
			return os.ErrPermission
		}
		return unsynced(s, do)
	})
	if _, err := failed.journaledTick("p"); algal.CodeOf(err) != algal.IOFailed {
		t.Fatalf("journaled tick: %v", err)
	}
	if !startHelper(t, "die", w.root, "start", fmt.Sprint(stepOf(t, w, "start", opEffect)), "after").end() {
		t.Fatal("the helper process was not killed")
	}
	_, err := w.processes().Recover(t.Context(), "p", w.head("p").Digest)
	refused(t, "recover", err, algal.IOFailed, "dispatch has no recovery journal")
	if lines := w.effects(); len(lines) != 1 {
		t.Errorf("effects %q", lines)
	}
}
