package custody

import (
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/hostdoc"
)

// State is what a place shows to somebody who takes nothing.
type State struct {
	// Nonce is that of the marker in the place, "" when there is none. A marker
	// alone does not tell a live owner from one that died.
	Nonce string

	// Archived holds the nonces of owners that died, in byte order.
	Archived []string
}

// Inspect looks at the files of a place. It writes nothing, opens no database and
// so disturbs no owner. A missing directory is a place without an owner.
//
// The error is the one that would meet the next owner before or after it has the
// transaction, as an [*Obstacle]: a file that cannot be the database's, a marker
// that needs an operator, a foreign name among the archived ones, or an archive
// that is full. It does not tell whether the database is the contract's.
func Inspect(place Place) (State, error) {
	if err := admitDatabase(place.Dir); err != nil {
		return State{}, &Obstacle{Path: filepath.Join(place.Dir, databaseName), Err: err}
	}
	return ownerMarker(place.Dir, place.Label).state()
}

// InspectProcessCreation is [Inspect] for the marker that keeps older runtimes from
// creating processes in the store at root (§7.2), with its own archive.
func InspectProcessCreation(root string) (State, error) {
	return interlock(root).state()
}

// Obstacle is what stands in the way of the next owner of a place.
type Obstacle struct {
	Path string // of the file or directory
	Err  error

	// Foreign says that it is a marker, but of another form than the contract's, as
	// older runtimes left them.
	Foreign bool
}

func (o *Obstacle) Error() string { return o.Err.Error() }

// Unwrap returns the error that the next owner would meet.
func (o *Obstacle) Unwrap() error { return o.Err }

// obstacle is a marker that is refused.
func (f markerFile) obstacle(err error) error {
	foreign := algal.CodeOf(err) == algal.ParseFailed || err.Error() == f.foreign
	return &Obstacle{Path: f.path, Err: err, Foreign: foreign}
}

// archiveObstacle is an archive that takes no more markers.
func (f markerFile) archiveObstacle(err error) error { return &Obstacle{Path: f.archive, Err: err} }

func (f markerFile) state() (State, error) {
	_, nonce, err := f.read()
	if err != nil {
		return State{}, f.obstacle(err)
	}
	names, err := hostdoc.Scan(f.archive, maxArchived, isArchived, hostdoc.RefuseOthers)
	if err == nil && nonce != "" {
		err = f.admitArchive(names, nonce)
	}
	if err != nil {
		return State{}, f.archiveObstacle(err)
	}
	s := State{Nonce: nonce}
	for _, name := range names {
		s.Archived = append(s.Archived, strings.TrimSuffix(name, archivedSuffix))
	}
	return s, nil
}
