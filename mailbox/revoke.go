package mailbox

import "context"

// Revoke ends the right of a handle for ever (§10). Messages and the other right
// are untouched, and creating the mailbox again makes no new handle. The right of a
// revoked handle cannot be revoked again: CAPABILITY_DENIED. The other errors are
// those of [Service.Send].
func (s *Service) Revoke(ctx context.Context, handle string) error {
	h, err := parseHandle(handle, "")
	if err == nil && h.Class != SendClass {
		h, err = parseHandle(handle, ReceiveClass)
	}
	if err != nil {
		return err
	}
	return s.operate(ctx, h, func(o *operation) error {
		a, err := o.confirm()
		if err != nil {
			return err
		}
		a.capability.Revoked = true
		o.publishing = true
		return o.engine.Replace(capabilityRecord(h), a.capability.Record().String())
	})
}
