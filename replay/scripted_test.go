package replay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
)

// The executors and tools here do what run.md says of the product's, without a
// process, a clock or a file: enough to repeat the recorded runs.

// asked collects the requests that executors saw, in order.
type asked []canon.Value

func (a *asked) note(q *runtime.Request) {
	*a = append(*a, canon.Object(canon.M("digest", canon.String(string(q.Digest))), canon.M("request", q.Record)))
}

// distinct lists each request once, as the golden files do.
func (a *asked) distinct() canon.Value {
	seen := map[string]bool{}
	return canon.Array(slices.DeleteFunc(slices.Clone(*a), func(entry canon.Value) bool {
		digest := entry.Get("digest").Text()
		again := seen[digest]
		seen[digest] = true
		return again
	})...)
}

var everyKind = []runtime.EffectKind{
	runtime.EffectAgent, runtime.EffectClassifier, runtime.EffectGate, runtime.EffectDecide, runtime.EffectRecall,
}

// scripted answers from a responses document (§8.5.1).
type scripted struct {
	id        string
	responses canon.Value
	taken     map[string]int // elements used of a cell's list
	asked     *asked
}

func newScripted(id string, responses canon.Value, log *asked) *scripted {
	return &scripted{id, responses, map[string]int{}, log}
}

func (s *scripted) Describe() runtime.Description {
	return runtime.Description{ID: s.id, Kinds: everyKind, Wildcard: true, Cacheable: true, Retryable: true}
}

func (s *scripted) Call(_ context.Context, q *runtime.Request) (runtime.Answer, error) {
	s.asked.note(q)
	if v := s.responses.Get(string(q.Digest)); v.Exists() {
		return runtime.Answer{Output: v}, nil
	}
	v, at := s.responses.Get(q.CellID), s.taken[q.CellID]
	if v.Is(canon.KindArray) && at < v.Len() {
		s.taken[q.CellID]++
		return runtime.Answer{Output: v.At(at)}, nil
	}
	if !v.Exists() || v.Is(canon.KindArray) {
		return runtime.Answer{}, algal.Errorf(algal.EffectUnbound, `no scripted response for cell "%s" (digest %s)`, q.CellID, q.Digest)
	}
	return runtime.Answer{Output: v}, nil
}

// command is the command executor (§8.5.2) for command lines that shell knows.
type command struct {
	line          string
	id            string
	options       canon.Value
	configuration algal.Digest
	expire        *func() // ends the deadline in force
	asked         *asked
}

func newCommand(line, id string, options canon.Value, w *world) *command {
	if !options.Exists() {
		options = canon.Object()
	}
	identity := canon.Object(canon.M("command", canon.String(line)), canon.M("options", options)).Digest()
	if id == "" {
		id = "cmd:" + string(identity)
	}
	timeout := canon.Int(120_000)
	if v := options.Get("timeoutMs"); v.Exists() {
		timeout = v
	}
	configuration := canon.Object(
		canon.M("argv", canon.Array(canon.String("sh"), canon.String("-c"), canon.String(line))),
		canon.M("cwd", canon.Null()),
		canon.M("kind", canon.String("command")),
		canon.M("timeoutMs", timeout),
	).Digest()
	return &command{line, id, options, configuration, &w.expire, &w.asked}
}

func (c *command) Describe() runtime.Description {
	return runtime.Description{ID: c.id, Kinds: everyKind, Configuration: c.configuration}
}

func (c *command) Call(_ context.Context, q *runtime.Request) (runtime.Answer, error) {
	c.asked.note(q)
	bound := 1_048_576
	if v := c.options.Get("maxStdoutBytes"); v.Exists() {
		bound = int(v.Float())
	}
	output, err := shell(c.line, bound)
	if err != nil && *c.expire != nil {
		(*c.expire)()
	}
	return runtime.Answer{Output: output, Metadata: runtime.Metadata{Configuration: c.configuration}}, err
}

// shell gives the result of the few command lines that the golden runs use.
func shell(line string, bound int) (canon.Value, error) {
	uncertain := func(code algal.Code, text string) (canon.Value, error) {
		return canon.Value{}, &algal.Error{Code: code, Message: text, Uncertain: true}
	}
	line = strings.TrimPrefix(line, "cat >/dev/null; ")
	word, rest, _ := strings.Cut(line, " ")
	var stdout string
	var number int
	switch {
	case line == "exit 75":
		return canon.Value{}, algal.Errorf(algal.EffectSuspended, "executor asked the host to suspend the run")
	case word == "exit":
		return canon.Value{}, algal.Errorf(algal.EffectFailed, "executor exited %s; diagnostics withheld", rest)
	case word == "kill":
		return uncertain(algal.EffectFailed, "executor terminated by signal; external completion uncertain")
	case line == "exec sleep 5":
		return uncertain(algal.BudgetExhausted, "command cancelled or timed out")
	case word == "head":
		if _, err := fmt.Sscanf(rest, "-c %d", &number); err != nil {
			return canon.Value{}, err
		}
		stdout = strings.Repeat("1", number)
	default: // printf and echo
		stdout = strings.ReplaceAll(strings.Trim(rest, "'"), `\n`, "\n")
	}
	if len(stdout) > bound {
		return uncertain(algal.BudgetExhausted, "executor response unavailable; external completion uncertain")
	}
	v, err := canon.Parse(stdout, canon.Limits{})
	if err != nil {
		return canon.Value{}, algal.Errorf(algal.EffectUnparseable, "executor stdout is not JSON")
	}
	return v, nil
}

// memo is the caching executor (§8.5.4) over an executor that never fails.
type memo struct {
	runtime.Executor
	store interface {
		Effect(identity string, request algal.Digest) (canon.Value, error)
		PutEffect(identity string, receipt canon.Value) error
	}
}

func (m memo) Call(ctx context.Context, q *runtime.Request) (runtime.Answer, error) {
	d := m.Describe()
	known, err := m.store.Effect(d.CacheIdentity(), q.Digest)
	if err != nil || known.Exists() {
		return runtime.Answer{Output: known.Get("output"), Metadata: runtime.Metadata{Cached: true}}, err
	}
	answer, err := m.Executor.Call(ctx, q)
	if err == nil {
		err = m.store.PutEffect(d.CacheIdentity(), canon.Object(
			canon.M("executor", canon.String(d.ID)),
			canon.M("output", answer.Output),
			canon.M("requestDigest", canon.String(string(q.Digest))),
		))
	}
	return answer, err
}

// scriptedTool is a tool of a tools file (§9.2). file reads what it names.
func scriptedTool(name string, signature *organism.Tool, exec string, file func(string) canon.Value) *runtime.HostTool {
	call := func(inputs canon.Value) (canon.Value, error) {
		kind, rest, _ := strings.Cut(exec, ":")
		if kind == "cmd" {
			return shell(rest, signature.MaxOutputBytes)
		}
		key := inputs.String()
		if output := file(rest).Get(key); output.Is(canon.KindObject) {
			return output, nil
		}
		return canon.Value{}, algal.Errorf(algal.ToolFailed, "%s: no scripted output for inputs %s", name, canon.CutUnits(key, 200))
	}
	return &runtime.HostTool{
		Signature: signature,
		Call:      func(_ context.Context, c runtime.ToolCall) (canon.Value, error) { return call(c.Inputs) },
	}
}
