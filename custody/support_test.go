//go:build unix

package custody

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/internal/golden"
)

const label = "worker-a"

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

func try(dir, label string) (*Lease, error) {
	return Acquire(context.Background(), newFiles(), Place{Dir: dir, Label: label})
}

func mustAcquire(t testing.TB, dir, label string) *Lease {
	t.Helper()
	l, err := try(dir, label)
	if err != nil {
		t.Fatalf("acquire: %v", err)
	}
	return l
}

// acquireAndRelease shows that a place works.
func acquireAndRelease(t testing.TB, dir, label string) {
	t.Helper()
	if err := mustAcquire(t, dir, label).Release(); err != nil {
		t.Fatalf("release: %v", err)
	}
}

// refused demands an error of a code and with a message; an empty message is any.
func refused(t testing.TB, err error, code algal.Code, message string) {
	t.Helper()
	if got := algal.CodeOf(err); got != code || message != "" && err.Error() != message {
		t.Fatalf("got %s %v\nwant %s %s", got, err, code, message)
	}
}

// mustRefuse demands that nobody gets the place, for the given reason.
func mustRefuse(t testing.TB, dir, label string, code algal.Code, message string) {
	t.Helper()
	l, err := try(dir, label)
	if err == nil {
		l.Release()
		t.Fatal("acquired")
	}
	refused(t, err, code, message)
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

// tree returns the files below dir with their content, directories with a slash.
// It opens the database: no lease may be held.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			files[name+"/"] = ""
		case info.Mode().IsRegular():
			files[name] = read(t, path)
		default:
			files[name] = info.Mode().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// layStore copies a golden store and returns where it is.
func layStore(t testing.TB, name string) string {
	t.Helper()
	dir, n := scratch(t), 0
	for _, pattern := range []string{"stores/*/*", "stores/*/*/*"} {
		for _, file := range golden.Glob(t, pattern) {
			if rest, found := strings.CutPrefix(file, "stores/"+name+"/"); found {
				write(t, filepath.Join(dir, filepath.FromSlash(rest)), string(golden.Read(t, file)))
				n++
			}
		}
	}
	if n == 0 {
		t.Fatalf("no golden store %s", name)
	}
	return dir
}

const sampleNonce = "c5ab721f585454aacf0b710d129df9badc70cd82226040c300afa75ee9f363cf"

func nonceNumber(i int) string {
	const digits = "0123456789abcdef"
	return strings.Repeat("0", nonceDigits-3) + string([]byte{digits[i>>8&15], digits[i>>4&15], digits[i&15]})
}
