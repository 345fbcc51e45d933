package report

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestShares: nothing more than wanted, nothing left over that somebody wants, and
// who lacks something has as much as anybody, but for one that does not divide.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wants := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 64).Draw(t, "wants")
		total := rapid.IntRange(0, 400).Draw(t, "total")
		got := shares(wants, total)
		sum, wanted := 0, 0
		for i := range wants {
			sum, wanted = sum+got[i], wanted+wants[i]
			if got[i] > wants[i] {
				t.Fatalf("%d of %d", got[i], wants[i])
			}
			if got[i] < wants[i] && got[i]+1 < slices.Max(got) {
				t.Fatalf("%v for %v", got, wants)
			}
		}
		if sum != min(total, wanted) {
			t.Fatalf("%d are given of %d, %d are wanted", sum, total, wanted)
		}
	})
}

func TestRoom(t *testing.T) {
	r := room{100, 4}
	for _, step := range []struct{ share, spent int }{{25, 10}, {30, 30}, {30, 0}, {60, 70}, {0, 0}} {
		if got := r.share(); got != step.share {
			t.Errorf("%+v gives %d, not %d", r, got, step.share)
		}
		r.spend(step.spent)
	}
}
