package report

import "slices"

// room is bytes of the page that so many values share. Each has an equal part of
// what is left; what one does not need goes to those after it.
type room struct{ left, parts int }

// share returns the bytes of the next part.
func (r *room) share() int { return max(r.left/max(r.parts, 1), 0) }

// spend notes what the part took.
func (r *room) spend(bytes int) {
	r.left -= bytes
	r.parts--
}

// shares divides a total among wants so that none gets more than it wants and
// nobody who lacks something gets less than another.
func shares(wants []int, total int) []int {
	got := make([]int, len(wants))
	order := make([]int, len(wants))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return wants[a] - wants[b] })
	for k, i := range order {
		got[i] = min(wants[i], total/(len(order)-k))
		total -= got[i]
	}
	return got
}
