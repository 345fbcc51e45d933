package organism

import "github.com/algal-vm/algal/canon"

// Bounds of decision questions (§2).
const (
	maxQuestions     = 64
	maxQuestionName  = 100
	maxInstructions  = 4_096
	maxCriteria      = 32
	maxCriterionText = 512
)

// readDecide reads a decide cell (§7.7).
func readDecide(c *Cell, o object) []canon.Member {
	m := &Model{}
	c.Model = m
	inputs := o.inputs(c)
	m.Prompt, _ = o.optText("prompt", maxPrompt)
	m.Questions = o.questions(o.require("questions"), o.at("questions"))
	view, normalView := o.view()
	m.View = view
	m.Route = o.route()
	c.Budget = o.budget("maxContextBytes", "maxOutputBytes", "maxEffectMs")
	m.Attempts = o.attempts()
	return []canon.Member{inputs, canon.M("questions", m.Questions), canon.M("view", normalView)}
}

// questions reads decision questions (§7.12) and returns their normal form. Their
// member order stays: it shows in the derived contract.
func (r *reader) questions(v canon.Value, path string) canon.Value {
	r.object(v, path)
	if v.Len() < 1 || v.Len() > maxQuestions {
		r.refuse("%s requires 1..%d questions", path, maxQuestions)
	}
	normal := make([]canon.Member, 0, v.Len())
	for name, q := range v.Members() {
		if r.err != nil {
			return v
		}
		_, err := canon.AsString(canon.String(name), path+" question name", maxQuestionName)
		r.keep(err)
		normal = append(normal, canon.M(name, r.question(q, path+`["`+name+`"]`)))
	}
	return revise(v, normal...)
}

func (r *reader) question(v canon.Value, path string) canon.Value {
	o := r.object(v, path)
	kind := o.text("type", maxKind)
	if kind != "noul" && kind != "choice" && kind != "score" {
		r.refuse("%s.type must be noul, choice, or score", path)
	}
	if o.text("instructions", maxInstructions) == "" {
		r.refuse("%s.instructions must not be empty", path)
	}
	o.closed("type", "instructions", "criteria")
	switch kind {
	case "noul":
		return o.noulCriteria()
	case "choice":
		o.choiceCriteria()
	case "score":
		criteria := r.texts(o.require("criteria"), o.at("criteria"), maxCriterionText)
		o.countCriteria(len(criteria))
	}
	return v
}

// noulCriteria reads the optional criteria of a yes-or-no question, which the
// normal form drops when they say nothing.
func (o object) noulCriteria() canon.Value {
	criteria := o.get("criteria")
	if !criteria.Exists() {
		return o.v
	}
	q := o.object(criteria, o.at("criteria"))
	q.closed("true", "false")
	q.optText("true", maxCriterionText)
	q.optText("false", maxCriterionText)
	if criteria.Len() == 0 {
		return o.v.Without("criteria")
	}
	return o.v
}

func (o object) choiceCriteria() {
	criteria := o.require("criteria")
	path := o.at("criteria")
	o.object(criteria, path)
	o.countCriteria(criteria.Len())
	for key, text := range criteria.Members() {
		_, err := canon.AsString(canon.String(key), path+" key", maxQuestionName)
		o.keep(err)
		if !text.Is(canon.KindNull) {
			_, err := canon.AsString(text, path+`["`+key+`"]`, maxCriterionText)
			o.keep(err)
		}
	}
}

func (o object) countCriteria(n int) {
	if n < 1 || n > maxCriteria {
		o.refuse("%s.criteria requires 1..%d entries", o.path, maxCriteria)
	}
}

// DecideContract derives the output contract of decision questions (run.md §8.3):
// a record of answers, one for each question in member order. It serves the built
// question maps of rerank and compaction as well.
func DecideContract(questions canon.Value) OutputContract {
	names := make([]canon.Value, 0, questions.Len())
	answers := make([]canon.Member, 0, questions.Len())
	for name, q := range questions.Members() {
		names = append(names, canon.String(name))
		answers = append(answers, canon.M(name, answerSchema(q.Get("type").Text())))
	}
	all := recordSchema(names, answers...)
	schema := recordSchema([]canon.Value{canon.String("answers")}, canon.M("answers", all))
	return OutputContract{
		Kind:   JSON,
		Schema: NewSchema(schema, 1),
		Normal: canon.Object(canon.M("kind", canon.String(string(JSON))), canon.M("schema", schema)),
	}
}

// answerSchema is the schema of the answer to a question of the given type.
func answerSchema(kind string) canon.Value {
	number, text := typeSchema("number"), typeSchema("string")
	if kind == "noul" {
		return recordSchema([]canon.Value{canon.String(kind)}, canon.M(kind, number), canon.M("type", text))
	}
	answer := number
	if kind == "choice" {
		answer = text
	}
	required := []canon.Value{canon.String(kind), canon.String("confidence"), canon.String("probabilities")}
	return recordSchema(required, canon.M(kind, answer), canon.M("confidence", number),
		canon.M("probabilities", typeSchema("object")), canon.M("type", text))
}

func typeSchema(name string) canon.Value { return canon.Object(canon.M("type", canon.String(name))) }

func recordSchema(required []canon.Value, properties ...canon.Member) canon.Value {
	return canon.Object(canon.M("properties", canon.Object(properties...)),
		canon.M("required", canon.Array(required...)), canon.M("type", canon.String("object")))
}
