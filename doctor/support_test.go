//go:build unix

package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal/durable"
)

// holderVariable turns the test binary into the second process of an examination.
const holderVariable = "ALGAL_DOCTOR_TEST_HOLDER"

func TestMain(m *testing.M) {
	dir := os.Getenv(holderVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := Hold(context.Background(), dir, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func selfHolder(ctx context.Context, dir string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), holderVariable+"="+dir, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// machine is the real machine but for what a test has put in its place. Its disk is
// a good one and its clock goes on by a millisecond whenever somebody looks at it,
// so that nothing depends on the speed and room of the real one.
type machine struct {
	Machine
	hook   durable.Hook
	access func(dir string) error
	volume func(*Volume) error
	owner  func(o Owner, dir string) Owner
	tick   time.Duration
	time   time.Time
}

func newMachine() *machine {
	return &machine{Machine: Machine{Holder: selfHolder}, tick: time.Millisecond}
}

func (m *machine) Do(s durable.Step, do func() error) error {
	if m.hook == nil {
		return do()
	}
	return m.hook(s, do)
}

func (m *machine) Access(dir string) error {
	if m.access == nil {
		return m.Machine.Access(dir)
	}
	return m.access(dir)
}

func (m *machine) Volume(dir string) (Volume, error) {
	v := Volume{Type: "ext4", Medium: Disk, FreeBytes: 1 << 40, FreeFiles: 1 << 20, Files: 1 << 21}
	if m.volume == nil {
		return v, nil
	}
	err := m.volume(&v)
	return v, err
}

func (m *machine) StartOwner(ctx context.Context, dir string) (Owner, error) {
	o, err := m.Machine.StartOwner(ctx, dir)
	if m.owner == nil || err != nil {
		return o, err
	}
	return m.owner(o, dir), nil
}

func (m *machine) Now() time.Time {
	m.time = m.time.Add(m.tick)
	return m.time
}

func nothing(string) {}

// site is a directory with a store in it that has objects and a process.
type site struct{ above, store string }

func newSite(t *testing.T) site {
	t.Helper()
	return newSiteIn(t, memoryDir(t))
}

// memoryDir returns a directory in memory where the system has one: what most tests
// sync shows nothing.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "algal-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newSiteIn(t *testing.T, above string) site {
	t.Helper()
	above, err := filepath.EvalSymlinks(above)
	if err != nil {
		t.Fatal(err)
	}
	s := site{above, filepath.Join(above, "store")}
	for _, dir := range []string{"values", "processes/p"} {
		if err := os.MkdirAll(filepath.Join(s.store, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"values/v.json", "processes/p/head.json", "processes/p/.owner.sqlite"} {
		if err := os.WriteFile(filepath.Join(s.store, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// examine examines the store and demands that everything is as it was afterwards.
func (s site) examine(t *testing.T, system System) *Report {
	t.Helper()
	before := tree(t, s.above)
	report, err := Examine(t.Context(), system, s.store, nothing)
	if err != nil {
		t.Fatal(err)
	}
	s.same(t, before)
	return report
}

func (s site) same(t *testing.T, before string) {
	t.Helper()
	if after := tree(t, s.above); after != before {
		t.Errorf("the place changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// tree returns names, modes, times and contents of what is below a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", strings.TrimPrefix(path, dir), info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q %s", text, info.ModTime())
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func noHolder(ctx context.Context, _ string) *exec.Cmd {
	return exec.CommandContext(ctx, "/nonexistent/algal")
}

// stranger fails as a holder whose file system does not lock.
func stranger(ctx context.Context, _ string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", "echo disk I/O error >&2; exit 2")
}
