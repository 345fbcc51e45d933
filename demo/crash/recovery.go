package crash

import (
	"context"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
	"github.com/algal-vm/algal/demo/qualification"
)

// Contract is that of the report.
const Contract = "algal.recovery-demo.v1"

// Bounds of a process (demo.md, introduction).
const (
	maxOutput = 2_097_152
	patience  = 20 * time.Second
)

// Failure is the file of the workspace that says why a demonstration ended early.
const Failure = "failure.txt"

// Demonstration returns the demonstration.
func Demonstration() qualification.Demonstration {
	return qualification.Demonstration{
		Name: "recovery", Contract: Contract, MaxOutput: maxOutput, Patience: patience, Show: show,
	}
}

// show plays the four cases, and returns what was measured in them.
func show(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
	a, b := actor{s.A, "A"}, actor{s.B, "B"}
	var played []*incident
	var err error
	for _, c := range []*incident{
		{label: "read-a-to-b", effect: adapter.Read, owner: a, other: b},
		{label: "read-b-to-a", effect: adapter.Read, owner: b, other: a},
		{label: "unknown-write-a", effect: adapter.Write, owner: a, other: b},
		{label: "unknown-write-b", effect: adapter.Write, owner: b, other: a},
	} {
		c.Session = s
		played = append(played, c)
		if err = c.play(ctx); err != nil {
			break
		}
	}
	if err != nil {
		// That it cannot be written is less than what went wrong.
		s.Write(Failure, err.Error()+"\n")
	}
	return members(s, played), err
}

// members returns the members of the report (§3.3).
func members(s *qualification.Session, played []*incident) []canon.Member {
	kills, recoveries := 0, 0
	var cases []canon.Value
	for _, c := range played {
		if c.found.killedSignal.Exists() {
			kills++
		}
		if c.found.recovered {
			recoveries++
		}
		cases = append(cases, c.report())
	}
	return []canon.Member{
		canon.M("runtimes", canon.Int(s.Runtimes())),
		canon.M("cliInvocations", canon.Int(s.Invocations())),
		canon.M("realSigkills", canon.Int(kills)),
		canon.M("successfulCrossRuntimeRecoveries", canon.Int(recoveries)),
		canon.M("cases", canon.Array(cases...)),
	}
}
