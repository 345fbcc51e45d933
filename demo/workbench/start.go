package workbench

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

// Start makes a workbench in a directory that must not exist, and runs its program
// up to the approval. Evidence is checked before the directory is made, see
// [CheckEvidence]; anything that has the name of the root already is IO_FAILED.
//
// A start that was interrupted is not resumed: its root is refused from then on, or
// shows a process that waits for nobody, and stays as it is.
func Start(ctx context.Context, path string, evidence canon.Value, o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := CheckEvidence(evidence); err != nil {
		return nil, err
	}
	files := o.publisher()
	r, err := root.New(files, path)
	if err != nil {
		return nil, err
	}
	b := at(r, files, o)
	made, err := b.makeBoxes(ctx)
	if err != nil {
		return nil, err
	}
	if b.definition, err = define(r.Path, r.Identity(), evidence, made.handles()); err != nil {
		return nil, err
	}
	if err := hostdoc.Write(files, r.Join(DefinitionName), b.definition.Value(), MaxDefinition); err != nil {
		return nil, err
	}
	var report *Report
	err = b.owning(ctx, func() error {
		if err := b.begin(ctx); err != nil {
			return err
		}
		report, err = b.report(ctx)
		return err
	})
	return report, err
}

// makeBoxes makes the mailboxes.
func (b *bench) makeBoxes(ctx context.Context) (made boxes, err error) {
	for _, box := range made.list() {
		if *box.config, err = b.mailboxes.Create(ctx, box.name, maxMessages, box.maxBytes); err != nil {
			return boxes{}, err
		}
	}
	return made, nil
}

// maxMessages bounds the messages that wait in each mailbox.
const maxMessages = 4

// box is a mailbox of a workbench.
type box struct {
	name     string
	maxBytes int // of one message
	config   *mailbox.Config
}

func (b *boxes) list() []box {
	return []box{
		{"proposals", MaxPublication, &b.proposals},
		{"approvals", MaxDecision, &b.approvals},
		{"publications", MaxPublication, &b.publications},
	}
}

// begin creates the process and runs it up to the approval.
func (b *bench) begin(ctx context.Context) error {
	programs, err := builtIn()
	if err != nil {
		return err
	}
	if _, err := b.store.PutManifest(programs.wait.Normal()); err != nil {
		return err
	}
	supervisor, err := b.supervisor()
	if err != nil {
		return err
	}
	_, err = supervisor.Create(ctx, process.Definition{
		Name: ProcessName, Manifest: programs.review, Args: b.definition.Args, MaxGenerations: maxGenerations,
	})
	if err != nil {
		return err
	}
	_, err = supervisor.Tick(ctx, ProcessName, journaled)
	return err
}
