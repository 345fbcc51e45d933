package mailboxtest

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
	"pgregory.net/rapid"
)

// model runs random operations, some of them interrupted at a random call, against
// a model of mailbox.md §4. Nothing is lost and nothing is delivered twice.
func model(t *testing.T, open func(*testing.T) Store) {
	var s Store
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		if runs%500 == 0 { // each run has a mailbox of its own
			s = open(t)
		}
		runs++
		m := &machine{
			box:    newBox(t, s, fmt.Sprint("box-", runs), modelRoom, 64),
			values: map[algal.Digest]int{}, states: map[algal.Digest]string{}, delivered: map[algal.Digest]int{},
		}
		rt.Repeat(map[string]func(*rapid.T){
			"send":      m.send,
			"receive":   m.receive,
			"interrupt": m.interrupt,
			"probe":     m.probe,
			"reconcile": m.reconcile,
			"":          m.check,
		})
		m.finish(rt)
	})
}

const (
	modelKeys = 6
	modelRoom = 3
)

// machine is a mailbox and what it should hold. A state is one of §4, named after
// its records: "" or letters of claim, pending, consumed.
type machine struct {
	box
	values    map[algal.Digest]int // of the claims
	states    map[algal.Digest]string
	delivered map[algal.Digest]int
}

const (
	claimed    = "c"
	waits      = "cp"
	received   = "cr"
	contradict = "cpr"
)

// in returns the keys in a state in the order of receiving.
func (m *machine) in(states ...string) (keys []algal.Digest) {
	for _, key := range slices.Sorted(maps.Keys(m.states)) {
		if slices.Contains(states, m.states[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// sendOutcome is what a send should give and the state after it.
func (m *machine) sendOutcome(key algal.Digest, value int) (algal.Code, string) {
	state := m.states[key]
	full := len(m.in(waits, contradict)) >= modelRoom
	switch {
	case state != "" && m.values[key] != value:
		return algal.DigestMismatch, state
	case state == contradict:
		return algal.IOFailed, state
	case state == waits || state == received:
		return "", state
	case full:
		return algal.MailboxFull, state
	}
	return "", waits
}

func drawSend(rt *rapid.T) (n, value int) {
	return rapid.IntRange(0, modelKeys-1).Draw(rt, "key"), rapid.IntRange(0, 1).Draw(rt, "value")
}

func (m *machine) send(rt *rapid.T) {
	n, value := drawSend(rt)
	want, state := m.sendOutcome(Key(n), value)
	_, err := m.trySend(n, canon.Int(value))
	if algal.CodeOf(err) != want {
		rt.Fatalf("send %d of %d in state %q: %v, want %q", n, value, m.states[Key(n)], err, want)
	}
	if state == waits && m.states[Key(n)] == "" {
		m.values[Key(n)] = value
	}
	m.states[Key(n)] = state
}

func (m *machine) receive(rt *rapid.T) {
	got, err := m.tryReceive()
	keys := m.in(waits)
	switch {
	case len(m.in(contradict)) > 0:
		if algal.CodeOf(err) != algal.IOFailed {
			rt.Fatalf("received %s, %v from an uncertain mailbox", got.Key, err)
		}
	case len(keys) == 0:
		if algal.CodeOf(err) != algal.EffectSuspended {
			rt.Fatalf("received %s, %v from an empty mailbox", got.Key, err)
		}
	default:
		if err != nil || got.Key != keys[0] || int(got.Value.Float()) != m.values[got.Key] {
			rt.Fatalf("received %s %s, %v, want %s", got.Key, got.Value, err, keys[0])
		}
		m.states[got.Key] = received
		m.delivered[got.Key]++
	}
}

// interrupt lets a send or a receive fail at a random call, takes the lock away and
// adopts one of the states that the interrupted operation may have left.
func (m *machine) interrupt(rt *rapid.T) {
	f := &fault{at: rapid.IntRange(0, 35).Draw(rt, "call"), after: rapid.Bool().Draw(rt, "after"), err: syscall.EIO}
	svc := mailbox.New(tapped{m.Engine, f.tap}, m.Admit)
	key, allowed := algal.Digest(""), []string(nil)
	var err error
	if rapid.Bool().Draw(rt, "send") {
		n, value := drawSend(rt)
		key = Key(n)
		_, after := m.sendOutcome(key, value)
		allowed = []string{m.states[key], after}
		if m.states[key] == "" && after == waits {
			allowed = append(allowed, claimed)
			m.values[key] = value
		}
		if _, err = svc.Send(ctx, m.Config.Send.String(), canon.Int(value), key); err == nil {
			allowed = []string{after}
		}
	} else {
		var got mailbox.Message
		got, err = svc.Receive(ctx, m.Config.Receive.String())
		if keys := m.in(waits); len(keys) > 0 && len(m.in(contradict)) == 0 {
			key, allowed = keys[0], []string{waits, contradict, received}
		}
		if err == nil {
			m.delivered[got.Key]++
		}
	}
	if locked, lockErr := m.Engine.Locked(m.lock()); lockErr != nil || locked && m.Engine.Unlock(m.lock()) != nil {
		rt.Fatalf("lock: %v", lockErr)
	}
	if key == "" {
		return
	}
	before := m.states[key]
	m.states[key] = m.observed(rt, key)
	if !slices.Contains(allowed, m.states[key]) {
		rt.Fatalf("interrupted at %s: %s went from %q to %q, allowed %q", f.failed, key, before, m.states[key], allowed)
	}
	if e := algal.AsError(err); e != nil && m.states[key] != before && !e.Uncertain {
		rt.Fatalf("interrupted at %s: %s went from %q to %q, and the error is certain: %v", f.failed, key, before, m.states[key], err)
	}
}

func (m *machine) observed(rt *rapid.T, key algal.Digest) (state string) {
	for space, letter := range map[string]string{"messages": "c", "pending": "p", "consumed": "r"} {
		if m.has(m.record(space, key)) {
			state += letter
		}
	}
	letters := []byte(state)
	slices.Sort(letters)
	return string(letters)
}

// reconcile decides an uncertain delivery as an operator does: it was taken over if
// somebody got it, else it is delivered again.
func (m *machine) reconcile(rt *rapid.T) {
	keys := m.in(contradict)
	if len(keys) == 0 {
		rt.Skip("nothing is uncertain")
	}
	if m.delivered[keys[0]] > 0 {
		rt.Fatalf("%s is uncertain, yet the receive was acknowledged", keys[0])
	}
	m.remove(m.record("consumed", keys[0]))
	m.states[keys[0]] = waits
}

// check compares the inspection with the model.
func (m *machine) check(rt *rapid.T) {
	for key, n := range m.delivered {
		if n > 1 || m.states[key] != received {
			rt.Fatalf("%s was delivered %d times and is in state %q", key, n, m.states[key])
		}
	}
	i := m.mustInspect()
	if i.Locked || i.Pending != len(m.in(waits)) || i.Consumed != len(m.in(received)) || i.InterruptedKeys != len(m.in(claimed, contradict)) {
		rt.Fatalf("inspected %+v, want %v", i, m.states)
	}
}

// probe compares the probe and the look with the model.
func (m *machine) probe(rt *rapid.T) {
	uncertain, empty := len(m.in(contradict)) > 0, len(m.in(waits)) == 0
	ready, err := m.HasPending(ctx, m.Config.Receive.String())
	if (err != nil) != uncertain || ready != (!uncertain && !empty) {
		rt.Fatalf("probed %v, %v, want %v", ready, err, m.states)
	}
	if idle := m.Idle(m.Config.Receive.String()); idle != (!uncertain && empty) {
		rt.Fatalf("idle %v, want %v", idle, m.states)
	}
}

// finish reconciles and repeats everything: each message comes once, or came.
func (m *machine) finish(rt *rapid.T) {
	for len(m.in(contradict)) > 0 {
		m.reconcile(rt)
	}
	for len(m.in(waits)) > 0 {
		m.receive(rt)
	}
	for n := range modelKeys {
		if key := Key(n); m.states[key] != "" {
			if _, err := m.trySend(n, canon.Int(m.values[key])); err != nil {
				rt.Fatalf("repeated send: %v", err)
			}
			if m.states[key] == claimed {
				m.states[key] = waits
				m.receive(rt)
			}
		}
	}
	m.check(rt)
	m.mustBeEmpty()
}
