package algal_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// testCommand is the README's test command, which .ci/run must call as it stands.
const testCommand = "go test ./..."

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReadmeCommands runs every command of the README in a copy of the checkout,
// block by block and in order, as a newcomer would. The test command itself is only
// held to .ci/run.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := checkout(t)
	blocks := shellBlock.FindAllStringSubmatch(string(text), -1)
	for _, block := range blocks {
		script := strings.ReplaceAll(block[1], testCommand+"\n", "")
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
	if len(blocks) < 2 {
		t.Fatalf("only %d blocks of commands in the README", len(blocks))
	}
	ci, err := os.ReadFile(".ci/run")
	if err != nil || !strings.Contains(string(ci), "\n"+testCommand+"\n") || !strings.Contains(string(text), "\n"+testCommand+"\n") {
		t.Errorf("README and .ci/run do not share the command %q (%v)", testCommand, err)
	}
	t.Logf("%d blocks of commands", len(blocks))
}

// checkout copies what a build needs.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("sh", "-c", `tar -cf - --exclude=./.git --exclude=./testdata . | tar -xf - -C "$0"`, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}
