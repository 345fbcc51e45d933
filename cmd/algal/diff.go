package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
)

type diffOptions struct{ a, b string }

func newDiffCommand(with *shared) *cobra.Command {
	o := &diffOptions{}
	return &cobra.Command{
		Use:   "diff RECEIPT RECEIPT",
		Short: "Compare two receipts",
		Long: `Says in which members, cells and effects two receipts differ. Nothing is replayed.

Result: {"a","b","cells","effects","equal","members"}. At a terminal the differences are listed;
the last line says whether the receipts are equal.`,
		Example:     `  algal diff before.json after.json`,
		Args:        positional("RECEIPT", "RECEIPT"),
		Annotations: map[string]string{negativeKey: "the receipts differ"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.a, o.b = args[0], args[1]
			return runDiff(cmd.Context(), with.streams, o)
		},
	}
}

func runDiff(_ context.Context, s *streams, o *diffOptions) error {
	a, err := readReceipt(o.a)
	if err != nil {
		return err
	}
	b, err := readReceipt(o.b)
	if err != nil {
		return err
	}
	v := difference(a, b)
	if err := s.result(v, func(p *page) { accountOfDifference(p, v) }); err != nil {
		return err
	}
	if !v.Get("equal").Bool() {
		return errNegative
	}
	return nil
}

func difference(a, b canon.Value) canon.Value {
	return canon.Object(
		canon.M("a", a.Get("digest")),
		canon.M("b", b.Get("digest")),
		canon.M("cells", differentCells(a.Get("cells"), b.Get("cells"))),
		canon.M("effects", differentEffects(a.Get("effects"), b.Get("effects"))),
		canon.M("equal", canon.Bool(canon.Equal(a, b))),
		canon.M("members", textArray(differentMembers(a, b))),
	)
}

// differentMembers returns the keys under which two objects differ, in canonical
// order. An absent object has no members.
func differentMembers(a, b canon.Value) []string {
	var keys []string
	for key, v := range a.Members() {
		if !canon.Equal(v, b.Get(key)) {
			keys = append(keys, key)
		}
	}
	for key := range b.Members() {
		if !a.Get(key).Exists() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, canon.CompareKeys)
	return keys
}

func differentCells(a, b canon.Value) canon.Value {
	var rows []canon.Value
	for _, path := range differentMembers(a, b) {
		x, y := a.Get(path), b.Get(path)
		rows = append(rows, canon.Object(
			canon.M("a", orNull(x.Get("status"))),
			canon.M("b", orNull(y.Get("status"))),
			canon.M("members", textArray(differentMembers(x, y))),
			canon.M("path", canon.String(path)),
		))
	}
	return canon.Array(rows...)
}

// differentEffects tells the first index at which two lists differ, null when they
// do not.
func differentEffects(a, b canon.Value) canon.Value {
	first := canon.Null()
	for i := range max(a.Len(), b.Len()) {
		if i >= a.Len() || i >= b.Len() || !canon.Equal(a.At(i), b.At(i)) {
			first = canon.Int(i)
			break
		}
	}
	return canon.Object(canon.M("a", canon.Int(a.Len())), canon.M("b", canon.Int(b.Len())), canon.M("first", first))
}

func accountOfDifference(p *page, v canon.Value) {
	p.Row("a", "%s", v.Get("a").Text())
	p.Row("b", "%s", v.Get("b").Text())
	for _, c := range v.Get("cells").Elements() {
		p.Row("cell", "%s: %s, %s (%s)", c.Get("path").Text(), shown(c.Get("a")), shown(c.Get("b")), joined(c.Get("members")))
	}
	if e := v.Get("effects"); !e.Get("first").Is(canon.KindNull) {
		p.Row("effects", "%s, %s, first different: %s", shown(e.Get("a")), shown(e.Get("b")), shown(e.Get("first")))
	}
	if v.Get("equal").Bool() {
		p.Verdict(true, "equal")
	} else {
		p.Verdict(false, "different: %s", joined(v.Get("members")))
	}
}

// joined lists the texts of an array.
func joined(v canon.Value) string {
	texts := make([]string, v.Len())
	for i, e := range v.Elements() {
		texts[i] = e.Text()
	}
	return strings.Join(texts, ", ")
}
