//go:build unix

package process_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// childVariable turns the test binary into a helper process that does one thing: its
// words, separated by tabs.
const childVariable = "ALGAL_PROCESS_TEST_CHILD"

// errands are what helper processes do.
var errands = map[string]func(t *testing.T, words []string){
	"die":  childDies,   // ROOT OPERATION STEP WHEN: do the operation, be killed at the step
	"soak": childSoaks,  // ROOT SEED STEPS: work on a store until killed
	"rush": childRushes, // ROOT NUMBER: work on a store with others until all is done
}

// TestChild does nothing unless it runs in a helper process, which does not outlive
// the test that started it: its standard input ends then.
func TestChild(t *testing.T) {
	words := strings.Split(os.Getenv(childVariable), "\t")
	if do := errands[words[0]]; do != nil {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(3)
		}()
		do(t, words[1:])
	}
}

// helper is a running helper process.
type helper struct {
	t      testing.TB
	cmd    *exec.Cmd
	output bytes.Buffer
}

func startHelper(t testing.TB, words ...string) *helper {
	t.Helper()
	h := &helper{t: t, cmd: exec.Command(os.Args[0], "-test.run=^TestChild$")}
	h.cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(words, "\t"))
	h.cmd.Stdout, h.cmd.Stderr = &h.output, &h.output
	_, err := h.cmd.StdinPipe() // closed when it was waited for, or when this process ends
	must(t, err)
	must(t, h.cmd.Start())
	return h
}

// end waits for the process and reports whether it was killed. Any other end but a
// good one fails the test.
func (h *helper) end() (killed bool) {
	h.t.Helper()
	err := h.cmd.Wait()
	status, ok := h.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		h.t.Fatalf("helper process: %v: %s", err, h.output.String())
	}
	return false
}

// dieHere ends the process as a crash does: at once, running nothing more.
func dieHere() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until the signal has arrived
}
