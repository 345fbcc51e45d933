package laboratory

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/demo/fault"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/process"
)

// maxTicks bounds the scheduling pass after a recovery, which must find nothing to do.
const maxTicks = 16

// RecoverFixture recovers the process of a crash case, whose dispatch must have been
// killed, and returns the report that it also leaves in report.json, beside the
// evidence in evidence.algal.json. What becomes of the recovery is measured, not
// judged: a refusal is a part of the report.
//
// The process must be uncertain at just the given intent and no more delivered than
// before the kill: RECEIPT_MISMATCH. The definition is checked as a whole,
// DIGEST_MISMATCH.
func RecoverFixture(ctx context.Context, path, token string, intent algal.Digest) (report canon.Value, err error) {
	if err := checkToken(token); err != nil {
		return canon.Value{}, err
	}
	r, err := root.Open(path)
	if err != nil {
		return canon.Value{}, err
	}
	seen := watch(r.Join(storeDir), crashProcess)
	f := openFixture(r, durable.NewPublisher(durable.Options{Hook: seen.hook}))
	if _, err := f.readDefinition(token); err != nil {
		return canon.Value{}, err // before the lease would put its files into a foreign directory
	}
	lease, err := custody.Acquire(ctx, f.files, f.place())
	if err != nil {
		return canon.Value{}, err
	}
	defer lease.End(&err)
	d, err := f.readDefinition(token)
	if err != nil {
		return canon.Value{}, err
	}
	recovery := &recovery{fixture: f, definition: d, intent: intent}
	if recovery.supervisor, err = f.supervisor(d, f.engine(), &barrier{f, d, false}); err != nil {
		return canon.Value{}, err
	}
	if err := recovery.run(ctx); err != nil {
		return canon.Value{}, err
	}
	return recovery.report(ctx, seen)
}

// engine returns the engine of the supervisor that recovers.
func (f *fixture) engine() process.Engine {
	if fault.Planted(fault.HeadFirst) {
		return &headFirst{Engine: f.store.Processes()}
	}
	return f.store.Processes()
}

// recovery is the recovery of a crash case.
type recovery struct {
	fixture    *fixture
	definition *definition
	supervisor *process.Supervisor
	intent     algal.Digest

	before    canon.Value       // the journal
	recovered *process.Snapshot // nil when it was refused
	refusal   error
	ticks     int // what a scheduling pass found to do afterwards
}

// run recovers, and then lets the scheduler look for more to do.
func (r *recovery) run(ctx context.Context) error {
	if err := r.admit(); err != nil {
		return err
	}
	r.recovered, r.refusal = r.supervisor.Recover(ctx, crashProcess, r.intent)
	if ctx.Err() != nil {
		return interrupted()
	}
	if fault.Planted(fault.RepeatedEffect) && r.definition.mode == Write {
		publications := r.definition.publications.Send.String()
		if _, err := r.fixture.mailboxes.Send(ctx, publications, published(), mailbox.NewKey()); err != nil {
			return err
		}
	}
	advanced, err := r.supervisor.Schedule(ctx, process.Pass{MaxTicks: maxTicks})
	r.ticks = len(advanced)
	return err
}

// admit makes sure that the process is where the kill left it.
func (r *recovery) admit() error {
	current, err := r.supervisor.Inspect(crashProcess)
	if err != nil {
		return err
	}
	if current.Digest != r.intent || current.Record.Status != chain.Uncertain {
		return algal.Errorf(algal.ReceiptMismatch, "recovery requires the exact current uncertain intent")
	}
	prefixes, publications, err := r.fixture.delivered()
	if err != nil {
		return err
	}
	if prefixes != 1 || publications != r.definition.mode.writes() {
		return algal.Errorf(algal.ReceiptMismatch, "the killed dispatch delivered %d prefixes and %d publications, not 1 and %d", prefixes, publications, r.definition.mode.writes())
	}
	r.before, err = r.supervisor.Describe(crashProcess)
	return err
}

// delivered counts the messages that were sent by the two effects of the program.
func (f *fixture) delivered() (prefixes, publications int, err error) {
	prefix, err := countDeliveries(f.store, prefixBox)
	if err != nil {
		return 0, 0, err
	}
	pending, err := countDeliveries(f.store, publicationsBox)
	return prefix.messages, pending.messages, err
}
