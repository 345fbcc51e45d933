//go:build unix

package process_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/process"
)

var concurrency = flag.Duration("concurrency", 2*time.Second, "how long processes contend for stores")

// A rush is many processes of the operating system at once on one store with these
// workers, each with a mailbox of its own to wait on and a message of the host in
// it. All tell the same mailbox.
const (
	rushers     = 16
	rushWorkers = 12
	maxRush     = 20_000 // things that one of them does
)

// contended reports whether an error is that of somebody who came second: it is
// refused at once, and only so (custody.md §2.3, mailbox.md §6).
func contended(err error) bool {
	e := algal.AsError(err)
	return e.Code == algal.IOFailed && (e.Message == "host lease is held by another live operation" ||
		strings.HasPrefix(e.Message, `mailbox "`) && strings.HasSuffix(e.Message, `" is locked; reconcile the owning operation before retrying`))
}

func rushBox(i int) string { return fmt.Sprintf("box-%02d", i) }

func rushMessage(i int) (value canon.Value, key algal.Digest) {
	return canon.String(rushBox(i)), canon.DigestText(rushBox(i))
}

// childRushes sends every message, schedules, and consumes, until all processes have
// ended and all messages are consumed. Of several that send one message under one
// key, one delivers it.
func childRushes(t *testing.T, words []string) {
	number, err := strconv.Atoi(words[1])
	must(t, err)
	r := rand.New(rand.NewPCG(uint64(number), 2))
	w := workshopAt(t, words[0], nil)
	sent, refusals := map[int]bool{}, 0
	for n, rushing := 0, true; rushing; n++ {
		if n == maxRush {
			t.Fatal("there is no end to it")
		}
		var err error
		switch {
		case len(sent) < rushWorkers && r.IntN(2) == 0:
			i := r.IntN(rushWorkers)
			value, key := rushMessage(i)
			if _, err = w.mailboxes().Send(t.Context(), w.found(rushBox(i)).Send.String(), value, key); err == nil {
				sent[i] = true
			}
		case r.IntN(3) == 0:
			err = w.consume(r.IntN(1 + rushWorkers))
		default:
			_, err = w.processes().Schedule(t.Context(), process.Pass{MaxTicks: 2})
		}
		if err != nil && !contended(err) {
			t.Fatalf("%s %v", algal.CodeOf(err), err)
		}
		if err != nil {
			refusals++
		}
		rushing, err = w.rushing(len(sent))
		must(t, err)
	}
	must(t, w.enter(fmt.Sprintf("refused %d %d\n", number, refusals)))
}

// consume takes over a message that no process will: what the workers have told for
// number zero, else that of a worker which has ended without it.
func (w workshop) consume(number int) error {
	name := "told"
	if number > 0 {
		worker := fmt.Sprintf("w%02d", number-1)
		if name = rushBox(number - 1); !w.head(worker).Record.Status.Terminal() {
			return nil
		}
	}
	m, err := w.mailboxes().Receive(context.Background(), w.found(name).Receive.String())
	if algal.CodeOf(err) == algal.EffectSuspended {
		return nil
	}
	if err == nil {
		err = w.enter("got " + string(m.ID) + "\n")
	}
	return err
}

// rushing reports whether anything is left to do.
func (w workshop) rushing(sent int) (bool, error) {
	if sent < rushWorkers {
		return true, nil
	}
	list, err := w.processes().List()
	if err != nil || slices.ContainsFunc(list, func(s *process.Snapshot) bool { return !s.Record.Status.Terminal() }) {
		return true, err
	}
	boxes, err := w.mailboxes().List()
	for _, box := range boxes {
		if err == nil && !w.mailboxes().Idle(box.Receive.String()) {
			return true, nil
		}
	}
	return false, err
}

// TestConcurrency lets processes of the operating system contend for one store after
// the other. Each dispatch happens once, each message is consumed once, who comes
// second is refused at once with IO_FAILED, and in the end nothing is left.
//
//	go test ./process -run Concurrency -concurrency 60s
func TestConcurrency(t *testing.T) {
	start, stores, complete, refusals := time.Now(), 0, 0, 0
	for stores == 0 || time.Since(start) < *concurrency {
		c, r := rush(t)
		stores++
		complete += c
		refusals += r
	}
	if refusals == 0 {
		t.Error("nobody contended")
	}
	t.Logf("%d stores, %d of %d processes complete, %d refusals", stores, complete, stores*rushWorkers, refusals)
}

func rush(t *testing.T) (complete, refusals int) {
	t.Helper()
	w := newWorkshop(t)
	told := w.box("told")
	for i := range rushWorkers {
		w.createWith(w.worker(fmt.Sprintf("w%02d", i), told, w.box(rushBox(i))))
	}
	var helpers []*helper
	for i := range rushers {
		helpers = append(helpers, startHelper(t, "rush", w.root, fmt.Sprint(i)))
	}
	for _, h := range helpers {
		if h.end() {
			t.Fatal("a helper process was killed")
		}
	}
	seen := map[string]bool{}
	for _, line := range w.effects() {
		if seen[line] {
			t.Errorf("twice: %s", line)
		}
		seen[line] = true
		if words := strings.Fields(line); words[0] == "refused" {
			n, err := strconv.Atoi(words[2])
			must(t, err)
			refusals += n
		}
	}
	w.rushed(seen)
	list, err := w.processes().List()
	must(t, err)
	for _, s := range list {
		h := s.History
		if !s.Record.Status.Terminal() || len(h.Records) != 1+2*s.Record.Generation {
			t.Errorf("%s is %s with %d records", s.Record.Name, s.Record.Status, len(h.Records))
		}
		if s.Record.Status == "complete" {
			complete++
		}
		if _, err := w.processes().Verify(t.Context(), s.Record.Name); err != nil {
			t.Errorf("verify %s: %v", s.Record.Name, err)
		}
	}
	return complete, refusals
}

// rushed accounts for the messages of the host: each was consumed, by the worker
// that waited for it or by one consumer.
func (w workshop) rushed(ledger map[string]bool) {
	w.t.Helper()
	for i := range rushWorkers {
		value, key := rushMessage(i)
		var by []string
		for line := range ledger {
			if strings.HasPrefix(line, "finish ") && strings.HasSuffix(line, " "+value.String()+"\n") {
				by = append(by, line)
			}
		}
		claim := parse(w.t, w.read("mailboxes/"+rushBox(i)+"/messages/"+key.Hex()+".json"))
		if got := "got " + claim.Get("id").Text() + "\n"; ledger[got] {
			by = append(by, got)
		}
		if len(by) != 1 {
			w.t.Errorf("%s was consumed by %q", rushBox(i), by)
		}
	}
}
