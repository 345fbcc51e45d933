package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/examples"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/tool/builtin"
	"github.com/algal-vm/algal/tool/hostfile"
)

// programSuffix is that of the guide's programs.
const programSuffix = ".algal.json"

// desk is the reader's folder.
type desk struct {
	t   *testing.T
	dir string
}

// newDesk returns an empty folder, in memory where the system has one: the commands
// sync some thousand files, which takes a disk long and shows nothing.
func newDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "algal-desk-")
	if err != nil {
		return &desk{t, t.TempDir()}
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &desk{t, dir}
}

func (d *desk) write(name, content string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(content+"\n"), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) read(name string) canon.Value {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := canon.Parse(string(text), canon.Limits{})
	if err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return v
}

// edit changes a program.
func (d *desk) edit(name string, change func(canon.Value) canon.Value) {
	d.t.Helper()
	before := d.read(name)
	after := change(before)
	if canon.Equal(before, after) {
		d.t.Errorf("a block changes nothing in %s", name)
	}
	d.write(name, after.String())
}

// compileAll compiles every program in the folder, with the tools of the guide and
// all other programs at hand. A program that is there to be refused has its name
// from that.
func (d *desk) compileAll() {
	d.t.Helper()
	env := organism.Env{Functions: organism.Builtins(), Tools: d.tools(), Store: cas.NewMemory()}
	var programs []*organism.Manifest
	for _, file := range d.programs() {
		m, err := organism.ParseManifest(d.read(file))
		if err != nil {
			d.t.Errorf("%s: %v", file, err)
			continue
		}
		if _, err := env.Store.PutManifest(m.Normal()); err != nil {
			d.t.Fatal(err)
		}
		if !strings.HasPrefix(file, "typo.") {
			programs = append(programs, m)
		}
	}
	for _, m := range programs {
		if _, err := organism.Compile(m, env, 0); err != nil {
			d.t.Errorf("%s: %v", m.Key, err)
		}
	}
}

// programs returns the files of all programs in the folder and below.
func (d *desk) programs() []string {
	d.t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(d.dir), ".", func(file string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(file, programSuffix) {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}

// tools returns the signatures of the tools of every host and of the guide's.
func (d *desk) tools() map[string]*organism.Tool {
	d.t.Helper()
	all := map[string]*organism.Tool{}
	if _, err := os.Stat(filepath.Join(d.dir, "tools.json")); err == nil {
		if all, err = hostfile.Signatures(d.read("tools.json")); err != nil {
			d.t.Error(err)
		}
	}
	for _, name := range builtin.Names() {
		all[name] = builtin.Signature(name)
	}
	return all
}

// admit compiles a program with a guard or an output that the guide only shows.
func (d *desk) admit(kind string, v canon.Value) {
	d.t.Helper()
	given := map[string]string{"output": `{"kind":"json","schema":{}}`, "guard": `{"field":"a","equals":""}`}
	given[kind] = v.String()
	program, err := canon.Parse(`{"contract":"algal.organism.v1","key":"organism:t","name":"","cells":[
		{"id":"a","kind":"agent","prompt":"","output":`+given["output"]+`},
		{"id":"b","kind":"fn","fn":"echo.v1"}],
		"edges":[{"from":{"cell":"a","port":"out"},"to":{"cell":"b","port":"value"},"guard":`+given["guard"]+`}]}`, canon.Limits{})
	if err != nil {
		d.t.Fatal(err)
	}
	m, err := organism.ParseManifest(program)
	if err == nil {
		_, err = organism.Compile(m, organism.Env{Functions: organism.Builtins(), Store: cas.NewMemory()}, 0)
	}
	if err != nil {
		d.t.Errorf("%s %s: %v", kind, v, err)
	}
}

// sameAsExample holds the program that the guide ends with to the example of that
// name.
func (d *desk) sameAsExample() {
	d.t.Helper()
	built, err := organism.ParseManifest(d.read("letter.algal.json"))
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := fs.ReadFile(examples.Programs(), "answer-letter/program.algal.json")
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := canon.Parse(string(text), canon.Limits{})
	if err != nil {
		d.t.Fatal(err)
	}
	example, err := organism.ParseManifest(v)
	if err != nil {
		d.t.Fatal(err)
	}
	// The example has a note beside what the guide builds.
	if !canon.Equal(example.Normal().Without("note"), built.Normal()) {
		d.t.Errorf("the guide ends with\n%s\nbut the example is\n%s", built.Normal(), example.Normal().Without("note"))
	}
}
