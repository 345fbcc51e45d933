package organism

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal/canon"
)

// Check returns "" when v satisfies the schema, else the text of the first fault
// (§5.4). The text names neither path nor value. A check that passes allocates
// nothing, but for lists that must not repeat.
func (s *Schema) Check(v canon.Value) string { return s.root.check(v) }

func (s *shape) check(v canon.Value) string {
	if !s.types.admits(v, s.version) {
		return "expected " + s.typeText()
	}
	if s.enum != nil && !s.enumerated(v) {
		return "expected an allowed value"
	}
	switch v.Kind() {
	case canon.KindNumber:
		if fault := s.checkNumber(v.Float()); fault != "" {
			return fault
		}
	case canon.KindString:
		if fault := s.checkText(v.Text()); fault != "" {
			return fault
		}
	}
	if fault := s.checkMembers(v); fault != "" {
		return fault
	}
	if v.Is(canon.KindArray) {
		return s.checkElements(v)
	}
	return ""
}

// typeText shows the declared types in their order.
func (s *shape) typeText() string {
	switch s.declared.Kind() {
	case canon.Absent:
		return "object"
	case canon.KindString:
		return s.declared.Text()
	}
	names := make([]string, 0, s.declared.Len())
	for _, name := range s.declared.Elements() {
		names = append(names, name.Text())
	}
	return strings.Join(names, "|")
}

// enumerated reports whether v is an allowed value. Entries are scalars, so no
// object or list ever is one; numbers are equal when their texts are, as the text
// of both zeros is 0.
func (s *shape) enumerated(v canon.Value) bool {
	for _, e := range s.enum {
		if canon.Equal(e, v) {
			return true
		}
	}
	return false
}

func (s *shape) checkNumber(n float64) string {
	switch {
	case n < s.minimum:
		return "number below minimum"
	case n > s.maximum:
		return "number above maximum"
	}
	return ""
}

func (s *shape) checkText(text string) string {
	if s.minLength > 0 || s.maxLength < len(text) {
		switch n := utf8.RuneCountInString(text); {
		case n < s.minLength:
			return "text shorter than minLength"
		case n > s.maxLength:
			return "text longer than maxLength"
		}
	}
	if s.format != nil && !s.format.match(text) {
		return "text is not a " + s.format.name
	}
	return ""
}

// checkMembers checks required, undeclared and declared members. A value that is
// no object lacks all members and has none.
func (s *shape) checkMembers(v canon.Value) string {
	for _, name := range s.required {
		if !v.Get(name).Exists() {
			return "missing required field"
		}
	}
	if !v.Is(canon.KindObject) {
		return ""
	}
	if s.closed {
		for i := range v.Len() {
			if _, declared := s.property(v.Key(i)); !declared {
				return "undeclared field"
			}
		}
	}
	for _, p := range s.properties {
		if m := v.Get(p.name); m.Exists() {
			if fault := p.shape.check(m); fault != "" {
				return fault
			}
		}
	}
	return ""
}

func (s *shape) checkElements(v canon.Value) string {
	if s.unique && repeats(v) {
		return "repeated item"
	}
	if s.items == nil {
		return ""
	}
	for i := range v.Len() {
		if fault := s.items.check(v.At(i)); fault != "" {
			return "item " + strconv.Itoa(i) + ": " + fault
		}
	}
	return ""
}

// repeats reports whether two elements have the same canonical text.
func repeats(list canon.Value) bool {
	seen := make(map[string]struct{}, list.Len())
	for i := range list.Len() {
		text := list.At(i).String()
		if _, again := seen[text]; again {
			return true
		}
		seen[text] = struct{}{}
	}
	return false
}
