package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleeper is an executor that starts a child and a grandchild and would take longer
// than any test. All three hold the FIFO witness open: it says that they are up, and
// ends when none of them is left.
const sleeper = `exec 9>witness; sh -c 'sleep 1000 & sleep 1000' & echo up >&9; exec sleep 1000`

const askManifest = `{"contract":"algal.organism.v1","key":"organism:ask","name":"Ask","cells":[{"id":"ask","kind":"agent","output":{"kind":"text"},"prompt":"p","retry":{"attempts":3}}],"edges":[]}`

// TestInterrupt sends each signal to commands that wait for an executor: the process
// group of the executor is killed, the command says so and ends with 130, and there
// is no receipt.
func TestInterrupt(t *testing.T) {
	heedSignals(t)
	suspended := invoke(t, writeAsk(t), "run", "ask.json", "--executor-cmd", "exit 75")
	if suspended.Exit != exitNegative {
		t.Fatalf("%+v", suspended)
	}
	for name, args := range map[string][]string{
		"run":    {"run", "ask.json", "--write"},
		"resume": {"resume", "suspended.json", "ask.json", "--write"},
		"replay": {"replay", "suspended.json", "--with", "other.json", "--write", "--out", "record.json"},
	} {
		for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(name+" "+sent.String(), func(t *testing.T) {
				dir := writeAsk(t)
				write(t, filepath.Join(dir, "suspended.json"), suspended.Stdout)
				write(t, filepath.Join(dir, "other.json"), strings.Replace(askManifest, `"prompt":"p"`, `"prompt":"q"`, 1))
				interrupt(t, dir, sent, append(args, "--executor-cmd", sleeper, "--dir", "store")...)
				for _, left := range []string{"store", "record.json"} {
					if exists(filepath.Join(dir, left)) {
						t.Errorf("%s was written", left)
					}
				}
			})
		}
	}
}

// heedSignals lets the commands of a test heed signals that its own caller ignores, as
// a shell does for what it runs in the background: a child inherits what is ignored,
// not what is caught.
func heedSignals(t *testing.T) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

func writeAsk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ask.json"), askManifest)
	return dir
}

// interrupt starts a command, waits until its executor is up, sends the signal and
// checks what becomes of it.
func interrupt(t *testing.T, dir string, sent syscall.Signal, args ...string) {
	t.Helper()
	path := filepath.Join(dir, "witness")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("algal", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	witness, err := os.Open(path) // waits for the executor
	if err != nil {
		t.Fatal(err)
	}
	defer witness.Close()
	said := bufio.NewReader(witness)
	if line, err := said.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("the executor said %q, %v", line, err)
	}
	if err := cmd.Process.Signal(sent); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit %d, %v", code, err)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output: %s", stdout.String())
	}
	if want := `{"error":"BUDGET_EXHAUSTED","message":"interrupted"}` + "\n"; stderr.String() != want {
		t.Errorf("standard error: %s", stderr.String())
	}
	// What was killed may still be dying, but it was killed: this ends at once.
	if err := witness.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(said); err != nil {
		t.Errorf("a process of the executor is left: %q, %v", rest, err)
	}
}

// TestInterruptAtOnce: a command that has nothing to put away ends where it stands,
// even while it reads.
func TestInterruptAtOnce(t *testing.T) {
	heedSignals(t)
	cmd := exec.Command("algal", "expr", "eval")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, `{"program":7}`+"\n")
	answer := make([]byte, 64)
	n, err := out.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), `"value":7`) {
		t.Fatalf("%s, %v", answer[:n], err)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasSuffix(stderr.String(), `"message":"interrupted"}`+"\n") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
}

// TestIgnoredSignal: what the caller ignores, as nohup does, stays ignored.
func TestIgnoredSignal(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap '' HUP; exec algal expr eval`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"1", "2"} {
		io.WriteString(in, `{"program":`+program+`}`+"\n")
		answer := make([]byte, 64)
		n, err := out.Read(answer)
		if err != nil || !strings.Contains(string(answer[:n]), `"value":`+program) {
			t.Fatalf("%s, %v", answer[:n], err)
		}
		cmd.Process.Signal(syscall.SIGHUP)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestInterruptsOrder goes through what one and two signals do.
func TestInterruptsOrder(t *testing.T) {
	ended := func(i *interrupts) bool {
		select {
		case <-i.end:
			return true
		default:
			return false
		}
	}
	i := newInterrupts()
	if i.interrupted() || ended(i) {
		t.Error("interrupted by nothing")
	}
	i.arrive()
	if !i.interrupted() || !ended(i) {
		t.Error("the first signal does not end the program")
	}
	i.arrive() // and a further one does no harm

	i = newInterrupts()
	ctx := i.unwind()
	i.arrive()
	if ctx.Err() == nil || ended(i) {
		t.Error("a command that unwinds is not given its time")
	}
	i.arrive()
	if !ended(i) {
		t.Error("the second signal does not end the program")
	}
}

func TestExitCode(t *testing.T) {
	failure := errors.New("failure")
	for _, c := range []struct {
		err         error
		interrupted bool
		want        int
	}{
		{nil, false, 0}, {nil, true, 0},
		{errNegative, false, 1}, {about(errNegative, "line"), true, 1},
		{failure, false, 2}, {failure, true, 130}, {errInterrupted, true, 130},
	} {
		if got := exitCode(c.err, c.interrupted); got != c.want {
			t.Errorf("exitCode(%v, %v) = %d, want %d", c.err, c.interrupted, got, c.want)
		}
	}
}
