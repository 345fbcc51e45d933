//go:build unix

package mailbox_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

const (
	workers = 4
	each    = 8 // messages that a worker sends, and as many it receives
)

// childWork sends and receives in turns. Each acknowledged send and each received
// message is a line.
func childWork(words []string) error {
	svc := openStore(words[0], unsynced).Service()
	c, err := svc.Find("box")
	if err != nil {
		return err
	}
	for sent, got := 0, 0; sent < each || got < each; runtime.Gosched() {
		if sent < each {
			key := canon.DigestText(fmt.Sprint(words[1], sent))
			id, err := retried(func() (algal.Digest, error) {
				return svc.Send(ctx, c.Send.String(), canon.String(words[1]), key)
			})
			switch algal.CodeOf(err) {
			case "":
				fmt.Println("sent", id)
				sent++
			case algal.MailboxFull:
			default:
				return err
			}
		}
		if got < each {
			m, err := retried(func() (mailbox.Message, error) { return svc.Receive(ctx, c.Receive.String()) })
			switch algal.CodeOf(err) {
			case "":
				fmt.Println("got", m.ID)
				got++
			case algal.EffectSuspended:
			default:
				return err
			}
		}
	}
	return nil
}

func retried[T any](op func() (T, error)) (got T, err error) {
	err = mailboxtest.Retry(func() (err error) { got, err = op(); return err })
	return got, err
}

// TestProcesses: several processes send and receive. Every acknowledged message is
// received exactly once, by one of them.
func TestProcesses(t *testing.T) {
	w := newWorld(t, 3, 64)
	var children []*child
	for worker := range workers {
		children = append(children, startChild(t, "work", w.root, fmt.Sprint(worker)))
	}
	lines := map[string]int{}
	for _, c := range children {
		for line := range strings.Lines(c.wait()) {
			lines[strings.TrimSpace(line)]++
		}
	}
	sent := 0
	for line, n := range lines {
		if n != 1 {
			t.Errorf("%s %d times", line, n)
		}
		if id, ok := strings.CutPrefix(line, "sent "); ok {
			sent++
			if lines["got "+id] != 1 {
				t.Errorf("%s was sent and not received", id)
			}
		}
	}
	if sent != workers*each || len(lines) != 2*sent {
		t.Errorf("%d messages sent, %d received, want %d", sent, len(lines)-sent, workers*each)
	}
	i, err := w.Inspect("box")
	if err != nil || i.Pending != 0 || i.Consumed != sent || i.InterruptedKeys != 0 || i.Locked {
		t.Errorf("inspected %+v, %v", i, err)
	}
}
