package organism

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// CheckValue checks a value against the port (run.md §6). label is CELL.PORT and
// stands in the texts. The code is TYPE_MISMATCH, or BUDGET_EXHAUSTED for a value
// over [MaxValueBytes]. Whether a ref resolves is the caller's question (§6.1).
func (p *Port) CheckValue(v canon.Value, label string) error {
	if n := v.Size(); n > MaxValueBytes {
		return algal.Errorf(algal.BudgetExhausted,
			"%s: value %dB exceeds maxValueBytes %dB — pin large payloads through a store cell", label, n, MaxValueBytes)
	}
	if !p.Many {
		return p.checkOne(v, label)
	}
	if !v.Is(canon.KindArray) {
		return algal.Errorf(algal.TypeMismatch, "%s: expected a list", label)
	}
	for i := range v.Len() {
		if p.checkOne(v.At(i), label) != nil {
			return p.checkOne(v.At(i), index(label, i)) // the label is worth building only for a fault
		}
	}
	return nil
}

// checkOne checks a value, or an element of a many port, that is within the size
// bound.
func (p *Port) checkOne(v canon.Value, label string) error {
	switch p.Type {
	case Text:
		if !v.Is(canon.KindString) {
			return algal.Errorf(algal.TypeMismatch, "%s: expected text", label)
		}
	case Choice:
		return p.checkChoice(v, label)
	case Ref:
		if !v.Is(canon.KindString) || !algal.IsDigest(v.Text()) {
			return algal.Errorf(algal.TypeMismatch, "%s: expected a sha256 ref token", label)
		}
	case Cap:
		_, err := ParseHandle(v, p.Capability, label)
		return err
	case JSON:
		if p.Schema == nil {
			return nil
		}
		if fault := p.Schema.Check(v); fault != "" {
			return algal.Errorf(algal.TypeMismatch, "%s", fault)
		}
	}
	return nil
}

func (p *Port) checkChoice(v canon.Value, label string) error {
	if !v.Is(canon.KindString) {
		return algal.Errorf(algal.TypeMismatch, "%s: expected choice label", label)
	}
	if p.Labels != nil && !slices.Contains(p.Labels, v.Text()) {
		return algal.Errorf(algal.TypeMismatch, `%s: "%s" not in declared labels`, label, v.Text())
	}
	return nil
}
