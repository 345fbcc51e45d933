package laboratory

import (
	"strings"

	"github.com/algal-vm/algal/process"
)

// headFirst is the fault of that name: an engine that publishes a receipt only after
// the head has moved. Nothing uses it unless the fault is planted.
type headFirst struct {
	process.Engine
	name, text string // the receipt that is held back
}

func (h *headFirst) Create(name, text string) (fresh bool, err error) {
	if !strings.HasPrefix(name, "runs/") {
		return h.Engine.Create(name, text)
	}
	h.name, h.text = name, text
	return true, nil
}

func (h *headFirst) ReadBounded(name string, bound int) (text string, found bool, err error) {
	if name == h.name {
		return h.text, true, nil
	}
	return h.Engine.ReadBounded(name, bound)
}

func (h *headFirst) Replace(name, text string) error {
	if err := h.Engine.Replace(name, text); err != nil || h.name == "" {
		return err
	}
	_, err := h.Engine.Create(h.name, h.text)
	return err
}
