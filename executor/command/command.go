// Package command answers effect requests by running a command of the host: the
// request on standard input, the answer on standard output (run.md §8.5.2).
//
// [New] runs a line of shell in the directory and environment of this process.
// [NewIsolated] runs it in a declared directory and environment under declared
// resource limits (§8.5.3); that bounds accidents, it is no security boundary.
// [ParseFile] reads the executors file of a command line.
//
// An executor is bound by the text of its line and its options: its id and its
// configuration digest follow from them, and nothing looks at the programs that
// the line calls. Answers are never memoised and attempts never repeated, since a
// command may have effects of its own. How commands run and fail is
// executor/subprocess.
package command

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
	"github.com/algal-vm/algal/runtime"
)

// Options are the settings of an executor. What is zero is not given: it has its
// default, and the identity does not mention it.
type Options struct {
	ID        string // instead of "cmd:" and the identity
	TimeoutMs int    // 1 to 600,000 milliseconds; by default 120,000
	MaxStdout int    // bounds the answer, 1 to 67,108,864 bytes; by default 1,048,576
}

func (o *Options) check() error {
	if err := within(o.TimeoutMs, "timeoutMs", subprocess.MaxTimeoutMs); err != nil {
		return err
	}
	return within(o.MaxStdout, "maxStdoutBytes", subprocess.MaxStdout)
}

func within(n int, what string, most int) error {
	if n == 0 {
		return nil
	}
	_, err := canon.AsInt(canon.Int(n), what, 1, most)
	return err
}

// given returns a setting as the identity mentions it, absent when it is not
// given.
func given(n int) canon.Value {
	if n == 0 {
		return canon.Value{}
	}
	return canon.Int(n)
}

func (o *Options) value() canon.Value {
	return canon.Object(
		canon.M("maxStdoutBytes", given(o.MaxStdout)),
		canon.M("timeoutMs", given(o.TimeoutMs)),
	)
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// Executor runs one command line per request.
type Executor struct {
	description runtime.Description
	command     subprocess.Command
	environment *Environment // nil: that of this process
}

var everyKind = []runtime.EffectKind{
	runtime.EffectAgent, runtime.EffectClassifier, runtime.EffectGate, runtime.EffectDecide, runtime.EffectRecall,
}

// New returns the executor of a line of shell. An option out of its bounds, an
// empty line and one with a NUL are PARSE_FAILED.
func New(line string, options Options) (*Executor, error) {
	if err := check(line, &options); err != nil {
		return nil, err
	}
	identity := canon.Object(canon.M("command", canon.String(line)), canon.M("options", options.value()))
	return assemble(subprocess.Command{Argv: subprocess.Shell(line)}, canon.Null(), canon.Value{}, identity, &options), nil
}

func check(line string, options *Options) error {
	if line == "" || !isText(line) {
		return algal.Errorf(algal.ParseFailed, "command must be a non-empty text without NUL")
	}
	return options.check()
}

// isText reports whether the system and a digest see the same in s.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// assemble completes a command and digests what it is. cwd and isolation stand in
// the configuration as they are.
func assemble(c subprocess.Command, cwd, isolation, identity canon.Value, options *Options) *Executor {
	c.MaxStdout = or(options.MaxStdout, subprocess.DefaultStdout)
	c.TimeoutMs = or(options.TimeoutMs, subprocess.DefaultTimeoutMs)
	argv := make([]canon.Value, len(c.Argv))
	for i, a := range c.Argv {
		argv[i] = canon.String(a)
	}
	e := &Executor{command: c, description: runtime.Description{
		ID:       options.ID,
		Kinds:    everyKind,
		Identity: string(identity.Digest()),
		Configuration: canon.Object(
			canon.M("argv", canon.Array(argv...)),
			canon.M("cwd", cwd),
			canon.M("isolation", isolation),
			canon.M("kind", canon.String("command")),
			canon.M("timeoutMs", canon.Int(c.TimeoutMs)),
		).Digest(),
	}}
	if e.description.ID == "" {
		e.description.ID = "cmd:" + e.description.Identity
	}
	return e
}

// Describe returns the executor's description: all kinds, no wildcard, neither
// cacheable nor retryable.
func (e *Executor) Describe() runtime.Description { return e.description }

// Call runs the command once.
func (e *Executor) Call(ctx context.Context, request *runtime.Request) (runtime.Answer, error) {
	answer := runtime.Answer{Metadata: runtime.Metadata{Configuration: e.description.Configuration}}
	c := e.command
	c.Input = request.Record
	if e.environment != nil {
		var err error
		if c.Env, err = e.environment.live(c.Dir); err != nil {
			return answer, err
		}
	}
	var err error
	answer.Output, err = subprocess.Run(ctx, c)
	return answer, err
}
