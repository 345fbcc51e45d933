package main

// suggestion returns ", did you mean NAME?" for the candidate that was probably
// meant, or "". prefix stands before the name.
func suggestion(prefix, given string, candidates []string) string {
	best, least := "", 3
	for _, name := range candidates {
		if d := distance(given, name, least); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + prefix + best + "?"
}

// distance returns in how many places two words differ, counting what is left out,
// put in or replaced, or most when that is at least most.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return min(row[len(b)], most)
}
