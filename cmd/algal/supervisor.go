package main

import (
	"context"

	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// openSupervisor returns the supervisor of the processes of a store, with the host
// that the flags describe. executor may be nil: nothing is run then.
func openSupervisor(ctx context.Context, s *streams, dir string, program *programFlags, executor *executorFlags) (*process.Supervisor, error) {
	opened := &executors{}
	if executor != nil {
		var err error
		if opened, err = executor.open(s); err != nil {
			return nil, err
		}
	}
	host, err := program.host(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	if executor != nil {
		opened.announce(nil, host, s)
		executor.attach(&host, opened, s)
	}
	return supervise(host), nil
}

// readingSupervisor returns a supervisor that only reads. Programs may name the
// tools of the signatures, of which none can be called.
func readingSupervisor(s *streams, dir string, signatures map[string]*organism.Tool) *process.Supervisor {
	host := runtime.Host{Store: openStore(dir, s), Tools: make(map[string]*runtime.HostTool, len(signatures))}
	for name, signature := range signatures {
		host.Tools[name] = &runtime.HostTool{Signature: signature}
	}
	return supervise(host)
}

// inspectSupervisor returns a supervisor that only reads, of a host without tools
// of its own.
func inspectSupervisor(s *streams, dir string) *process.Supervisor {
	return readingSupervisor(s, dir, builtinSignatures())
}

func supervise(host runtime.Host) *process.Supervisor {
	st := host.Store.(*store)
	return process.New(st.Processes(), st.Journals(), process.Leases(st.files, st.dir), openMailboxes(st), host)
}
