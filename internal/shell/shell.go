// Package shell writes words as a POSIX shell reads them, for commands that are
// shown to be copied and for those that a shell is given.
package shell

import (
	"regexp"
	"strings"
)

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// Quote returns a word so that a shell reads just that word, in single quotes where
// it needs any. The word holds no NUL.
func Quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Line returns a command line of which a shell makes just these words.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
