package mailbox

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// operation is one operation on one mailbox under its lock (§6).
type operation struct {
	*Service
	handle organism.Handle
	config Config
	place  place

	// publishing is set before the first publication: from then on a failure leaves
	// it open what happened.
	publishing bool
}

// operate resolves a handle, takes the lock of its mailbox, does what op says and
// gives the lock up.
func (s *Service) operate(ctx context.Context, handle organism.Handle, op func(*operation) error) error {
	if ctx.Err() != nil {
		return algal.Errorf(algal.BudgetExhausted, "cancelled before the mailbox operation began")
	}
	a, err := s.resolve(handle)
	if err != nil {
		return err
	}
	name := a.config.Name
	if err := s.checkPlace(name); err != nil {
		return err
	}
	o := &operation{Service: s, handle: handle, config: a.config, place: placeOf(name)}
	taken, err := s.engine.Lock(o.place.lock())
	if err != nil {
		return err
	}
	if !taken {
		return algal.Errorf(algal.IOFailed, `mailbox "%s" is locked; reconcile the owning operation before retrying`, name)
	}
	err = op(o)
	if released := s.engine.Unlock(o.place.lock()); err == nil {
		err = released
	}
	if err != nil && o.publishing {
		return uncertain(err)
	}
	return err
}

// checkPlace demands the directories of an admitted mailbox. They are never made
// again (§6 steps 1 and 2).
func (s *Service) checkPlace(name string) error {
	if err := s.guard(name); err != nil {
		return err
	}
	for _, dir := range append(placeOf(name).dirs(), capabilitiesDir) {
		ok, err := s.engine.Directory(dir)
		if err != nil {
			return err
		}
		if !ok {
			return algal.Errorf(algal.IOFailed, "admitted mailbox directory is missing or invalid")
		}
	}
	return nil
}

// confirm resolves the handle again, now that nobody else works on the mailbox.
func (o *operation) confirm() (authority, error) {
	a, err := o.resolve(o.handle)
	if err == nil {
		o.config = a.config
	}
	return a, err
}

// uncertain flags a failure after which nobody can tell whether the operation took
// place. Code and sentence stay, and so does the cause.
func uncertain(err error) error {
	flagged := *algal.AsError(err)
	flagged.Uncertain = true
	return &uncertainError{&flagged, err}
}

type uncertainError struct {
	flagged *algal.Error
	cause   error
}

func (e *uncertainError) Error() string { return e.flagged.Error() }

func (e *uncertainError) Unwrap() []error { return []error{e.flagged, e.cause} }

// authority is what a handle stands for.
type authority struct {
	capability Capability
	config     Config
}

// parseHandle admits a handle; class "" admits any.
func parseHandle(handle, class string) (organism.Handle, error) {
	return organism.ParseHandle(canon.String(handle), class, "capability handle")
}

// resolve finds the active right behind a handle and its mailbox (§7.1).
func (s *Service) resolve(h organism.Handle) (authority, error) {
	record := capabilityRecord(h)
	if err := s.engine.Guard(record); err != nil {
		return authority{}, worded(err)
	}
	v, err := s.read(record)
	if err != nil {
		return authority{}, err
	}
	if !v.Exists() {
		return authority{}, denied("capability is not admitted")
	}
	c, err := ParseCapability(v, "capability record")
	if err != nil {
		return authority{}, err
	}
	if c.Handle != h || c.Revoked {
		return authority{}, denied("capability is not active")
	}
	config, err := s.Find(c.Mailbox)
	if err != nil {
		return authority{}, err
	}
	if config == nil || config.handle(h.Class) != h {
		return authority{}, denied("capability admission does not match its mailbox")
	}
	return authority{c, *config}, nil
}

func denied(why string) error { return algal.Errorf(algal.CapabilityDenied, "%s", why) }
