package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// TestHostWords: of the flags of a dispatch those that say who answers are repeated,
// switches without a value.
func TestHostWords(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&programFlags{}).declare(flags)
	(&executorFlags{}).declare(flags)
	switchFlag(flags, new(bool), "journal", "")
	textFlag(flags, new(string), "max-recoveries", "")
	if err := flags.Parse([]string{"--tools", "my tools.json", "--journal", "--cache-effects", "--max-recoveries", "3", "--executor-cmd=./answer -v"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"--cache-effects", "--executor-cmd", "./answer -v", "--tools", "my tools.json"}
	if diff := cmp.Diff(want, hostWords(flags)); diff != "" {
		t.Error(diff)
	}
}

func TestSuggestion(t *testing.T) {
	for given, want := range map[string]string{
		"args": ", did you mean --args?", "ags": ", did you mean --args?", "arsg": ", did you mean --args?",
		"argss": ", did you mean --args?", "modles": ", did you mean --modules?", "modul": ", did you mean --modules?",
		"mod": "", "entirely": "", "": "",
	} {
		if got := suggestion("--", given, []string{"modules", "args"}); got != want {
			t.Errorf("suggestion(%q) = %q, want %q", given, got, want)
		}
	}
}

// TestDistance holds the distance to its definition by recursion.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		switch {
		case a == "":
			return len(b)
		case b == "":
			return len(a)
		case a[0] == b[0]:
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	}
	words := []string{"", "a", "ab", "ba", "abc", "cab", "aabb", "abab", "bcca", "abcde"}
	for _, a := range words {
		for _, b := range words {
			for most := 1; most < 5; most++ {
				if got, want := distance(a, b, most), min(slow(a, b), most); got != want {
					t.Errorf("distance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
				}
			}
		}
	}
}

func TestEnumerate(t *testing.T) {
	for want, words := range map[string][]string{"a": {"a"}, "a or b": {"a", "b"}, "a, b, or c": {"a", "b", "c"}} {
		if got := enumerate(words); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
