package chat

import (
	"errors"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Depths of an answer (§6.1).
const (
	maxBodyDepth    = 128
	maxContentDepth = 1_024 // of content that is parsed at all
	maxValueDepth   = 48    // so that the receipt around the value stays admissible
)

// maxCount is the largest count of tokens that a receipt holds.
const maxCount = 1<<53 - 1

// read takes the output out of the body of a complete 2xx answer, or says what is
// wrong with it. The checks and their order are §6.1's.
func (e *Executor) read(text string, key secret, r *result) {
	leak := final(algal.EffectFailed, "response contains the credential")
	if key.in(text) {
		r.failure = leak
		return
	}
	body, err := canon.Parse(text, canon.Limits{Depth: maxBodyDepth})
	if err != nil {
		r.failure = unparseable("returned invalid JSON")
		return
	}
	message, fault := messageOf(body, &r.notice)
	var content canon.Value
	if fault == "" {
		content, fault = parseContent(message)
	}
	if key.inStrings(body) || key.inStrings(content) {
		r.failure = leak
		return
	}
	if fault == "" {
		r.output, fault = valueOf(content)
	}
	if fault != "" {
		r.output, r.failure = canon.Value{}, unparseable(fault)
	}
	if fault == "" || body.Get("usage").Is(canon.KindObject) {
		r.usage = e.usage(body)
	}
}

func unparseable(text string) *failure { return repeatable(algal.EffectUnparseable, text) }

// messageOf returns the text of the one message of an answer, or a fault.
func messageOf(body canon.Value, n *notice) (text, fault string) {
	if !body.Is(canon.KindObject) {
		return "", "response must be an object"
	}
	choices := body.Get("choices")
	if !choices.Is(canon.KindArray) || choices.Len() != 1 {
		return "", "response must contain one choice"
	}
	choice := choices.At(0)
	if !choice.Is(canon.KindObject) {
		return "", "choice must be an object"
	}
	reason := choice.Get("finish_reason")
	n.add("finish_reason", reason.Text())
	if !isNothing(reason) && !reason.IsText("stop") {
		return "", "did not complete the output"
	}
	message := choice.Get("message")
	if !message.Is(canon.KindObject) {
		return "", "message must be an object"
	}
	if message.Get("refusal").Text() != "" {
		return "", "refused the output"
	}
	if !message.Get("content").Is(canon.KindString) {
		return "", "message content must be text"
	}
	return message.Get("content").Text(), ""
}

func isNothing(v canon.Value) bool { return !v.Exists() || v.Is(canon.KindNull) }

// parseContent reads the text of a message as JSON, without the code fence that
// models like to put around it.
func parseContent(text string) (v canon.Value, fault string) {
	v, err := canon.Parse(unfence(strings.Trim(text, jsonSpace)), canon.Limits{Depth: maxContentDepth})
	if err == nil {
		return v, ""
	}
	if f, ok := errors.AsType[*canon.Fault](err); ok && f.Kind == canon.FaultDepth {
		return v, tooDeep
	}
	return v, "structured output is invalid JSON"
}

const tooDeep = "structured output exceeds depth 48"

// valueOf takes the answer out of its envelope.
func valueOf(v canon.Value) (value canon.Value, fault string) {
	if !v.Is(canon.KindObject) {
		return value, "structured output must be an object"
	}
	value = v.Get("value")
	switch {
	case !value.Exists():
		fault = "structured output has no value"
	case v.Len() > 1:
		fault = "structured output must contain only value"
	case value.Depth() > maxValueDepth:
		fault = tooDeep
	}
	return value.Sorted(), fault
}

const (
	jsonSpace = " \t\r\n"
	fence     = "```"
	maxWord   = 16 // letters or digits after the opening fence
)

// unfence returns what stands in a code fence around all of text, or text itself.
func unfence(text string) string {
	opening, rest, ok := strings.Cut(text, "\n")
	word, fenced := strings.CutPrefix(strings.TrimSuffix(opening, "\r"), fence)
	if !ok || !fenced || !isWord(word) {
		return text
	}
	inside, closed := strings.CutSuffix(rest, fence)
	if !closed || inside != "" && inside[len(inside)-1] != '\n' {
		return text
	}
	for line := range strings.Lines(inside) {
		if strings.HasPrefix(line, fence) {
			return text
		}
	}
	return inside
}

func isWord(s string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return len(s) <= maxWord
}

// usage returns what the server says about its work (§6.2), absent when that is
// nothing.
func (e *Executor) usage(body canon.Value) canon.Value {
	model := body.Get("model")
	if !model.Is(canon.KindString) {
		model = canon.String(e.config.Model)
	}
	if !isModel(model.Text()) {
		model = canon.Value{}
	}
	told := body.Get("usage")
	usage := canon.Object(
		canon.M("model", model),
		canon.M("tokensIn", count(told, "prompt_tokens", "input_tokens")),
		canon.M("tokensOut", count(told, "completion_tokens", "output_tokens")),
	)
	if usage.Len() == 0 {
		return canon.Value{}
	}
	return usage
}

// count returns a number of tokens under the first of two names that is there,
// absent unless it is a safe integer.
func count(told canon.Value, name, otherName string) canon.Value {
	v := told.Get(name)
	if isNothing(v) {
		v = told.Get(otherName)
	}
	if _, err := canon.AsInt(v, "", 0, maxCount); err != nil {
		return canon.Value{}
	}
	return v
}
