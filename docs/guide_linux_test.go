package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// guides are the pages that a reader follows at a terminal, each with how many files
// and commands it has at least, and what has to hold at its end.
var guides = []struct {
	name            string
	files, commands int
	end             func(f *follower, text string)
}{
	{"programs.md", 30, 30, func(f *follower, _ string) { f.sameAsExample() }},
	{"vm.md", 5, 35, boundsAreLimits},
	{"recovery.md", 3, 60, nil},
	{"verification.md", 2, 45, stagesAreAll},
}

// TestGuide follows each guide in an empty folder, as a reader at a terminal would.
// Every file is put where the sentence before it says, all programs compile
// whenever a command is given, and each command shows what the guide shows. "…"
// stands for any text.
func TestGuide(t *testing.T) {
	for _, g := range guides {
		t.Run(g.name, func(t *testing.T) {
			text, err := os.ReadFile(g.name)
			if err != nil {
				t.Fatal(err)
			}
			f := newFollower(t)
			f.follow(string(text))
			if g.end != nil {
				g.end(f, string(text))
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(g.name, []byte(f.rewritten(string(text))), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if f.placed < g.files || f.commands < g.commands {
				t.Errorf("only %d files and %d commands", f.placed, f.commands)
			}
			t.Logf("%d files, %d commands", f.placed, f.commands)
		})
	}
}

// follower does what a guide says.
type follower struct {
	*testing.T
	*desk
	*shell
	placed, commands int
	sessions         map[int]string  // console blocks as they should be, by their line
	typed            map[string]bool // digests that the reader writes
}

func newFollower(t *testing.T) *follower {
	t.Helper()
	d := newDesk(t)
	return &follower{T: t, desk: d, shell: newShell(t, d.dir), sessions: map[int]string{}, typed: map[string]bool{}}
}

func (f *follower) follow(text string) {
	f.Helper()
	for _, b := range blocks(text) {
		for _, d := range digest.FindAllString(b.written(), -1) {
			f.typed[d] = true
		}
	}
	for _, b := range blocks(text) {
		switch b.language {
		case "json":
			f.place(b)
		case "sh":
			f.placeScript(b)
		case "console":
			f.compileAll()
			f.session(b)
		default:
			f.Errorf("line %d: a block of %q", b.line, b.language)
		}
	}
	f.compileAll()
	f.inlineCommands(text)
}

// session runs the commands of a console block and compares what they show.
func (f *follower) session(b block) {
	f.Helper()
	var now strings.Builder
	for _, step := range b.steps() {
		got := f.see(step.command)
		f.commands++
		if matches(step.shown, got) {
			got = step.shown
		} else if *update {
			got = f.elided(got)
		} else {
			f.Errorf("line %d: %s shows\n%s\nnot\n%s", b.line, step.command, got, step.shown)
		}
		now.WriteString("$ " + step.command + "\n" + got)
		if got != "" {
			now.WriteString("\n")
		}
	}
	f.sessions[b.line] = strings.TrimSuffix(now.String(), "\n")
}

// see runs one line and returns what the reader sees.
func (f *follower) see(line string) string {
	f.Helper()
	shown, _ := f.run(line)
	return strings.TrimSuffix(shown, "\n")
}

var (
	digest = regexp.MustCompile("sha256:[0-9a-f]{64}")
	took   = regexp.MustCompile(`(?m)^(  time +)[0-9.]+[µm]?s$`)
)

// elided leaves out what is another time another, and the digests that the reader
// has no use for: those that are not to be typed.
func (f *follower) elided(text string) string {
	text = took.ReplaceAllString(text, "$1…")
	return digest.ReplaceAllStringFunc(text, func(d string) string {
		if f.typed[d] {
			return d
		}
		return "sha256:…"
	})
}

// matches reports whether a text is as shown.
func matches(shown, text string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", "(?s:.*?)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(text)
}

// rewritten returns the guide with what the commands show.
func (f *follower) rewritten(text string) string {
	lines := strings.Split(text, "\n")
	var now []string
	done := 0
	for _, b := range blocks(text) {
		session, ok := f.sessions[b.line]
		if !ok {
			continue
		}
		now = append(append(now, lines[done:b.line]...), session)
		done = b.line + strings.Count(b.content, "\n") + 1
	}
	return strings.Join(append(now, lines[done:]...), "\n")
}

var inline = regexp.MustCompile("`algal ([^`]+)`")

// inlineCommands holds the commands named in sentences to those that there are.
func (f *follower) inlineCommands(text string) {
	f.Helper()
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		words := strings.TrimPrefix(m[1], "help ")
		if shown, status := f.run("algal help " + words); status != 0 || !strings.Contains(shown, "algal "+words) {
			f.Errorf("`algal %s`: no such command", m[1])
		}
	}
}
