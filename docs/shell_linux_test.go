package docs_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/pty"
)

// shell is a shell at work, whose standard output is a terminal without colours.
// What a line leaves behind the next one finds: variables, the folder, processes in
// the background and the exit status.
type shell struct {
	t        *testing.T
	lines    io.Writer     // what is typed
	out, err <-chan string // what a line shows
}

// The shell marks the end of what a line shows, and the exit status on standard
// error, by characters that nothing else prints.
const (
	endOfLine   = "\x1e"
	startStatus = "\x1f"
)

// loop reads lines from descriptor 3, so that standard input stays the commands'.
const loop = `_status=0
while IFS= read -r _line <&3; do
  (exit "$_status")
  eval "$_line" 3<&-
  _status=$?
  printf '\036'
  printf '\037%s\036' "$_status" >&2
done`

// newShell starts a shell in dir that finds the commands. It ends with the test, and
// so does what it has left in the background.
func newShell(t *testing.T, dir string) *shell {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	diagnostics, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader, lines, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", loop)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SOURCE="+golden.Root(t), "NO_COLOR=1")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = theirs, writer, []*os.File{reader}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	for _, f := range []*os.File{theirs, writer, reader} {
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		for _, f := range []*os.File{lines, ours, diagnostics} {
			f.Close()
		}
	})
	return &shell{t, lines, shown(ours), shown(diagnostics)}
}

// shown splits what is read into what each line shows.
func shown(r io.Reader) <-chan string {
	all := make(chan string, 1)
	go func() {
		defer close(all)
		for b := bufio.NewReader(r); ; {
			text, err := b.ReadString(endOfLine[0])
			if err != nil {
				return
			}
			all <- strings.ReplaceAll(strings.TrimSuffix(text, endOfLine), "\r\n", "\n")
		}
	}()
	return all
}

// run runs a line and returns what its reader sees: standard output, then standard
// error.
func (s *shell) run(line string) (text string, status int) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.lines, line); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	out := s.await(line, s.out)
	diagnostics, end, _ := strings.Cut(s.await(line, s.err), startStatus)
	status, err := strconv.Atoi(end)
	if err != nil {
		s.t.Fatalf("%s: exit status %q", line, end)
	}
	return out + diagnostics, status
}

// patience bounds a command. None of a guide takes a second.
const patience = time.Minute

func (s *shell) await(line string, shown <-chan string) string {
	s.t.Helper()
	select {
	case text, ok := <-shown:
		if !ok {
			s.t.Fatalf("%s: the shell has ended", line)
		}
		return text
	case <-time.After(patience):
		s.t.Fatalf("%s: no end after %v", line, patience)
		return ""
	}
}
