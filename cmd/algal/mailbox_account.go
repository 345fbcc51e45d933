package main

import (
	"errors"
	"path/filepath"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

func accountOfMailbox(p *page, c mailbox.Config) {
	p.Line("%s", c.Name)
	p.Row("send", "%s", c.Send)
	p.Row("receive", "%s", c.Receive)
	p.Row("bounds", "%d messages of at most %d bytes", c.MaxMessages, c.MaxMessageBytes)
}

// accountOfInspection shows a mailbox, and what may be done about what interrupted
// operations left in it (cli.md §5).
func accountOfInspection(p *page, g *guide, i *mailbox.Inspection) {
	accountOfMailbox(p, i.Config)
	p.Row("rights", "send %s, receive %s", i.Send, i.Receive)
	p.Row("messages", "%d of at most %d waiting, %d received", i.Pending, i.Config.MaxMessages, i.Consumed)
	for _, e := range i.Interrupted {
		p.Row("interrupted", "%s, %s: %s", e.State, e.Key, e.State.Meaning())
	}
	if more := i.InterruptedKeys - len(i.Interrupted); more > 0 {
		p.Row("", "and %d more", more)
	}
	switch {
	case i.InterruptedKeys > 0:
		accountOfReconciling(p, g, i)
		p.Verdict(false, "%s interrupted", countedAs(i.InterruptedKeys, "delivery", "deliveries"))
	case i.Locked:
		accountOfReconciling(p, g, i)
		p.Verdict(false, "locked: an operation is under way, or was interrupted")
	default:
		if i.Pending > 0 && i.Receive == mailbox.Active {
			p.Row("next", "%s", g.command("process", "schedule"))
			p.Row("next", "%s", g.command("mailbox", "receive", i.Config.Receive.String()))
		} else if i.Send == mailbox.Active {
			p.Row("next", "%s", g.send(&i.Config))
		}
		p.Verdict(true, "in order")
	}
}

// accountOfReconciling says what may be done by hand.
func accountOfReconciling(p *page, g *guide, i *mailbox.Inspection) {
	dir := filepath.Join(g.dir, mailboxDir, i.Config.Name)
	p.Row("by hand", "only when nothing works on the store, with a copy of %s kept", dir)
	if i.Locked {
		p.Row("", "remove %s", filepath.Join(dir, ".lock"))
	}
	told := map[mailbox.State]bool{}
	for _, e := range i.Interrupted {
		if told[e.State] {
			continue
		}
		told[e.State] = true
		switch e.State {
		case mailbox.InterruptedSend:
			p.Row("", "send: nothing, or send the same value with the key again")
		case mailbox.InterruptedReceive:
			p.Row("", "receive: find out from the receipt or the effects of the program whether it has the message; if so remove pending/HEX.json, else consumed/HEX.json, HEX being the key without sha256:")
		}
	}
}

// aboutMailbox adds to the error of an operation where its mailbox is shown, if
// that may tell more.
func aboutMailbox(g *guide, handle string, err error) error {
	code := algal.CodeOf(err)
	if _, medium := errors.AsType[*durable.Fault](err); medium || code != algal.IOFailed && code != algal.DigestMismatch {
		return err
	}
	if c := g.mailbox(handle); c != nil {
		again := ""
		if code == algal.IOFailed {
			again = "; if another command was at work on the mailbox, try again"
		}
		err = about(err, "see %s%s", g.command("mailbox", "inspect", c.Name), again)
	}
	return err
}
