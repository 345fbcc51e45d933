package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestDoctorInterrupted: an examination that is interrupted says so and leaves
// nothing. One that was over before the signal came counts for the second alone.
func TestDoctorInterrupted(t *testing.T) {
	heedSignals(t)
	dir := t.TempDir()
	for deadline := time.Now().Add(time.Minute); ; {
		code := interruptDoctor(t, dir)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Fatalf("left are %v, %v", left, err)
		}
		if code == exitInterrupted {
			return
		}
		if code != exitDone || time.Now().After(deadline) {
			t.Fatalf("exit %d", code)
		}
	}
}

// interruptDoctor sends a signal as soon as the examination has made its directory.
func interruptDoctor(t *testing.T, dir string) (code int) {
	t.Helper()
	cmd := exec.Command("algal", "doctor", "--dir", filepath.Join(dir, "store"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for begun := false; !begun; {
		select {
		case <-ended:
			return cmd.ProcessState.ExitCode()
		default:
		}
		made, _ := filepath.Glob(filepath.Join(dir, ".algal-doctor-*"))
		begun = len(made) > 0
	}
	cmd.Process.Signal(os.Interrupt)
	<-ended
	return cmd.ProcessState.ExitCode()
}
