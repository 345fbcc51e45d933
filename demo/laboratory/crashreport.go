package laboratory

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/export"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/process"
)

const (
	reportContract = "algal.demo-crash-report.v1"
	crashFixture   = "a deterministic program of two effects, killed inside the second; no model and no network"
)

// report measures what the recovery left, and publishes evidence and report.
func (r *recovery) report(ctx context.Context, seen *witness) (canon.Value, error) {
	current, err := r.supervisor.Inspect(crashProcess)
	if err != nil {
		return canon.Value{}, err
	}
	after, err := r.supervisor.Describe(crashProcess)
	if err != nil {
		return canon.Value{}, err
	}
	prefixes, publications, err := r.fixture.delivered()
	if err != nil {
		return canon.Value{}, err
	}
	document, err := r.evidence(ctx)
	if err != nil {
		return canon.Value{}, err
	}
	report := canon.Object(
		canon.M("contract", canon.String(reportContract)),
		canon.M("fixture", canon.String(crashFixture)),
		canon.M("mode", canon.String(string(r.definition.mode))),
		canon.M("killedIntent", canon.String(string(r.intent))),
		canon.M("status", canon.String(string(current.Record.Status))),
		canon.M("recovery", recoveryValue(r.recovered)),
		canon.M("refusal", refusalValue(r.refusal)),
		canon.M("counters", counters(prefixes, publications, r.ticks)),
		canon.M("journalBefore", r.before),
		canon.M("journalAfter", after),
		canon.M("verification", document.Report.Value()),
		canon.M("headMoves", seen.value()),
	)
	return report, hostdoc.Write(r.fixture.files, r.fixture.root.Join(reportFile), report, maxReport)
}

// counters returns what was counted after a recovery.
func counters(prefixes, publications, ticks int) canon.Value {
	return canon.Object(
		canon.M("prefixPublications", canon.Int(prefixes)),
		canon.M("pendingWritePublications", canon.Int(publications)),
		canon.M("scheduledTicks", canon.Int(ticks)),
	)
}

// evidence exports the process, which verifies it, and publishes the document.
func (r *recovery) evidence(ctx context.Context) (*export.Document, error) {
	signatures, err := r.definition.mode.signatures()
	if err != nil {
		return nil, err
	}
	document, err := r.supervisor.Export(ctx, crashProcess, signatures)
	if err != nil {
		return nil, err
	}
	v, err := canon.Parse(document.Text, canon.Limits{})
	if err != nil {
		return nil, err
	}
	return document, hostdoc.Write(r.fixture.files, r.fixture.root.Join(evidenceFile), v, maxEvidence)
}

// recoveryValue returns what a recovery came to as reports have it, null for nothing.
func recoveryValue(s *process.Snapshot) canon.Value {
	if s == nil {
		return canon.Null()
	}
	return s.Value()
}

// refusalValue returns a refusal as reports have it, null for none.
func refusalValue(err error) canon.Value {
	if err == nil {
		return canon.Null()
	}
	e := algal.AsError(err)
	return canon.Object(canon.M("code", canon.String(string(e.Code))), canon.M("message", canon.String(e.Message)))
}
