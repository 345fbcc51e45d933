// Package shell writes words as a POSIX shell reads them, for commands that are
// shown to be copied and for those that a shell is given.
package shell

import "strings"

// Quote returns a word so that a shell reads just that word, in single quotes where
// it needs any. The word holds no NUL.
func Quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports whether a shell may take a character for more than itself.
func special(r rune) bool {
	plain := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./:@%+=,-", r)
	return !plain
}

// Line returns a command line of which a shell makes just these words.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
