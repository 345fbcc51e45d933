package root_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/durable"
)

func files() *durable.Publisher { return durable.NewPublisher(durable.Options{}) }

func code(err error) algal.Code {
	e, _ := errors.AsType[*algal.Error](err)
	if e == nil {
		return ""
	}
	return e.Code
}

// realDir is a temporary directory without links in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNew(t *testing.T) {
	dir := realDir(t)
	var steps []string
	hooked := durable.NewPublisher(durable.Options{Hook: func(s durable.Step, do func() error) error {
		steps = append(steps, s.String())
		return do()
	}})
	made, err := root.New(hooked, filepath.Join(dir, "new"))
	if err != nil || made.Path != filepath.Join(dir, "new") {
		t.Fatalf("%+v, %v", made, err)
	}
	info, err := os.Lstat(made.Path)
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	trace := strings.Join(steps, "\n")
	if want := "mkdir " + made.Path + "\ndir-sync " + made.Path + "\ndir-sync " + dir + "\n"; !strings.HasPrefix(trace, want) {
		t.Errorf("steps:\n%s", trace)
	}
	opened, err := root.Open(made.Path)
	if err != nil || opened != made {
		t.Errorf("opened %+v, %v", opened, err)
	}
	if got := made.Join("a", "b"); got != filepath.Join(made.Path, "a", "b") {
		t.Error(got)
	}
}

// TestIdentity sees that a copy in the place of a root is not it.
func TestIdentity(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, "r")
	made, err := root.New(files(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+"-away"); err != nil {
		t.Fatal(err)
	}
	other, err := root.New(files(), path)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := root.Open(path + "-away")
	if err != nil {
		t.Fatal(err)
	}
	if id := made.Identity().String(); other.Identity().String() == id || moved.Identity().String() != id {
		t.Errorf("identities: made %v, in its place %v, moved %v", id, other.Identity(), moved.Identity())
	}
}

func TestRelative(t *testing.T) {
	dir := realDir(t)
	t.Chdir(dir)
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Fatal(err)
	}
	made, err := root.New(files(), "link/r/")
	if err != nil || made.Path != filepath.Join(dir, "real", "r") {
		t.Errorf("%+v, %v", made, err)
	}
	if here, err := root.Open("."); err != nil || here.Path != dir {
		t.Errorf("%+v, %v", here, err)
	}
}

func TestRefused(t *testing.T) {
	dir := realDir(t)
	for name, make := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"link": func(path string) error { return os.Symlink(".", path) },
		"gone": func(path string) error { return os.Symlink("nowhere", path) },
		"dir":  func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return dir + "/" + name }
	for _, c := range []struct {
		name, path string
		create     bool
		want       algal.Code
		text       string
	}{
		{"empty", "", true, algal.ParseFailed, "empty"},
		{"at the bound", at(strings.Repeat("./", (root.MaxPath-len(dir)-1)/2)), true, algal.IOFailed, "exists"},
		{"too long", strings.Repeat("a", root.MaxPath+1), true, algal.ParseFailed, "4097 bytes, more than 4096"},
		{"upwards", at("dir/../new"), true, algal.ParseFailed, ".."},
		{"no text", at("\xff"), true, algal.ParseFailed, "UTF-8"},
		{"zero byte", at("a\x00"), true, algal.IOFailed, "cannot make"},
		{"no parent", at("none/new"), true, algal.IOFailed, "parent"},
		{"file as parent", at("file/new"), true, algal.IOFailed, ""},
		{"a directory is there", at("dir"), true, algal.IOFailed, "exists"},
		{"a file is there", at("file"), true, algal.IOFailed, "exists"},
		{"a link is there", at("link"), true, algal.IOFailed, "exists"},
		{"a dangling link is there", at("gone"), true, algal.IOFailed, "exists"},
		{"nothing to open", at("new"), false, algal.IOFailed, "not there"},
		{"a file to open", at("file"), false, algal.IOFailed, "real directory"},
		{"a link to open", at("link"), false, algal.IOFailed, "real directory"},
		{"a link with a slash to open", at("link/"), false, algal.IOFailed, "real directory"},
		{"upwards to open", at("dir/.."), false, algal.ParseFailed, ".."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			if c.create {
				_, err = root.New(files(), c.path)
			} else {
				_, err = root.Open(c.path)
			}
			if code(err) != c.want || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
}
