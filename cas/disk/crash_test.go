//go:build unix

package disk_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal/durable"
)

// The environment of a child process that kills itself.
const (
	crashRoot = "ALGAL_CRASH_ROOT" // the store
	crashKind = "ALGAL_CRASH_KIND" // name of the kind of object
	crashAt   = "ALGAL_CRASH_AT"   // number of the step at which the child dies
	crashDone = "ALGAL_CRASH_DONE" // "true": after the step was done, else in its place
)

func TestMain(m *testing.M) {
	if root := os.Getenv(crashRoot); root != "" {
		os.Exit(crashChild(root))
	}
	os.Exit(m.Run())
}

// crashChild puts one object and acknowledges it on descriptor 3. When the step is
// reached it dies as a machine does: at once, running nothing more.
func crashChild(root string) int {
	k := slices.IndexFunc(kinds, func(k kind) bool { return k.name == os.Getenv(crashKind) })
	at, err := strconv.Atoi(os.Getenv(crashAt))
	if k < 0 || err != nil {
		fmt.Fprintln(os.Stderr, "bad environment", err)
		return 2
	}
	steps := 0
	s := openHooked(root, func(step durable.Step, do func() error) error {
		steps++
		if steps != at+1 {
			return do()
		}
		breakStep(step, do, os.Getenv(crashDone) == "true")
		fmt.Fprintln(os.Stderr, step)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal has arrived
	})
	if err := kinds[k].put(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if _, err := os.NewFile(3, "acknowledgement").WriteString("ok"); err != nil {
		return 1
	}
	return 0
}

// TestCrash kills a process at every step of every first and repeated put. What was
// acknowledged is there; what was not is there whole or not at all; a retry works.
func TestCrash(t *testing.T) { everyStep(t, crashAtStep) }

// crashAtStep lets a child die at one step and reports whether it came to that step.
func crashAtStep(t *testing.T, k kind, repeated, done bool, at int) (died bool) {
	t.Helper()
	root := prepare(t, k, repeated)
	acknowledged, died, step := runChild(t, root, k, done, at)
	when := fmt.Sprintf("crash at %q (done: %v, repeated: %v)", step, done, repeated)
	if died == acknowledged {
		t.Errorf("%s: died %v, acknowledged %v", when, died, acknowledged)
	}
	there := wholeOrAbsent(t, k, root, when)
	if acknowledged && there != k.text || repeated && there == "" {
		t.Errorf("%s: acknowledged %v, and there is %q", when, acknowledged, there)
	}
	if err := k.put(open(root)); err != nil {
		t.Errorf("retry after a %s: %v", when, err)
	}
	if there := wholeOrAbsent(t, k, root, when+" and retry"); there != k.text {
		t.Errorf("retry after a %s: there is %q", when, there)
	}
	return died
}

// runChild runs the test binary as a child that dies at one step of a put.
func runChild(t *testing.T, root string, k kind, done bool, at int) (acknowledged, died bool, step string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stderr := filepath.Join(t.TempDir(), "stderr")
	log, err := os.Create(stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashRoot+"="+root, crashKind+"="+k.name, fmt.Sprint(crashAt, "=", at), fmt.Sprint(crashDone, "=", done))
	child.ExtraFiles = []*os.File{w}
	child.Stderr = log
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	said, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	waitErr := child.Wait()
	text, err := os.ReadFile(stderr)
	if err != nil {
		t.Fatal(err)
	}
	status := child.ProcessState.Sys().(syscall.WaitStatus)
	died = status.Signaled() && status.Signal() == syscall.SIGKILL
	if !died && waitErr != nil {
		t.Fatalf("the child failed: %v: %s", waitErr, text)
	}
	return string(said) == "ok", died, strings.TrimSpace(string(text))
}
