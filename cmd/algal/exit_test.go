package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/golden"
)

const wantTable = `| exit | meaning |
| --- | --- |
| 0 | the command succeeded |
| 1 | it ran and the result, which is on standard output, is negative |
| 2 | it could not run; the error is the last line on standard error |
| 130 | it was interrupted |
`

func TestExitTable(t *testing.T) {
	if got := exitTable(); got != wantTable {
		t.Errorf("%s", got)
	}
	// A README that explains the command shows the table.
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "algal run ") && !strings.Contains(string(text), exitTable()) {
		t.Errorf("README.md does not contain the table of exit codes:\n%s", exitTable())
	}
}
