package laboratory

import (
	"context"

	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

// StartFixture makes a crash case in a directory that does not exist, dispatches its
// process and stands still inside its last effect, to be killed there. It never
// succeeds: one that nobody kills ends with an EFFECT_FAILED error.
func StartFixture(ctx context.Context, path string, mode Mode, token string) (err error) {
	if err := checkToken(token); err != nil {
		return err
	}
	files := durable.NewPublisher(durable.Options{})
	r, err := root.New(files, path)
	if err != nil {
		return err
	}
	f := openFixture(r, files)
	lease, err := custody.Acquire(ctx, files, f.place())
	if err != nil {
		return err
	}
	defer lease.End(&err)
	d, err := f.lay(ctx, mode, token)
	if err != nil {
		return err
	}
	supervisor, err := f.supervisor(d, f.store.Processes(), &barrier{f, d, true})
	if err != nil {
		return err
	}
	_, err = supervisor.Create(ctx, process.Definition{Name: crashProcess, Manifest: d.program, Args: d.args(), MaxGenerations: 2})
	if err != nil {
		return err
	}
	_, err = supervisor.Tick(ctx, crashProcess, process.Options{Journal: true, MaxRecoveries: journal.DefaultRecoveries})
	return err
}

// lay makes the mailboxes and publishes the definition.
func (f *fixture) lay(ctx context.Context, mode Mode, token string) (*definition, error) {
	d := &definition{root: f.root, token: token, mode: mode}
	var err error
	if d.program, err = program(); err != nil {
		return nil, err
	}
	for name, config := range map[string]*mailbox.Config{prefixBox: &d.prefix, publicationsBox: &d.publications} {
		if *config, err = f.mailboxes.Create(ctx, name, boxMessages, boxMessageBytes); err != nil {
			return nil, err
		}
	}
	return d, hostdoc.Write(f.files, f.root.Join(definitionFile), d.value(), maxDefinition)
}
