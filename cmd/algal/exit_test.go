package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
)

// TestExitTable: the README shows the exit codes as the command has them.
func TestExitTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), exitTable()) {
		t.Errorf("README.md does not contain the table of exit codes:\n%s", exitTable())
	}
}
