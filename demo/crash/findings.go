package crash

import (
	"github.com/algal-vm/algal/canon"
)

// findings are the members of the report of a case as they were measured, absent
// where that was not reached (§3.3).
type findings struct {
	killedSignal         canon.Value
	liveOwnerExcluded    canon.Value
	wrongIntentBlocked   canon.Value
	configurationBlocked canon.Value
	unknownWriteBlocked  canon.Value // by both runtimes
	completedWrites      canon.Value
	readCalls            canon.Value
	pendingWriteCalls    canon.Value
	offlineCalls         canon.Value
	offlineRuntimes      canon.Value
	replayCalls          canon.Value
	generation           canon.Value
	recoveryAttempts     canon.Value
	archivedOwners       canon.Value
	status               canon.Value
	intent               canon.Value
	head                 canon.Value
	receipt              canon.Value

	recovered bool
}

// report returns what was measured of a case.
func (c *incident) report() canon.Value {
	f := &c.found
	return canon.Object(
		canon.M("label", canon.String(c.label)),
		canon.M("effect", canon.String(c.effect)),
		canon.M("killedSignal", f.killedSignal),
		canon.M("liveOwnerExcluded", f.liveOwnerExcluded),
		canon.M("wrongIntentBlocked", f.wrongIntentBlocked),
		canon.M("configurationBlocked", f.configurationBlocked),
		canon.M("unknownWriteBlockedInBothRuntimes", f.unknownWriteBlocked),
		canon.M("completedWrites", f.completedWrites),
		canon.M("readCalls", f.readCalls),
		canon.M("pendingWriteCalls", f.pendingWriteCalls),
		canon.M("offlineCalls", f.offlineCalls),
		canon.M("offlineRuntimes", f.offlineRuntimes),
		canon.M("replayCalls", f.replayCalls),
		canon.M("generation", f.generation),
		canon.M("recoveryAttempts", f.recoveryAttempts),
		canon.M("archivedOwners", f.archivedOwners),
		canon.M("status", f.status),
		canon.M("intent", f.intent),
		canon.M("head", f.head),
		canon.M("receipt", f.receipt),
	)
}
