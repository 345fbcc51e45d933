//go:build unix

package subprocess_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
	"github.com/google/go-cmp/cmp"
)

// strangerEnv makes the test binary a process that leaves its group, says so on
// the named pipe and stays until it is released.
const strangerEnv = "ALGAL_TEST_STRANGER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(strangerEnv); dir != "" {
		stranger(dir)
		return
	}
	os.Exit(m.Run())
}

func stranger(dir string) {
	_, err := syscall.Setsid()
	said, openErr := os.OpenFile(filepath.Join(dir, "witness"), os.O_WRONLY, 0)
	if err != nil || openErr != nil {
		os.Exit(1)
	}
	fmt.Fprintln(said, "away")
	os.OpenFile(filepath.Join(dir, "release"), os.O_RDONLY, 0) // waits for a writer
}

func request(line string) subprocess.Command {
	return subprocess.Command{
		Argv:      subprocess.Shell(line),
		Input:     canon.Object(canon.M("q", canon.Int(1))),
		MaxStdout: 1000,
		TimeoutMs: int(patience / time.Millisecond),
	}
}

// large is a request that no pipe takes at once.
func large() canon.Value { return canon.String(strings.Repeat("x", 900_000)) }

// outcome is what a call gives, in a form that diffs well.
type outcome struct {
	Answer, Code, Message string
	Uncertain             bool
}

func observe(v canon.Value, err error) outcome {
	if err == nil {
		return outcome{Answer: v.String()}
	}
	e := algal.AsError(err)
	return outcome{Code: string(e.Code), Message: e.Message, Uncertain: e.Uncertain}
}

func TestOutcomes(t *testing.T) {
	answer := func(text string) outcome { return outcome{Answer: text} }
	settled := func(code algal.Code, text string) outcome { return outcome{Code: string(code), Message: text} }
	lost := func(code algal.Code, text string) outcome {
		return outcome{Code: string(code), Message: text, Uncertain: true}
	}
	unavailable := "executor response unavailable; external completion uncertain"
	notJSON := settled(algal.EffectUnparseable, "executor stdout is not JSON")
	cases := []struct {
		name, line string
		change     func(*subprocess.Command)
		want       outcome
	}{
		{name: "the request arrives whole", line: "cat", want: answer(`{"q":1}`)},
		{name: "white space", line: `printf ' \t\r\n{"n" : 1.0}\n'`, want: answer(`{"n":1}`)},
		{name: "a request nobody reads", line: `printf 1`, want: answer(`1`)},
		{name: "a large request", line: `wc -c`, change: func(c *subprocess.Command) { c.Input = large() }, want: answer("900002")},
		{name: "null", line: "printf null", want: answer("null")},
		{name: "working directory", line: `printf '"%s"' "$(pwd)"`, change: func(c *subprocess.Command) { c.Dir = "/" }, want: answer(`"/"`)},
		{name: "environment", line: `printf '"%s"' "$A$HOME"`, change: func(c *subprocess.Command) { c.Env = []string{"A=b"} }, want: answer(`"b"`)},
		{name: "largest request", line: "wc -c", change: func(c *subprocess.Command) { c.Input = canon.String(strings.Repeat("x", 1_048_574)) }, want: answer("1048576")},
		{
			name: "too large a request", line: "printf 1",
			change: func(c *subprocess.Command) { c.Input = canon.String(strings.Repeat("x", 1_048_575)) },
			want:   settled(algal.BudgetExhausted, "command input exceeds 1048576 bytes"),
		},
		{
			name: "timeout", line: "exec sleep 1000", change: func(c *subprocess.Command) { c.TimeoutMs = 50 },
			want: lost(algal.BudgetExhausted, "command cancelled or timed out"),
		},
		{
			name: "timeout after the streams are closed", line: "exec sleep 1000 >&- 2>&-",
			change: func(c *subprocess.Command) { c.TimeoutMs = 50 },
			want:   lost(algal.BudgetExhausted, "command cancelled or timed out"),
		},
		{
			name: "timeout while the request is being written", line: "exec sleep 1000",
			change: func(c *subprocess.Command) { c.TimeoutMs, c.Input = 50, large() },
			want:   lost(algal.BudgetExhausted, "command cancelled or timed out"),
		},
		{name: "the largest answer", line: `printf '%1000d' 7`, want: answer("7")},
		{name: "an answer beyond the bound", line: `printf '%1001d' 7`, want: lost(algal.BudgetExhausted, unavailable)},
		{name: "an endless answer", line: "exec yes", want: lost(algal.BudgetExhausted, unavailable)},
		{name: "the most diagnostics", line: `printf '%65536d' 7 >&2; printf 1`, want: answer("1")},
		{name: "diagnostics beyond the bound", line: `printf '%65537d' 7 >&2; printf 1`, want: lost(algal.BudgetExhausted, unavailable)},
		{name: "killed", line: "kill -9 $$", want: lost(algal.EffectFailed, "executor terminated by signal; external completion uncertain")},
		{name: "terminated", line: "kill -15 $$", want: lost(algal.EffectFailed, "executor terminated by signal; external completion uncertain")},
		{name: "exit 75", line: "exit 75", want: settled(algal.EffectSuspended, "executor asked the host to suspend the run")},
		{name: "exit 75 after an answer", line: "printf 1; exit 75", want: settled(algal.EffectSuspended, "executor asked the host to suspend the run")},
		{name: "exit 1", line: "echo secret >&2; exit 1", want: settled(algal.EffectFailed, "executor exited 1; diagnostics withheld")},
		{name: "exit 255", line: "exit 255", want: settled(algal.EffectFailed, "executor exited 255; diagnostics withheld")},
		// Standard input closed early: the exit status comes first (J-36).
		{
			name: "closed stdin and 75", line: "exec <&-; exit 75", change: func(c *subprocess.Command) { c.Input = large() },
			want: settled(algal.EffectSuspended, "executor asked the host to suspend the run"),
		},
		{
			name: "closed stdin and 2", line: "exec <&-; exit 2", change: func(c *subprocess.Command) { c.Input = large() },
			want: settled(algal.EffectFailed, "executor exited 2; diagnostics withheld"),
		},
		{
			name: "closed stdin and 0", line: "exec <&-; printf 1", change: func(c *subprocess.Command) { c.Input = large() },
			want: settled(algal.EffectFailed, "executor closed stdin before request delivery"),
		},
		{name: "no answer", line: "cat >/dev/null", want: notJSON},
		{name: "words", line: "echo nope", want: notJSON},
		{name: "two values", line: "echo 1 2", want: notJSON},
		{name: "byte-order mark", line: `printf '\357\273\2771'`, want: notJSON},
		{name: "not UTF-8", line: `printf '"\377"'`, want: notJSON},
		{name: "lone surrogate", line: `printf '"\\ud800"'`, want: notJSON},
		{
			name: "too deep", line: `printf '%065d' 0 | tr 0 '['; printf 1; printf '%065d' 0 | tr 0 ']'`,
			want: settled(algal.BudgetExhausted, "JSON depth exceeds 64"),
		},
		{
			name: "no such program", change: func(c *subprocess.Command) { c.Argv = []string{"/nonexistent/program"} },
			want: settled(algal.EffectFailed, "executor could not be started"),
		},
		{
			name: "no such directory", line: "printf 1", change: func(c *subprocess.Command) { c.Dir = "/nonexistent" },
			want: settled(algal.EffectFailed, "executor could not be started"),
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			command := request(c.line)
			if c.change != nil {
				c.change(&command)
			}
			got := observe(subprocess.Run(t.Context(), command))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			idle(t)
		})
	}
}

func TestCancelledBeforeLaunch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	marker := filepath.Join(t.TempDir(), "launched")
	got := observe(subprocess.Run(ctx, request("touch "+marker)))
	want := outcome{Code: "BUDGET_EXHAUSTED", Message: "command cancelled before launch"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
}

// family is a line whose shell, child and grandchild hold the witness and outlive
// every test; all but what is redirected away.
func family(w *witness, redirect string) string {
	return "exec 9>" + w.path + "; sh -c 'sleep 1000 & sleep 1000' " + redirect + " & echo up >&9; "
}

// TestGroupIsKilled cancels, times out and floods: no process of the group may
// survive, and no goroutine.
func TestGroupIsKilled(t *testing.T) {
	cases := []struct {
		name, line string
		timeoutMs  int
		code       string
		message    string
	}{
		{"cancelled", "exec sleep 1000", 600_000, "BUDGET_EXHAUSTED", "command cancelled or timed out"},
		{"timed out", "exec sleep 1000", 300, "BUDGET_EXHAUSTED", "command cancelled or timed out"},
		{"shell gone, grandchild holds stdout", "exit 0", 300, "BUDGET_EXHAUSTED", "command cancelled or timed out"},
		{"flooded", "yes", 600_000, "BUDGET_EXHAUSTED", "executor response unavailable; external completion uncertain"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWitness(t)
			command := request(family(w, "") + c.line)
			command.TimeoutMs = c.timeoutMs
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan outcome, 1)
			go func() { done <- observe(subprocess.Run(ctx, command)) }()
			if w.line(t) != "up" {
				t.Fatal("the family did not start")
			}
			if c.name == "cancelled" {
				cancel()
			}
			want := outcome{Code: c.code, Message: c.message, Uncertain: true}
			if diff := cmp.Diff(want, <-done); diff != "" {
				t.Error(diff)
			}
			w.gone(t)
			idle(t)
		})
	}
}

// TestBackgroundProcessIsLeft shows the other side: after a regular end nothing is
// killed, a command may leave a process that uses none of its streams.
func TestBackgroundProcessIsLeft(t *testing.T) {
	w := newWitness(t)
	command := request("exec 9>" + w.path + "; (sleep 1000 >/dev/null 2>&1 & echo $! >&9); printf 1")
	if got := observe(subprocess.Run(t.Context(), command)); got.Answer != "1" {
		t.Fatal(got)
	}
	pid, err := strconv.Atoi(w.line(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("process %d did not survive: %v", pid, err)
	}
	w.gone(t)
}

// TestStrangerDelaysNothing lets a process leave the group with our streams in
// its hands.
func TestStrangerDelaysNothing(t *testing.T) {
	w := newWitness(t)
	dir := filepath.Dir(w.path)
	release := filepath.Join(dir, "release")
	if err := syscall.Mkfifo(release, 0o600); err != nil {
		t.Fatal(err)
	}
	command := request(strangerEnv + `="` + dir + `" "` + os.Args[0] + `"`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- observe(subprocess.Run(ctx, command)) }()
	if w.line(t) != "away" {
		t.Fatal("the process did not leave")
	}
	cancel()
	if got := <-done; !got.Uncertain || got.Message != "command cancelled or timed out" {
		t.Errorf("%+v", got)
	}
	idle(t)
	// It outlived the call; let it go.
	file, err := os.OpenFile(release, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	w.gone(t)
}

// TestNoOtherDescriptors opens a file and looks for it in the child.
func TestNoOtherDescriptors(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	line := fmt.Sprintf("if [ -e /dev/fd/%d ]; then printf true; else printf false; fi", file.Fd())
	if got := observe(subprocess.Run(t.Context(), request(line))); got.Answer != "false" {
		t.Errorf("the child has descriptor %d: %+v", file.Fd(), got)
	}
	if got := observe(subprocess.Run(t.Context(), request("if [ -e /dev/fd/2 ]; then printf true; fi"))); got.Answer != "true" {
		t.Errorf("the probe sees nothing: %+v", got)
	}
}

// idle fails unless all goroutines of the package end.
func idle(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for limit := time.Now().Add(patience); time.Now().Before(limit); runtime.Gosched() {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "executor/subprocess.") {
			return
		}
	}
	t.Fatalf("goroutines are left:\n%s", stacks)
}
