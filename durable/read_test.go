//go:build unix

package durable_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// promptly fails the test when f waits for something.
func promptly(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func symlink(t testing.TB, to, path string) string {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func fifo(t testing.TB, path string) string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func socket(t testing.TB, path string) string {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path
}

func TestReadAdmission(t *testing.T) {
	dir := scratch(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	regular := write(t, in("regular"), "12345")
	short, err := os.MkdirTemp("", "") // the path of a socket is at most some hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	const system = durable.System
	for _, c := range []struct {
		name  string
		path  string
		bound int
		links durable.Links
		want  string
		kind  durable.Kind // when want is refused
		is    error
	}{
		{name: "regular", path: regular, bound: 100, want: "12345"},
		{name: "at the bound", path: regular, bound: 5, want: "12345"},
		{name: "over the bound", path: regular, bound: 4, want: refused, kind: durable.TooLarge},
		{name: "empty", path: write(t, in("empty"), ""), bound: 1, want: ""},
		{name: "bound zero", path: in("empty"), bound: 0, want: ""},
		{name: "missing", path: in("missing"), bound: 9, want: refused, kind: system, is: fs.ErrNotExist},
		{name: "below a file", path: filepath.Join(regular, "x"), bound: 9, want: refused, kind: system, is: syscall.ENOTDIR},
		{name: "link refused", path: symlink(t, regular, in("link")), bound: 9, want: refused, kind: durable.Symlink, is: syscall.ELOOP},
		{name: "link followed", path: in("link"), bound: 9, links: durable.Follow, want: "12345"},
		{name: "dangling link", path: symlink(t, in("nothing"), in("dangling")), bound: 9, links: durable.Follow, want: refused, kind: system, is: fs.ErrNotExist},
		{name: "link to itself", path: symlink(t, in("loop"), in("loop")), bound: 9, links: durable.Follow, want: refused, kind: system, is: syscall.ELOOP},
		{name: "directory", path: dir, bound: 1 << 20, want: refused, kind: durable.Irregular},
		{name: "fifo", path: fifo(t, in("fifo")), bound: 9, want: refused, kind: durable.Irregular},
		{name: "link to a fifo", path: symlink(t, in("fifo"), in("to-fifo")), bound: 9, links: durable.Follow, want: refused, kind: durable.Irregular},
		{name: "socket", path: socket(t, filepath.Join(short, "s")), bound: 9, want: refused, kind: durable.Irregular},
		{name: "device", path: os.DevNull, bound: 9, want: refused, kind: durable.Irregular},
	} {
		t.Run(c.name, func(t *testing.T) {
			promptly(t, func() {
				text, err := durable.Read(c.path, c.bound, c.links)
				if c.want != refused {
					if err != nil || text != c.want {
						t.Errorf("Read = %q, %v, want %q", text, err, c.want)
					}
					return
				}
				var fault *durable.Fault
				if text != "" || !errors.As(err, &fault) || fault.Kind != c.kind || fault.Path != c.path {
					t.Errorf("Read = %q, %#v, want a fault of kind %d", text, err, c.kind)
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("error %v is not %v", err, c.is)
				}
				if strings.Contains(err.Error(), dir) {
					t.Errorf("sentence %q names a path", err)
				}
			})
		})
	}
	t.Run("fifo left in place", func(t *testing.T) {
		if info, err := os.Lstat(in("fifo")); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Errorf("Lstat = %v, %v", info, err)
		}
	})
}

const refused = "\x00refused"

// TestReadNamed gives the texts of store.md §9.1.
func TestReadNamed(t *testing.T) {
	dir := scratch(t)
	path := write(t, filepath.Join(dir, "f"), "12345")
	for _, c := range []struct {
		name, path string
		bound      int
		code       algal.Code
		message    string
	}{
		{"bound zero", path, 0, algal.ParseFailed, "L: invalid byte limit"},
		{"bound negative", path, -1, algal.ParseFailed, "L: invalid byte limit"},
		{"bound too large", path, 67_108_865, algal.ParseFailed, "L: invalid byte limit"},
		{"too large", path, 4, algal.BudgetExhausted, "L: regular file byte bound"},
		{"directory", dir, 4, algal.BudgetExhausted, "L: regular file byte bound"},
		{"missing", filepath.Join(dir, "no"), 4, algal.IOFailed, "open failed: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := durable.ReadNamed(c.path, "L", c.bound)
			if text != "" || algal.CodeOf(err) != c.code || err.Error() != c.message {
				t.Errorf("ReadNamed = %q, %s %v, want %s %s", text, algal.CodeOf(err), err, c.code, c.message)
			}
		})
	}
	if text, err := durable.ReadNamed(path, "L", 67_108_864); err != nil || text != "12345" {
		t.Errorf("ReadNamed = %q, %v", text, err)
	}
}

func TestF1(t *testing.T) {
	dir := scratch(t)
	pipe := fifo(t, filepath.Join(dir, "fifo"))
	link := symlink(t, pipe, filepath.Join(dir, "link"))
	for _, path := range []string{pipe, link, dir} {
		promptly(t, func() {
			if _, err := durable.ReadNamed(path, "FILE", 262_144); algal.CodeOf(err) != algal.BudgetExhausted {
				t.Errorf("%s: %v, want BUDGET_EXHAUSTED", filepath.Base(path), err)
			}
		})
	}
}

func TestF2(t *testing.T) {
	dir := scratch(t)
	link := symlink(t, write(t, filepath.Join(dir, "f.json"), `{"a":1}`), filepath.Join(dir, "link"))
	if text, err := durable.ReadNamed(link, "FILE", 262_144); err != nil || text != `{"a":1}` {
		t.Errorf("ReadNamed = %q, %v", text, err)
	}
}

func TestF3(t *testing.T) {
	path := filepath.Join(scratch(t), "f")
	for size, want := range map[int]algal.Code{262_144: "", 262_145: algal.BudgetExhausted} {
		write(t, path, strings.Repeat("1", size))
		if _, err := durable.ReadNamed(path, "FILE", 262_144); algal.CodeOf(err) != want {
			t.Errorf("%d bytes: %v, want code %q", size, err, want)
		}
	}
}

// TestF4 and TestF5 are about the file of a directory transport as such; the
// transport has its own tests.
func TestF4(t *testing.T) {
	path := fifo(t, filepath.Join(scratch(t), "root.bundle.json"))
	promptly(t, func() {
		_, err := durable.ReadNamed(path, `transport "t"`, durable.MaxBytes)
		if algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != `transport "t": regular file byte bound` {
			t.Errorf("%s %v", algal.CodeOf(err), err)
		}
	})
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the FIFO is gone: %v %v", info, err)
	}
}

func TestF5(t *testing.T) {
	dir := scratch(t)
	link := symlink(t, write(t, filepath.Join(dir, "real"), "{}"), filepath.Join(dir, "root.bundle.json"))
	if text, err := durable.ReadNamed(link, `transport "t"`, durable.MaxBytes); err != nil || text != "{}" {
		t.Errorf("ReadNamed = %q, %v", text, err)
	}
	if to, err := os.Readlink(link); err != nil || to != filepath.Join(dir, "real") {
		t.Errorf("the link is now %q, %v", to, err)
	}
}

// TestReadMemory: the content is allocated once, and not at all when the file is
// beyond the bound.
func TestReadMemory(t *testing.T) {
	const size = 24 << 20
	path := filepath.Join(scratch(t), "f")
	if err := os.Truncate(write(t, path, ""), size); err != nil {
		t.Fatal(err)
	}
	for bound, most := range map[int]uint64{durable.MaxBytes: size + size/10, size - 1: size / 10} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text, err := durable.Read(path, bound, durable.NoFollow)
		runtime.ReadMemStats(&after)
		if (err == nil) != (len(text) == size) {
			t.Errorf("bound %d: %d bytes, %v", bound, len(text), err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("bound %d: %d bytes allocated for %d, want at most %d", bound, used, size, most)
		}
	}
}

// TestOpenTellsSize: an owner that admits no change compares Size with the text.
func TestOpenTellsSize(t *testing.T) {
	f, err := durable.Open(write(t, filepath.Join(scratch(t), "f"), "12345"), 9, durable.NoFollow)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Size != 5 || f.Text != "12345" {
		t.Errorf("Size = %d, Text = %q", f.Size, f.Text)
	}
}
