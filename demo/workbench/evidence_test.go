//go:build unix

package workbench_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/workbench"
)

// TestEvidenceAtItsBounds takes evidence of just each bound through the whole flow,
// and refuses it one beyond.
func TestEvidenceAtItsBounds(t *testing.T) {
	filled := func(unit string) string { // exactly MaxEvidence bytes
		n := (workbench.MaxEvidence - 2) / canon.QuotedSize(unit)
		for canon.QuotedSize(strings.Repeat(unit, n+1)) <= workbench.MaxEvidence {
			n++
		}
		text := strings.Repeat(unit, n)
		return text + strings.Repeat("x", workbench.MaxEvidence-canon.QuotedSize(text))
	}
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, c := range []struct {
		what         string
		most, beyond canon.Value
	}{
		{"text", canon.String(filled("x")), canon.String(filled("x") + "x")},
		{"escapes", canon.String(filled("\x01")), canon.String(filled("\x01") + "x")},
		{"quotes", canon.String(filled(`"`)), canon.String(filled(`"`) + "x")},
		{"characters of four bytes", canon.String(filled("\U0001f600")), canon.String(filled("\U0001f600") + "x")},
		{"a key", canon.Object(canon.M(filled("k")[:workbench.MaxEvidence-6], canon.Int(1))), canon.Object(canon.M(filled("k")[:workbench.MaxEvidence-5], canon.Int(1)))},
		{"values", parse(t, "["+strings.Repeat(`"abcdefghijk",`, 510)+"1]"), parse(t, "["+strings.Repeat("0,", 511)+"1]")},
		{"members", members(256), members(257)},
		{"values in members", canon.Array(members(255), members(254)), canon.Array(members(255), members(255))},
		{"depth", parse(t, nested(16)), parse(t, nested(17))},
		{"empty lists", parse(t, strings.Repeat("[", 17)+strings.Repeat("]", 17)), parse(t, strings.Repeat("[", 18)+strings.Repeat("]", 18))},
		{"null", canon.Null(), canon.Value{}},
		{"a number", parse(t, "0.30000000000000004"), parse(t, "0.9526363022588433")},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := workbench.CheckEvidence(c.beyond); err == nil {
				t.Errorf("admitted beyond the bound: %d bytes", c.beyond.Size())
			}
			s := started(t, c.most)
			s.decide(workbench.Approve)
			s.is(workbench.Approved)
			s.counts(1, 1, 1)
			if got := parse(t, s.read(workbench.PublicationName)).Get("evidence"); !canon.Equal(got, c.most) {
				t.Errorf("published %.200s", got)
			}
		})
	}
}

func members(n int) canon.Value {
	var list []canon.Member
	for i := range n {
		list = append(list, canon.M("k"+string(rune('a'+i/26%26))+string(rune('a'+i%26)), canon.Int(i)))
	}
	return canon.Object(list...)
}

// TestCheckEvidence: what is admitted is just what is within the three bounds,
// counted in another way.
func TestCheckEvidence(t *testing.T) {
	var measure func(v canon.Value, depth int) (nodes, deepest int)
	measure = func(v canon.Value, depth int) (nodes, deepest int) {
		nodes, deepest = 1, depth
		for i := range v.Len() {
			n, d := measure(v.At(i), depth+1)
			nodes, deepest = nodes+n, max(deepest, d)
		}
		return nodes, deepest
	}
	admitted := 0
	rapid.Check(t, func(t *rapid.T) {
		v := canon.String(strings.Repeat("x", rapid.IntRange(0, 40).Draw(t, "text")))
		for range rapid.IntRange(0, 18).Draw(t, "levels") {
			list := []canon.Value{v}
			for range rapid.SampledFrom([]int{0, 0, 0, 1, 2, 60, 250}).Draw(t, "more") {
				list = append(list, canon.String(strings.Repeat("y", rapid.SampledFrom([]int{0, 10}).Draw(t, "length"))))
			}
			v = canon.Array(list...)
		}
		nodes, depth := measure(v, 0)
		within := nodes <= 512 && depth <= 16 && len(v.String()) <= 8192
		err := workbench.CheckEvidence(v)
		if (err == nil) != within || err != nil && algal.CodeOf(err) != algal.BudgetExhausted {
			t.Errorf("%d values, %d levels, %d bytes: %v", nodes, depth, v.Size(), err)
		}
		if within {
			admitted++
		}
	})
	if admitted == 0 {
		t.Error("nothing was admitted")
	}
}
