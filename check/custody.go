package check

import (
	"context"
	"errors"

	"github.com/algal-vm/algal/custody"
)

// processCreation examines the custody of the creation of processes, with the
// marker that keeps older runtimes out.
func (e *examination) processCreation(context.Context) {
	const archive = "creation-owners"
	place := custody.ProcessCreation(e.root)
	e.custodyRoom(".process-creation", place, archive)
	state, err := custody.InspectProcessCreation(e.root)
	e.marker(state, err, processesDir+"/.lock")
}

// mailboxAdmission examines the custody of the creation of mailboxes.
func (e *examination) mailboxAdmission(context.Context) {
	e.custodyRoom(".mailbox-admission", custody.MailboxAdmission(e.root), "")
}

// custodyRoom examines a directory that holds nothing but custody's files, an
// archive of its own apart.
func (e *examination) custodyRoom(dir string, place custody.Place, archive string) {
	if e.closed[dir] {
		return
	}
	for _, d := range e.entries(dir, CustodyUnknownLock) {
		if !custody.Keeps(d) && d.Name() != archive {
			e.stranger(dir+"/"+d.Name(), d)
		}
	}
	if archive != "" {
		e.entries(dir+"/"+archive, CustodyUnknownLock)
	}
	e.lease(place, dir)
}

// lease examines the custody of a place. Whether an owner is alive, only the
// database tells, and that is not opened.
func (e *examination) lease(place custody.Place, dir string) {
	e.entries(dir+"/owners", CustodyUnknownLock)
	state, err := custody.Inspect(place)
	e.marker(state, err, dir+"/.lock")
}

// marker reports what an inspection of custody has found.
func (e *examination) marker(state custody.State, err error, path string) {
	var obstacle *custody.Obstacle
	switch {
	case err == nil && state.Nonce == "":
	case err == nil:
		e.report(Finding{Kind: Residue, Path: path, Advice: "the marker of an owner at work, or of one that died: the next owner puts it away"})
	case errors.As(err, &obstacle) && obstacle.Foreign:
		e.report(Finding{Kind: CustodyLegacyLock, Path: path, Advice: err.Error() + ": when no older runtime works on the store, keep a copy of the file and remove it"})
	default:
		if obstacle != nil {
			path = e.name(obstacle.Path)
		}
		e.report(Finding{Kind: CustodyUnknownLock, Path: path, Advice: err.Error() + ": nobody gets custody of the place until an operator has moved it away"})
	}
}
