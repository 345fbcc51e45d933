package organism

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// MaxManifestBytes bounds the canonical text of a manifest, as given and in
// normal form (organism.md §2).
const MaxManifestBytes = 1_048_576

// MaxValueBytes bounds the canonical text of one port value and of a slot's
// default (§2).
const MaxValueBytes = 262_144

// Further bounds of §2, in characters (UTF-16 units) or entries.
const (
	maxCells       = 64
	maxEdges       = 256
	maxName        = 120
	maxNote        = 2_000
	maxPrompt      = 8_192
	maxLabels      = 32
	maxLabel       = 64
	maxRef         = 64
	maxTools       = 16
	maxViewCells   = 16
	maxPorts       = 32
	maxDigestText  = 72 // of an embedded manifest's name before it is compiled
	maxKind        = 16 // of a cell, port type, question type or output kind
	maxContextSize = 262_144
	maxOutputSize  = 262_144
)

// checkSize is the size check of §1.3. The bounds hold at once by the measures
// that a value carries; only when one is exceeded does the walk decide which
// fault is met first.
func checkSize(v canon.Value) error {
	if v.Depth() <= canon.MaxDepth && v.Size() <= MaxManifestBytes {
		return nil
	}
	w := sizeWalk{left: MaxManifestBytes}
	return w.visit(v, 0)
}

// sizeWalk charges a document byte by byte, depth first in member order.
type sizeWalk struct{ left int }

func (w *sizeWalk) charge(bytes int) error {
	if w.left -= bytes; w.left < 0 {
		return algal.Errorf(algal.BudgetExhausted, "manifest bytes")
	}
	return nil
}

func (w *sizeWalk) visit(v canon.Value, depth int) error {
	if depth > canon.MaxDepth {
		return algal.Errorf(algal.BudgetExhausted, "JSON depth exceeds %d", canon.MaxDepth)
	}
	switch v.Kind() {
	case canon.KindArray:
		return w.array(v, depth)
	case canon.KindObject:
		return w.object(v, depth)
	}
	return w.charge(v.Size())
}

func (w *sizeWalk) array(v canon.Value, depth int) error {
	if err := w.charge(2 + max(v.Len()-1, 0)); err != nil {
		return err
	}
	for _, e := range v.Elements() {
		if err := w.visit(e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *sizeWalk) object(v canon.Value, depth int) error {
	if err := w.charge(2); err != nil {
		return err
	}
	comma := 0
	for key, m := range v.Members() {
		if err := w.charge(comma + canon.QuotedSize(key) + 1); err != nil {
			return err
		}
		if err := w.visit(m, depth+1); err != nil {
			return err
		}
		comma = 1
	}
	return nil
}
