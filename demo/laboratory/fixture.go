package laboratory

import (
	"maps"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// What lies in the store of a crash case.
const (
	storeDir = "store"

	crashProcess    = "crash"
	prefixBox       = "prefix"
	publicationsBox = "publications"

	boxMessages     = 4
	boxMessageBytes = 1024
)

// crashLabel is the label of the lease that a child has on its fixture.
const crashLabel = "demo-crash"

// fixture is a crash case as its children see it.
type fixture struct {
	root      root.Root
	files     *durable.Publisher
	store     *disk.Store
	mailboxes *mailbox.Service
}

func openFixture(r root.Root, files *durable.Publisher) *fixture {
	dir := r.Join(storeDir)
	store := disk.Open(dir, disk.Options{Files: files})
	return &fixture{r, files, store, mailbox.New(store.Mailboxes(), mailbox.Custody(files, dir))}
}

func (f *fixture) place() custody.Place { return custody.Place{Dir: f.root.Path, Label: crashLabel} }

// mailbox returns a mailbox of the fixture.
func (f *fixture) mailbox(name string) (mailbox.Config, error) {
	config, err := f.mailboxes.Find(name)
	if err == nil && config == nil {
		err = algal.Errorf(algal.StoreMiss, "the fixture has no mailbox %s", name)
	}
	if err != nil {
		return mailbox.Config{}, err
	}
	return *config, nil
}

// supervisor returns the supervisor of the fixture's process. The tools of its host
// are those of mailboxes and the barrier, under one configuration whether it stands
// still or answers.
func (f *fixture) supervisor(d *definition, engine process.Engine, b *barrier) (*process.Supervisor, error) {
	signature, err := d.mode.signature()
	if err != nil {
		return nil, err
	}
	tools := map[string]*runtime.HostTool{
		barrierTool: {Signature: signature, Configuration: d.configuration(), Call: b.call},
	}
	maps.Copy(tools, f.mailboxes.Tools())
	host := runtime.Host{Store: f.store, Tools: tools}
	leases := process.Leases(f.files, f.root.Join(storeDir))
	return process.New(engine, f.store.Journals(), leases, f.mailboxes, host), nil
}

// published is what the write of a fixture sends.
func published() canon.Value { return canon.Object(canon.M("sent", canon.String("in the barrier"))) }
