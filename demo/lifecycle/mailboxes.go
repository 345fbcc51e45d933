package lifecycle

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// box is a mailbox with its two handles.
type box struct{ name, send, receive string }

// boxes are the mailboxes of one actor, or of all that share them.
type boxes struct{ proposals, approvals, publications box }

// maxMessages is the capacity of each mailbox, and so the most that is drained.
const maxMessages = 8

// createBoxes makes the three mailboxes of an owner.
func (w *world) createBoxes(ctx context.Context, p *stage.Program, owner string) (b boxes, err error) {
	line := owner + w.aside + " has its three mailboxes"
	for _, m := range []struct {
		to   *box
		kind string
	}{{&b.proposals, "proposals"}, {&b.approvals, "approvals"}, {&b.publications, "publications"}} {
		name := owner + "-" + m.kind
		v, err := w.ask(ctx, p, line, "mailbox", "create", name, "--max-messages", "8", "--max-message-bytes", "4096")
		if err != nil {
			return boxes{}, err
		}
		*m.to = box{name: name, send: v.Get("send").Text(), receive: v.Get("receive").Text()}
		if m.to.send == "" || m.to.receive == "" {
			return boxes{}, w.That(false, line, "%s", v)
		}
	}
	return b, w.That(true, line, "")
}

// message is what was received from a mailbox.
type message struct {
	id    string
	value canon.Value
}

// drain receives until the mailbox is empty.
func (w *world) drain(ctx context.Context, p *stage.Program, from box) ([]message, error) {
	line := "mailbox " + from.name + " can be drained"
	var received []message
	for {
		ended, err := w.Run(ctx, p, line, w.located([]string{"mailbox", "receive", from.receive})...)
		if err != nil {
			return nil, err
		}
		if code, _ := qualification.Refusal(ended); ended.Exit != 0 && code == algal.EffectSuspended {
			return received, nil
		}
		v, err := ended.Value()
		if err != nil || ended.Exit != 0 {
			return nil, w.That(false, line, "%s", qualification.Described(ended))
		}
		if received = append(received, message{v.Get("id").Text(), v.Get("message")}); len(received) > maxMessages {
			return nil, w.That(false, line, "more than %d messages", maxMessages)
		}
	}
}

// drained asserts how many messages a mailbox held, and returns them.
func (w *world) drained(ctx context.Context, p *stage.Program, line string, from box, want int) ([]message, error) {
	received, err := w.drain(ctx, p, from)
	if err != nil {
		return nil, err
	}
	return received, stage.Same(&w.Facts, line, len(received), want)
}

// The decisions of a wake.
const (
	approve = "approve"
	deny    = "deny"
)

// wake delivers the decision on an actor's proposal, twice: by one runtime and then
// by the other, where there are two. It returns how many of the deliveries were
// suppressed as duplicates, and asserts that it was one.
func (w *world) wake(ctx context.Context, actor, decision string, to box) (suppressed int, err error) {
	line := "the wake of " + actor + w.aside + ", " + decision + ", is delivered twice under one id"
	text := canon.Object(
		canon.M("release", canon.String(w.fixture.release)),
		canon.M("decision", canon.String(decision)),
		canon.M("action", canon.String("publish_release_report")),
	)
	file, err := w.Write(w.store+"-"+actor+"-wake.json", text.String()+"\n")
	if err != nil {
		return 0, err
	}
	ids := map[string]bool{}
	deliveries := 0
	for _, p := range []*stage.Program{w.A, w.B} {
		v, err := w.ask(ctx, p, line, "mailbox", "send", to.send, file, "--idempotency-key", string(wakeKey(actor, decision)))
		if err != nil {
			return 0, err
		}
		id := v.Get("id").Text()
		if _, err := algal.ParseDigest(id, "id"); err != nil {
			return 0, w.That(false, line, "%v", err)
		}
		ids[id] = true
		deliveries++
	}
	return deliveries - len(ids), stage.Same(&w.Facts, line, len(ids), 1)
}

// wakeKey is the idempotency key of a wake (demo.md §1.1).
func wakeKey(actor, decision string) algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String("algal.vm-demo-wake.v1")),
		canon.M("actor", canon.String(actor)),
		canon.M("decision", canon.String(decision)),
	).Digest()
}
