package main

import (
	"slices"
	"sync"

	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/internal/shell"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

// guide says what may be typed next about the processes and mailboxes of a store.
// It only looks.
type guide struct {
	dir       string
	host      []string // flags of the host that dispatches need again, as words
	mailboxes *mailbox.Service
	list      func() ([]mailbox.Config, error) // of all mailboxes, once
}

func newGuide(dir string, s *streams) *guide {
	mailboxes := openMailboxes(openStore(dir, s))
	return &guide{dir: dir, mailboxes: mailboxes, list: sync.OnceValues(mailboxes.List)}
}

// command returns a command of this program as it is typed for this store.
func (g *guide) command(words ...string) string {
	if g.dir != defaultDir {
		words = append(slices.Clip(words), "--dir", g.dir)
	}
	return "algal " + shell.Line(words...)
}

// next returns the commands that may be typed next, of which each takes up where
// the one before leaves off. story is that of an uncertain process, nil where it is
// not known.
func (g *guide) next(r *chain.Record, story *process.Story) []string {
	export := g.command("process", "export", r.Name) + " > " + r.Name + ".evidence.json"
	switch r.Status {
	case chain.Ready:
		return []string{g.command("process", "tick", r.Name)}
	case chain.Uncertain:
		switch {
		case story != nil && current(story).Recover.Refused == nil:
			return []string{g.recovery(story)}
		case story != nil && current(story).Journal != nil:
			return []string{g.command("process", "journal", r.Name), export}
		}
	case chain.Suspended:
		if r.Generation < r.MaxGenerations {
			return g.wake(r)
		}
	}
	return []string{export}
}

// recovery returns the command that recovers an uncertain process.
func (g *guide) recovery(story *process.Story) string {
	return g.command(append([]string{"process", "recover", story.Record.Name, "--expected-intent", string(story.Digest)}, g.host...)...)
}

// wake returns the commands by which a suspended process goes on.
func (g *guide) wake(r *chain.Record) []string {
	var send string
	for _, w := range g.waits(r) {
		switch {
		case w.box == nil:
		case w.messages > 0:
			return []string{g.command("process", "schedule")}
		case !w.idle:
			return []string{g.command("mailbox", "inspect", w.box.Name)}
		case send == "":
			send = g.send(w.box)
		}
	}
	if send == "" {
		return []string{g.command("process", "tick", r.Name)}
	}
	return []string{send, g.command("process", "schedule")}
}

// wait is a handle on which a process waits.
type wait struct {
	handle   string
	box      *mailbox.Config // whose messages wake it, nil where there is none
	idle     bool            // nothing is in the mailbox, and nothing is wrong with it
	messages int             // what is in a mailbox that is in order
}

// waits looks at what a suspended process waits for.
func (g *guide) waits(r *chain.Record) []wait {
	list := make([]wait, len(r.Wake))
	for i, handle := range r.Wake {
		w := wait{handle: handle}
		if isReceiveHandle(handle) {
			w.box = g.mailbox(handle)
		}
		if w.box != nil {
			w.idle = g.mailboxes.Idle(handle)
		}
		if w.box != nil && !w.idle {
			at, err := g.mailboxes.Inspect(w.box.Name)
			if err == nil && !at.Locked && at.InterruptedKeys == 0 && at.Receive == mailbox.Active {
				w.messages = at.Pending
			}
		}
		list[i] = w
	}
	return list
}

// send returns the command that puts a message into a mailbox.
func (g *guide) send(c *mailbox.Config) string {
	return g.command("mailbox", "send", c.Send.String(), "message.json")
}

// mailbox returns the mailbox to which a handle gives a right, nil where there is
// none or they cannot be listed.
func (g *guide) mailbox(handle string) *mailbox.Config {
	boxes, err := g.list()
	if err != nil {
		return nil
	}
	for i := range boxes {
		if c := &boxes[i]; c.Receive.String() == handle || c.Send.String() == handle {
			return c
		}
	}
	return nil
}

// current returns the generation to which an uncertain process has come.
func current(story *process.Story) *process.Generation {
	return &story.Generations[len(story.Generations)-1]
}
