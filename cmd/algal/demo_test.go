package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/custody"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/internal/recorded"
	"github.com/google/go-cmp/cmp"
)

// layImage lays out a store image (conformance.md §0). Lease databases are made in
// place when they are needed.
func layImage(t *testing.T, name, dir string) {
	t.Helper()
	image := goldenrun.Parse(t, "demo/"+name+".store.json")
	for _, d := range image.Get("dirs").Elements() {
		if err := os.MkdirAll(filepath.Join(dir, d.Text()), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range image.Get("files").Members() {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text.Text()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// equalsImage compares a store with an image, less what is random.
func equalsImage(t *testing.T, name, dir string) {
	t.Helper()
	want := map[string]string{}
	for file, text := range goldenrun.Parse(t, "demo/"+name+".store.json").Get("files").Members() {
		if !excluded(file) {
			want[file] = text.Text()
		}
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("the store is not %s:\n%s", name, diff)
	}
}

// step is one recorded command of a demonstration.
type step struct {
	label  string
	args   []string
	record canon.Value
}

func steps(t *testing.T, name string) []step {
	t.Helper()
	var list []step
	for _, line := range golden.Lines(t, "demo/"+name+".transcript.jsonl") {
		v := goldenrun.ParseText(t, name, line)
		s := step{label: v.Get("step").Text(), record: v}
		for _, a := range v.Get("args").Elements() {
			s.args = append(s.args, a.Text())
		}
		list = append(list, s)
	}
	return list
}

// play runs the step and compares what it prints.
func (s *step) play(t *testing.T, dir string) {
	t.Helper()
	got := invoke(t, dir, append(s.args, "--dir", "store")...)
	if got.Exit != int(s.record.Get("exit").Float()) {
		t.Fatalf("%s: exit %d, want %s: %s", s.label, got.Exit, s.record.Get("exit"), got.Stderr)
	}
	lines := strings.Split(strings.TrimSpace(got.Stderr), "\n")
	for what, c := range map[string]struct {
		text string
		want canon.Value
	}{"stdout": {got.Stdout, s.record.Get("stdout")}, "error": {lines[len(lines)-1], s.record.Get("stderr")}} {
		if c.want.Is(canon.KindNull) {
			continue
		}
		if v := goldenrun.ParseText(t, s.label, c.text); !canon.Equal(v, c.want) {
			t.Fatalf("%s: %s\n got %s\nwant %s", s.label, what, v, c.want)
		}
	}
}

// TestDemoVM repeats the VM demonstration from the store in which both actors wait.
func TestDemoVM(t *testing.T) {
	golden.NeedShared(t)
	data := t.TempDir()
	lay(t, data, "demo/*-wake.json")
	dir := filepath.Join(data, "demo")
	layImage(t, "vm-waiting", filepath.Join(dir, "store"))
	list := steps(t, "vm")
	images := map[string]string{"wake-alpha": "vm-woken", "schedule-beta": "vm-complete"}
	for _, s := range list {
		s.play(t, dir)
		if image := images[s.label]; image != "" {
			equalsImage(t, image, filepath.Join(dir, "store"))
		}
	}
	t.Logf("%d steps", len(list))
}

// TestDemoRecoveryJ37 repeats what was done with a dispatch that was killed inside a
// read, and with one killed inside a write. While its owner lived, recovery was
// refused: here the test holds the lease.
func TestDemoRecoveryJ37(t *testing.T) {
	golden.NeedShared(t)
	for _, kind := range []string{"read", "write"} {
		t.Run(kind, func(t *testing.T) {
			name := "recovery-" + kind
			dir := goldenrun.Parse(t, "demo/"+name+"-crashed.store.json").Get("toolsBase").Text()
			recorded.Dir(t, dir)
			tools := string(golden.Read(t, "demo/"+name+".tools.json"))
			changed := strings.Replace(tools, "recovered", "other", 1)
			for file, text := range map[string]string{
				"manifest.json":      string(golden.Read(t, "demo/recovery.manifest.json")),
				"tools.json":         tools,
				"changed-tools.json": changed,
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			n := 0
			for _, s := range steps(t, name) {
				switch s.label {
				case "create":
					s.play(t, dir)
					if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
						t.Fatal(err)
					}
					layImage(t, name+"-crashed", filepath.Join(dir, "store"))
				case "recover-live":
					held(t, filepath.Join(dir, "store"), func() { s.play(t, dir) })
				default:
					s.play(t, dir)
				}
				n++
			}
			equalsImage(t, name+"-after", filepath.Join(dir, "store"))
			t.Logf("%d steps", n)
		})
	}
}

// held runs f while somebody has custody of the process worker.
func held(t *testing.T, store string, f func()) {
	t.Helper()
	lease, err := custody.Acquire(context.Background(), durable.NewPublisher(durable.Options{}), custody.Process(store, "worker"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}()
	f()
}
