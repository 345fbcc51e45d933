package check

import (
	"context"
	"strings"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/runtime"
)

const (
	memosDir = "effects"
	slotsDir = "slots"

	maxSlot     = 262_144 // bytes of a slot's file (store.md §2)
	maxSlotName = 64
)

// memos examines the memo of effect answers. The name of an entry tells neither its
// request nor its executor's identity, so it is held to its contract alone.
func (e *examination) memos(context.Context) {
	e.cells(memosDir, MemoDamaged, durable.MaxBytes, func(name string) bool {
		_, ok := digestOf(name)
		return ok
	}, runtime.ParseEffect)
}

// slots examines the named cells, which hold any value.
func (e *examination) slots(context.Context) {
	e.cells(slotsDir, SlotDamaged, maxSlot, isSlotFile, func(canon.Value) error { return nil })
}

// cells examines the entries of a directory that are read by their names alone.
func (e *examination) cells(dir string, kind Kind, bound int, named func(name string) bool, admit func(canon.Value) error) {
	if e.closed[dir] {
		return
	}
	for _, d := range e.entries(dir, kind) {
		path := dir + "/" + d.Name()
		if !named(d.Name()) {
			e.stranger(path, d)
			continue
		}
		v, found, err := e.document(path, bound)
		if err == nil && found {
			err = admit(v)
		}
		if err != nil {
			e.report(Finding{Kind: kind, Path: path, Advice: err.Error() + ": it is refused to whoever reads it, and may be removed"})
		}
	}
}

// isSlotFile reports whether a name is that of a slot which some runtime may have
// written (store.md §7).
func isSlotFile(name string) bool {
	name, ok := strings.CutSuffix(name, suffix)
	return ok && name != "" && len(name) <= maxSlotName && name[0] >= 'a' && name[0] <= 'z' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
