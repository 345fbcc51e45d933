package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the manual pages and the expected outputs of scripts anew")

// The race detector lets a program rest for a second before it ends, which the tests
// have no use for.
const raceKey, raceOptions = "GORACE", "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	os.Setenv(raceKey, raceOptions)
	testscript.Main(m, map[string]func(){"algal": main})
}

// TestScripts runs one script per command and class of failure. The recorded runs
// of the reference are below $GOLDEN, bundles among them.
func TestScripts(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "receipts/*/*", "replay-comparison/*/*", "stores/bundle/*", "evidence/*.evidence.json")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         memoryDir(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOLDEN", data)
			env.Setenv(raceKey, raceOptions)
			env.Values[treesKey] = map[string]string{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exits,
			"fill":        fill,
			"generate":    generate,
			"interrupted": interrupted,
			"mkfifo":      mkfifo,
			"passive":     passiveFile,
			"replace":     replace,
			"take":        take,
			"terminal":    onTerminal,
			"tree":        tree,
			"verifies":    verifies,
		},
	})
}

// memoryDir returns a directory in memory where the system has one: the scripts
// sync some thousand files, which takes a disk long and shows nothing.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "algal-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// lay copies golden files to a directory, uncompressed.
func lay(t *testing.T, dir string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		for _, name := range golden.Glob(t, pattern) {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, golden.Read(t, name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// exits runs a command and asserts its exact exit code: exits 1 algal verify FILE.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	checkExit(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkExit(ts *testscript.TestScript, want string, err error) {
	got := 0
	if err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit %d, want %s", got, want)
	}
}

// generate writes a file of a repeated text: generate FILE PREFIX TEXT COUNT SUFFIX.
func generate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: generate FILE PREFIX TEXT COUNT SUFFIX")
	}
	count, err := strconv.Atoi(args[3])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+strings.Repeat(args[2], count)+args[4]), 0o644))
}

func mkfifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("mkfifo", args...))
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

// tree remembers everything below a directory, or compares with what it remembered:
// tree save DIR, tree same DIR. A directory that is not there is a tree of nothing.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tree save|same DIR")
	}
	now, trees := picture(ts, ts.MkAbs(args[1])), ts.Value(treesKey).(map[string]string)
	switch args[0] {
	case "save":
		trees[args[1]] = now
	case "same":
		if was, ok := trees[args[1]]; !ok || was != now {
			ts.Fatalf("%s changed\nbefore:\n%s\nafter:\n%s", args[1], was, now)
		}
	default:
		ts.Fatalf("tree %s", args[0])
	}
}

const treesKey = "trees"

func picture(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimPrefix(path, dir) + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + strconv.Quote(string(text)))
		}
		b.WriteString("\n")
		return nil
	})
	ts.Check(err)
	return b.String()
}
