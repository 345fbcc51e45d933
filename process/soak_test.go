//go:build unix

package process_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/check"
	"github.com/algal-vm/algal/check/checktest"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

var (
	soakKills = flag.Int("soak", 24, "kills of a soak")
	soakSeed  = flag.Uint64("seed", 0, "seed of a soak; 0 takes one from the clock")
)

// A store of a soak has a fixed set of mailboxes and of processes that are made and
// run in it: workers, which tell "middle" and wait on "start", and relays, which pass
// a message on from "middle" to "end".
const soakProcesses = 10

var soakBoxes = []string{"start", "middle", "end"}

// relayProgram passes a message on.
var relayProgram = cells(
	`{"id":"in","kind":"input","outputs":{"send":{"type":"cap","capability":"mailbox-send"},"receive":{"type":"cap","capability":"mailbox-receive"}}},`+
		`{"id":"wait","kind":"tool","tool":"mailbox.receive.v1"},{"id":"finish","kind":"tool","tool":"finish"},{"id":"tell","kind":"tool","tool":"mailbox.send.v1"}`,
	"in.receive wait.mailbox", "wait.message finish.message", "in.send tell.mailbox", "finish.out tell.message")

// soakDefinition is the definition of the i-th process of a store. It is the same
// whoever asks, so an interrupted creation is resumed by anybody.
func (w workshop) soakDefinition(i int) process.Definition {
	name := fmt.Sprintf("p%02d", i)
	if i%3 == 2 {
		d := w.worker(name, w.found("end"), w.found("middle"))
		d.Manifest = manifest(w.t, relayProgram)
		return d
	}
	return w.worker(name, w.found("middle"), w.found("start"))
}

// expected are the refusals that a soak meets where several work on one store and
// are killed there.
func expected(err error) bool {
	var refusal *journal.Refusal
	if err == nil || errors.As(err, &refusal) {
		return true
	}
	switch e := algal.AsError(err); e.Code {
	case algal.EffectSuspended, algal.MailboxFull, algal.StoreMiss, algal.BudgetExhausted:
		return true // nothing there, no room, an unfinished creation, a spent budget
	case algal.ReceiptMismatch:
		return e.Message == "recovery requires the exact current uncertain intent" // somebody was faster
	case algal.IOFailed:
		return slices.ContainsFunc([]string{
			"host lease is held by another live operation", "is locked; reconcile", "mailbox delivery is uncertain",
			"process is terminal", "process dispatch is uncertain", "process name already exists", "process name is retained",
			"dispatch has no recovery journal",
		}, func(s string) bool { return strings.Contains(e.Message, s) })
	}
	return false
}

// childSoaks works on a store: it creates, ticks, schedules, recovers, sends and
// receives at random, until it is killed at a step or by somebody.
func childSoaks(t *testing.T, words []string) {
	seed, err := strconv.ParseUint(words[1], 10, 64)
	must(t, err)
	left, err := strconv.Atoi(words[2]) // steps to live
	must(t, err)
	w := workshopAt(t, words[0], func(s durable.Step, do func() error) error {
		if left--; left < 0 {
			dieHere()
		}
		return unsynced(s, do)
	})
	s := &soaker{w, rand.New(rand.NewPCG(seed, 0))}
	for n := 0; ; n++ {
		if err := s.act(fmt.Sprintf("m%d-%d", seed, n)); !expected(err) {
			t.Fatalf("%s %v", algal.CodeOf(err), err)
		}
	}
}

type soaker struct {
	workshop
	*rand.Rand
}

// act does one thing. What is acknowledged to it, it notes in the ledger.
func (s *soaker) act(fresh string) error {
	ctx, name := context.Background(), fmt.Sprintf("p%02d", s.IntN(soakProcesses))
	o := process.Options{Journal: s.IntN(4) > 0, MaxRecoveries: journal.MaxRecoveries}
	switch s.IntN(12) {
	case 0, 1:
		_, err := s.processes().Create(ctx, s.soakDefinition(s.IntN(soakProcesses)))
		return err
	case 2:
		_, err := s.mailboxes().Create(ctx, soakBoxes[s.IntN(len(soakBoxes))], mailbox.DefaultMaxMessages, mailbox.DefaultMaxMessageBytes)
		return err
	case 3, 4:
		_, err := s.processes().Tick(ctx, name, o)
		return err
	case 5, 6:
		_, err := s.processes().Schedule(ctx, process.Pass{Options: o, MaxTicks: 1 + s.IntN(4)})
		return err
	case 7, 8:
		snapshot, err := s.processes().Inspect(name)
		if err == nil && snapshot.Record.Status == chain.Uncertain {
			_, err = s.processes().Recover(ctx, name, snapshot.Digest)
		}
		return err
	case 9, 10:
		_, err := s.mailboxes().Send(ctx, s.found("start").Send.String(), canon.String(fresh), canon.DigestText(fresh))
		if err == nil {
			err = s.enter("sent " + fresh + "\n")
		}
		return err
	}
	m, err := s.mailboxes().Receive(ctx, s.found("end").Receive.String())
	if err == nil {
		err = s.enter("got " + string(m.Key) + "\n")
	}
	return err
}

// soak is the harness: it lets processes work on stores, kills them, and plays the
// operator where the contract wants one.
type soak struct {
	*testing.T
	*rand.Rand
	kills, stores, rounds      int
	sent, consumed             int            // messages of the host; messages that somebody took
	acts                       map[string]int // of the operator
	ended, blocked, unfinished int            // processes
}

// TestSoak kills processes at random steps and at random times while they work on a
// store. An outside ledger shows that no effect happened twice, that every message
// was consumed at most once, and that none that was acknowledged is lost.
//
//	go test ./process -run Soak -soak 2000 -seed 1
func TestSoak(t *testing.T) {
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	s := &soak{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), acts: map[string]int{}}
	for s.kills < *soakKills {
		s.store()
	}
	share := 100 * s.ended / max(1, s.ended+s.blocked+s.unfinished)
	t.Logf("%d kills, %d stores, %d rounds; %d messages of the host acknowledged, %d consumed; operator: %v; %d processes came to their end, %d are blocked, %d went on: %d%%",
		s.kills, s.stores, s.rounds, s.sent, s.consumed, s.acts, s.ended, s.blocked, s.unfinished, share)
	if s.kills > 1000 && (s.consumed == 0 || share < 50) {
		t.Errorf("the soak did not do enough")
	}
}

// store is the life of one store.
func (s *soak) store() {
	s.stores++
	w := newWorkshop(s.T, check.ProcessUncertain)
	for _, name := range soakBoxes {
		w.box(name)
	}
	const life = 12 // rounds
	for round := 0; round < life && s.kills < *soakKills && !s.settled(w); round++ {
		s.round(w)
		if s.Failed() {
			s.FailNow()
		}
	}
	s.finish(w)
}

// round lets one to three processes work on the store until all are dead.
func (s *soak) round(w workshop) {
	s.Helper()
	s.rounds++
	var helpers []*helper
	for range 1 + s.IntN(3) {
		steps := 1 << 30
		if s.IntN(3) > 0 {
			steps = 1 + s.IntN(400)
		}
		helpers = append(helpers, startHelper(s.T, "soak", w.root, fmt.Sprint(s.Uint64()), fmt.Sprint(steps)))
	}
	timer := time.NewTimer(time.Duration(50+s.IntN(400)) * time.Millisecond)
	<-timer.C
	for _, h := range helpers {
		_ = h.cmd.Process.Kill() // it may have died at its step
	}
	for _, h := range helpers {
		if !h.end() {
			s.Fatalf("a helper process ended: %s", h.output.String())
		}
		s.kills++
	}
	s.operate(w)
	checktest.Now(s.T, w.root, checktest.Allow(check.ProcessUncertain), checktest.Tools(workerTools()))
	s.audit(w)
}

// operate does what cli.md §5 and process.md §12 leave to an operator, while nobody
// works on the store.
func (s *soak) operate(w workshop) {
	s.Helper()
	entries, err := os.ReadDir(w.path("processes"))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	for _, e := range entries {
		dir := w.path("processes/" + e.Name())
		if _, err := os.Lstat(filepath.Join(dir, "head.json")); err == nil || !e.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, ".creating.json")); err != nil {
			s.acts["removed a blocked name"]++
			must(s, os.RemoveAll(dir))
			continue
		}
		i, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "p")) // whoever began it repeats it
		must(s, err)
		w.createWith(w.soakDefinition(i))
	}
	for _, name := range soakBoxes {
		s.operateBox(w, name)
	}
}

func (s *soak) operateBox(w workshop, name string) {
	s.Helper()
	if lock := w.path("mailboxes/" + name + "/.lock"); os.Remove(lock) == nil {
		s.acts["removed a lock"]++
	}
	i, err := w.mailboxes().Inspect(name)
	must(s, err)
	for _, e := range i.Interrupted {
		file := algal.Digest(e.Key).Hex() + ".json"
		claim := parse(s, w.read("mailboxes/"+name+"/messages/"+file))
		switch e.State {
		case mailbox.InterruptedSend: // whoever sent it repeats it
			_, err := w.mailboxes().Send(s.Context(), i.Config.Send.String(), claim.Get("value"), algal.Digest(e.Key))
			must(s, err)
		case mailbox.InterruptedReceive:
			s.acts["decided a receive"]++
			marker := "consumed" // nobody acted on it, so it is delivered again
			if s.actedOn(w, name, e.Key, claim.Get("value")) {
				marker = "pending"
			}
			must(s, os.Remove(w.path("mailboxes/"+name+"/"+marker+"/"+file)))
		default:
			s.Errorf("%s: %s is %s", name, e.Key, e.State)
		}
	}
}

// actedOn reports whether the ledger has what became of a message.
func (s *soak) actedOn(w workshop, box, key string, value canon.Value) bool {
	for _, line := range w.effects() {
		if line == "got "+key+"\n" && box == "end" || strings.HasPrefix(line, "finish ") && strings.HasSuffix(line, " "+value.String()+"\n") {
			return true
		}
	}
	return false
}

// audit reads the ledger: no line is there twice, and no message was acted on twice.
func (s *soak) audit(w workshop) {
	s.Helper()
	seen, finished := map[string]bool{}, map[string]string{}
	for _, line := range w.effects() {
		if seen[line] {
			s.Errorf("twice: %s", line)
		}
		seen[line] = true
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if words[0] != "finish" {
			continue
		}
		if finished[words[2]] != "" {
			s.Errorf("message %s was acted on under the keys %s and %s", words[2], finished[words[2]], words[1])
		}
		finished[words[2]] = words[1]
	}
}

// settled reports whether all processes of a store exist and nobody can carry on one
// that has not ended.
func (s *soak) settled(w workshop) bool {
	s.Helper()
	list, err := w.processes().List()
	must(s, err)
	return len(list) == soakProcesses && !slices.ContainsFunc(list, func(p *process.Snapshot) bool {
		return !p.Record.Status.Terminal() && !s.isBlocked(w, p)
	})
}

func (s *soak) isBlocked(w workshop, p *process.Snapshot) bool {
	s.Helper()
	if p.Record.Status != chain.Uncertain {
		return p.Record.Generation >= p.Record.MaxGenerations
	}
	j, err := journal.Open(w.store().Journals(), journal.Dispatch{Process: p.Record.Name, Intent: p.Digest, Manifest: p.Record.ManifestDigest})
	if algal.CodeOf(err) == algal.IOFailed {
		return true // it kept none
	}
	must(s, err)
	return j.Blocked() != nil
}

// finish lets everybody come to an end undisturbed, receives what is left, and
// accounts for every message.
func (s *soak) finish(w workshop) {
	s.Helper()
	for i := range soakProcesses {
		if _, err := w.processes().Create(s.Context(), w.soakDefinition(i)); !expected(err) {
			s.Errorf("create: %v", err)
		}
	}
	for range 3 {
		s.recoverAll(w)
		_, err := w.schedule()
		must(s, err)
	}
	list, err := w.processes().List()
	must(s, err)
	for _, p := range list {
		switch {
		case p.Record.Status.Terminal():
			s.ended++
		case s.isBlocked(w, p):
			s.blocked++
		default:
			s.unfinished++ // it waits for a message that will not come
		}
		if _, err := w.processes().Verify(s.Context(), p.Record.Name); err != nil {
			s.Errorf("verify %s: %v", p.Record.Name, err)
		}
	}
	s.audit(w)
	s.account(w)
}

func (s *soak) recoverAll(w workshop) {
	s.Helper()
	list, err := w.processes().List()
	must(s, err)
	for _, p := range list {
		if p.Record.Status == chain.Uncertain && !s.isBlocked(w, p) {
			_, err := w.processes().Recover(s.Context(), p.Record.Name, p.Digest)
			must(s, err)
		}
	}
}

// account drains the mailboxes. Every message that was acknowledged is there, and it
// either waited until now or was consumed, never both.
func (s *soak) account(w workshop) {
	s.Helper()
	acknowledged := map[string]bool{}
	for _, line := range w.effects() {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "sent "); ok {
			acknowledged[value] = true
		}
	}
	s.sent += len(acknowledged)
	for _, name := range soakBoxes {
		box := w.found(name)
		for {
			m, err := w.mailboxes().Receive(s.Context(), box.Receive.String())
			if algal.CodeOf(err) == algal.EffectSuspended {
				break
			}
			must(s, err)
			if s.actedOn(w, name, string(m.Key), m.Value) {
				s.Errorf("%s: received again: %s", name, m.Record())
			}
		}
		i, err := w.mailboxes().Inspect(name)
		if err != nil || i.Pending != 0 || i.InterruptedKeys != 0 {
			s.Errorf("%s: %+v, %v", name, i, err)
		}
		s.consumed += i.Consumed
	}
	for value := range acknowledged {
		if _, err := os.Lstat(w.path("mailboxes/start/consumed/" + canon.DigestText(value).Hex() + ".json")); err != nil {
			s.Errorf("message %s is lost: %v", value, err)
		}
	}
}
