package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/examples"
)

// TestExamplesByHand runs each example with the command as examples/README.md says,
// in its folder and with the flags of the files it has. The receipt is the one that
// the suite expects.
func TestExamplesByHand(t *testing.T) {
	programs := examples.Programs()
	names, err := fs.ReadDir(programs, ".")
	if err != nil {
		t.Fatal(err)
	}
	shell := newShell(t, ".")
	for _, name := range names {
		folder, err := fs.Sub(programs, name.Name())
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t)
		if err := os.CopyFS(d.dir, folder); err != nil {
			t.Fatal(err)
		}
		line := "algal run program.algal.json"
		for _, flag := range []string{"--args args.json", "--responses responses.json", "--tools tools.json", "--modules modules"} {
			_, file, _ := strings.Cut(flag, " ")
			if _, err := os.Stat(filepath.Join(d.dir, file)); err == nil {
				line += " " + flag
			}
		}
		shown, _ := shell.run("cd '" + d.dir + "' && " + line + " > receipt.json")
		text, err := os.ReadFile(filepath.Join(d.dir, "receipt.json"))
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := canon.Parse(string(text), canon.Limits{})
		if want := d.read("expect.json"); err != nil || receipt.Get("digest").Text() != want.Get("receipt").Text() {
			t.Errorf("%s: %s\n%s%s\nwant %s", name.Name(), line, shown, text, want)
		}
	}
	if len(names) == 0 {
		t.Fatal("no examples")
	}
	t.Logf("%d examples", len(names))
}
