package check

import (
	"context"
	"io/fs"
	"os"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
)

// maxMailboxes bounds the mailboxes of a store (mailbox.md §1).
const maxMailboxes = 1_024

const (
	mailboxesDir    = "mailboxes"
	capabilitiesDir = "capabilities"
)

// mailboxes examines every mailbox in order of the names.
func (e *examination) mailboxes(ctx context.Context) {
	if e.closed[mailboxesDir] {
		return
	}
	count := 0
	for _, d := range e.entries(mailboxesDir, MailboxDamaged) {
		name, path := d.Name(), mailboxesDir+"/"+d.Name()
		switch {
		case ctx.Err() != nil:
			return
		case d.IsDir() && canon.CheckSafeID(name, "") == nil:
			m := &mailboxExamination{examination: e, name: name, dir: path}
			m.examine()
			count++
		case d.IsDir() || d.Type() == fs.ModeSymlink:
			e.report(Finding{Kind: MailboxDamaged, Path: path, Advice: "not the directory of a mailbox, and no mailbox can be listed or created until it is gone: move it away"})
		default:
			e.stranger(path, d)
		}
	}
	if count > maxMailboxes {
		e.report(Finding{Kind: MailboxDamaged, Path: mailboxesDir, Advice: "more mailboxes than a store may have: none can be listed or created"})
	}
}

// mailboxExamination is the examination of one mailbox.
type mailboxExamination struct {
	*examination
	name, dir string
}

// The directories of a mailbox. A key has a record of the same name in each.
const (
	messages = "messages"
	pending  = "pending"
	consumed = "consumed"
)

func (m *mailboxExamination) examine() {
	configured := false
	for _, d := range m.entries(m.dir, MailboxDamaged) {
		path := m.dir + "/" + d.Name()
		switch d.Name() {
		case configFile:
			configured = true
		case ".lock":
			m.report(Finding{Kind: MailboxLocked, Path: path, Advice: "an operation is under way or was interrupted, and all others fail meanwhile: when nothing works on the store, look at algal mailbox inspect " + m.name + " and remove the file"})
		case messages, pending, consumed:
		default:
			m.stranger(path, d)
		}
	}
	keys, whole := m.keys(configured)
	switch {
	case configured:
		m.config()
	case len(keys) > 0:
		m.report(Finding{Kind: MailboxDamaged, Path: m.dir + "/" + configFile, Advice: "the mailbox has messages and no configuration: bring it back from a copy of the store"})
	default:
		m.report(Finding{Kind: Residue, Path: m.dir, Advice: "left by an interrupted creation: algal mailbox create makes the mailbox anew"})
	}
	if whole {
		m.deliveries(keys)
	}
}

const configFile = "config.json"

// config examines the configuration and notes the rights that it names.
func (m *mailboxExamination) config() {
	path := m.dir + "/" + configFile
	v, found, err := m.document(path, durable.MaxBytes)
	if err == nil && !found {
		return // it has just gone
	}
	var c mailbox.Config
	if err == nil {
		c, err = mailbox.ParseConfig(v, "mailbox "+m.name)
	}
	if err == nil && c.Name != m.name {
		err = algal.Errorf(algal.DigestMismatch, "mailbox config is in the wrong directory")
	}
	if err != nil {
		m.report(Finding{Kind: MailboxDamaged, Path: path, Advice: err.Error() + ": bring it back from a copy of the store"})
		return
	}
	for _, h := range []organism.Handle{c.Send, c.Receive} {
		m.rights[h.Digest] = append(m.rights[h.Digest], m.dir)
	}
}

// keys returns the names of the claims and markers of a mailbox. Where a directory of
// them is missing, they are not all.
func (m *mailboxExamination) keys(configured bool) (files []string, whole bool) {
	keys, whole := map[string]bool{}, true
	for _, space := range []string{messages, pending, consumed} {
		dir := m.dir + "/" + space
		info, err := os.Lstat(m.path(dir))
		if err != nil || !info.IsDir() {
			if whole = false; configured {
				m.report(Finding{Kind: MailboxDamaged, Path: dir, Advice: "the directory is missing, and every operation on the mailbox fails: make it if the mailbox lost no messages, else bring it back from a copy of the store"})
			}
			continue
		}
		for _, d := range m.entries(dir, MailboxDamaged) {
			name := d.Name()
			_, isKey := digestOf(name)
			// In pending/ any record counts, and any link stops the mailbox.
			if isKey || space == pending && (d.Type() == fs.ModeSymlink || d.Type().IsRegular() && strings.HasSuffix(name, suffix)) {
				keys[name] = true
			} else {
				m.stranger(dir+"/"+name, d)
			}
		}
	}
	return sortedKeys(keys), whole
}

// deliveries examines the claims and markers of all keys.
func (m *mailboxExamination) deliveries(files []string) {
	for _, file := range files {
		f, ok := m.delivery(file)
		if !ok { // somebody may have been at work on it: look again
			f, ok = m.delivery(file)
		}
		if !ok {
			m.report(f)
		}
	}
}

// record reads a claim or marker and returns the id of its message, "" if there is
// none.
func (m *mailboxExamination) record(space, file string) (id algal.Digest, err error) {
	v, found, err := m.document(m.dir+"/"+space+"/"+file, durable.MaxBytes)
	if err != nil || !found {
		return "", err
	}
	if space != messages {
		d, err := mailbox.ParseDelivery(v, "mailbox delivery "+file)
		return d.ID, err
	}
	message, err := mailbox.ParseMessage(v, "mailbox message "+file)
	if err == nil && (message.Mailbox != m.name || message.Key.Hex()+suffix != file) {
		err = algal.Errorf(algal.DigestMismatch, "mailbox delivery has a foreign message claim")
	}
	return message.ID, err
}

// delivery examines the claim and the markers of one key (mailbox.md §4). It
// reports what is found when they are not in order.
func (m *mailboxExamination) delivery(file string) (f Finding, ok bool) {
	var ids [3]algal.Digest
	for i, space := range []string{messages, pending, consumed} {
		id, err := m.record(space, file)
		if err != nil {
			return m.corrupt(space, file, err.Error()), false
		}
		ids[i] = id
	}
	claim, waiting, received := ids[0], ids[1], ids[2]
	switch {
	case waiting != "" && waiting != claim:
		return m.corrupt(pending, file, unclaimed), false
	case received != "" && received != claim:
		return m.corrupt(consumed, file, unclaimed), false
	case waiting != "" && received != "":
		return m.interrupted(pending, file, mailbox.InterruptedReceive), false
	case claim != "" && waiting == "" && received == "":
		return m.interrupted(messages, file, mailbox.InterruptedSend), false
	}
	return Finding{}, true
}

const unclaimed = "the marker is not of a message that the mailbox has a claim for"

func (m *mailboxExamination) corrupt(space, file, why string) Finding {
	return Finding{Kind: MailboxDamaged, Path: m.dir + "/" + space + "/" + file, Advice: why + ": bring it back from a copy of the store"}
}

func (m *mailboxExamination) interrupted(space, file string, s mailbox.State) Finding {
	return Finding{Kind: MailboxInterrupted, Path: m.dir + "/" + space + "/" + file, Advice: s.Meaning()}
}
