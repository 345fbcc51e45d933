//go:build unix

package mailbox_test

import (
	"fmt"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

// engines are what the benchmarks run on: the rules alone, the files without their
// syncs, and everything.
var engines = []struct {
	name string
	open func(b *testing.B) mailboxtest.Store
}{
	{"memory", func(*testing.B) mailboxtest.Store {
		m := mailbox.NewMemory()
		return mailboxtest.Store{Engine: m, Admit: m.Admit}
	}},
	{"unsynced", func(b *testing.B) mailboxtest.Store { return openStore(scratch(b), unsynced) }},
	{"disk", func(b *testing.B) mailboxtest.Store { return openStore(scratch(b), durable.Hook(nil)) }},
}

// BenchmarkSendReceive sends a message of 1,000 bytes and receives it.
func BenchmarkSendReceive(b *testing.B) {
	value := canon.String(fmt.Sprintf("%0998d", 0))
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			svc := e.open(b).Service()
			c, err := svc.Create(ctx, "box", 64, 65_536)
			must(b, err)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				_, err := svc.Send(ctx, c.Send.String(), value, mailboxtest.Key(n))
				must(b, err)
				_, err = svc.Receive(ctx, c.Receive.String())
				must(b, err)
			}
		})
	}
}

// BenchmarkSendAgain repeats the send of a message that waits among 63 others.
func BenchmarkSendAgain(b *testing.B) {
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			svc := e.open(b).Service()
			c, err := svc.Create(ctx, "box", 64, 65_536)
			must(b, err)
			for n := range 64 {
				_, err := svc.Send(ctx, c.Send.String(), canon.Int(n), mailboxtest.Key(n))
				must(b, err)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err := svc.Send(ctx, c.Send.String(), canon.Int(0), mailboxtest.Key(0))
				must(b, err)
			}
		})
	}
}

// BenchmarkIdle is what a pass of the scheduler costs for a waiting process.
func BenchmarkIdle(b *testing.B) {
	for _, e := range engines[:2] {
		b.Run(e.name, func(b *testing.B) {
			svc := e.open(b).Service()
			c, err := svc.Create(ctx, "box", 64, 65_536)
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if !svc.Idle(c.Receive.String()) {
					b.Fatal("not idle")
				}
			}
		})
	}
}
