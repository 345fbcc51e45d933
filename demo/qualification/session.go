package qualification

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/durable"
)

// Session is a demonstration that is being held. It is for one goroutine.
type Session struct {
	stage.Facts

	A, B *stage.Program // the roles; one and the same where there is one runtime
	Self string         // our executable, which also serves as adapter
	Dir  string         // the workspace: absolute, without links, at first empty

	keep   bool
	failed *stage.Fact
}

// Two reports whether the roles are played by two executables.
func (s *Session) Two() bool { return s.A != s.B }

// Runtimes returns how many executables took a role so far.
func (s *Session) Runtimes() int {
	n := 0
	if s.A.Calls() > 0 {
		n++
	}
	if s.Two() && s.B.Calls() > 0 {
		n++
	}
	return n
}

// Invocations returns how many processes of the runtimes were started so far.
func (s *Session) Invocations() int {
	if s.Two() {
		return s.A.Calls() + s.B.Calls()
	}
	return s.A.Calls()
}

// Kept returns the path of the workspace where it is to be kept, else null.
func (s *Session) Kept() canon.Value {
	if s.keep {
		return canon.String(s.Dir)
	}
	return canon.Null()
}

// Path returns the path of something in the workspace.
func (s *Session) Path(name string) string { return filepath.Join(s.Dir, name) }

// Mkdir makes a directory of the workspace.
func (s *Session) Mkdir(name string) error {
	if err := os.Mkdir(s.Path(name), 0o700); err != nil {
		return algal.Errorf(algal.IOFailed, "%s in the workspace: %v", name, durable.Cause(err))
	}
	return nil
}

// Write writes a file of the workspace and returns its path.
func (s *Session) Write(name, text string) (string, error) {
	path := s.Path(name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", algal.Errorf(algal.IOFailed, "%s in the workspace: %v", name, durable.Cause(err))
	}
	return path, nil
}

// Run runs a command to its end, whatever its exit. One that does not end within
// its bounds falsifies the line.
func (s *Session) Run(ctx context.Context, p *stage.Program, line string, args ...string) (stage.Ended, error) {
	ended, err := p.Run(ctx, args...)
	if err != nil && ctx.Err() == nil {
		err = s.That(false, line, "%v", err)
	}
	return ended, err
}

// Ask runs a command that must succeed and returns the JSON value that it prints. A
// command that fails, or prints anything else, falsifies the line; that it succeeds
// is not told: what the value shows is for the caller to assert.
func (s *Session) Ask(ctx context.Context, p *stage.Program, line string, args ...string) (canon.Value, error) {
	ended, err := s.Run(ctx, p, line, args...)
	if err != nil {
		return canon.Value{}, err
	}
	if ended.Exit != 0 {
		return canon.Value{}, s.That(false, line, "%s", Described(ended))
	}
	v, err := ended.Value()
	if err != nil {
		return canon.Value{}, s.That(false, line, "a result that is not JSON: %v", err)
	}
	return v, nil
}

// Refusal returns code and message of the error that a process ended with, the last
// line on its standard error: {"error": CODE, "message": TEXT}, or the older
// {"error": {"code", "message"}} (cli.md §1.3). They are "" where it holds neither.
func Refusal(e stage.Ended) (code algal.Code, message string) {
	v, err := canon.Parse(lastLine(e.Stderr), canon.Limits{})
	if err != nil {
		return "", ""
	}
	if older := v.Get("error"); older.Is(canon.KindObject) {
		return algal.Code(older.Get("code").Text()), older.Get("message").Text()
	}
	return algal.Code(v.Get("error").Text()), v.Get("message").Text()
}

// Described says how a process ended: its exit, and the last line on its standard
// error.
func Described(e stage.Ended) string {
	how := "exit " + strconv.Itoa(e.Exit)
	if e.Signal != 0 {
		how = "the signal " + e.Signal.String()
	}
	if last := canon.CutUnits(lastLine(e.Stderr), maxSaid); last != "" {
		how += ": " + last
	}
	return how
}

// maxSaid bounds what is repeated of a process, in UTF-16 units.
const maxSaid = 1000

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
