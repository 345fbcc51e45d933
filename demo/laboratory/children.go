package laboratory

import (
	"context"
	"fmt"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
)

// exitRefused is the exit code of a command that is refused, with the error as the
// last line on its standard error (cli.md §1.3).
const exitRefused = 2

// maxFound bounds what a line tells of a value, in UTF-16 units.
const maxFound = 300

// answer is what became of a child: the JSON that it printed, or what went wrong.
type answer struct {
	text  string
	value canon.Value
	code  algal.Code // of its refusal
	wrong string     // "" when it succeeded
}

// ask runs a command of the program as a child. The error says that no answer could
// be waited for.
func (l *laboratory) ask(ctx context.Context, args ...string) (answer, error) {
	ended, err := l.program.Run(ctx, append([]string{"demo"}, args...)...)
	if ctx.Err() != nil {
		return answer{}, interrupted()
	}
	if err != nil {
		return answer{wrong: described(err)}, nil
	}
	return answered(ended), nil
}

func interrupted() error { return algal.Errorf(algal.BudgetExhausted, "interrupted") }

func described(err error) string { return string(algal.CodeOf(err)) + ": " + err.Error() }

// answered reads what a child left on its streams.
func answered(ended stage.Ended) answer {
	if ended.Signal != 0 {
		return answer{wrong: "that it was ended by signal " + ended.Signal.String()}
	}
	if ended.Exit != 0 {
		lines := strings.Split(strings.TrimSpace(ended.Stderr), "\n")
		last, err := canon.Parse(lines[len(lines)-1], canon.Limits{})
		if err != nil || ended.Exit != exitRefused {
			return answer{wrong: fmt.Sprintf("exit %d", ended.Exit)}
		}
		refusal := algal.Errorf(algal.Code(last.Get("error").Text()), "%s", last.Get("message").Text())
		return answer{code: refusal.Code, wrong: described(refusal)}
	}
	v, err := ended.Value()
	if err != nil {
		return answer{wrong: "output that is not JSON: " + err.Error()}
	}
	return answer{text: ended.Stdout, value: v}
}

// succeeds asserts that a command answers with the given text in a member.
func (l *laboratory) succeeds(ctx context.Context, line, member, want string, args ...string) (canon.Value, error) {
	a, err := l.ask(ctx, args...)
	if err != nil {
		return canon.Value{}, err
	}
	found := a.wrong
	if found == "" {
		found = member + " " + brief(a.value.Get(member))
	}
	return a.value, l.facts.That(a.wrong == "" && a.value.Get(member).IsText(want), line, "%s", found)
}

// refused asserts that a command is refused with a code.
func (l *laboratory) refused(ctx context.Context, line string, want algal.Code, args ...string) error {
	a, err := l.ask(ctx, args...)
	if err != nil {
		return err
	}
	found := a.wrong
	if found == "" {
		found = "that it was accepted"
	}
	return l.facts.That(a.code == want, line, "%s", found)
}

// measured asserts a fact about something that could not be measured if err is set.
func (l *laboratory) measured(err error, holds bool, line, format string, found ...any) error {
	if err != nil {
		return l.facts.That(false, line, "%s", described(err))
	}
	return l.facts.That(holds, line, format, found...)
}

// brief returns the beginning of a value, for a line, or "nothing" for none.
func brief(v canon.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	text := v.String()
	if cut := canon.CutUnits(text, maxFound); len(cut) < len(text) {
		return cut + "…"
	}
	return text
}
