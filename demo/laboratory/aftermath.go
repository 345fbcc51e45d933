package laboratory

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/process"
)

// aftermath is what a recovery left, as the laboratory reads it from the store.
type aftermath struct {
	report                 canon.Value // of the child
	head                   *process.Snapshot
	journal                canon.Value
	prefixes, publications int
}

// recover has a child recover the killed dispatch and measures what came of it.
func (c *crashCase) recover(ctx context.Context) (canon.Value, error) {
	another := string(canon.DigestText("another intent"))
	if err := c.refused(ctx, "a recovery of another "+string(c.mode)+" intent is refused", algal.ReceiptMismatch, c.recovery(another)...); err != nil {
		return canon.Value{}, err
	}
	a, err := c.measureRecovery(ctx)
	if err != nil {
		return canon.Value{}, err
	}
	if c.mode == Read {
		err = c.readRecovered(a)
	} else {
		err = c.writeRefused(a)
	}
	if err != nil {
		return canon.Value{}, err
	}
	if err := c.truthful(ctx, a); err != nil {
		return canon.Value{}, err
	}
	return caseValue(a.report), c.released()
}

// recovery returns the command that recovers.
func (c *crashCase) recovery(intent string) []string {
	return []string{"fixture-recover", c.dir, "--token", c.token, "--intent", intent}
}

func (c *crashCase) measureRecovery(ctx context.Context) (*aftermath, error) {
	line := "another process takes over what was killed inside a " + string(c.mode)
	answer, err := c.ask(ctx, c.recovery(string(c.intent.Digest))...)
	if err != nil {
		return nil, err
	}
	if answer.wrong != "" {
		return nil, c.facts.That(false, line, "%s", answer.wrong)
	}
	a := &aftermath{report: answer.value}
	if a.head, a.journal, err = c.state(); err == nil {
		a.prefixes, a.publications, err = c.fixture.delivered()
	}
	return a, c.measured(err, true, line, "")
}

// readRecovered asserts that a read was repeated and the process came to its end.
func (c *crashCase) readRecovered(a *aftermath) error {
	record := a.head.Record
	ended := record.Status == chain.Complete && record.Generation == 1 && record.Previous == c.intent.Digest && a.report.Get("refusal").Is(canon.KindNull)
	if err := c.facts.That(ended, "the recovered process is complete", "%s, refusal %s", record.Status, brief(a.report.Get("refusal"))); err != nil {
		return err
	}
	if err := c.facts.That(c.repeatedOnce(a), "the read is repeated once under the same key", "%s", brief(a.journal.Get("effects"))); err != nil {
		return err
	}
	if err := c.facts.That(a.prefixes == 1 && a.publications == 0, "one prefix and no publication after the recovery",
		"%d prefixes and %d publications", a.prefixes, a.publications); err != nil {
		return err
	}
	moves := a.report.Get("headMoves")
	published := canon.Array(canon.Object(
		canon.M("head", canon.String(string(a.head.Digest))),
		canon.M("record", canon.Bool(true)),
		canon.M("receipt", canon.Bool(true)),
	))
	return c.facts.That(canon.Equal(moves, published), "the receipt is on disk before the head names it", "%s", brief(moves))
}

// repeatedOnce compares the journal with that at the kill: the prefix is untouched,
// the read was begun once more under the same key, and settled.
func (c *crashCase) repeatedOnce(a *aftermath) bool {
	was, is := c.journal.Get("effects"), a.journal.Get("effects")
	if is.Len() != 2 {
		return false
	}
	unsettled, settled := was.At(1).Get("record"), is.At(1).Get("record")
	return canon.Equal(was.At(0), is.At(0)) &&
		settled.Get("state").IsText("completed") && canon.Equal(settled.Get("attempt"), canon.Int(1)) &&
		canon.Equal(settled.Get("idempotencyKey"), unsettled.Get("idempotencyKey"))
}

// writeRefused asserts that a write of which nobody knows the outcome was left alone.
func (c *crashCase) writeRefused(a *aftermath) error {
	refusal := a.report.Get("refusal")
	if err := c.facts.That(refusal.Get("code").IsText(string(algal.IOFailed)), "the unknown write is refused", "%s", brief(refusal)); err != nil {
		return err
	}
	same := a.head.Digest == c.intent.Digest && canon.Equal(a.journal, c.journal) && canon.Equal(a.report.Get("headMoves"), canon.Array())
	if err := c.facts.That(same, "head and journal as before", "head %s after %s, journal %s", a.head.Digest, c.intent.Digest, brief(a.journal)); err != nil {
		return err
	}
	return c.facts.That(a.prefixes == 1 && a.publications == 1, "exactly one publication after the kill",
		"%d publications and %d prefixes", a.publications, a.prefixes)
}

// truthful asserts that the report of the child says what the store holds, and that
// the evidence it left says so too.
func (c *crashCase) truthful(ctx context.Context, a *aftermath) error {
	verification, err := c.verified(ctx, "the evidence of the "+string(c.mode)+" verifies from the document alone", c.path(evidenceFile), a.head.Digest)
	if err != nil {
		return err
	}
	recovered := canon.Null()
	if c.mode == Read {
		recovered = a.head.Value()
	}
	measured := canon.Object(
		canon.M("contract", canon.String(reportContract)),
		canon.M("mode", canon.String(string(c.mode))),
		canon.M("killedIntent", canon.String(string(c.intent.Digest))),
		canon.M("status", canon.String(string(a.head.Record.Status))),
		canon.M("recovery", recovered),
		canon.M("counters", counters(a.prefixes, a.publications, 0)),
		canon.M("journalBefore", c.journal),
		canon.M("journalAfter", a.journal),
		canon.M("verification", verification),
	)
	line := "the report of the " + string(c.mode) + " says what the store holds"
	for name, v := range measured.Members() {
		if !canon.Equal(a.report.Get(name), v) {
			return c.facts.That(false, line, "%s %s where %s should be", name, brief(a.report.Get(name)), brief(v))
		}
	}
	kept, err := hostdoc.Read(c.path(reportFile), maxReport)
	return c.measured(err, err == nil && canon.Equal(kept, a.report), line, "another %s", reportFile)
}

// caseValue returns a case as the proof has it: the report of the child without what
// it says about the order of publications, and what the laboratory did to the child.
func caseValue(report canon.Value) canon.Value {
	return report.Without("headMoves").With(canon.M("ownedChildKilledAndJoined", canon.Bool(true)))
}
