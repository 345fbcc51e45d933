//go:build unix

package subprocess_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// patience bounds waits that end at once when the code is right.
const patience = 20 * time.Second

// witness is a named pipe that processes under test hold open for writing: what
// they write arrives, and its end tells that all of them are gone.
type witness struct {
	path string
	file *os.File
	*bufio.Reader
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	path := filepath.Join(t.TempDir(), "witness")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &witness{path, file, bufio.NewReader(file)}
}

// line waits for one line of a process. A pipe that nobody has opened yet is at
// its end, so this polls.
func (w *witness) line(t *testing.T) string {
	t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		line, err := w.ReadString('\n')
		if err == nil {
			return line[:len(line)-1]
		}
		if err != io.EOF || line != "" {
			t.Fatalf("witness: %q, %v", line, err)
		}
	}
	t.Fatal("no process wrote to the witness")
	return ""
}

// gone fails unless every process that held the witness ends.
func (w *witness) gone(t *testing.T) {
	t.Helper()
	if err := w.file.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(w); err != nil {
		t.Fatalf("a process survived: %q, %v", rest, err)
	}
}
