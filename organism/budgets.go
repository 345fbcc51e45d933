package organism

import "github.com/algal-vm/algal/canon"

// Budgets bounds a run (§3). Only those of the root manifest count.
type Budgets struct {
	MaxSteps        int // activations
	MaxAgentCalls   int // provider attempts
	MaxWork         int // work units
	MaxContextBytes int // bytes of a request's context
	MaxOutputBytes  int // bytes of an answer
	MaxDepth        int // nesting of embedded organisms
}

// budgetRules lists the members of budgets in reading order.
var budgetRules = [...]struct {
	name           string
	lo, hi, absent int
	field          func(*Budgets) *int
}{
	{"maxSteps", 1, 1_024, 256, func(b *Budgets) *int { return &b.MaxSteps }},
	{"maxAgentCalls", 0, 64, 16, func(b *Budgets) *int { return &b.MaxAgentCalls }},
	{"maxWork", 1, 100_000_000, 1_000_000, func(b *Budgets) *int { return &b.MaxWork }},
	{"maxContextBytes", 1, maxContextSize, 65_536, func(b *Budgets) *int { return &b.MaxContextBytes }},
	{"maxOutputBytes", 1, maxOutputSize, 65_536, func(b *Budgets) *int { return &b.MaxOutputBytes }},
	{"maxDepth", 0, 8, 4, func(b *Budgets) *int { return &b.MaxDepth }},
}

// budgets reads the budgets of a manifest. In the normal form all six stand.
func (r *reader) budgets(v canon.Value) (Budgets, canon.Value) {
	if !v.Exists() {
		v = canon.Object()
	}
	o := r.object(v, "budgets")
	o.closed("maxSteps", "maxAgentCalls", "maxWork", "maxContextBytes", "maxOutputBytes", "maxDepth")
	var b Budgets
	normal := make([]canon.Member, 0, len(budgetRules))
	for _, rule := range budgetRules {
		*rule.field(&b) = o.optInteger(rule.name, rule.lo, rule.hi, rule.absent)
		if !o.has(rule.name) {
			normal = append(normal, canon.M(rule.name, canon.Int(rule.absent)))
		}
	}
	return b, revise(v, normal...)
}

// CellBudget is a cell's own budget (§6.5); zero members are not declared.
type CellBudget struct {
	MaxContextBytes, MaxOutputBytes, MaxTurns, MaxEffectMs int
}

// budget reads the budget of a cell of a kind that admits the given members. Its
// normal form is as written.
func (o object) budget(members ...string) (b CellBudget) {
	v := o.get("budget")
	if !v.Exists() {
		return b
	}
	q := o.object(v, o.at("budget"))
	q.closed(members...)
	b.MaxContextBytes = q.optInteger("maxContextBytes", 1, maxContextSize, 0)
	b.MaxOutputBytes = q.optInteger("maxOutputBytes", 1, maxOutputSize, 0)
	b.MaxTurns = q.optInteger("maxTurns", 1, 16, 0)
	b.MaxEffectMs = q.optInteger("maxEffectMs", 1, 600_000, 0)
	return b
}
