package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// effort says how a request is attempted.
type effort struct {
	attempts int
	// triage marks the compaction of a tool log: its receipts do not say that an
	// executor is not retryable (run.md §8.6).
	triage bool
}

func effortOf(attempts int) effort { return effort{attempts: max(attempts, 1)} }

// settled is an accepted answer: a tool call, or a value bound to the contract.
type settled struct {
	value    canon.Value
	toolCall bool
}

// settleEffect attempts a request until an answer is accepted, and gives the last
// error if none is (§8.4). tools are the names whose calls are recognised.
func (a *activation) settleEffect(p *pending, e effort, tools []string) (settled, error) {
	r := a.run
	var last error
	for range e.attempts {
		executor := r.choose(&p.Request)
		if r.agentCalls+1 > r.budgets.MaxAgentCalls {
			return settled{}, algal.Errorf(algal.BudgetExhausted, "maxAgentCalls exhausted")
		}
		r.agentCalls++
		r.units += attemptWork + p.contextBytes
		r.event(event{kind: "effect", path: a.path, digest: p.Digest})
		r.replay.observe(p.Digest, p.Record)
		receipt, err := a.attempt(executor, &p.Request, e)
		if err != nil {
			return settled{}, err // the run is over
		}
		r.effects = append(r.effects, receipt.record)
		if last = receipt.err; last == nil {
			var answer settled
			if answer, last = a.accept(receipt.output, p, tools); last == nil {
				return answer, nil
			}
		}
		if r.interrupted() || receipt.final {
			break
		}
	}
	return settled{}, last
}

// accept bounds, charges and binds an output.
func (a *activation) accept(output canon.Value, p *pending, tools []string) (settled, error) {
	if output.Size() > p.MaxOutputBytes {
		return settled{}, algal.Errorf(algal.BudgetExhausted, "effect output %dB exceeds maxOutputBytes %dB", output.Size(), p.MaxOutputBytes)
	}
	a.run.units += output.Size()
	if isToolCall(output, tools) {
		return settled{output, true}, nil
	}
	v, err := p.bind(output, a.cell.ID)
	return settled{v, false}, err
}

// isToolCall recognises the shape of §8.1.1.
func isToolCall(output canon.Value, tools []string) bool {
	tool := output.Get("tool")
	return len(tools) > 0 && tool.Is(canon.KindString) && slices.Contains(tools, tool.Text()) && output.Get("inputs").Is(canon.KindObject)
}

// choice is who answers a request: a recorded receipt, an executor, or nobody.
type choice struct {
	recorded canon.Value
	executor Executor
	desc     Description
}

// choose selects the executor of a request (§8.5).
func (r *run) choose(q *Request) choice {
	if recorded := r.replay.nextEffect(q.Digest); recorded.Exists() {
		return choice{recorded: recorded}
	}
	var wanted []string
	if name := q.Route.Provider; name != "" {
		wanted = append(wanted, name, "provider:"+name)
	}
	if name := q.Route.Preset; name != "" {
		wanted = append(wanted, name, "preset:"+name)
	}
	var wildcard choice
	for _, e := range r.host.Executors {
		d := e.Describe()
		admits := d.Admits(q.Kind)
		switch {
		case len(wanted) == 0 && admits:
			return choice{executor: e, desc: d}
		case slices.Contains(wanted, d.ID):
			if !admits {
				return choice{}
			}
			return choice{executor: e, desc: d}
		case wildcard.executor == nil && d.Wildcard && admits:
			wildcard = choice{executor: e, desc: d}
		}
	}
	if len(wanted) == 0 {
		return choice{}
	}
	return wildcard
}

// effectReceipt is the receipt of one attempt and what follows from it.
type effectReceipt struct {
	record canon.Value
	output canon.Value
	err    error
	final  bool // not retryable
}

// attempt performs one attempt and builds its receipt (§8.7). An error ends the
// run: the journal's.
func (a *activation) attempt(c choice, q *Request, e effort) (effectReceipt, error) {
	switch {
	case c.recorded.Exists():
		return parseEffect(c.recorded), nil
	case c.executor == nil:
		unbound := algal.Errorf(algal.EffectUnbound, "no host-admitted executor for this request")
		return makeEffect(q.Digest, "unbound", Answer{Metadata: Metadata{NotRetryable: true}}, unbound), nil
	}
	call := func() effectReceipt {
		answer, err := a.callExecutor(c.executor, q)
		answer.NotRetryable = (answer.NotRetryable || !c.desc.Retryable) && !e.triage
		return makeEffect(q.Digest, c.desc.ID, answer, err)
	}
	if a.run.host.Journal == nil {
		return call(), nil
	}
	return a.run.journaled(Binding{
		RequestDigest:       q.Digest,
		Executor:            c.desc.ID,
		ConfigurationDigest: c.desc.binding(),
		IdempotencyKey:      a.run.idempotencyKey(q.Digest),
	}, "journal executor configuration", call)
}

// binding is the configuration digest that a journal binds.
func (d *Description) binding() algal.Digest {
	if d.Configuration != "" {
		return d.Configuration
	}
	return algal.Digest(d.CacheIdentity())
}

// callExecutor calls under the cell's deadline (§10.2).
func (a *activation) callExecutor(e Executor, q *Request) (Answer, error) {
	var answer Answer
	err := a.bounded(fmt.Sprintf(`cell "%s" effect`, a.cell.ID), func(ctx context.Context) (err error) {
		answer, err = e.Call(ctx, q)
		return err
	})
	return answer, err
}

// bounded calls f under the cell's maxEffectMs. A call that goes on beyond its
// time is abandoned, whatever it gives in the end: nobody may know its outcome.
func (a *activation) bounded(what string, f func(context.Context) error) error {
	ms, deadline := a.cell.Budget.MaxEffectMs, a.run.host.Deadline
	if ms == 0 || deadline == nil {
		return f(a.run.ctx)
	}
	ctx, cancel := deadline(a.run.ctx, ms)
	defer cancel()
	exceeded := func(uncertain bool) error {
		return &algal.Error{Code: algal.BudgetExhausted, Message: fmt.Sprintf("%s exceeded maxEffectMs %d", what, ms), Uncertain: uncertain}
	}
	if ctx.Err() != nil && a.run.ctx.Err() == nil {
		return exceeded(false)
	}
	err := f(ctx)
	if ctx.Err() != nil && a.run.ctx.Err() == nil {
		return exceeded(true)
	}
	return err
}

// makeEffect builds the receipt of a live attempt.
func makeEffect(request algal.Digest, executor string, answer Answer, failed error) effectReceipt {
	err := algal.AsError(failed)
	r := effectReceipt{output: answer.Output.Sorted(), final: answer.NotRetryable}
	if answer.Executor != "" {
		executor = answer.Executor
	}
	members := make([]canon.Member, 0, 6)
	if answer.Cached {
		members = append(members, canon.M("cached", canon.Bool(true)))
	}
	if answer.Configuration != "" {
		members = append(members, canon.M("configurationDigest", canon.String(string(answer.Configuration))))
	}
	var wake canon.Value
	if err != nil {
		var wakeErr error
		if wake, wakeErr = wakeOf(err, answer.Wake); wakeErr != nil {
			err, wake = algal.AsError(wakeErr), canon.Value{}
		}
		r.err, r.output = err, canon.Value{}
		r.final = r.final || err.Code == algal.EffectSuspended || err.Uncertain
		members = append(members, canon.M("error", errorRecord(err)))
	}
	members = append(members, canon.M("executor", canon.String(executor)))
	if err == nil {
		members = append(members, canon.M("output", r.output))
	}
	members = append(members, canon.M("requestDigest", canon.String(string(request))))
	if r.final {
		members = append(members, canon.M("retryable", canon.Bool(false)))
	}
	members = append(members, canon.M("usage", answer.Usage), canon.M("wake", wake))
	r.record = canon.Object(members...)
	return r
}

// wakeOf returns the wake list of a suspended effect (organism.md §13.4): the
// executor's, which must be well formed, else the error's if it is.
func wakeOf(err *algal.Error, metadata canon.Value) (canon.Value, error) {
	if err.Code != algal.EffectSuspended {
		return canon.Value{}, nil
	}
	if metadata.Exists() {
		_, fault := organism.ParseWake(metadata)
		return metadata, fault
	}
	if len(err.Wake) == 0 {
		return canon.Value{}, nil
	}
	handles := make([]canon.Value, len(err.Wake))
	for i, h := range err.Wake {
		handles[i] = canon.String(h)
	}
	if _, fault := organism.ParseWake(canon.Array(handles...)); fault != nil {
		return canon.Value{}, nil
	}
	return canon.Array(handles...), nil
}

// parseEffect takes a recorded receipt as the answer. What is recorded stays: the
// receipt of the replay is the record itself, apart from members that follow
// from others.
func parseEffect(recorded canon.Value) effectReceipt {
	r := effectReceipt{record: recorded, output: recorded.Get("output").Sorted(), final: recorded.Get("retryable").Exists()}
	failed := recorded.Get("error")
	if !failed.Exists() {
		return r
	}
	err := &algal.Error{Code: algal.Code(failed.Get("code").Text()), Message: failed.Get("message").Text()}
	r.err = err
	if err.Code == algal.EffectSuspended && !r.final {
		r.final = true
		r.record = recorded.With(canon.M("retryable", canon.Bool(false)))
	}
	return r
}

// journaled performs a live effect under the journal (§10.4). Every failure of
// the journal, and every outcome that is not known, poisons it and ends the run.
func (r *run) journaled(b Binding, label string, call func() effectReceipt) (effectReceipt, error) {
	journal := r.host.Journal
	poison := func(err error) (effectReceipt, error) {
		journal.Poison(err)
		return effectReceipt{}, r.abort(err)
	}
	if _, err := algal.ParseDigest(string(b.ConfigurationDigest), label); err != nil {
		return poison(err)
	}
	token, completed, err := journal.Begin(b)
	if err != nil {
		return poison(err)
	}
	if (token == "") == !completed.Exists() {
		return poison(algal.Errorf(algal.ReceiptMismatch, "journal must return exactly one intent or receipt"))
	}
	if completed.Exists() {
		if completed.Get("requestDigest").Text() != string(b.RequestDigest) {
			return poison(algal.Errorf(algal.ReceiptMismatch, "journal returned another request's receipt"))
		}
		return parseEffect(completed), nil
	}
	receipt := call()
	if failed := algal.AsError(receipt.err); failed != nil && failed.Uncertain {
		return poison(failed)
	}
	if err := journal.Complete(token, receipt.record); err != nil {
		return poison(err)
	}
	return receipt, nil
}
