package lifecycle

import "github.com/algal-vm/algal/canon"

// measured are the members of the report as far as they were measured; the others
// are absent, and so left out.
type measured struct {
	handoffs canon.Value // of a process that waited, from one runtime to another
	process  struct {
		actors, decisions, resumed, idleTicks, idleDecisions, suppressed, verified, verifying canon.Value
	}
	restarted canon.Value // decisions of the baseline
	twin      struct {
		actors, identical, crossRuntime, proposals, ticks, completed, suspended, decisions canon.Value
	}
}

// add adds to a number of the report.
func add(to *canon.Value, n int) { *to = canon.Int(int(to.Float()) + n) }

// report returns the members of the report after contract and ok (demo.md §1.3).
func (l *lifecycle) report() []canon.Member {
	avoided, fraction := l.avoided()
	return []canon.Member{
		canon.M("fixture", canon.String("a command adapter with one fixed answer for the agent cell; no model, no network")),
		canon.M("scenario", canon.String("a release is proposed, waits for its approval in a mailbox, and is published or not")),
		canon.M("runtimes", canon.Int(l.Runtimes())),
		canon.M("crossRuntimeHandoffs", l.handoffs),
		canon.M("process", known(
			canon.M("actors", l.process.actors),
			canon.M("decisionInvocations", l.process.decisions),
			canon.M("resumedDecisionInvocations", l.process.resumed),
			canon.M("idleSchedulerTicks", l.process.idleTicks),
			canon.M("idleDecisionInvocations", l.process.idleDecisions),
			canon.M("duplicateWakeDeliveriesSuppressed", l.process.suppressed),
			canon.M("offlineVerifiedReceipts", l.process.verified),
			canon.M("verificationDecisionInvocations", l.process.verifying),
		)),
		canon.M("baseline", l.baselineReport()),
		canon.M("avoidedDecisionInvocations", avoided),
		canon.M("avoidedDecisionFraction", fraction),
		canon.M("actors", l.actorsReport()),
		canon.M("sameArgsIndependence", known(
			canon.M("actors", l.twin.actors),
			canon.M("identicalArgs", l.twin.identical),
			canon.M("crossRuntime", l.twin.crossRuntime),
			canon.M("distinctProposalDeliveries", l.twin.proposals),
			canon.M("sharedWakeSchedulerTicks", l.twin.ticks),
			canon.M("completed", l.twin.completed),
			canon.M("suspended", l.twin.suspended),
			canon.M("decisionInvocations", l.twin.decisions),
		)),
		canon.M("cliInvocations", canon.Int(l.Invocations())),
		canon.M("artifacts", l.Kept()),
		canon.M("limitations", limitations()),
	}
}

// known returns an object of the members that are known, nothing where none is.
func known(members ...canon.Member) canon.Value {
	if object := canon.Object(members...); object.Len() > 0 {
		return object
	}
	return canon.Value{}
}

func (l *lifecycle) baselineReport() canon.Value {
	if !l.restarted.Exists() {
		return canon.Value{}
	}
	return canon.Object(
		canon.M("description", canon.String("the same program without a process: run until it stops at the approval, and run again from the start when the approval is there")),
		canon.M("decisionInvocations", l.restarted),
	)
}

// avoided returns how many decisions the processes did not make that the baseline
// made, and which part of the baseline's that is.
func (l *lifecycle) avoided() (number, fraction canon.Value) {
	if !l.restarted.Exists() || l.restarted.Float() == 0 {
		return canon.Value{}, canon.Value{}
	}
	fewer := l.restarted.Float() - l.process.decisions.Float() - l.process.resumed.Float()
	number = canon.Int(int(fewer))
	fraction, err := canon.Number(fewer / l.restarted.Float())
	if err != nil {
		return number, canon.Value{}
	}
	return number, fraction
}

// actorsReport tells of the actors whose history was verified, absent where none was.
func (l *lifecycle) actorsReport() canon.Value {
	var list []canon.Value
	for _, a := range l.cast {
		if a.verified == 0 {
			continue
		}
		publication := canon.Null()
		if len(a.publications) > 0 {
			publication = a.publications[0].value
		}
		list = append(list, canon.Object(
			canon.M("name", canon.String(a.name)),
			canon.M("status", canon.String(a.done.status)),
			canon.M("generations", canon.Int(a.done.generation)),
			canon.M("proposals", canon.Int(len(a.proposals))),
			canon.M("publications", canon.Int(len(a.publications))),
			canon.M("receipt", canon.String(a.done.receipt)),
			canon.M("head", canon.String(a.done.head)),
			canon.M("verifiedReceipts", canon.Int(a.verified)),
			canon.M("publication", publication),
		))
	}
	if len(list) == 0 {
		return canon.Value{}
	}
	return canon.Array(list...)
}

func limitations() canon.Value {
	return canon.Array(
		canon.String("The decisions come from a fixture: nothing here shows the judgment of a model."),
		canon.String("The actors share their program and their evidence, but not their mailboxes."),
		canon.String("The file system of the host and the adapters are trusted."),
		canon.String("An effect whose outcome is not known needs to be reconciled; no such effect occurs here."),
	)
}
