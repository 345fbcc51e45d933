package mailbox

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Create makes a mailbox and returns its configuration with the two handles (§5).
// A mailbox that is there already is returned as it is if its bounds are these;
// rights that were revoked stay revoked.
//
// A name or bound that is not admitted and other bounds than those of an existing
// mailbox are PARSE_FAILED, a store with 1,024 mailboxes BUDGET_EXHAUSTED, another
// live creation IO_FAILED. A creation that was interrupted before it published
// the configuration has no effect but unused files.
func (s *Service) Create(ctx context.Context, name string, maxMessages, maxMessageBytes int) (c Config, err error) {
	if err := s.guard(name); err != nil {
		return Config{}, err
	}
	if err := checkBounds(maxMessages, maxMessageBytes); err != nil {
		return Config{}, err
	}
	release, err := s.admit(ctx)
	if err != nil {
		return Config{}, err
	}
	defer func() {
		if released := release(); err == nil {
			err = released
		}
		if err != nil {
			c = Config{}
		}
	}()
	existing, err := s.Find(name)
	if err != nil {
		return Config{}, err
	}
	if existing == nil {
		return s.create(name, maxMessages, maxMessageBytes)
	}
	if existing.MaxMessages != maxMessages || existing.MaxMessageBytes != maxMessageBytes {
		return Config{}, algal.Errorf(algal.ParseFailed, `mailbox "%s" already has different bounds`, name)
	}
	return *existing, s.retainMailbox(*existing)
}

// create makes a mailbox that is not there. Its configuration is published last
// and commits the creation.
func (s *Service) create(name string, maxMessages, maxMessageBytes int) (Config, error) {
	list, err := s.List()
	if err != nil {
		return Config{}, err
	}
	if len(list) >= maxMailboxes {
		return Config{}, countExhausted()
	}
	nonce := newNonce()
	send := newCapability(SendClass, name, nonce+"-send")
	receive := newCapability(ReceiveClass, name, nonce+"-receive")
	for _, dir := range append(placeOf(name).dirs(), capabilitiesDir) {
		if err := s.engine.Ensure(dir); err != nil {
			return Config{}, err
		}
	}
	if err := s.guard(name); err != nil {
		return Config{}, err
	}
	for _, c := range []Capability{send, receive} {
		if err := s.writeNew(capabilityRecord(c.Handle), c.Record()); err != nil {
			return Config{}, err
		}
	}
	config := Config{name, maxMessages, maxMessageBytes, send.Handle, receive.Handle}
	return config, s.writeNew(placeOf(name).config(), config.Record())
}

// retainMailbox makes an existing mailbox durable, whoever created it (§5.1).
func (s *Service) retainMailbox(c Config) error {
	for _, handle := range []organism.Handle{c.Send, c.Receive} {
		if err := s.retainCapability(handle, c.Name); err != nil {
			return err
		}
	}
	if err := s.retainConfig(c); err != nil {
		return err
	}
	for _, dir := range placeOf(c.Name).dirs() {
		ok, err := s.engine.Directory(dir)
		if err != nil {
			return err
		}
		if !ok {
			return algal.Errorf(algal.IOFailed, "mailbox directory is not admitted")
		}
		if err := s.engine.Ensure(dir); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) retainCapability(handle organism.Handle, mailbox string) error {
	found, err := s.retain(capabilityRecord(handle), func(v canon.Value) error {
		c, err := ParseCapability(v, "retained mailbox capability")
		if err == nil && (c.Handle != handle || c.Mailbox != mailbox) {
			err = foreignAuthority()
		}
		return err
	})
	if err == nil && !found {
		err = algal.Errorf(algal.DigestMismatch, "mailbox configuration has no authority record")
	}
	return err
}

func (s *Service) retainConfig(c Config) error {
	found, err := s.retain(placeOf(c.Name).config(), func(v canon.Value) error {
		have, err := ParseConfig(v, "retained mailbox config")
		if err == nil && have != c {
			err = algal.Errorf(algal.DigestMismatch, "mailbox configuration changed during publication")
		}
		return err
	})
	if err == nil && !found {
		err = algal.Errorf(algal.IOFailed, "retained mailbox configuration disappeared")
	}
	return err
}

func foreignAuthority() error {
	return algal.Errorf(algal.DigestMismatch, "mailbox authority does not match its configuration")
}
