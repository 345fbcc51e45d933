package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/goldenrun"
)

// heldDemo is what became of a demonstration.
type heldDemo struct {
	ran
	report canon.Value
	kept   string // the workspace
}

// holdDemo holds a demonstration that keeps its workspace, in a directory of a name.
func holdDemo(t *testing.T, dir string, args ...string) *heldDemo {
	t.Helper()
	temp := filepath.Join(memoryDir(t), dir)
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("algal", append([]string{"demo"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = temp, &stdout, &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.Run() // its exit is in the state
	h := &heldDemo{ran: ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}}
	h.report = goldenrun.ParseText(t, "report", h.Stdout)
	h.kept = keptWorkspace(t, temp, h.ran)
	return h
}

// findsOut holds a demonstration with an executable that does something wrong, and
// asserts the line that it ends at.
func findsOut(t *testing.T, demonstration, script, line, found string) *heldDemo {
	t.Helper()
	second := filepath.Join(t.TempDir(), "second")
	wrap(t, second, script)
	h := holdDemo(t, "temp", demonstration, "--native", second)
	failure := h.report.Get("failure")
	if ok := h.report.Get("ok"); h.Exit != 1 || ok.Bool() || !ok.Exists() {
		t.Errorf("exit %d: %s", h.Exit, h.Stdout)
	}
	if text := failure.Get("found").Text(); !failure.Get("fact").IsText(line) || !strings.Contains(text, found) {
		t.Errorf("%s\nwanted %s: found …%s…", failure, line, found)
	}
	if !failure.Get("workspace").IsText(h.kept) {
		t.Errorf("the workspace is %s, reported %s", h.kept, failure.Get("workspace"))
	}
	if !strings.Contains("\n"+h.Stderr, "\nFAILED "+line+": found ") {
		t.Errorf("the failure is not told: %s", h.Stderr[max(0, len(h.Stderr)-500):])
	}
	return h
}

// nothingRuns asserts that no process is left that was started with a path of the
// workspace. The adapter needs a moment to see that its owner is gone.
func (h *heldDemo) nothingRuns(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		left := startedWith(t, h.kept)
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("still running: %q", left)
		}
	}
}

// startedWith returns the command lines of running processes that hold a text.
func startedWith(t *testing.T, text string) (lines []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		listed, err := exec.Command("ps", "-axww", "-o", "args=").Output()
		if err != nil {
			t.Fatal(err)
		}
		all = strings.Split(string(listed), "\n")
	}
	for _, line := range all {
		if strings.HasPrefix(line, "/proc/") {
			words, _ := os.ReadFile(line) // that of a process that has ended since is empty
			line = strings.ReplaceAll(string(words), "\x00", " ")
		}
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
