//go:build unix

package custody

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	_ "modernc.org/sqlite"
)

// childVariable turns the test binary into a helper process: it takes one command
// a line from standard input and answers each with one line.
const childVariable = "ALGAL_CUSTODY_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	var c helper
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(c.do(strings.Split(in.Text(), "\t")))
	}
}

// helper is the state of a helper process.
type helper struct {
	lease *Lease // the last one taken
	db    *sql.DB
	conn  *sql.Conn
}

func (c *helper) do(words []string) string {
	ctx := context.Background()
	switch words[0] {
	case "acquire": // DIR LABEL
		return c.keep(Acquire(ctx, durable.NewPublisher(durable.Options{}), Place{Dir: words[1], Label: words[2]}))
	case "create": // ROOT
		return c.keep(AcquireProcessCreation(ctx, durable.NewPublisher(durable.Options{}), words[1]))
	case "release":
		return answer(c.lease.Release())
	case "die": // before|after N DIR LABEL, or a store root alone: acquire, release, and be killed at step N
		return c.die(words[1], words[2], words[3:])
	case "race": // DIR LABEL TIMES
		return c.race(words[1], words[2], words[3])
	case "spawn": // a process that outlives this one, until standard input ends
		cmd := exec.Command(os.Args[0])
		cmd.Stdin, cmd.Stdout = os.Stdin, nil
		return answer(cmd.Start())
	case "sql": // PATH STATEMENT, with the ordinary driver and so with POSIX locks
		return answer(c.sql(ctx, words[1], words[2]))
	}
	return "unknown command " + words[0]
}

func (c *helper) keep(l *Lease, err error) string {
	if err == nil {
		c.lease = l
	}
	return answer(err)
}

func answer(err error) string {
	if err == nil {
		return "ok"
	}
	return string(algal.CodeOf(err)) + " " + err.Error()
}

func (c *helper) sql(ctx context.Context, path, statement string) (err error) {
	if c.db == nil {
		if c.db, err = sql.Open("sqlite", path); err != nil {
			return err
		}
		if c.conn, err = c.db.Conn(ctx); err != nil {
			return err
		}
	}
	_, err = c.conn.ExecContext(ctx, statement)
	return err
}

func (c *helper) die(when, step string, target []string) string {
	at, err := strconv.Atoi(step)
	if err != nil {
		return answer(err)
	}
	kill := func(now bool) {
		if now {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	n := 0
	files := durable.NewPublisher(durable.Options{Hook: func(_ durable.Step, do func() error) error {
		kill(n == at && when == "before")
		err := do()
		kill(n == at && when == "after")
		n++
		return err
	}})
	l, err := acquireTarget(files, target)
	if err == nil {
		err = l.Release()
	}
	return answer(err)
}

// acquireTarget takes the lease of a directory and label, or that of process
// creation in a store.
func acquireTarget(files *durable.Publisher, target []string) (*Lease, error) {
	if len(target) == 1 {
		return AcquireProcessCreation(context.Background(), files, target[0])
	}
	return Acquire(context.Background(), files, Place{Dir: target[0], Label: target[1]})
}

// race takes and gives up a lease so many times. While it has the lease, it has
// also a file that nobody else may have at that time.
func (c *helper) race(dir, label, times string) string {
	want, err := strconv.Atoi(times)
	if err != nil {
		return answer(err)
	}
	files, refused := durable.NewPublisher(durable.Options{}), 0
	for won := 0; won < want; {
		l, err := Acquire(context.Background(), files, Place{Dir: dir, Label: label})
		if Held(err) {
			refused++
			continue
		}
		if err != nil {
			return answer(err)
		}
		if err := ownAlone(dir); err != nil {
			return answer(err)
		}
		if err := l.Release(); err != nil {
			return answer(err)
		}
		won++
	}
	return "ok " + strconv.Itoa(refused)
}

func ownAlone(dir string) error {
	name := filepath.Join(dir, "owned")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(name)
}

// child is a running helper process.
type child struct {
	t   testing.TB
	cmd *exec.Cmd
	in  interface {
		Write([]byte) (int, error)
		Close() error
	}
	out *bufio.Scanner
}

func startChild(t testing.TB) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stderr = os.Stderr
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
	c := &child{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() { c.in.Close(); c.cmd.Wait() })
	return c
}

// tell sends a command, hear waits for the answer, ask does both.
func (c *child) tell(words ...string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, strings.Join(words, "\t")); err != nil {
		c.t.Fatal(err)
	}
}

func (c *child) hear() string {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatal("the helper process ended without an answer")
	}
	return c.out.Text()
}

func (c *child) ask(words ...string) string {
	c.t.Helper()
	c.tell(words...)
	return c.hear()
}

func (c *child) mustDo(words ...string) {
	c.t.Helper()
	if got := c.ask(words...); got != "ok" {
		c.t.Fatalf("helper process: %s: %s", strings.Join(words, " "), got)
	}
}

// kill ends the helper process as a crash would.
func (c *child) kill() {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		c.t.Fatal(err)
	}
	c.waitKilled()
}

func (c *child) waitKilled() {
	c.t.Helper()
	c.cmd.Wait()
	if status := c.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
		c.t.Fatalf("the helper process ended with %v, not killed", c.cmd.ProcessState)
	}
}

const contended = "IO_FAILED " + contentionText
