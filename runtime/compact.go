package runtime

import (
	"fmt"
	"strconv"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// compact lets a decision drop entries of a long tool log before a turn (run.md
// §8.6). The pinned tail stays whatever is decided.
func (t *turns) compact(turn int) error {
	c := t.cell.Model.Compact
	if c == nil || c.Elide || len(t.log) <= c.KeepRecent {
		return nil
	}
	log := canon.Array(t.log...)
	if log.Size() <= c.MaxLogBytes {
		return nil
	}
	context := canon.Object(canon.M("inputs", t.inputs), canon.M("toolLog", log), canon.M("turn", canon.Int(turn)))
	if err := t.limits.contextFits(context, "compaction context"); err != nil {
		return err
	}
	droppable := len(t.log) - c.KeepRecent
	questions := make([]canon.Member, droppable)
	for i := range questions {
		instructions := fmt.Sprintf("Retain context.toolLog[%d] verbatim — the \"%s\" call and its result. Is it still needed for the remaining task?", i, t.log[i].Get("fn").Text())
		questions[i] = canon.M(indexed("keep_", i), noul(instructions))
	}
	prompt := fmt.Sprintf("Tool-log triage for cell \"%s\". The log exceeds %dB; for each indexed entry decide whether the call and its result must be preserved verbatim for the remaining work. Task: %s",
		t.cell.ID, c.MaxLogBytes, t.cell.Model.Prompt)
	route := c.Route
	if !route.Exists() {
		route = t.cell.Model.Route
	}
	answer, _, err := t.decide(prompt, context, canon.Object(questions...), route, t.limits, effort{attempts: 1, triage: true})
	if err != nil {
		return err
	}
	kept := make([]canon.Value, 0, len(t.log))
	for i, entry := range t.log {
		if i >= droppable || score(answer, indexed("keep_", i)) >= 0.5 {
			kept = append(kept, entry)
		}
	}
	t.log = kept
	return nil
}

// decide asks a built map of noul questions.
func (a *activation) decide(prompt string, context, questions, route canon.Value, l limits, e effort) (answer canon.Value, request *pending, err error) {
	output := organism.DecideContract(questions)
	request = a.request(EffectDecide, prompt, context, &output, l, route)
	request.ask(questions)
	settled, err := a.settleEffect(request, e, nil)
	return settled.value, request, err
}

// noul is a question for a number between no and yes.
func noul(instructions string, criteria ...canon.Member) canon.Value {
	question := []canon.Member{canon.M("instructions", canon.String(instructions)), canon.M("type", canon.String("noul"))}
	if len(criteria) > 0 {
		question = append(question, canon.M("criteria", canon.Object(criteria...)))
	}
	return canon.Object(question...)
}

// score is the answer to a noul question; the contract has made sure of it.
func score(answer canon.Value, question string) float64 {
	return answer.Get("answers").Get(question).Get("noul").Float()
}

func indexed(prefix string, i int) string { return prefix + strconv.Itoa(i) }

// stubContract marks a tool output that is shown by digest only.
const stubContract = "algal.tool-output-ref.v1"

// elide returns the context of a turn. An agent that elides shows the outputs of
// its oldest calls as digests, as far as the bounds demand; its log keeps them.
func (t *turns) elide(turn int) canon.Value {
	context := t.context(turn, t.log)
	c := t.cell.Model.Compact
	if c == nil || !c.Elide {
		return context
	}
	shown := append([]canon.Value(nil), t.log...)
	for i := 0; i < len(shown)-c.KeepRecent; i++ {
		if canon.Array(shown...).Size() <= c.MaxLogBytes && context.Size() <= t.limits.context {
			break
		}
		output := shown[i].Get("output")
		stub := canon.Object(
			canon.M("bytes", canon.Int(output.Size())),
			canon.M("contract", canon.String(stubContract)),
			canon.M("source", canon.String(string(output.Digest()))),
		)
		if !output.Get("contract").IsText(stubContract) && stub.Size() < output.Size() {
			shown[i] = shown[i].With(canon.M("output", stub))
			context = t.context(turn, shown)
		}
	}
	return context
}
