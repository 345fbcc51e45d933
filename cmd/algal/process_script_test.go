package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/algal-vm/algal/canon"
)

// Commands of the scripts about processes and mailboxes.

// take puts a text of a JSON file into a variable: take SEND stdout send.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: take VARIABLE FILE MEMBER...")
	}
	v, err := canon.Parse(ts.ReadFile(args[1]), canon.Limits{})
	ts.Check(err)
	for _, member := range args[2:] {
		v = v.Get(member)
	}
	if !v.Is(canon.KindString) {
		ts.Fatalf("%s has no text %s", args[1], strings.Join(args[2:], "."))
	}
	ts.Setenv(args[0], v.Text())
}

// fill writes a copy of a file with its variables expanded: fill FROM TO.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FROM TO")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o644))
}

// interrupted runs a command, sends it SIGINT as often as told, and asserts its exit
// code: interrupted 130 2 algal process tick p. What the command wrote is in the
// files out and err.
//
// The command must ask an executor that holds the FIFO up open while it and its
// descendants run. After one signal it answers what it reads from the FIFO go; after
// two, that the reader of up comes to an end shows that none of them is left.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupted CODE SIGNALS COMMAND...")
	}
	// A child inherits that a signal is ignored, as in a background job, but not that
	// it is caught.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	defer out.Close()
	cmd.Stdout = out
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	up, err := os.Open(ts.MkAbs("up"))
	ts.Check(err)
	defer up.Close()
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	stderr := bufio.NewReader(pipe)
	said, err := stderr.ReadString('\n')
	ts.Check(err)
	if args[1] == "2" {
		ts.Check(cmd.Process.Signal(syscall.SIGINT))
	} else {
		ts.Check(os.WriteFile(ts.MkAbs("go"), []byte("\"answer\"\n"), 0))
	}
	rest, err := io.ReadAll(stderr)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(said+string(rest)), 0o644))
	checkExit(ts, args[0], cmd.Wait())
	_, err = io.Copy(io.Discard, up)
	ts.Check(err)
}

// verifies runs algal-verify on a file and asserts its exit code: verifies 0 FILE.
// What it prints is in the file verdict.
func verifies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: verifies CODE FILE")
	}
	program := ts.MkAbs("algal-verify")
	if !exists(program) {
		out, err := exec.Command("go", "build", "-o", program, "../algal-verify").CombinedOutput()
		ts.Logf("%s", out)
		ts.Check(err)
	}
	out, err := exec.Command(program, ts.MkAbs(args[1])).Output()
	checkExit(ts, args[0], err)
	ts.Check(os.WriteFile(ts.MkAbs("verdict"), out, 0o644))
}
