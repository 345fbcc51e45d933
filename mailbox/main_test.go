//go:build unix

package mailbox_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// childVariable turns the test binary into a helper process that does one thing:
// its words, separated by tabs.
const childVariable = "ALGAL_MAILBOX_TEST_CHILD"

func TestMain(m *testing.M) {
	words := strings.Split(os.Getenv(childVariable), "\t")
	do := map[string]func(words []string) error{
		"die":     childDie,     // ROOT OPERATION STEP when: do the operation, be killed at the step
		"receive": childReceive, // ROOT: receive once from box
		"work":    childWork,    // ROOT WORKER: send and receive many
	}[words[0]]
	if do == nil {
		os.Exit(m.Run())
	}
	if err := do(words[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func childReceive(words []string) error {
	svc := openStore(words[0], nil).Service()
	c, err := svc.Find("box")
	if err != nil {
		return err
	}
	m, err := svc.Receive(ctx, c.Receive.String())
	if err == nil {
		fmt.Print(m.ID)
	}
	return err
}

// child is a running helper process.
type child struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

func startChild(t testing.TB, words ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(words, "\t"))
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	must(t, c.cmd.Start())
	return c
}

// wait returns what the process said. It must not fail.
func (c *child) wait() string {
	c.t.Helper()
	if killed := c.end(); killed {
		c.t.Fatal("the helper process was killed")
	}
	return c.stdout.String()
}

// end waits for the process and reports whether it was killed.
func (c *child) end() (killed bool) {
	c.t.Helper()
	err := c.cmd.Wait()
	status := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		c.t.Fatalf("helper process: %v: %s", err, c.stderr.String())
	}
	return false
}
