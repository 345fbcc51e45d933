package mailbox

import (
	"errors"
	"io/fs"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// maxMailboxes bounds the mailboxes of a store, maxNamespace the entries of the
// directory that holds them (§1).
const (
	maxMailboxes = 1_024
	maxNamespace = 2*maxMailboxes + 16
)

// Service is the mailboxes of one store. It keeps no state and is safe for
// concurrent use, also by several processes.
type Service struct {
	engine Engine
	admit  Admission
}

// New returns the service over an engine. admit is only asked when a mailbox is
// created.
func New(engine Engine, admit Admission) *Service { return &Service{engine, admit} }

// Find returns the configuration of a mailbox, nil when there is none (§8).
func (s *Service) Find(name string) (*Config, error) {
	if err := s.guard(name); err != nil {
		return nil, err
	}
	v, err := s.read(placeOf(name).config())
	if err != nil || !v.Exists() {
		return nil, err
	}
	c, err := ParseConfig(v, "mailbox "+name)
	if err != nil {
		return nil, err
	}
	if c.Name != name {
		return nil, algal.Errorf(algal.DigestMismatch, "mailbox config is in the wrong directory")
	}
	return &c, nil
}

// List returns the configurations of all mailboxes by name (§8). One that cannot
// be read fails the listing, as does a foreign directory among them.
func (s *Service) List() ([]Config, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var list []Config
	for _, name := range names {
		c, err := s.Find(name)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue // an interrupted creation
		}
		if len(list) == maxMailboxes {
			return nil, countExhausted()
		}
		list = append(list, *c)
	}
	return list, nil
}

// names returns the directories of mailboxes in byte order.
func (s *Service) names() ([]string, error) {
	if err := s.engine.Guard(guarded()...); err != nil {
		return nil, worded(err)
	}
	var names []string
	err := s.engine.Scan(mailboxesDir, maxNamespace, func(name string, mode fs.FileMode) error {
		switch {
		case mode.Type() == fs.ModeSymlink:
			return s.linked(mailboxesDir + "/" + name)
		case mode.IsDir():
			names = append(names, name)
		}
		return nil
	})
	if f := faultOf(err); f != nil && f.Kind == durable.TooMany {
		return nil, algal.Errorf(algal.BudgetExhausted, "mailbox namespace physical entry bound exceeded")
	}
	return names, worded(err)
}

// guard admits a name and refuses links in its place (§4.2).
func (s *Service) guard(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return worded(s.engine.Guard(placeOf(name).guarded()...))
}

func countExhausted() error { return algal.Errorf(algal.BudgetExhausted, "mailbox count exhausted") }

// linked is the refusal of a link that a scan has found. The engine knows its path.
func (s *Service) linked(name string) error {
	if err := worded(s.engine.Guard(name)); err != nil {
		return err
	}
	return errSymlink
}

var errSymlink = algal.Errorf(algal.IOFailed, "mailbox symlinks are not admitted")

// worded gives a refusal of the engine its wire text (§4.1). Any other error is
// returned as it is.
func worded(err error) error {
	f := faultOf(err)
	if f == nil {
		return err
	}
	switch f.Kind {
	case durable.Symlink:
		return &edge{errSymlink, err}
	case durable.Irregular, durable.TooLarge:
		return &edge{algal.Errorf(algal.BudgetExhausted, "mailbox artifact file type or bytes"), err}
	case durable.Grown:
		return &edge{algal.Errorf(algal.BudgetExhausted, "mailbox artifact bytes"), err}
	}
	return err
}

// edge is a worded error that still knows the fault, whose path the edge of a
// command may show.
type edge struct {
	words *algal.Error
	cause error
}

func (e *edge) Error() string { return e.words.Message }

// Unwrap returns the words first: they decide the code.
func (e *edge) Unwrap() []error { return []error{e.words, e.cause} }

func faultOf(err error) *durable.Fault {
	var f *durable.Fault
	if errors.As(err, &f) {
		return f
	}
	return nil
}
