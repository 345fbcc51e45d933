package journal

import (
	"maps"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/organism"
)

// Admit refuses a program that a journal cannot carry (journal.md §3): one with a
// slot or a spawn cell, also in a child that it embeds, and any that does not run
// on exactly the built-in functions. What these do is not recorded, so it could
// differ in a recovery. functions may be nil, which means the built-in ones. The
// refusal is CAPABILITY_DENIED.
func Admit(program *organism.Graph, functions organism.Registry) error {
	if err := admitCells(program); err != nil {
		return err
	}
	if functions != nil && !maps.Equal(functions, organism.Builtins()) {
		return algal.Errorf(algal.CapabilityDenied, "journal recovery requires unchanged built-in pure functions")
	}
	return nil
}

func admitCells(g *organism.Graph) error {
	for i, cell := range g.Manifest.Cells {
		if cell.Kind == organism.KindSlot || cell.Kind == organism.KindSpawn {
			return algal.Errorf(algal.CapabilityDenied, "journal recovery does not admit slots or dynamic spawn")
		}
		if child := g.Children[i]; child != nil {
			if err := admitCells(child); err != nil {
				return err
			}
		}
	}
	return nil
}
