package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// Diff names the differences between a recorded receipt and a re-execution (run.md
// §13.3 items 1 to 7). Structures are compared by canonical text, and an absent
// one equals null.
func Diff(recorded, rerun canon.Value) []string {
	d := differ{a: recorded, b: rerun}
	if a, b := recorded.Get("outcome"), rerun.Get("outcome"); !same(a, b) {
		d.add("outcome: %s vs %s", a.Text(), b.Text())
	}
	d.cells()
	d.effects()
	if !same(recorded.Get("events"), rerun.Get("events")) {
		d.add("events: event logs differ")
	}
	for _, key := range []string{"steps", "agentCalls", "units"} {
		d.printed("work."+key+":", recorded.Get("work").Get(key), rerun.Get("work").Get(key), "undefined")
	}
	a, b := recorded.Get("failure"), rerun.Get("failure")
	if a.Exists() != b.Exists() {
		d.add("failure presence differs")
	} else if !same(a.Get("code"), b.Get("code")) {
		d.add("failure.code: %s vs %s", a.Get("code").Text(), b.Get("code").Text())
	}
	return d.found
}

type differ struct {
	a, b  canon.Value
	found []string
}

func (d *differ) add(format string, args ...any) {
	d.found = append(d.found, fmt.Sprintf(format, args...))
}

// printed reports two values that differ, with absent shown as given.
func (d *differ) printed(what string, a, b canon.Value, absent string) {
	if same(a, b) {
		return
	}
	d.add("%s %s vs %s", what, shown(a, absent), shown(b, absent))
}

// shown prints a value as a template would: a string as it is.
func shown(v canon.Value, absent string) string {
	switch {
	case !v.Exists():
		return absent
	case v.Is(canon.KindString):
		return v.Text()
	}
	return v.String()
}

// same compares by canonical text; absent is null.
func same(a, b canon.Value) bool { return canon.Equal(orNull(a), orNull(b)) }

func orNull(v canon.Value) canon.Value {
	if !v.Exists() {
		return canon.Null()
	}
	return v
}

func (d *differ) cells() {
	a, b := d.a.Get("cells"), d.b.Get("cells")
	aPaths, bPaths := sortedKeys(a), sortedKeys(b)
	if !slices.Equal(aPaths, bPaths) {
		d.add("cells: %s vs %s", strings.Join(aPaths, ","), strings.Join(bPaths, ","))
	}
	for _, path := range aPaths {
		x, y := a.Get(path), b.Get(path)
		if y.Exists() && !canon.Equal(x, y) {
			d.cell("cell "+path+":", x, y)
		}
	}
}

func (d *differ) cell(what string, a, b canon.Value) {
	d.printed(what+" status", a.Get("status"), b.Get("status"), "undefined")
	if !same(outputsOf(a), outputsOf(b)) {
		d.add("%s outputs differ", what)
	}
	for _, key := range []string{"work", "rounds", "items"} {
		d.printed(what+" "+key, a.Get(key), b.Get(key), "undefined")
	}
	for _, m := range []struct{ key, verb string }{{"failure", "differs"}, {"toolCalls", "differ"}, {"shadowOut", "differs"}} {
		if !same(a.Get(m.key), b.Get(m.key)) {
			d.add("%s %s %s", what, m.key, m.verb)
		}
	}
	d.printed(what+" via", a.Get("via"), b.Get("via"), "local")
	if !same(a.Get("slot"), b.Get("slot")) {
		d.add("%s slot differs", what)
	}
}

func outputsOf(cell canon.Value) canon.Value {
	if outputs := cell.Get("outputs"); outputs.Exists() {
		return outputs
	}
	return canon.Object()
}

func (d *differ) effects() {
	a, b := d.a.Get("effects"), d.b.Get("effects")
	if a.Len() != b.Len() {
		d.add("effects: %d vs %d", a.Len(), b.Len())
		return
	}
	for i := range a.Len() {
		x, y := a.At(i), b.At(i)
		if canon.Equal(x, y) {
			continue
		}
		what := fmt.Sprintf("effect %d:", i)
		for _, key := range []string{"requestDigest", "output", "error"} {
			if !same(x.Get(key), y.Get(key)) {
				d.add("%s %s differs", what, key)
			}
		}
		d.printed(what+" executor", x.Get("executor"), y.Get("executor"), "undefined")
		if !same(x.Get("usage"), y.Get("usage")) {
			d.add("%s usage differs", what)
		}
	}
}

// sortedKeys returns the keys of an object by UTF-16 code units. Unlike the
// canonical order this one has no place for array indices.
func sortedKeys(v canon.Value) []string {
	keys := make([]string, 0, v.Len())
	for key := range v.Members() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, canon.CompareUnits)
	return keys
}
