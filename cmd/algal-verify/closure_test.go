package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// targets are the systems on which the verifier must build.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "wasip1/wasm"}

// forbidden are packages that a verifier must not even link: what opens sockets,
// starts programs, loads code or keeps a database, and what only a larger command
// needs.
var forbidden = regexp.MustCompile(`^(net|net/.*|os/exec|plugin|database/sql.*|modernc\.org/.*|.*sqlite.*|github\.com/spf13/.*)$`)

// thirdParty is what design.md §2 allows beyond the standard library.
var thirdParty = regexp.MustCompile(`^(github\.com/klauspost/compress(/.*)?|golang\.org/x/sys/.*)$`)

type listed struct {
	ImportPath, Dir string
	Standard        bool
	GoFiles         []string
}

// closure returns everything that the command links on a target.
func closure(t *testing.T, target string) []listed {
	t.Helper()
	goos, goarch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles", ".")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	return packages
}

func TestImportClosure(t *testing.T) {
	for _, target := range targets {
		var own, foreign, standard, lines int
		for _, p := range closure(t, target) {
			if forbidden.MatchString(p.ImportPath) {
				t.Errorf("%s: the verifier links %s", target, p.ImportPath)
			}
			switch {
			case p.Standard:
				standard++
				continue
			case strings.HasPrefix(p.ImportPath, module):
				own++
				lines += countLines(t, p)
			default:
				foreign++
				if !thirdParty.MatchString(p.ImportPath) {
					t.Errorf("%s: the verifier links %s", target, p.ImportPath)
				}
			}
		}
		if own < 8 || standard == 0 {
			t.Errorf("%s: only %d packages of ours found", target, own)
		}
		t.Logf("%s: %d packages of ours (%d lines), %d third-party, %d standard", target, own, lines, foreign, standard)
	}
}

const module = "github.com/algal-vm/algal"

func countLines(t *testing.T, p listed) int {
	t.Helper()
	n := 0
	for _, f := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, f))
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// acting matches names of package os, syscall and x/sys by which a program starts
// another, opens a socket or loads code.
var acting = regexp.MustCompile(`^(StartProcess|Exec|ForkExec|Fork.*|Clone.*|Execve.*|PosixSpawn.*|CreateProcess.*|Socket.*|Connect.*|Bind|Listen|Accept.*|Sendto|Sendmsg.*|Recvfrom|Recvmsg.*|Dlopen|LoadLibrary.*|LoadDLL|MustLoadDLL|NewLazyDLL|NewLazySystemDLL|Syscall.*|RawSyscall.*|WSA.*)$`)

// TestNothingActs reads the syntax of our own packages in the closure, on every
// target: no reference starts a program, opens a socket, loads code or leaves the
// language.
func TestNothingActs(t *testing.T) {
	seen := map[string]bool{}
	for _, target := range targets {
		for _, p := range closure(t, target) {
			if !strings.HasPrefix(p.ImportPath, module) {
				continue
			}
			for _, f := range p.GoFiles {
				if file := filepath.Join(p.Dir, f); !seen[file] {
					seen[file] = true
					checkFile(t, file)
				}
			}
		}
	}
	if len(seen) < 50 {
		t.Fatalf("only %d files read", len(seen))
	}
	t.Logf("%d files of ours read", len(seen))
}

func checkFile(t *testing.T, file string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range parsed.Imports {
		if slices.Contains([]string{`"unsafe"`, `"C"`, `"reflect"`}, i.Path.Value) {
			t.Errorf("%s imports %s", file, i.Path.Value)
		}
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//go:cgo") {
				t.Errorf("%s: %s", file, c.Text)
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && slices.Contains([]string{"os", "syscall", "unix", "windows"}, x.Name) && acting.MatchString(s.Sel.Name) {
			t.Errorf("%s refers to %s.%s", file, x.Name, s.Sel.Name)
		}
		return true
	})
}
