//go:build unix

package disk

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

const maxSlotName = 64

func invalidSlot() error { return algal.Errorf(algal.ParseFailed, "invalid slot name") }

// Slot returns the value of a named slot (store.md §7). Names are those that any
// runtime may have written: ^[a-z][a-z0-9._-]{0,63}$.
func (s *Store) Slot(name string) (canon.Value, error) {
	if !isSlotName(name) {
		return canon.Value{}, invalidSlot()
	}
	return s.read(slots, name, anyValue)
}

// SetSlot replaces the value of a named slot. A name that is written is kebab-case,
// since other runtimes know no other (store.md §11).
func (s *Store) SetSlot(name string, v canon.Value) error {
	if len(name) > maxSlotName || !canon.IsKebab(name) {
		return invalidSlot()
	}
	text, err := document(slots, v)
	if err != nil {
		return err
	}
	if err := s.guard(slots, name); err != nil {
		return err
	}
	return s.files.Replace(s.path(slots, name), text)
}

var wideToKebab = strings.NewReplacer(".", "-", "_", "-")

func isSlotName(name string) bool {
	return len(name) <= maxSlotName && canon.IsKebab(wideToKebab.Replace(name))
}
