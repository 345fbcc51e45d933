package docs_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
)

const guideFile = "programs.md"

// TestGuide follows the guide in an empty folder, as a reader at a terminal would.
// Every JSON block is put where the sentence before it says, all programs compile
// whenever a command is given, and each command shows what the guide shows. "…"
// stands for any text.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(guideFile)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{T: t, desk: newDesk(t), terminal: newShell(t), replaced: map[string][]string{}, typed: map[string]bool{}}
	for _, b := range blocks(string(text)) {
		for _, d := range digest.FindAllString(b.content, -1) {
			f.typed[d] = f.typed[d] || b.language == "json"
		}
	}
	for _, b := range blocks(string(text)) {
		switch b.language {
		case "json":
			f.place(b)
		case "console":
			f.compileAll()
			f.session(b)
		default:
			t.Errorf("line %d: a block of %q", b.line, b.language)
		}
	}
	f.compileAll()
	f.sameAsExample()
	f.inlineCommands(string(text))
	if *update && !t.Failed() {
		if err := os.WriteFile(guideFile, []byte(f.rewrite(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if f.placed < 10 || f.commands < 10 {
		t.Errorf("only %d JSON blocks and %d commands", f.placed, f.commands)
	}
	t.Logf("%d JSON blocks, %d commands", f.placed, f.commands)
}

// block is a fenced block with the paragraph before it.
type block struct {
	line     int // of the opening fence, from 1
	language string
	before   string
	content  string
}

func blocks(text string) []block {
	var all []block
	var paragraph, previous []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		language, fence := strings.CutPrefix(lines[i], "```")
		switch {
		case fence:
			end := i + 1
			for end < len(lines) && lines[end] != "```" {
				end++
			}
			if len(paragraph) > 0 {
				previous = paragraph
			}
			all = append(all, block{i + 1, language, strings.Join(previous, " "), strings.Join(lines[i+1:end], "\n")})
			paragraph, previous, i = nil, nil, end
		case lines[i] == "":
			if len(paragraph) > 0 {
				previous, paragraph = paragraph, nil
			}
		default:
			paragraph = append(paragraph, lines[i])
		}
	}
	return all
}

// follower does what the guide says.
type follower struct {
	*testing.T
	*desk
	*terminal
	placed, commands int
	status           int                 // exit status of the command before
	replaced         map[string][]string // console block to what it should be, in order
	typed            map[string]bool     // digests in JSON blocks
}

// The sentences that say where a block belongs.
var (
	toFile   = regexp.MustCompile("this as `([\\w.-]+\\.json)`[^`]*:$")
	toMember = regexp.MustCompile("this as `(\\w+)` in `([\\w.-]+)`:$")
	toCell   = regexp.MustCompile("this as `(\\w+)` of cell `([\\w-]+)` in `([\\w.-]+)`:$")
	toEnd    = regexp.MustCompile("this at the end of `(\\w+)` in `([\\w.-]+)`:$")
	toShow   = regexp.MustCompile("this is (?:a|the) `(guard|output)`(?:, too)?:$")
)

// place puts a JSON block where it belongs.
func (f *follower) place(b block) {
	f.Helper()
	v, err := canon.Parse(b.content, canon.Limits{})
	if err != nil {
		f.Fatalf("line %d: %v", b.line, err)
	}
	f.placed++
	if m := toCell.FindStringSubmatch(b.before); m != nil {
		f.edit(m[3], func(program canon.Value) canon.Value { return setInCell(program, m[2], canon.M(m[1], v)) })
	} else if m := toMember.FindStringSubmatch(b.before); m != nil {
		f.edit(m[2], func(program canon.Value) canon.Value { return program.With(canon.M(m[1], v)) })
	} else if m := toEnd.FindStringSubmatch(b.before); m != nil {
		f.edit(m[2], func(program canon.Value) canon.Value {
			return program.With(canon.M(m[1], appended(program.Get(m[1]), v)))
		})
	} else if m := toShow.FindStringSubmatch(strings.ToLower(b.before)); m != nil {
		f.admit(m[1], v)
	} else if m := toFile.FindStringSubmatch(b.before); m != nil {
		f.write(m[1], b.content)
	} else {
		f.Errorf("line %d: no sentence says where this block belongs: %q", b.line, b.before)
	}
}

func setInCell(program canon.Value, id string, member canon.Member) canon.Value {
	var cells []canon.Value
	for _, c := range program.Get("cells").Elements() {
		if c.Get("id").IsText(id) {
			c = c.With(member)
		}
		cells = append(cells, c)
	}
	return program.With(canon.M("cells", canon.Array(cells...)))
}

// appended returns a list with a value, or all elements of one, at the end.
func appended(list, more canon.Value) canon.Value {
	var all []canon.Value
	for _, v := range list.Elements() {
		all = append(all, v)
	}
	if !more.Is(canon.KindArray) {
		more = canon.Array(more)
	}
	for _, v := range more.Elements() {
		all = append(all, v)
	}
	return canon.Array(all...)
}

// session runs the commands of a console block and compares what they show.
func (f *follower) session(b block) {
	f.Helper()
	var now strings.Builder
	for _, step := range strings.Split("\n"+b.content, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		got := f.command(command)
		f.commands++
		if matches(want, got) {
			got = want
		} else if *update {
			got = f.elided(got)
		} else {
			f.Errorf("line %d: %s shows\n%s\nnot\n%s", b.line, command, got, want)
		}
		now.WriteString("$ " + command + "\n" + got)
		if got != "" {
			now.WriteString("\n")
		}
	}
	f.replaced[b.content] = append(f.replaced[b.content], strings.TrimSuffix(now.String(), "\n"))
}

var digest = regexp.MustCompile("sha256:[0-9a-f]{64}")

// elided leaves out the digests that the reader has no use for: those that are not
// to be typed.
func (f *follower) elided(text string) string {
	return digest.ReplaceAllStringFunc(text, func(d string) string {
		if f.typed[d] {
			return d
		}
		return "sha256:…"
	})
}

// command runs one line, which sees the exit status of the one before.
func (f *follower) command(line string) string {
	if line == "echo $?" {
		return strconv.Itoa(f.status)
	}
	var shown string
	shown, f.status = f.run(f.dir, line)
	return strings.TrimSuffix(shown, "\n")
}

// matches reports whether a text is as shown.
func matches(shown, text string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", "(?s:.*?)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(text)
}

// rewrite puts what the commands show into the guide.
func (f *follower) rewrite(text string) string {
	for old, now := range f.replaced {
		for _, content := range now {
			text = strings.Replace(text, "```console\n"+old+"\n```", "```console\n"+content+"\n```", 1)
		}
	}
	return text
}

var inline = regexp.MustCompile("`algal ([^`]+)`")

// inlineCommands holds the commands named in sentences to those that there are.
func (f *follower) inlineCommands(text string) {
	f.Helper()
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(strings.TrimPrefix(m[1], "help "))
		if shown, status := f.run(f.dir, "algal help "+strings.Join(words, " ")); status != 0 || !strings.Contains(shown, "algal "+strings.Join(words, " ")) {
			f.Errorf("`algal %s`: no such command", m[1])
		}
	}
}

// terminal is a shell whose standard output is a terminal without colours.
type terminal struct{ env []string }

// newShell builds the command and returns a shell that finds it.
func newShell(t *testing.T) *terminal {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "algal"), "./cmd/algal")
	build.Dir = golden.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &terminal{append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1")}
}

// run runs a line of shell in dir and returns what its reader sees: standard output,
// then standard error.
func (s *terminal) run(dir, line string) (shown string, status int) {
	ours, theirs, err := openTerminal()
	if err != nil {
		return err.Error(), -1
	}
	defer ours.Close()
	var diagnostics bytes.Buffer
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, s.env, theirs, &diagnostics
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err.Error(), -1
	}
	shown = drain(ours)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return shown + diagnostics.String(), exit.ExitCode()
	} else if err != nil {
		return err.Error(), -1
	}
	return shown + diagnostics.String(), 0
}
