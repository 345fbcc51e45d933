package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/shell"
	"pgregory.net/rapid"
)

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"":                  "''",
		"./algal":           "./algal",
		"sha256:0a":         "sha256:0a",
		"two words":         "'two words'",
		"it's":              `'it'\''s'`,
		"$HOME":             "'$HOME'",
		"~":                 "'~'",
		"--flag=value,2":    "--flag=value,2",
		"line\nbreak":       "'line\nbreak'",
		"caf\u00e9; rm -rf": "'caf\u00e9; rm -rf'",
	} {
		if got := shell.Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// TestLine asks the shell of this machine what it makes of a line.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[^\x00]{0,12}`), 1, 4).Draw(t, "words")
		out, err := exec.Command("sh", "-c", `printf '%s\0' `+shell.Line(words...)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(words, "\x00") + "\x00"; string(out) != want {
			t.Fatalf("%q became %q", words, out)
		}
	})
}
