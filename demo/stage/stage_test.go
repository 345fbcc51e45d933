package stage_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/stage"
)

// TestMain is also the executable of the demonstrations here: with arguments that
// begin with a known word it does what they say.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "print":
			os.Stdout.WriteString(os.Args[2])
			os.Stderr.WriteString("told")
			os.Exit(3)
		case "flood":
			for {
				os.Stdout.WriteString(strings.Repeat("x", 1000))
			}
		case "hang":
			os.WriteFile(os.Args[2], nil, 0o600)
			time.Sleep(time.Hour)
		}
	}
	os.Exit(m.Run())
}

func program(t *testing.T) *stage.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &stage.Program{Path: self, MaxOutput: 1000, Patience: time.Minute}
}

func code(err error) algal.Code {
	e, _ := errors.AsType[*algal.Error](err)
	if e == nil {
		return ""
	}
	return e.Code
}

func TestRun(t *testing.T) {
	p := program(t)
	got, err := p.Run(t.Context(), "print", `{"a":1}`)
	if err != nil || got.Stdout != `{"a":1}` || got.Stderr != "told" || got.Exit != 3 || got.Signal != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if v, err := got.Value(); err != nil || v.Get("a").Float() != 1 {
		t.Errorf("%v, %v", v, err)
	}
	if p.Calls() != 1 {
		t.Errorf("%d calls", p.Calls())
	}
	if got, err := p.Run(t.Context(), "print", strings.Repeat("y", 1000)); err != nil || len(got.Stdout) != 1000 {
		t.Errorf("output of just the bound: %v", err)
	}
}

func TestBounds(t *testing.T) {
	p := program(t)
	if _, err := p.Run(t.Context(), "flood"); code(err) != algal.BudgetExhausted || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("a flood: %v", err)
	}
	p.Patience = 50 * time.Millisecond
	if _, err := p.Run(t.Context(), "hang", t.TempDir()+"/x"); code(err) != algal.BudgetExhausted || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("a process that hangs: %v", err)
	}
	p.Patience = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, "hang", t.TempDir()+"/x"); code(err) == "" {
		t.Error("an interrupted call succeeded")
	}
	p.Path += "-not-there"
	if _, err := p.Run(t.Context(), "print", ""); code(err) != algal.IOFailed {
		t.Errorf("no executable: %v", err)
	}
}

func TestKill(t *testing.T) {
	p := program(t)
	ready := t.TempDir() + "/ready"
	o, err := p.Start(t.Context(), "hang", ready)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(ready); err == nil {
			break
		}
		select {
		case <-o.Done():
			t.Fatal("the process ended")
		case <-time.After(time.Millisecond):
		}
	}
	if got, err := o.Kill(); err != nil || got.Signal != syscall.SIGKILL || got.Exit != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	o, err = p.Start(t.Context(), "print", "x")
	if err != nil {
		t.Fatal(err)
	}
	<-o.Done()
	if _, err := o.Kill(); code(err) != algal.ReceiptMismatch {
		t.Errorf("a process that had ended was killed: %v", err)
	}
}

func TestFacts(t *testing.T) {
	var told []stage.Fact
	f := stage.Facts{Told: func(fact stage.Fact) { told = append(told, fact) }}
	if err := stage.Same(&f, "two decisions", 2, 2); err != nil {
		t.Error(err)
	}
	err := stage.Same(&f, "one publication", 2, 1)
	if code(err) != algal.ReceiptMismatch || err.Error() != "one publication: found 2 where 1 should be" {
		t.Errorf("%v", err)
	}
	if f.Held() != 1 || len(told) != 2 || !told[0].Holds || told[1].Holds {
		t.Errorf("held %d, told %+v", f.Held(), told)
	}
}
