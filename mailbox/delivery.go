package mailbox

import (
	"io/fs"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// pendingFiles lists the waiting deliveries of a mailbox in the order in which they
// are received (§7.2). Any record counts, also one that no service wrote.
func (s *Service) pendingFiles(c Config) ([]string, error) {
	dir := placeOf(c.Name).dir(pending)
	var files []string
	err := s.engine.Scan(dir, 2*c.MaxMessages+16, func(name string, mode fs.FileMode) error {
		switch {
		case mode.Type() == fs.ModeSymlink:
			return s.linked(dir + "/" + name)
		case !mode.IsRegular() || !strings.HasSuffix(name, suffix):
			return nil
		case len(files) == c.MaxMessages:
			return algal.Errorf(algal.BudgetExhausted, "%s exceeds %d entries", dir, c.MaxMessages)
		}
		files = append(files, name)
		return nil
	})
	if err != nil {
		return nil, scanWorded(err)
	}
	return files, nil
}

// scanWorded is worded for the scan of a mailbox's directory.
func scanWorded(err error) error {
	if f := faultOf(err); f != nil && f.Kind == durable.TooMany {
		return algal.Errorf(algal.BudgetExhausted, "mailbox directory physical entry bound exceeded")
	}
	return worded(err)
}

// delivery reads a marker.
func (s *Service) delivery(p place, space, file string) (d Delivery, found bool, err error) {
	v, err := s.read(p.record(space, file))
	if err != nil || !v.Exists() {
		return Delivery{}, false, err
	}
	d, err = ParseDelivery(v, "mailbox delivery "+file)
	return d, err == nil, err
}

// message reads a claim. A missing one is no object.
func (s *Service) message(p place, file string) (Message, error) {
	v, err := s.read(p.record(messages, file))
	if err != nil {
		return Message{}, err
	}
	return ParseMessage(v, "mailbox message "+file)
}

// marker tells where the marker of a message is, "" if it has none (§7.3). A
// message that has both is uncertain: it was received or it was not.
func (s *Service) marker(p place, file string, id algal.Digest) (space string, err error) {
	for _, candidate := range []string{pending, consumed} {
		d, found, err := s.delivery(p, candidate, file)
		switch {
		case err != nil:
			return "", err
		case !found:
			continue
		case d.ID != id:
			return "", anotherMessage()
		case space != "":
			return "", algal.Errorf(algal.IOFailed, "mailbox delivery is uncertain; pending and consumed evidence require reconciliation")
		}
		space = candidate
	}
	return space, nil
}

func anotherMessage() error {
	return algal.Errorf(algal.DigestMismatch, "mailbox delivery claims another message")
}

// unambiguous lists the waiting deliveries and refuses the whole mailbox if one of
// them has a consumed marker too (§9.1).
func (s *Service) unambiguous(c Config) ([]string, error) {
	files, err := s.pendingFiles(c)
	if err != nil {
		return nil, err
	}
	p := placeOf(c.Name)
	for _, file := range files {
		_, found, err := s.engine.Read(p.record(consumed, file))
		if err != nil {
			return nil, worded(err)
		}
		if !found {
			continue
		}
		m, err := s.message(p, file)
		if err != nil {
			return nil, err
		}
		if m.Mailbox != c.Name || m.file() != file {
			return nil, algal.Errorf(algal.DigestMismatch, "mailbox delivery has a foreign message claim")
		}
		if _, err := s.marker(p, file, m.ID); err != nil {
			return nil, err
		}
	}
	return files, nil
}
