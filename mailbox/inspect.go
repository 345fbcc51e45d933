package mailbox

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Bounds of an inspection. The claims and markers of a mailbox are kept for ever,
// so their number has no bound of the contract's.
const (
	maxInspected = 1 << 20 // entries of one directory
	maxListed    = 1_024   // interrupted deliveries that are listed
)

// The states of a right in an [Inspection].
const (
	Active  = "active"
	Revoked = "revoked"
	Missing = "missing" // no record: the handle is not admitted
)

// Interruption is one delivery that is neither waiting nor received.
type Interruption struct {
	Key   string // the idempotency key; of a record that is no key's, its name
	State State
}

// Inspection is what a mailbox shows to somebody who takes nothing (cli.md §5).
type Inspection struct {
	Config          Config
	Send, Receive   string         // the states of the rights
	Pending         int            // messages that wait
	Consumed        int            // messages that were received
	InterruptedKeys int            // the others
	Interrupted     []Interruption // the first 1,024 of them, by key
	Locked          bool           // an operation is under way or was interrupted
}

// Record returns the inspection as the command prints it.
func (i Inspection) Record() canon.Value {
	list := make([]canon.Value, len(i.Interrupted))
	for at, e := range i.Interrupted {
		list[at] = canon.Object(
			canon.M("key", canon.String(e.Key)),
			canon.M("meaning", canon.String(e.State.Meaning())),
			canon.M("state", canon.String(string(e.State))),
		)
	}
	return canon.Object(
		canon.M("capabilities", canon.Object(
			canon.M("receive", canon.String(i.Receive)),
			canon.M("send", canon.String(i.Send)),
		)),
		canon.M("config", i.Config.Record()),
		canon.M("counts", canon.Object(
			canon.M("consumed", canon.Int(i.Consumed)),
			canon.M("interrupted", canon.Int(i.InterruptedKeys)),
			canon.M("pending", canon.Int(i.Pending)),
		)),
		canon.M("interrupted", canon.Array(list...)),
		canon.M("locked", canon.Bool(i.Locked)),
		canon.M("name", canon.String(i.Config.Name)),
	)
}

// Inspect looks at a mailbox and explains what interrupted operations left in it
// (cli.md §5). It takes no lock and touches no file, so it also works where nothing
// else does. While Locked is true, deliveries of the operation at work may be among
// the interrupted ones.
//
// A mailbox that is not there is STORE_MISS. Damaged claims and markers are
// counted as corrupt; a damaged configuration or capability record is an error.
func (s *Service) Inspect(name string) (Inspection, error) {
	config, err := s.Find(name)
	if err != nil {
		return Inspection{}, err
	}
	if config == nil {
		return Inspection{}, algal.Errorf(algal.StoreMiss, `mailbox "%s" is not in the store`, name)
	}
	i := Inspection{Config: *config}
	if i.Send, err = s.rightState(config.Send, name); err != nil {
		return Inspection{}, err
	}
	if i.Receive, err = s.rightState(config.Receive, name); err != nil {
		return Inspection{}, err
	}
	if err := s.inspectDeliveries(&i); err != nil {
		return Inspection{}, err
	}
	return i, nil
}

func (s *Service) rightState(h organism.Handle, mailbox string) (string, error) {
	v, err := s.read(capabilityRecord(h))
	if err != nil {
		return "", err
	}
	if !v.Exists() {
		return Missing, nil
	}
	c, err := ParseCapability(v, "capability record")
	switch {
	case err != nil:
		return "", err
	case c.Handle != h || c.Mailbox != mailbox:
		return "", foreignAuthority()
	case c.Revoked:
		return Revoked, nil
	}
	return Active, nil
}

// inspectDeliveries sorts the keys by their states. An operation may be under way,
// so a key that seems interrupted gets a second look after the lock had one: what
// is the same then was not on its way while nobody had the lock.
func (s *Service) inspectDeliveries(i *Inspection) error {
	files, err := s.keys(i.Config.Name)
	if err != nil {
		return err
	}
	var doubtful []string
	for _, file := range files {
		state, err := s.state(i.Config.Name, file)
		if err != nil {
			return err
		}
		if !i.count(state) {
			doubtful = append(doubtful, file)
		}
	}
	if i.Locked, err = s.engine.Locked(placeOf(i.Config.Name).lock()); err != nil {
		return err
	}
	for _, file := range doubtful {
		state, err := s.state(i.Config.Name, file)
		if err != nil {
			return err
		}
		if !i.count(state) {
			i.interrupt(file, state)
		}
	}
	return nil
}

// count counts a delivery that is in order and reports whether it is.
func (i *Inspection) count(state State) bool {
	switch state {
	case waiting:
		i.Pending++
	case received:
		i.Consumed++
	case neverSent:
	default:
		return false
	}
	return true
}

func (i *Inspection) interrupt(file string, state State) {
	i.InterruptedKeys++
	if len(i.Interrupted) < maxListed {
		i.Interrupted = append(i.Interrupted, Interruption{keyOf(file), state})
	}
}

// keyOf returns the key whose records have the name.
func keyOf(file string) string {
	hex := strings.TrimSuffix(file, suffix)
	if key := "sha256:" + hex; algal.IsDigest(key) {
		return key
	}
	return file
}
