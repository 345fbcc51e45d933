package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"algal-verify": main,
	})
}

// TestScripts runs one script per behaviour. Golden documents are at $GOLDEN.
func TestScripts(t *testing.T) {
	data := t.TempDir()
	for _, name := range []string{"complete", "suspended", "uncertain", "value-dep", "failed-miss"} {
		for _, suffix := range []string{".evidence.json", ".evidence-report.json"} {
			write(t, filepath.Join(data, name+suffix), golden.Read(t, "evidence/"+name+suffix))
		}
	}
	write(t, filepath.Join(data, "long.evidence.json.zst"), golden.Raw(t, "bench/long-30.evidence.json.zst"))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOLDEN", data)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "mkfifo": mkfifo, "replace": replace},
	})
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// exits runs a command and asserts its exact exit code: exits 1 algal-verify FILE.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// replace writes a copy of a file with one text in place of another: replace FROM
// OLD NEW TO.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace FROM OLD NEW TO")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

func mkfifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("mkfifo", args...))
}

// TestBareEnvironment runs the built command in an empty directory with an empty
// environment: it needs nothing that it does not carry.
func TestBareEnvironment(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "algal-verify")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	document := filepath.Join(t.TempDir(), "evidence.json")
	write(t, document, golden.Read(t, "evidence/complete.evidence.json"))
	cmd := exec.CommandContext(context.Background(), binary, document)
	cmd.Dir, cmd.Env = t.TempDir(), []string{}
	out, err := cmd.Output()
	if want := golden.Read(t, "evidence/complete.evidence-report.json"); err != nil || string(out) != string(want) {
		t.Fatalf("%s, %v; want %s", out, err, want)
	}
	left, err := os.ReadDir(cmd.Dir)
	if err != nil || len(left) > 0 {
		t.Fatalf("the directory is no longer empty: %v, %v", left, err)
	}
}
