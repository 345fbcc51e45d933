package process

import (
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// Supervisor is the supervisor of the processes of one store. It may be used by
// several goroutines; what they do to one process excludes each other.
type Supervisor struct {
	engine    Engine
	journals  journal.Engine
	custody   Custody
	mailboxes Mailboxes
	host      runtime.Host
	objects   objects
}

// New returns the supervisor over an engine, and one for journals of the same
// store. The host runs the programs: its store must be the one that the engine's
// objects lie in; its process name and journal are the supervisor's to set.
// Custody and mailboxes may be nil for operations that only read, journals for
// those that have nothing to do with one.
func New(engine Engine, journals journal.Engine, custody Custody, mailboxes Mailboxes, host runtime.Host) *Supervisor {
	return &Supervisor{engine, journals, custody, mailboxes, host, objects{engine}}
}

// signatures returns the tool signatures of the host.
func (s *Supervisor) signatures() map[string]*organism.Tool {
	tools := make(map[string]*organism.Tool, len(s.host.Tools))
	for name, tool := range s.host.Tools {
		tools[name] = tool.Signature
	}
	return tools
}

// compile admits a program with the host's tools and, if asked, its transports.
// The reserved tool is not added here (process.md §6.1 step 4).
func (s *Supervisor) compile(m *organism.Manifest, transports bool) (*organism.Graph, error) {
	functions := s.host.Functions
	if functions == nil {
		functions = organism.Builtins()
	}
	env := organism.Env{Functions: functions, Tools: s.signatures(), Store: s.host.Store}
	if transports {
		env.Transports = s.host.Transports
	}
	return organism.Compile(m, env, 0)
}
