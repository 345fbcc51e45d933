package laboratory

import (
	"context"

	"github.com/algal-vm/algal/canon"
)

const (
	proofFile     = "proof.json"
	maxProof      = 4_194_304
	proofContract = "algal.demo-proof.v1"
	proofFixture  = "deterministic programs and decisions that come with this executable, each step in a process of its own; no model and no network"
)

// prove asserts every fact in the order of demo.md §4.7 and returns the proof.
func (l *laboratory) prove(ctx context.Context) (canon.Value, error) {
	approved, err := l.approve(ctx)
	if err != nil {
		return canon.Value{}, err
	}
	denied, err := l.deny(ctx)
	if err != nil {
		return canon.Value{}, err
	}
	verification, err := l.carryAway(ctx, approved)
	if err != nil {
		return canon.Value{}, err
	}
	crashes := map[Mode]canon.Value{}
	for _, mode := range []Mode{Read, Write} {
		if crashes[mode], err = l.crash(ctx, mode); err != nil {
			return canon.Value{}, err
		}
	}
	if err := l.alone(); err != nil {
		return canon.Value{}, err
	}
	return canon.Object(
		canon.M("contract", canon.String(proofContract)),
		canon.M("ok", canon.Bool(true)),
		canon.M("root", canon.String(l.root.Path)),
		canon.M("fixture", canon.String(proofFixture)),
		canon.M("approval", canon.Object(
			canon.M("initialStatus", canon.String(approved.initial)),
			canon.M("status", canon.String(approved.status)),
			canon.M("duplicateApprovalSameHead", canon.Bool(approved.sameHead)),
			canon.M("publications", canon.Int(approved.publications)),
			canon.M("report", canon.String(movedDir+"/"+pageFile)),
		)),
		canon.M("denial", canon.Object(
			canon.M("status", canon.String(denied.status)),
			canon.M("publications", canon.Int(denied.publications)),
			canon.M("report", canon.String(deniedDir+"/"+pageFile)),
		)),
		canon.M("portable", canon.Object(
			canon.M("sourceMovedAway", canon.Bool(true)),
			canon.M("verification", verification),
			canon.M("artifact", canon.String(portableFile)),
		)),
		canon.M("readCrash", crashes[Read]),
		canon.M("writeCrash", crashes[Write]),
	), nil
}
