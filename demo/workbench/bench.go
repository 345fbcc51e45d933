package workbench

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
	"github.com/algal-vm/algal/runtime"
)

// Options is what an operation needs of the world.
type Options struct {
	// Executable is the canonical path of the program that the commands of a report
	// name, at most 4,096 bytes.
	Executable string
	// Hook runs every step of publication; nil: they are simply done.
	Hook durable.Hook
}

// bench is an open workbench.
type bench struct {
	Options
	root       root.Root
	definition *Definition
	files      *durable.Publisher
	store      *disk.Store
	mailboxes  *mailbox.Service
}

// maxExecutable bounds the path of the executable, in bytes.
const maxExecutable = 4096

func (o Options) check() error {
	if n := len(o.Executable); n == 0 || n > maxExecutable {
		return algal.Errorf(algal.BudgetExhausted, "the path of the executable has %d bytes, expected 1 to %d", n, maxExecutable)
	}
	if !utf8.ValidString(o.Executable) {
		return algal.Errorf(algal.ParseFailed, "the path of the executable is not valid UTF-8, so no report can name it")
	}
	return nil
}

// publisher returns what publishes every file of the workbench.
func (o Options) publisher() *durable.Publisher {
	return durable.NewPublisher(durable.Options{Hook: o.Hook})
}

// at returns the bench in a directory, without a definition.
func at(r root.Root, files *durable.Publisher, o Options) *bench {
	dir := r.Join(StoreName)
	store := disk.Open(dir, disk.Options{Files: files})
	return &bench{
		Options: o, root: r, files: files, store: store,
		mailboxes: mailbox.New(store.Mailboxes(), mailbox.Custody(files, dir)),
	}
}

// open opens the workbench at a path. Nothing is written.
func open(path string, o Options) (*bench, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	b := at(r, o.publisher(), o)
	if b.definition, err = b.readDefinition(); err != nil {
		return nil, err
	}
	return b, nil
}

// incomplete is what is said of a root whose start was interrupted.
func incomplete() error {
	return algal.Errorf(algal.StoreMiss, "initialization is incomplete; preserve this root and choose a new root")
}

// readDefinition reads the definition and holds it to the root as that is now
// (demo.md §4.4).
func (b *bench) readDefinition() (*Definition, error) {
	now, err := root.Open(b.root.Path)
	if err != nil {
		return nil, err
	}
	v, err := hostdoc.Read(b.root.Join(DefinitionName), MaxDefinition)
	if err != nil {
		return nil, err
	}
	if !v.Exists() {
		return nil, incomplete()
	}
	d, err := ParseDefinition(v)
	if err != nil {
		return nil, err
	}
	if d.Root != now.Path || !canon.Equal(d.Identity, now.Identity()) {
		return nil, algal.Errorf(algal.DigestMismatch, "this root is not the one that was started: it was moved or copied")
	}
	return d, nil
}

// owning does something under the lease of the root, for the same definition that
// was read before.
func (b *bench) owning(ctx context.Context, do func() error) (err error) {
	lease, err := custody.Acquire(ctx, b.files, custody.Place{Dir: b.root.Path, Label: label})
	if err != nil {
		return err
	}
	defer lease.End(&err)
	again, err := b.readDefinition()
	if err != nil {
		return err
	}
	if !canon.Equal(again.Value(), b.definition.Value()) {
		return algal.Errorf(algal.DigestMismatch, "the definition of the workbench changed")
	}
	return do()
}

// supervisor returns the supervisor of the store. The model of the program is
// scripted with the proposal.
func (b *bench) supervisor() (*process.Supervisor, error) {
	model, err := scripted.New(canon.Object(canon.M("recommend", b.definition.Proposal)), scripted.DefaultID)
	if err != nil {
		return nil, err
	}
	host := runtime.Host{
		Store: b.store, Tools: b.mailboxes.Tools(), Executors: []runtime.Executor{model},
		Deadline: func(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		},
	}
	leases := process.Leases(b.files, b.root.Join(StoreName))
	return process.New(b.store.Processes(), b.store.Journals(), leases, b.mailboxes, host), nil
}

// journaled is how the process is dispatched.
var journaled = process.Options{Journal: true, MaxRecoveries: 2}
