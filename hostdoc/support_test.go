//go:build unix

package hostdoc

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
)

// bound4K is the bound of most host documents.
const bound4K = 4096

func newFiles() *durable.Publisher { return durable.NewPublisher(durable.Options{}) }

// scratch returns the real path of a new directory.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// refused demands an error of a code and with a message; an empty message is any.
func refused(t testing.TB, err error, code algal.Code, message string) {
	t.Helper()
	if got := algal.CodeOf(err); got != code || message != "" && err.Error() != message {
		t.Fatalf("got %s %v\nwant %s %s", got, err, code, message)
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

var tempName = regexp.MustCompile(`\.tmp-[a-f0-9]{48}`)

// recorder notes the steps of a publisher as the traces of the contract write them,
// without the syncs of the directories above root.
func recorder(root string, trace *[]string) *durable.Publisher {
	return durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		if s.Op != durable.OpDirSync || strings.HasPrefix(s.Path, root) {
			line := strings.ReplaceAll(s.String(), root, "$D")
			*trace = append(*trace, tempName.ReplaceAllString(line, ".tmp-*"))
		}
		return do()
	}})
}

// answer is an error as one line, ok for none.
func answer(err error) string {
	if err == nil {
		return "ok"
	}
	return string(algal.CodeOf(err)) + " " + err.Error()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// numbered matches the names that these tests list.
func numbered(name string) bool {
	digits, found := strings.CutSuffix(name, ".json")
	return found && len(digits) == 6 && strings.Trim(digits, "0123456789") == ""
}
