package replay

import (
	"slices"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// ActivationOrder returns the paths of the cells of a receipt as they first occur
// in its log, then recorded ones that the log lacks, by UTF-16 code units (run.md
// §15.1). A path may have an event and no record.
func ActivationOrder(receipt canon.Value) []string {
	seen := map[string]bool{}
	var order []string
	for _, e := range receipt.Get("events").Elements() {
		path := e.Get("path").Text()
		if strings.HasPrefix(e.Get("kind").Text(), "cell.") && !seen[path] {
			seen[path] = true
			order = append(order, path)
		}
	}
	for _, path := range sortedKeys(receipt.Get("cells")) {
		if !seen[path] {
			order = append(order, path)
		}
	}
	return order
}

// EffectPaths returns the path of the cell of each effect of a receipt, "" where
// the log, which is bounded, does not tell. The log holds an event for each effect
// in the same order, and now and then one for an effect that never came to be
// recorded.
func EffectPaths(receipt canon.Value) []string {
	var events []canon.Value
	for _, e := range receipt.Get("events").Elements() {
		if e.Get("kind").IsText("effect") {
			events = append(events, e)
		}
	}
	effects := receipt.Get("effects")
	paths := make([]string, effects.Len())
	for i, e := range effects.Elements() {
		same := func(event canon.Value) bool { return canon.Equal(event.Get("digest"), e.Get("requestDigest")) }
		if at := slices.IndexFunc(events, same); at >= 0 {
			paths[i], events = events[at].Get("path").Text(), events[at+1:]
		}
	}
	return paths
}
