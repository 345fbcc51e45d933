// Package golden gives tests the recorded data of the reference runtime.
//
// Most of it is committed below testdata/golden at the root of the module, large
// files as NAME.zst. What third-party.txt lists is never committed: it is read
// from ../shared/golden, and where that folder is absent such a test is skipped,
// except under CI=true, where it fails.
//
// Tests name files relative to the golden folder, as its README does.
package golden

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const packed = ".zst"

// Read returns the content of a golden file. It skips the test when the file is
// third-party data and the shared folder is absent.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	if thirdParty(t, name) {
		return shared(t, name)
	}
	file := filepath.Join(committed(t), filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if err == nil {
		return data
	}
	if data, err = os.ReadFile(file + packed); err != nil {
		t.Fatalf("golden file %s is neither committed nor third-party: %v", name, err)
	}
	if data, err = decoder().DecodeAll(data, nil); err != nil {
		t.Fatalf("golden file %s%s: %v", name, packed, err)
	}
	return data
}

// Raw returns the bytes of a committed golden file as it lies there, compressed
// or not.
func Raw(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(committed(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Lines returns the non-empty lines of a golden file.
func Lines(t testing.TB, name string) []string {
	t.Helper()
	lines := strings.Split(string(Read(t, name)), "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// Glob returns the names of golden files that match pattern (path.Match on the
// whole name) in byte order, and fails when there are none. Third-party files are
// among them only where the shared folder is present; HasShared tells.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	names := Match(t, pattern)
	if len(names) == 0 {
		NeedShared(t) // it may be that all of it is third-party
		t.Fatalf("no golden file matches %s", pattern)
	}
	return names
}

// Match is Glob for a pattern that may match nothing.
func Match(t testing.TB, pattern string) []string {
	t.Helper()
	found := map[string]bool{}
	for _, root := range roots(t) {
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name = strings.TrimSuffix(name, packed)
			if ok, err := path.Match(pattern, name); err != nil || !ok {
				return err
			}
			if root == committed(t) || thirdParty(t, name) {
				found[name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func roots(t testing.TB) []string {
	if HasShared(t) {
		return []string{committed(t), sharedDir(t)}
	}
	return []string{committed(t)}
}

// HasShared reports whether the folder with third-party data is there. A test
// that covers only a part without it says how much is left. Under CI=true its
// absence fails the test.
func HasShared(t testing.TB) bool {
	t.Helper()
	info, err := os.Stat(sharedDir(t))
	there := err == nil && info.IsDir()
	if !there && os.Getenv("CI") == "true" {
		t.Fatalf("third-party golden data is absent: ../shared/golden must be laid beside the checkout in CI")
	}
	return there
}

// NeedShared skips a test that can show nothing without third-party data.
func NeedShared(t testing.TB) {
	t.Helper()
	if !HasShared(t) {
		t.Skip("third-party golden data is absent: lay the shared folder beside the checkout to run this test")
	}
}

// ThirdParty reports whether name is data that the project never commits.
func ThirdParty(t testing.TB, name string) bool { return thirdParty(t, name) }

func shared(t testing.TB, name string) []byte {
	t.Helper()
	NeedShared(t)
	data, err := os.ReadFile(filepath.Join(sharedDir(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Root returns the folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var moduleRoot = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
})

func committed(t testing.TB) string { return filepath.Join(Root(t), "testdata", "golden") }

func sharedDir(t testing.TB) string {
	return filepath.Join(filepath.Dir(Root(t)), "shared", "golden")
}

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // only options can fail, and there are none
	}
	return d
})

var patterns = sync.OnceValues(func() ([]string, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "testdata", "golden", "third-party.txt"))
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range bytes.Lines(text) {
		if p := string(bytes.TrimSpace(line)); p != "" && p[0] != '#' {
			list = append(list, p)
		}
	}
	return list, nil
})

func thirdParty(t testing.TB, name string) bool {
	t.Helper()
	list, err := patterns()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if folder, all := strings.CutSuffix(p, "/**"); all {
			if strings.HasPrefix(name, folder+"/") {
				return true
			}
		} else if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}
