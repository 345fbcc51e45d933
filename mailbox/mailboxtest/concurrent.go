package mailboxtest

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/mailbox"
)

// Retry does an operation until the mailbox was free for it, and yields between
// attempts. Any other end is returned.
func Retry(op func() error) error {
	for {
		err := op()
		e := algal.AsError(err)
		if e == nil || e.Code != algal.IOFailed || e.Uncertain || !lockedText(e.Message) {
			return err
		}
		runtime.Gosched()
	}
}

func lockedText(s string) bool {
	return strings.HasPrefix(s, `mailbox "`) && strings.HasSuffix(s, `" is locked; reconcile the owning operation before retrying`)
}

// concurrent: sixteen goroutines send and receive. Every acknowledged message is
// received exactly once.
func concurrent(t *testing.T, open func(*testing.T) Store) {
	const senders, receivers, each = 8, 8, 6
	b := newBox(t, open(t), opBox, 4, 64)
	var (
		mu       sync.Mutex
		sent     = map[algal.Digest]int{}
		got      = map[algal.Digest]int{}
		received atomic.Int32
		group    sync.WaitGroup
	)
	for sender := range senders {
		group.Go(func() {
			for n := range each {
				var id algal.Digest
				for {
					err := Retry(func() (err error) {
						id, err = b.trySend(sender*each+n, canon.Int(n))
						return err
					})
					if err == nil {
						break
					}
					if algal.CodeOf(err) != algal.MailboxFull {
						t.Errorf("send: %v", err)
						return
					}
					runtime.Gosched()
				}
				mu.Lock()
				sent[id]++
				mu.Unlock()
			}
		})
	}
	for range receivers {
		group.Go(func() {
			for received.Load() < senders*each && !t.Failed() {
				var m mailbox.Message
				err := Retry(func() (err error) { m, err = b.tryReceive(); return err })
				switch algal.CodeOf(err) {
				case "":
					received.Add(1)
					mu.Lock()
					got[m.ID]++
					mu.Unlock()
				case algal.EffectSuspended:
					runtime.Gosched()
				default:
					t.Errorf("receive: %v", err)
				}
			}
		})
	}
	group.Wait()
	if len(sent) != senders*each || len(got) != len(sent) {
		t.Fatalf("%d sent, %d received, want %d", len(sent), len(got), senders*each)
	}
	for id, n := range sent {
		if n != 1 || got[id] != 1 {
			t.Errorf("%s: acknowledged %d times, received %d times", id, n, got[id])
		}
	}
	b.mustBeEmpty()
}

// creators: sixteen goroutines make one mailbox. It is made once, and who came in
// between was told so at once.
func creators(t *testing.T, open func(*testing.T) Store) {
	s := open(t)
	var (
		mu    sync.Mutex
		made  = map[mailbox.Config]int{}
		group sync.WaitGroup
	)
	for range 16 {
		group.Go(func() {
			for {
				c, err := s.Service().Create(ctx, opBox, 8, 64)
				if custody.Held(err) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Errorf("create: %v", err)
					return
				}
				mu.Lock()
				made[c]++
				mu.Unlock()
				return
			}
		})
	}
	group.Wait()
	if len(made) != 1 || entries(t, s, "capabilities") != 2 {
		t.Errorf("made %v with %d capability records", made, entries(t, s, "capabilities"))
	}
}
