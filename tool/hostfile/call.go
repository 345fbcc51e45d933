package hostfile

import (
	"context"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
	"github.com/algal-vm/algal/runtime"
)

// commandTimeoutMs bounds a call of a command tool, in milliseconds.
const commandTimeoutMs = 30_000

// maxShownInputs bounds the inputs that a refusal repeats, in UTF-16 units.
const maxShownInputs = 200

type call = func(context.Context, runtime.ToolCall) (canon.Value, error)

// scriptedCall answers from a table of canonical inputs.
func scriptedCall(name string, responses canon.Value) call {
	return func(_ context.Context, c runtime.ToolCall) (canon.Value, error) {
		key := c.Inputs.String()
		output := responses.Get(key)
		if !output.Is(canon.KindObject) {
			return canon.Value{}, algal.Errorf(algal.ToolFailed, "%s: no scripted output for inputs %s", name, canon.CutUnits(key, maxShownInputs))
		}
		return output, nil
	}
}

// commandCall runs a line of shell in dir.
func commandCall(name, line, dir string, maxOutput int) call {
	return func(ctx context.Context, c runtime.ToolCall) (canon.Value, error) {
		output, err := subprocess.Run(ctx, subprocess.Command{
			Argv: subprocess.Shell(line),
			Dir:  dir,
			Input: canon.Object(
				canon.M("idempotencyKey", canon.String(string(c.IdempotencyKey))),
				canon.M("inputs", c.Inputs),
				canon.M("requestDigest", canon.String(string(c.RequestDigest))),
			),
			MaxStdout: maxOutput,
			TimeoutMs: commandTimeoutMs,
		})
		if err != nil {
			return canon.Value{}, err
		}
		if !output.Is(canon.KindObject) {
			return canon.Value{}, algal.Errorf(algal.ToolFailed, "%s: output must be a JSON object of ports", name)
		}
		return output, nil
	}
}
