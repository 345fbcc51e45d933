package replay

import (
	"slices"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// inputs takes from a receipt what a replay needs (run.md §13.1): all effects,
// tools strictly.
func inputs(receipt canon.Value) *runtime.Replay {
	r := &runtime.Replay{StrictTools: true, Stamp: receipt.Get("runtime")}
	for _, e := range receipt.Get("effects").Elements() {
		r.Effects = append(r.Effects, e)
		if runtime.IsToolEffect(e) {
			r.Tools = append(r.Tools, e)
		}
	}
	for path, cell := range receipt.Get("cells").Members() {
		if via := cell.Get("via"); via.Exists() {
			set(&r.Via, path, via.Text())
		}
		slot, done := cell.Get("slot"), cell.Get("status").IsText("committed")
		switch {
		case slot.Get("mode").IsText("read"):
			read := canon.Value{}
			if done {
				read = cell.Get("outputs").Get("data")
			}
			set(&r.SlotReads, path, read)
		case slot.Exists() && done:
			set(&r.SlotWritten, path, true)
		}
	}
	return r
}

func set[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// verifying is inputs for a run over an overlay, where slot writes are done
// again.
func verifying(receipt canon.Value) *runtime.Replay {
	r := inputs(receipt)
	r.SlotWritten = nil
	return r
}

// resuming is inputs for continuing a checkpoint (§14): suspended effects are
// asked again, missing tools are called, the stamp is this runtime's.
func resuming(receipt canon.Value) *runtime.Replay {
	r := inputs(receipt)
	r.Effects = slices.DeleteFunc(r.Effects, runtime.IsSuspended)
	r.Tools = slices.DeleteFunc(r.Tools, runtime.IsSuspended)
	r.StrictTools, r.Stamp = false, canon.Value{}
	return r
}
