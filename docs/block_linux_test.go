package docs_test

import (
	"regexp"
	"strings"

	"github.com/algal-vm/algal/canon"
)

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

// step is a command of a console block with what it shows.
type step struct{ command, shown string }

func (b block) steps() []step {
	var all []step
	for _, text := range strings.Split("\n"+b.content, "\n$ ")[1:] {
		command, shown, _ := strings.Cut(text, "\n")
		all = append(all, step{command, shown})
	}
	return all
}

// written returns what of a block the reader writes: a file, or the commands.
func (b block) written() string {
	if b.language != "console" {
		return b.content
	}
	var commands strings.Builder
	for _, s := range b.steps() {
		commands.WriteString(s.command + "\n")
	}
	return commands.String()
}

// The sentences that say where a block belongs.
var (
	toFile   = regexp.MustCompile("this as `([\\w.-]+\\.json)`[^`]*:$")
	toScript = regexp.MustCompile("this as `([\\w.-]+\\.sh)`[^`]*:$")
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

// placeScript writes a shell script that a shell can read.
func (f *follower) placeScript(b block) {
	f.Helper()
	m := toScript.FindStringSubmatch(b.before)
	if m == nil {
		f.Errorf("line %d: no sentence says which file this script is: %q", b.line, b.before)
		return
	}
	f.placed++
	f.write(m[1], b.content)
	if shown, status := f.run("sh -n " + m[1]); status != 0 {
		f.Errorf("line %d: %s", b.line, shown)
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
