//go:build unix

package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/cas/castest"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
)

func TestSuite(t *testing.T) {
	castest.Suite(t, func(t *testing.T) cas.Store {
		root := filepath.Join(scratch(t), "store")
		t.Cleanup(func() { checkTree(t, root) })
		return open(root)
	})
}

// open opens a store with a small effect receipt contract.
func open(root string) *disk.Store { return disk.Open(root, disk.Options{AdmitEffect: admitEffect}) }

func openHooked(root string, hook durable.Hook) *disk.Store {
	return disk.Open(root, disk.Options{AdmitEffect: admitEffect, Files: durable.NewPublisher(durable.Options{Hook: hook})})
}

// admitEffect stands for the contract that package runtime owns: closed, with
// exactly one of output and error. Its normal form has no empty usage.
func admitEffect(v canon.Value) (canon.Value, error) {
	if err := canon.AsObject(v, "effect receipt"); err != nil {
		return canon.Value{}, err
	}
	if err := canon.NoUnknownKeys(v, "effect receipt", "requestDigest", "executor", "output", "error", "usage"); err != nil {
		return canon.Value{}, err
	}
	if _, err := canon.AsDigest(v.Get("requestDigest"), "effect receipt.requestDigest"); err != nil {
		return canon.Value{}, err
	}
	if v.Get("output").Exists() == v.Get("error").Exists() {
		return canon.Value{}, algal.Errorf(algal.ParseFailed, "effect receipt: exactly one of output or error is required")
	}
	if v.Get("usage").Len() == 0 {
		v = v.Without("usage")
	}
	return v, nil
}

// kind is a kind of object with everything that the tests of publication need.
type kind struct {
	name  string
	file  string
	text  string
	prior string // what is there before a repeated put: another value in a slot, else the same
	put   func(s *disk.Store) error
	get   func(s *disk.Store) (canon.Value, error)
}

const manifestText = `{"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},` +
	`"cells":[{"id":"out","kind":"const","outputs":{"value":{"type":"json","value":"ok"}}}],` +
	`"contract":"algal.organism.v1","edges":[],"key":"organism:demo","name":"Demo"}`

const requestDigest algal.Digest = "sha256:6ae0f660046dadcf5fe8462c0e00a062db4c8d67be82f4098c5ea4208d19b076"

const effectText = `{"executor":"e","output":1,"requestDigest":"` + string(requestDigest) + `"}`

// kinds are the five kinds of objects; the texts are the vectors of store.md.
var kinds = []kind{
	object("values", `{"a":1}`, (*disk.Store).PutValue, (*disk.Store).Value),
	object("runs", `{"x":1}`, (*disk.Store).PutReceipt, (*disk.Store).Receipt),
	object("manifests", manifestText, (*disk.Store).PutManifest, (*disk.Store).Manifest),
	{
		name: "effects",
		file: "effects/ca73e420a85c10ee528e014896cf5d4180a3fcbf6bf5b944130d495818678eb3.json",
		text: effectText, prior: effectText,
		put: func(s *disk.Store) error { return s.PutEffect("id1", value(effectText)) },
		get: func(s *disk.Store) (canon.Value, error) { return s.Effect("id1", requestDigest) },
	},
	{
		name: "slots", file: "slots/memo.json", text: `[1]`, prior: `["old"]`,
		put: func(s *disk.Store) error { return s.SetSlot("memo", value(`[1]`)) },
		get: func(s *disk.Store) (canon.Value, error) { return s.Slot("memo") },
	},
}

func object(space, text string, put func(*disk.Store, canon.Value) (algal.Digest, error), get func(*disk.Store, algal.Digest) (canon.Value, error)) kind {
	v := value(text)
	return kind{
		name: space, file: space + "/" + v.Digest().Hex() + ".json", text: text, prior: text,
		put: func(s *disk.Store) error { _, err := put(s, v); return err },
		get: func(s *disk.Store) (canon.Value, error) { return get(s, v.Digest()) },
	}
}

// value parses a literal of a test.
func value(text string) canon.Value {
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		panic(err)
	}
	return v
}

func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// lay writes a file of a store, and its directory.
func lay(t testing.TB, root, file, content string) string {
	t.Helper()
	path := filepath.Join(root, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tree returns the content of every file below root by relative path; directories
// have the content "/", other things their type.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			files[name] = "/"
		case !d.Type().IsRegular():
			files[name] = d.Type().String()
		default:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[name] = string(content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkTree finds temporary files and objects that are not what their names say in
// a store that only the package under test has written.
func checkTree(t testing.TB, root string) {
	t.Helper()
	if _, err := os.Lstat(root); err != nil {
		return
	}
	for name, content := range tree(t, root) {
		space, file := filepath.Split(name)
		if content == "/" {
			continue
		}
		v, err := canon.Parse(content, canon.Limits{})
		if err != nil || v.String() != content {
			t.Errorf("%s is not canonical JSON", name)
		}
		switch space {
		case "values/", "runs/", "manifests/":
			if file != v.Digest().Hex()+".json" {
				t.Errorf("%s holds %s", name, v.Digest())
			}
		case "effects/", "slots/":
		default:
			t.Errorf("unexpected file %s", name)
		}
	}
}

// refuses fails the test unless err has the given code and, if given, message.
func refuses(t testing.TB, what string, err error, code algal.Code, message string) {
	t.Helper()
	if algal.CodeOf(err) != code || message != "" && err.Error() != message {
		t.Errorf("%s: %s %v, want %s %s", what, algal.CodeOf(err), err, code, message)
	}
}

const unexpectedType = "store symlinks and unexpected file types are not admitted"

func fifo(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// promptly fails the test when f waits for something.
func promptly(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}
