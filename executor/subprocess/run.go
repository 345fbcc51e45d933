package subprocess

import (
	"context"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Bounds of run.md §8.5.2, all inclusive.
const (
	MaxInput         = 1_048_576  // bytes of the request
	DefaultStdout    = 1_048_576  // bytes of the answer
	MaxStdout        = 67_108_864 // largest bound of the answer
	MaxStderr        = 65_536     // bytes of diagnostics
	DefaultTimeoutMs = 120_000    // milliseconds
	MaxTimeoutMs     = 600_000    // milliseconds
)

// exitSuspend is EX_TEMPFAIL of sysexits.h: ask again later.
const exitSuspend = 75

// Command says what to run and within which bounds.
type Command struct {
	Argv []string // program and arguments, see [Shell]
	Dir  string   // working directory; "" means that of this process
	Env  []string // whole environment as NAME=VALUE; nil means that of this process

	Input     canon.Value // the request; its canonical text without a newline is standard input
	MaxStdout int         // bytes, 1 to [MaxStdout]
	TimeoutMs int         // milliseconds, 1 to [MaxTimeoutMs]
}

// Shell returns the argument list that runs a line of shell.
func Shell(line string) []string { return []string{"sh", "-c", line} }

// Run performs one call and returns the answer. The error is the first of the
// table of run.md §8.5.2 that applies; exit status 75 is EFFECT_SUSPENDED.
//
// A command that cannot be launched is EFFECT_FAILED and not uncertain. An answer
// deeper than [canon.MaxDepth] is BUDGET_EXHAUSTED: no receipt could hold it.
func Run(ctx context.Context, c Command) (canon.Value, error) {
	if c.Input.Size() > MaxInput {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "command input exceeds %d bytes", MaxInput)
	}
	input, err := canon.Encode(c.Input)
	if err != nil {
		return canon.Value{}, err
	}
	if ctx.Err() != nil {
		return canon.Value{}, algal.Errorf(algal.BudgetExhausted, "command cancelled before launch")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
	defer cancel()
	p, err := start(&c, input)
	if err != nil {
		// The system's text names paths of this machine, and it would be recorded.
		return canon.Value{}, algal.Errorf(algal.EffectFailed, "executor could not be started")
	}
	e := p.wait(ctx, c.MaxStdout)
	if err := e.fault(); err != nil {
		return canon.Value{}, err
	}
	return answer(e.stdout.String())
}

// fault judges how a command ended (§8.5.2, from the third row on).
func (e *ending) fault() error {
	switch {
	case e.aborted != nil:
		return e.aborted
	case !e.state.Exited():
		return uncertain(algal.EffectFailed, "executor terminated by signal; external completion uncertain")
	case e.state.ExitCode() == exitSuspend:
		return algal.Errorf(algal.EffectSuspended, "executor asked the host to suspend the run")
	case e.state.ExitCode() != 0:
		return algal.Errorf(algal.EffectFailed, "executor exited %d; diagnostics withheld", e.state.ExitCode())
	case e.undelivered != nil:
		return algal.Errorf(algal.EffectFailed, "executor closed stdin before request delivery")
	}
	return nil
}

// answer reads standard output: one JSON value, white space around it allowed.
func answer(stdout string) (canon.Value, error) {
	v, err := canon.Parse(stdout, canon.Limits{})
	if algal.CodeOf(err) == algal.ParseFailed {
		return canon.Value{}, algal.Errorf(algal.EffectUnparseable, "executor stdout is not JSON")
	}
	return v, err
}

func uncertain(code algal.Code, message string) error {
	return &algal.Error{Code: code, Message: message, Uncertain: true}
}

// unavailable is the fault of a stream that failed or exceeded its bound: the
// command may have done its work, but its answer is lost.
func unavailable(code algal.Code) error {
	return uncertain(code, "executor response unavailable; external completion uncertain")
}
