//go:build unix

package custody

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Lease is custody of a place. It lasts until [Lease.Release] or the end of the
// process. It may pass between goroutines but serves one at a time.
type Lease struct {
	files    *durable.Publisher
	dir      string
	database *connection // nil once released
	file     markerFile
	marker   canon.Value
	vacate   func() error // what goes before the marker does; nil: nothing
}

// The wait for a shared place (§1.1).
const (
	sharedWait = 2 * time.Second
	sharedPoll = 25 * time.Millisecond
)

// Acquire takes custody of a place and makes its directory if it is missing (§4).
//
// A live owner is contention, an IO_FAILED error that [Held] recognises: at once,
// or after two seconds of trying where the place is shared. Anything else that
// stands in the way is reported at once: a database that is not the contract's or a
// marker of another shape or label is IO_FAILED, a full archive
// BUDGET_EXHAUSTED; each of them is an [*Obstacle]. A cancelled ctx is
// BUDGET_EXHAUSTED; it ends the wait and never a lease.
func Acquire(ctx context.Context, files *durable.Publisher, place Place) (*Lease, error) {
	deadline := time.Now().Add(sharedWait)
	for {
		if ctx.Err() != nil {
			return nil, algal.Errorf(algal.BudgetExhausted, "cancelled before the host lease was taken")
		}
		lease, err := acquire(files, place)
		if !place.Shared || !Held(err) || !time.Now().Before(deadline) {
			return lease, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(sharedPoll):
		}
	}
}

func acquire(files *durable.Publisher, place Place) (*Lease, error) {
	dir, err := files.Ensure(place.Dir)
	if err != nil {
		return nil, err
	}
	database, err := openDatabase(dir)
	if err != nil {
		return nil, databaseObstacle(dir, err)
	}
	l := &Lease{files: files, dir: dir, database: database, file: ownerMarker(dir, place.Label)}
	if err := l.take(); err != nil {
		database.close()
		return nil, err
	}
	return l, nil
}

// databaseObstacle names the database that an error is about. A live owner is no
// file's fault.
func databaseObstacle(dir string, err error) error {
	if Held(err) {
		return err
	}
	return &Obstacle{Path: filepath.Join(dir, databaseName), Err: err}
}

func (l *Lease) take() (err error) {
	if err := l.database.take(); err != nil {
		return databaseObstacle(l.dir, err)
	}
	if err := l.file.succeed(l.files); err != nil {
		return err
	}
	l.marker, err = l.file.publish(l.files, l.dir)
	return err
}

// Release gives custody up: the marker goes, durably, and then the transaction
// ends, so that a clean release leaves no marker to whom comes next (§4). Custody
// ends whatever the error says. When the marker is not this owner's any more it is
// left alone, with IO_FAILED. Releasing again does nothing.
func (l *Lease) Release() error {
	if l.database == nil {
		return nil
	}
	var vacated error
	if l.vacate != nil {
		vacated = l.vacate()
	}
	removed := l.removeMarker()
	closed := l.database.close()
	l.database = nil
	return cmp.Or(vacated, removed, closed)
}

func (l *Lease) removeMarker() error {
	held, err := l.file.holds(l.marker)
	var fault *durable.Fault
	if errors.As(err, &fault) && fault.Kind == durable.System {
		return err
	}
	if !held {
		return algal.Errorf(algal.IOFailed, "owner marker changed during operation")
	}
	return l.files.Unlink(durable.OpUnlinkLock, l.file.path)
}

// End releases at the end of an action: deferred with the address of the action's
// error, it reports the failure to release unless the action has failed itself.
func (l *Lease) End(action *error) {
	if err := l.Release(); *action == nil {
		*action = err
	}
}
