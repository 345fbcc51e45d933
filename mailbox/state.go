package mailbox

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
)

// State tells how a delivery came to stand still.
type State string

// The states of the deliveries that need somebody (§4, cli.md §5).
const (
	InterruptedSend    State = "send"
	InterruptedReceive State = "receive"
	Corrupt            State = "corrupt"
)

// Meaning says what the state does to the mailbox and what helps.
func (s State) Meaning() string {
	switch s {
	case InterruptedSend:
		return "a send was interrupted after it had claimed the key: receive does not see the message until a repeated send of the same value with this key completes it"
	case InterruptedReceive:
		return "a receive was interrupted between its two markers: every send of this key, every receive and every readiness probe of this mailbox fails until an operator has reconciled them"
	case Corrupt:
		return "the claim or a marker of the key is missing, damaged or of another message: sends and receives of it are refused"
	}
	return ""
}

// The states of the others.
const (
	neverSent State = ""
	waiting   State = "waiting"
	received  State = "received"
)

// state sorts one key by its claim and markers (§4). Records that are damaged or
// do not belong together are a state, not an error.
func (s *Service) state(mailbox, file string) (State, error) {
	p := placeOf(mailbox)
	claim, err := s.read(p.record(messages, file))
	if err != nil {
		return damaged(err)
	}
	var m Message
	if claim.Exists() {
		if m, err = ParseMessage(claim, "mailbox message "+file); err != nil {
			return damaged(err)
		}
		if m.Mailbox != mailbox || m.file() != file {
			return Corrupt, nil
		}
	}
	wait, waits, err := s.delivery(p, pending, file)
	if err != nil {
		return damaged(err)
	}
	gone, isGone, err := s.delivery(p, consumed, file)
	if err != nil {
		return damaged(err)
	}
	switch {
	case !claim.Exists() && !waits && !isGone:
		return neverSent, nil
	case !claim.Exists(), waits && wait.ID != m.ID, isGone && gone.ID != m.ID:
		return Corrupt, nil
	case waits && isGone:
		return InterruptedReceive, nil
	case waits:
		return waiting, nil
	case isGone:
		return received, nil
	}
	return InterruptedSend, nil
}

// damaged tells a record that is refused from a medium that failed.
func damaged(err error) (State, error) {
	code := algal.CodeOf(err)
	if errors.Is(err, errSymlink) || code != algal.IOFailed && code != algal.Internal {
		return Corrupt, nil
	}
	return "", err
}

// keys returns the names of all records of deliveries, in byte order. In pending/
// any record counts, as it does to a receive; in the others only those of keys are
// ever read.
func (s *Service) keys(mailbox string) ([]string, error) {
	p := placeOf(mailbox)
	var files []string
	for _, space := range []string{messages, pending, consumed} {
		err := s.engine.Scan(p.dir(space), maxInspected, func(name string, mode fs.FileMode) error {
			if !mode.IsDir() && strings.HasSuffix(name, suffix) && (space == pending || keyOf(name) != name) {
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, scanWorded(err)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
