package adapter_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/adapter"
	"github.com/algal-vm/algal/demo/stage"
	"github.com/algal-vm/algal/tool/hostfile"
)

// TestMain is also the program of the adapter, and with the word own a runtime that
// waits for it: it starts a line of shell as a command tool is started, in a process
// group of its own, and reads its answer. Both hold a FIFO open as long as they run.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "demo" && os.Args[2] == adapter.Command {
		s, err := adapter.ParseStage(os.Args[4])
		if err == nil {
			err = adapter.Serve(adapter.Place(os.Args[3]), s, os.Stdin, os.Stdout)
		}
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(2)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "own" {
		witness, err := os.OpenFile(os.Args[3], os.O_WRONLY, 0)
		if err != nil {
			os.Exit(2)
		}
		tool := exec.Command("sh", "-c", os.Args[2])
		tool.ExtraFiles = []*os.File{witness}
		tool.Stdin = strings.NewReader(request)
		tool.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		answer, err := tool.StdoutPipe()
		if err == nil {
			err = tool.Start()
		}
		if err != nil {
			os.Exit(2)
		}
		io.Copy(os.Stdout, answer)
		os.Exit(0)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the programs that tests start
	os.Exit(m.Run())
}

var (
	digest  = "sha256:" + strings.Repeat("1", 64)
	key     = "sha256:" + strings.Repeat("2", 64)
	request = `{"idempotencyKey":"` + key + `","inputs":{},"requestDigest":"` + digest + `"}`
)

// patience bounds waits that end at once when the code is right.
const patience = 20 * time.Second

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func code(err error) algal.Code {
	e, _ := errors.AsType[*algal.Error](err)
	if e == nil {
		return ""
	}
	return e.Code
}

// odd is the name of a directory that no shell may take apart.
const odd = `it's "$HOME" of; two  words`

func place(t *testing.T) adapter.Place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), odd)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return adapter.Place(dir)
}

// TestCalls serves each stage through the declaration of a tools file, and reads what
// was recorded.
func TestCalls(t *testing.T) {
	p := place(t)
	if calls, err := p.Calls(); calls != nil || err != nil {
		t.Errorf("before any call: %v, %v", calls, err)
	}
	var want []adapter.Call
	for _, c := range []struct {
		stage  adapter.Stage
		effect string
		answer string
	}{
		{adapter.Prefix, adapter.Write, `{"value":"saved"}`},
		{adapter.Pending, adapter.Read, `{"value":"recovered"}`},
		{adapter.Pending, adapter.Write, `{"value":"recovered"}`},
	} {
		declared := canon.Object(canon.M("tool", p.Declaration(self(t), c.stage, c.effect, 3)))
		tools, err := hostfile.Parse(declared, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		signature := tools["tool"].Signature
		if signature.Write != (c.effect == adapter.Write) || signature.Cost != 3 {
			t.Errorf("signature %+v", signature)
		}
		line, _ := strings.CutPrefix(declared.Get("tool").Get("exec").Text(), "cmd:")
		tool := exec.Command("sh", "-c", line)
		tool.Stdin = strings.NewReader(request)
		answer, err := tool.Output()
		if err != nil || string(answer) != c.answer {
			t.Errorf("%s: %s, %v", c.stage, answer, err)
		}
		want = append(want, adapter.Call{Stage: c.stage, RequestDigest: algal.Digest(digest), IdempotencyKey: algal.Digest(key)})
		got, err := p.Calls()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

// TestRefusedRequests makes calls that must not be recorded.
func TestRefusedRequests(t *testing.T) {
	p := place(t)
	for name, text := range map[string]string{
		"nothing":         ``,
		"no object":       `[]`,
		"no key":          `{"inputs":{},"requestDigest":"` + digest + `"}`,
		"key of no form":  strings.Replace(request, key, "key", 1),
		"key in capitals": strings.Replace(request, key, "sha256:"+strings.Repeat("A", 64), 1),
		"no request":      `{"inputs":{},"idempotencyKey":"` + key + `"}`,
	} {
		if err := adapter.Serve(p, adapter.Prefix, strings.NewReader(text), os.Stdout); code(err) != algal.ParseFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := request + strings.Repeat(" ", 8192)
	if err := adapter.Serve(p, adapter.Prefix, strings.NewReader(long), os.Stdout); code(err) != algal.BudgetExhausted {
		t.Errorf("a long request: %v", err)
	}
	if _, err := adapter.ParseStage("other"); code(err) != algal.ParseFailed {
		t.Errorf("another stage: %v", err)
	}
	if calls, err := p.Calls(); calls != nil || err != nil {
		t.Errorf("recorded: %v, %v", calls, err)
	}
}

// TestForeignRecords reads records that no adapter writes.
func TestForeignRecords(t *testing.T) {
	good := `{"stage":"prefix","requestDigest":"` + digest + `","idempotencyKey":"` + key + `"}` + "\n"
	for name, line := range map[string]string{
		"no JSON":       "?\n",
		"no object":     "3\n",
		"another stage": strings.Replace(good, "prefix", "suffix", 1),
		"no key":        strings.Replace(good, key, "", 1),
		"no request":    strings.Replace(good, digest, "", 1),
		"more":          strings.Replace(good, `{`, `{"more":1,`, 1),
	} {
		p := place(t)
		if err := os.WriteFile(filepath.Join(string(p), "calls.jsonl"), []byte(good+line), 0o600); err != nil {
			t.Fatal(err)
		}
		if calls, err := p.Calls(); calls != nil || code(err) != algal.ParseFailed {
			t.Errorf("%s: %v, %v", name, calls, err)
		}
	}
}

// own starts a runtime that waits for a pending call. What it returns is at its end
// when neither the runtime nor the adapter is left.
func own(t *testing.T, p adapter.Place) (*stage.Owned, *os.File) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "witness")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	witness, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { witness.Close() })
	line, _ := strings.CutPrefix(p.Declaration(self(t), adapter.Pending, adapter.Read, 1).Get("exec").Text(), "cmd:")
	runtime := &stage.Program{Path: self(t), MaxOutput: 1000, Patience: patience}
	owner, err := runtime.Start(t.Context(), "own", line, fifo)
	if err != nil {
		t.Fatal(err)
	}
	return owner, witness
}

// TestHang kills an owner whose call hangs: the call was recorded, is never
// answered, and ends by itself although the kill did not reach it.
func TestHang(t *testing.T) {
	p := place(t)
	if err := p.Block(); err != nil {
		t.Fatal(err)
	}
	owner, witness := own(t, p)
	if err := p.Reached(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(string(p), "ready"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(pid); err != nil || group == owner.Pid() {
		t.Fatalf("the adapter is in group %d, that of its owner: %v", group, err)
	}
	if calls, err := p.Calls(); len(calls) != 1 || err != nil {
		t.Errorf("%v, %v", calls, err)
	}
	ended, err := owner.Kill()
	if err != nil || ended.Stdout != "" {
		t.Fatalf("%+v, %v", ended, err)
	}
	if err := witness.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(witness); err != nil {
		t.Fatalf("the adapter has survived its owner: %v", err)
	}
	if err := p.Unblock(); err != nil {
		t.Fatal(err)
	}
	owner, _ = own(t, p)
	if ended, err := owner.Wait(); err != nil || ended.Stdout != `{"value":"recovered"}` {
		t.Errorf("after that: %+v, %v", ended, err)
	}
}

// TestNotReached waits for calls that do not hang.
func TestNotReached(t *testing.T) {
	p := place(t)
	owner, _ := own(t, p)
	if err := p.Reached(t.Context(), owner); code(err) != algal.ReceiptMismatch || !strings.Contains(err.Error(), "ended before") {
		t.Errorf("an owner that ends: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Block(); err != nil {
		t.Fatal(err)
	}
	owner, _ = own(t, p)
	defer owner.Kill()
	other := place(t)
	if err := other.Reached(ctx, owner); code(err) != algal.BudgetExhausted {
		t.Errorf("an interrupted wait: %v", err)
	}
	if err := other.Unblock(); code(err) != algal.IOFailed {
		t.Errorf("a place that is not blocked: %v", err)
	}
}
