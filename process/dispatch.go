package process

import (
	"context"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

// Options says how a process is dispatched.
type Options struct {
	// Journal records every effect, so that the dispatch can be recovered when it is
	// interrupted.
	Journal bool
	// MaxRecoveries is how often, 1 to [journal.MaxRecoveries]. It has a meaning only
	// with Journal.
	MaxRecoveries int
}

func (o *Options) check() error {
	if !o.Journal {
		return nil
	}
	return journal.CheckRecoveries(o.MaxRecoveries)
}

// Tick dispatches a process that is ready or suspended (process.md §8.1): it runs
// until its program ends or waits again. The result is the snapshot after the
// outcome. A failing program is an outcome; an error that escapes the run leaves
// the process uncertain, exactly like a crash (§8.3).
func (s *Supervisor) Tick(ctx context.Context, name string, o Options) (*Snapshot, error) {
	return s.demand(ctx, name, manual, o)
}

// Wake dispatches a suspended process as [Supervisor.Tick] does, with a capability
// handle as the cause in the record: one of those on which it waits, whose resource
// the caller has just served. Any other is RECEIPT_MISMATCH.
func (s *Supervisor) Wake(ctx context.Context, name, handle string, o Options) (*Snapshot, error) {
	if _, err := organism.ParseHandle(canon.String(handle), "", "dispatch cause"); err != nil {
		return nil, err
	}
	return s.demand(ctx, name, mode(handle), o)
}

// demand dispatches a process, or says why not.
func (s *Supervisor) demand(ctx context.Context, name string, by mode, o Options) (*Snapshot, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := s.known(name); err != nil {
		return nil, err
	}
	return s.tick(ctx, name, by, o)
}

// known fails for a name without a head, before custody would make its directory
// (§8.1 step 2).
func (s *Supervisor) known(name string) error {
	if err := s.guard(name); err != nil {
		return err
	}
	_, err := s.head(name)
	return err
}

// mode says who asks for a dispatch: somebody, a scheduling pass, or who has served
// the handle that it names.
type mode string

const (
	manual    mode = chain.CauseManual
	automatic mode = ""
)

// tick dispatches under custody. It returns nil when an automatic dispatch finds
// nothing to do.
func (s *Supervisor) tick(ctx context.Context, name string, by mode, o Options) (snapshot *Snapshot, err error) {
	release, err := s.custody.Process(ctx, name)
	if err != nil {
		return nil, err
	}
	defer releasing(release, &err)
	current, err := s.Inspect(name)
	if err != nil {
		return nil, err
	}
	cause, err := s.cause(ctx, current.Record, by)
	if err != nil || cause == "" {
		return nil, err
	}
	d := &dispatch{Supervisor: s, current: current}
	if err := d.admit(ctx, o); err != nil {
		return nil, err
	}
	if err := d.begin(cause, o); err != nil {
		return nil, err
	}
	return d.execute(ctx)
}

// cause decides whether a process may be dispatched and why (§8.1 steps 4 to 6);
// "" means that an automatic dispatch passes it over.
func (s *Supervisor) cause(ctx context.Context, r *chain.Record, by mode) (string, error) {
	switch {
	case r.Status == chain.Uncertain:
		return "", algal.Errorf(algal.IOFailed, "process dispatch is uncertain; reconcile before any further execution")
	case r.Status.Terminal() && by == automatic:
		return "", nil
	case r.Status.Terminal():
		return "", algal.Errorf(algal.IOFailed, "process is terminal")
	case r.Generation >= r.MaxGenerations && by == automatic:
		return "", nil
	case r.Generation >= r.MaxGenerations:
		return "", algal.Errorf(algal.BudgetExhausted, "process generation budget exhausted")
	case by != manual && by != automatic && !slices.Contains(r.Wake, string(by)):
		return "", algal.Errorf(algal.ReceiptMismatch, "dispatch cause does not match prior wake")
	case r.Status == chain.Ready:
		return chain.CauseStart, nil
	case by != automatic:
		return string(by), nil
	}
	for _, handle := range r.Wake {
		if !isReceiveHandle(handle) {
			continue
		}
		if pending, err := s.mailboxes.HasPending(ctx, handle); err != nil || pending {
			return handle, err
		}
	}
	return "", nil
}

// isReceiveHandle reports whether a wake handle is one that a message can wake.
func isReceiveHandle(handle string) bool {
	h, err := organism.ParseHandle(canon.String(handle), "", "wake handle")
	return err == nil && h.Class == "mailbox-receive"
}

// dispatch is one dispatch of a process under custody, a new one or one that is
// recovered.
type dispatch struct {
	*Supervisor
	current    *Snapshot // what it was found at; the intent itself in a recovery
	manifest   *organism.Manifest
	graph      *organism.Graph
	checkpoint canon.Value // absent for the first dispatch
	intent     canon.Value
	journal    *journal.Journal // or nil
}

// admit loads what will run and verifies the checkpoint, before anything is
// published (§8.1 steps 7 to 9).
func (d *dispatch) admit(ctx context.Context, o Options) error {
	if err := d.load(true); err != nil {
		return err
	}
	if err := d.verifyCheckpoint(ctx, "process checkpoint does not replay"); err != nil {
		return err
	}
	if !o.Journal {
		return nil
	}
	return journal.Admit(d.graph, d.host.Functions)
}

// load reads and compiles the program.
func (d *dispatch) load(transports bool) (err error) {
	if d.manifest, err = d.objects.manifest(d.current.Record.ManifestDigest); err != nil {
		return err
	}
	d.graph, err = d.compile(d.manifest, transports)
	return err
}

// verifyCheckpoint replays the receipt from which the dispatch continues, if there
// is one. refusal is what is said when it does not replay.
func (d *dispatch) verifyCheckpoint(ctx context.Context, refusal string) error {
	if d.current.Record.Receipt == "" {
		return nil
	}
	d.checkpoint = d.current.Checkpoint()
	err := replay.Checkpoint(ctx, d.checkpoint, d.manifest, d.host)
	if algal.CodeOf(err) == algal.ReceiptMismatch {
		return algal.Errorf(algal.ReceiptMismatch, "%s", refusal)
	}
	return err
}

// begin publishes the intent and moves the head to it: from here on the process is
// uncertain (§8.1 steps 10 to 12). Its journal is there before.
func (d *dispatch) begin(cause string, o Options) error {
	d.intent = d.current.Record.Value().With(
		canon.M("cause", canon.String(cause)),
		canon.M("generation", canon.Int(d.current.Record.Generation+1)),
		canon.M("previous", canon.String(string(d.current.Digest))),
		canon.M("status", canon.String(string(chain.Uncertain))),
	)
	record, err := chain.ParseRecord(d.intent)
	if err != nil {
		return err
	}
	if err := d.openJournal(journaled(d.intent.Digest(), record), o); err != nil {
		return err
	}
	digest, err := d.objects.publish(values, d.intent)
	if err != nil {
		return err
	}
	return d.moveHead(record.Name, digest)
}

// openJournal begins the journal of a dispatch, or sees to it that one which keeps
// none has none.
func (d *dispatch) openJournal(of journal.Dispatch, o Options) (err error) {
	switch {
	case o.Journal:
		d.journal, err = journal.Create(d.journals, of, o.MaxRecoveries)
	case d.journals != nil:
		err = journal.Discard(d.journals, of)
	}
	return err
}

// execute runs the intent and publishes its outcome (§8.2).
func (d *dispatch) execute(ctx context.Context) (*Snapshot, error) {
	result, err := d.run(ctx)
	if err == nil && d.journal != nil {
		err = d.journal.Finish()
	}
	if err != nil {
		return nil, err
	}
	receipt := result.Receipt()
	if err := chain.CheckBounds(receipt, chain.MaxReceiptBytes); err != nil {
		return nil, err
	}
	storage, err := d.objects.publish(runs, receipt)
	if err != nil {
		return nil, err
	}
	outcome := d.intent.With(
		canon.M("previous", canon.String(string(d.intent.Digest()))),
		canon.M("receipt", canon.String(string(storage))),
		canon.M("status", canon.String(result.Outcome)),
		canon.M("wake", stringsValue(chain.Wake(receipt))),
	)
	record, err := chain.ParseRecord(outcome)
	if err != nil {
		return nil, err
	}
	digest, err := d.objects.publish(values, outcome)
	if err != nil {
		return nil, err
	}
	if err := d.moveHead(record.Name, digest); err != nil {
		return nil, err
	}
	return &Snapshot{Digest: digest, Record: record}, nil
}

// run runs the program from its beginning, or resumes it from the checkpoint.
func (d *dispatch) run(ctx context.Context) (*runtime.Result, error) {
	host := d.host
	host.Process = d.current.Record.Name
	if d.journal != nil {
		host.Journal = d.journal
	}
	if d.checkpoint.Exists() {
		return replay.Continue(ctx, d.checkpoint, d.manifest, host)
	}
	return runtime.Run(ctx, d.manifest, d.current.Record.Args, host, nil)
}
