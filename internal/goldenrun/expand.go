package goldenrun

import (
	"fmt"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// Expand replaces the compact forms of expr.md §13.1 ($str, $rep, $nest, $wrap,
// $seq, $keys, $pair, $cat, $merge) by what they stand for.
func Expand(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindArray:
		return canon.Array(expandAll(v)...)
	case canon.KindObject:
		if v.Len() == 1 && strings.HasPrefix(v.Key(0), "$") {
			return expandForm(v.Key(0), v.At(0))
		}
		var members []canon.Member
		for key, m := range v.Members() {
			members = append(members, canon.M(key, Expand(m)))
		}
		return canon.Object(members...)
	}
	return v
}

func expandAll(v canon.Value) []canon.Value {
	var all []canon.Value
	for _, e := range v.Elements() {
		all = append(all, Expand(e))
	}
	return all
}

func expandForm(form string, arg canon.Value) canon.Value {
	integer := func(i int) int { return int(arg.At(i).Float()) }
	var list []canon.Value
	switch form {
	case "$str":
		return canon.String(strings.Repeat(Expand(arg.At(0)).Text(), integer(1)))
	case "$rep":
		v := Expand(arg.At(0))
		for range integer(1) {
			list = append(list, v)
		}
	case "$nest":
		v := Expand(arg.At(0))
		for range integer(1) {
			v = canon.Array(v)
		}
		return v
	case "$wrap":
		v := Expand(arg.At(1))
		for range integer(2) {
			var wrapped []canon.Value
			for _, e := range arg.At(0).Elements() {
				wrapped = append(wrapped, e)
			}
			v = canon.Array(append(wrapped, v)...)
		}
		return v
	case "$seq":
		for i := range integer(1) {
			list = append(list, canon.Int(integer(0)+i))
		}
	case "$keys":
		var members []canon.Member
		for i := range integer(2) {
			members = append(members, canon.M(fmt.Sprintf("%s%04d", arg.At(0).Text(), integer(1)+i), Expand(arg.At(3))))
		}
		return canon.Object(members...)
	case "$pair":
		return canon.Object(canon.M(Expand(arg.At(0)).Text(), Expand(arg.At(1))))
	case "$cat":
		parts := expandAll(arg)
		if parts[0].Is(canon.KindString) {
			text := ""
			for _, p := range parts {
				text += p.Text()
			}
			return canon.String(text)
		}
		for _, p := range parts {
			for _, e := range p.Elements() {
				list = append(list, e)
			}
		}
	case "$merge":
		merged := canon.Object()
		for _, p := range expandAll(arg) {
			for key, m := range p.Members() {
				merged = merged.With(canon.M(key, m))
			}
		}
		return merged
	}
	return canon.Array(list...)
}
