package qualification_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/internal/shell"
)

// TestMain is also the runtime of the demonstrations here: with arguments that begin
// with a known word it does what they say.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "print":
			fmt.Print(os.Args[2])
			os.Exit(0)
		case "refuse":
			fmt.Fprint(os.Stderr, "said before\n"+os.Args[2]+"\n")
			os.Exit(2)
		case "hang":
			time.Sleep(time.Hour)
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // a child under the race detector rests for a second otherwise
	os.Exit(m.Run())
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// another returns a second executable that does the same as this one.
func another(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "another")
	script := "#!/bin/sh\nexec " + shell.Line(self(t)) + " \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func demonstration(show func(context.Context, *qualification.Session) ([]canon.Member, error)) qualification.Demonstration {
	return qualification.Demonstration{Name: "test", Contract: "test.v1", MaxOutput: 1000, Patience: time.Minute, Show: show}
}

// left returns the names of what is left in a directory.
func left(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestRoles: each role is asked once, by one executable or by two.
func TestRoles(t *testing.T) {
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(self(t), linked); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		native string
		want   int
	}{"one": {"", 1}, "two": {another(t), 2}, "the same by another name": {linked, 1}} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			var told []string
			o := qualification.Options{Self: self(t), Native: c.native, Temp: temp, Told: func(f stage.Fact) { told = append(told, f.Line) }}
			r, err := qualification.Hold(t.Context(), o, demonstration(func(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
				if _, err := s.Write("a", "text"); err != nil {
					return nil, err
				}
				if s.Runtimes() != 0 || s.Two() != (c.want == 2) || s.Self != o.Self || !s.Kept().Is(canon.KindNull) {
					t.Errorf("at first: %d runtimes, %t, %s", s.Runtimes(), s.Two(), s.Self)
				}
				for _, p := range []*stage.Program{s.A, s.B} {
					v, err := s.Ask(ctx, p, "it prints", "print", `{"n":1}`)
					if err != nil {
						return nil, err
					}
					if err := stage.Same(&s.Facts, "one", v.Get("n").Float(), 1); err != nil {
						return nil, err
					}
				}
				return []canon.Member{canon.M("runtimes", canon.Int(s.Runtimes())), canon.M("calls", canon.Int(s.Invocations())), canon.M("absent", canon.Value{})}, nil
			}))
			want := fmt.Sprintf(`{"contract":"test.v1","ok":true,"runtimes":%d,"calls":2}`, c.want)
			if err != nil || !canon.Equal(r.Report, parse(t, want)) || !r.OK || r.Facts != 2 || r.Failed != nil || r.Workspace != "" {
				t.Errorf("%+v, %v", r, err)
			}
			if diff := cmp.Diff([]string{"one", "one"}, told); diff != "" {
				t.Error(diff)
			}
			if names := left(t, temp); names != nil {
				t.Errorf("left behind: %v", names)
			}
		})
	}
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFalse: whatever falsifies a line ends in a report that names it, and in a
// workspace that is kept.
func TestFalse(t *testing.T) {
	ask := func(args ...string) func(context.Context, *qualification.Session) error {
		return func(ctx context.Context, s *qualification.Session) error {
			_, err := s.Ask(ctx, s.A, "it answers", args...)
			return err
		}
	}
	for name, c := range map[string]struct {
		show  func(context.Context, *qualification.Session) error
		found string
	}{
		"a false fact": {func(_ context.Context, s *qualification.Session) error {
			return s.That(false, "it answers", "%d", 7)
		}, "7"},
		"a false fact that is not minded": {func(_ context.Context, s *qualification.Session) error {
			_ = s.That(false, "it answers", "%d", 7)
			_ = s.That(false, "another", "%d", 8)
			return nil
		}, "7"},
		"a refusal":                 {ask("refuse", `{"error":"IO_FAILED"}`), `exit 2: {"error":"IO_FAILED"}`},
		"a refusal without a word":  {ask("refuse", "\n"), "exit 2: said before"},
		"something that is no JSON": {ask("print", "yes"), "a result that is not JSON: "},
		"too much":                  {ask("print", strings.Repeat("x", 1001)), "the process printed more than 1000 bytes"},
		"a process that hangs": {func(ctx context.Context, s *qualification.Session) error {
			s.A.Patience = 10 * time.Millisecond
			_, err := s.Run(ctx, s.A, "it answers", "hang")
			return err
		}, "the process took longer than 10ms"},
		"a process that is killed": {func(ctx context.Context, s *qualification.Session) error {
			o, err := s.A.Start(ctx, "hang")
			if err != nil {
				return err
			}
			ended, err := o.Kill()
			if err != nil {
				return err
			}
			return s.That(false, "it answers", "%s", qualification.Described(ended))
		}, "the signal " + syscall.SIGKILL.String()},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			r, err := qualification.Hold(t.Context(), qualification.Options{Self: self(t), Temp: temp}, demonstration(func(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
				if err := s.That(true, "this holds", ""); err != nil {
					return nil, err
				}
				return []canon.Member{canon.M("measured", canon.Int(3))}, c.show(ctx, s)
			}))
			if err != nil || r.OK || r.Facts != 1 || r.Failed == nil {
				t.Fatalf("%+v, %v", r, err)
			}
			failure := r.Report.Get("failure")
			found := failure.Get("found").Text()
			if !failure.Get("fact").IsText("it answers") || !strings.HasPrefix(found, c.found) || r.Failed.Found != found {
				t.Errorf("%s, want %s", failure, c.found)
			}
			want := canon.Object(canon.M("contract", canon.String("test.v1")), canon.M("ok", canon.Bool(false)), canon.M("measured", canon.Int(3)), canon.M("failure", failure))
			if !canon.Equal(r.Report, want) {
				t.Errorf("%s, want %s", r.Report, want)
			}
			if names := left(t, temp); len(names) != 1 || r.Workspace != filepath.Join(temp, names[0]) || !failure.Get("workspace").IsText(r.Workspace) {
				t.Errorf("left: %v, told %s and %s", names, r.Workspace, failure)
			}
		})
	}
}

func TestKept(t *testing.T) {
	temp := t.TempDir()
	r, err := qualification.Hold(t.Context(), qualification.Options{Self: self(t), Temp: temp, Keep: true}, demonstration(func(_ context.Context, s *qualification.Session) ([]canon.Member, error) {
		if err := s.Mkdir("d"); err != nil {
			return nil, err
		}
		path, err := s.Write("d/a", "text")
		if path != s.Path("d/a") {
			t.Errorf("written to %s", path)
		}
		return []canon.Member{canon.M("artifacts", s.Kept())}, err
	}))
	if err != nil || !r.OK || !r.Report.Get("artifacts").IsText(r.Workspace) {
		t.Fatalf("%+v, %v", r, err)
	}
	if text, err := os.ReadFile(filepath.Join(r.Workspace, "d", "a")); err != nil || string(text) != "text" {
		t.Errorf("%s, %v", text, err)
	}
}

// TestNotHeld: what is no fact is an error, without a report.
func TestNotHeld(t *testing.T) {
	writes := func(_ context.Context, s *qualification.Session) ([]canon.Member, error) {
		_, err := s.Write("no/where", "")
		return nil, err
	}
	var interrupt context.CancelFunc
	interrupted := func(ctx context.Context, s *qualification.Session) ([]canon.Member, error) {
		interrupt()
		_, err := s.Ask(ctx, s.A, "it answers", "hang")
		return nil, err
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    qualification.Options
		show func(context.Context, *qualification.Session) ([]canon.Member, error)
		kept bool
		want string
	}{
		"a workspace that takes no file": {qualification.Options{}, writes, true, "IO_FAILED: no/where in the workspace: no such file or directory"},
		"interrupted":                    {qualification.Options{}, interrupted, true, "BUDGET_EXHAUSTED: interrupted"},
		"no second executable":           {qualification.Options{Native: "/nowhere/at/all"}, writes, false, "IO_FAILED: the second executable: no such file or directory"},
		"a second that is a directory":   {qualification.Options{Native: t.TempDir()}, writes, false, "IO_FAILED: the second executable: not an executable file"},
		"a second that is plain":         {qualification.Options{Native: plain}, writes, false, "IO_FAILED: the second executable: not an executable file"},
		"nowhere to work":                {qualification.Options{Temp: "/nowhere"}, writes, false, "IO_FAILED: no directory to work in: "},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			c.o.Self = self(t)
			if c.o.Temp == "" {
				c.o.Temp = temp
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			interrupt = cancel
			r, err := qualification.Hold(ctx, c.o, demonstration(c.show))
			if e := algal.AsError(err); err == nil || !strings.HasPrefix(string(e.Code)+": "+e.Message, c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if r.Report.Exists() || r.OK || (r.Workspace != "") != c.kept || (left(t, temp) != nil) != c.kept {
				t.Errorf("%+v, left %v", r, left(t, temp))
			}
		})
	}
}

func TestRefusal(t *testing.T) {
	for stderr, want := range map[string]string{
		`{"error":"IO_FAILED","message":"m"}`:                            "IO_FAILED m",
		"told first\n" + `{"error":"IO_FAILED","message":"m"}` + "\n":    "IO_FAILED m",
		`{"error":{"code":"IO_FAILED","message":"m"},"ok":false}` + "\n": "IO_FAILED m",
		`{"error":"IO_FAILED","message":"m"}` + "\nbut this is the last": " ",
		"":                                   " ",
		"\n":                                 " ",
		`["error"]`:                          " ",
		`{"error":7,"message":{"code":"x"}}`: " ",
	} {
		if code, message := qualification.Refusal(stage.Ended{Stderr: stderr}); string(code)+" "+message != want {
			t.Errorf("%q: %s %s", stderr, code, message)
		}
	}
}
