package mailbox

import "context"

// HasPending is the readiness probe: it reports whether a receive would find a
// message, and consumes nothing (§9.2). It takes the lock for a moment; a mailbox
// that a receive would refuse, locked ones included, is an error.
func (s *Service) HasPending(ctx context.Context, handle string) (bool, error) {
	h, err := parseHandle(handle, ReceiveClass)
	if err != nil {
		return false, err
	}
	found := false
	err = s.operate(ctx, h, func(o *operation) error {
		if _, err := o.confirm(); err != nil {
			return err
		}
		files, err := o.unambiguous(o.config)
		found = len(files) > 0
		return err
	})
	return found && err == nil, err
}

// Idle looks at what [Service.HasPending] reads, without the lock and without
// touching a file (process.md §11.3). True means that no message waits and nothing
// is wrong. False means nothing at all: there may be a message or a fault, which
// may be somebody's half-done operation, and only the probe decides.
func (s *Service) Idle(handle string) bool {
	h, err := parseHandle(handle, ReceiveClass)
	if err != nil {
		return false
	}
	a, err := s.resolve(h)
	if err != nil || s.checkPlace(a.config.Name) != nil {
		return false
	}
	files, err := s.unambiguous(a.config)
	return err == nil && len(files) == 0
}
