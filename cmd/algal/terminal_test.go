package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/internal/pty"
	"github.com/algal-vm/algal/runtime"
	"github.com/rogpeppe/go-internal/testscript"
)

// onTerminal runs a command with a terminal for standard output and standard error
// and asserts its exit code: terminal 0 algal version. What the terminal got is in
// the file tty.
func onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: terminal CODE COMMAND...")
	}
	ours, theirs, err := pty.Open()
	ts.Check(err)
	defer ours.Close()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"), "TMPDIR="+ts.Getenv("TMPDIR"))
	cmd.Stdout, cmd.Stderr = theirs, theirs
	err = cmd.Start()
	theirs.Close()
	ts.Check(err)
	text := drainTerminal(ours)
	checkExit(ts, args[0], cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs("tty"), []byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o644))
}

// drainTerminal reads until the last holder of the other end is gone, which reading
// tells as an error.
func drainTerminal(ours *os.File) string {
	var b strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := ours.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			return b.String()
		}
	}
}

// TestTerminalHarness shows that the harness sees what a terminal gets.
func TestTerminalHarness(t *testing.T) {
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	if s := (&streams{out: theirs}); !s.readable() {
		t.Error("the other end is no terminal")
	}
	fmt.Fprintln(theirs, "seen")
	theirs.Close()
	if got := drainTerminal(ours); got != "seen\r\n" {
		t.Errorf("%q", got)
	}
}

// TestProgress: nothing is told of a quick command; a line of progress gives way to
// the next, to a note and to the result.
func TestProgress(t *testing.T) {
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	s := &streams{out: theirs, err: theirs, json: true}
	s.progress("quick")
	s.clear()
	s.speak()
	s.progress("one\x1b[2J")
	s.progress("%s", strings.Repeat("w", 100))
	s.note("note\x1b")
	s.progress("three")
	if err := s.write("result\n"); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	const erased = "\r\x1b[K"
	want := `one\x1b[2J` + erased + strings.Repeat("w", 78) + erased + `note\x1b` + "\r\n" + "three" + erased + "result\r\n"
	if got := drainTerminal(ours); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestWatched: a terminal sees what a run waits for, as long as it waits.
func TestWatched(t *testing.T) {
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	s := &streams{out: theirs, err: theirs}
	s.speak()
	table, err := scripted.New(canon.Object(canon.M("c", canon.String("answer"))), "")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&watched{table, s}).Call(t.Context(), &runtime.Request{CellID: "c", Kind: runtime.EffectAgent})
	if err != nil || answer.Output.Text() != "answer" {
		t.Errorf("%s, %v", answer.Output, err)
	}
	tools := watchTools(map[string]*runtime.HostTool{"t": {Call: func(context.Context, runtime.ToolCall) (canon.Value, error) {
		return canon.Int(7), nil
	}}}, s)
	if v, err := tools["t"].Call(t.Context(), runtime.ToolCall{}); err != nil || v.Float() != 7 {
		t.Errorf("%s, %v", v, err)
	}
	theirs.Close()
	const erased = "\r\x1b[K"
	want := "agent cell c: waiting for scripted" + erased + "tool t: waiting" + erased
	if got := drainTerminal(ours); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
