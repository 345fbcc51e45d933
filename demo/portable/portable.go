package portable

import (
	"context"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
)

// Contract is that of the report.
const Contract = "algal.process-evidence-demo.v1"

// Bounds of a process (demo.md, introduction).
const (
	maxOutput = 4_194_304
	patience  = 30 * time.Second
)

// What the report says about itself.
const (
	scenario = "A process whose first dispatch was killed inside a read was recovered, waited for an approval and completed; " +
		"its evidence was verified after everything it came from had been moved away."
	limitation = "Replay shows that a history is consistent with its program and its recorded effects: it shows neither that a provider told the truth " +
		"nor who made the document, and it transfers no custody of the process."
)

// Demonstration returns the demonstration.
func Demonstration() qualification.Demonstration {
	return qualification.Demonstration{
		Name: "evidence", Contract: Contract, MaxOutput: maxOutput, Patience: patience, Show: show,
	}
}

// actor is a runtime with the name of its role.
type actor struct {
	*stage.Program
	name string
}

// tour is the demonstration while it is held.
type tour struct {
	*qualification.Session
	runtimes []actor // those there are, one or two

	receive, send string // handles of the mailbox that is waited for
	head          canon.Value
	documents     []document
	verifiers     []actor      // the runtimes in the empty directory
	inventory     algal.Digest // of the moved tree

	found findings
}

// findings are members of the report as they were measured, absent where that was
// not reached.
type findings struct {
	adapterAdmissions     canon.Value
	validationInvocations canon.Value
	sourcePathsRemoved    canon.Value
	sourceStateUnchanged  canon.Value
	offlineDirectoryEmpty canon.Value

	rejectedMutations          int
	rejectedHostConfigurations int
	verification               []canon.Value
}

// show goes through the demonstration and returns what was measured in it.
func show(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
	t := &tour{Session: s, runtimes: []actor{{s.A, "A"}}}
	if s.Two() {
		t.runtimes = append(t.runtimes, actor{s.B, "B"})
	}
	for _, step := range []func(context.Context) error{
		t.lay, t.openMailbox, t.loseAcknowledgement, t.recover, t.complete, t.countCalls, t.verifyAtHome,
		t.export, t.moveAway, t.verifyAll, t.tamperAll, t.configureAll, t.lookBack,
	} {
		if err := step(ctx); err != nil {
			return t.members(), err
		}
	}
	return t.members(), nil
}

// second returns the runtime that plays the second role.
func (t *tour) second() actor { return t.runtimes[len(t.runtimes)-1] }

// members returns the members of the report.
func (t *tour) members() []canon.Member {
	invocations := t.Invocations()
	for _, v := range t.verifiers {
		invocations += v.Calls()
	}
	directory := canon.Null()
	if t.Kept().Is(canon.KindString) {
		directory = canon.String(t.Path(evidenceDir))
	}
	f := &t.found
	return []canon.Member{
		canon.M("runtimes", canon.Int(t.Runtimes())),
		canon.M("liveProvider", canon.Bool(false)),
		canon.M("scenario", canon.String(scenario)),
		canon.M("adapterAdmissions", f.adapterAdmissions),
		canon.M("validationInvocations", f.validationInvocations),
		canon.M("sourcePathsRemoved", f.sourcePathsRemoved),
		canon.M("sourceStateUnchanged", f.sourceStateUnchanged),
		canon.M("offlineDirectoryEmpty", f.offlineDirectoryEmpty),
		canon.M("rejectedMutations", canon.Int(f.rejectedMutations)),
		canon.M("rejectedHostConfigurations", canon.Int(f.rejectedHostConfigurations)),
		canon.M("cliInvocations", canon.Int(invocations)),
		canon.M("verification", canon.Array(f.verification...)),
		canon.M("evidenceDirectory", directory),
		canon.M("limitation", canon.String(limitation)),
	}
}
