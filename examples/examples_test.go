package examples_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/examples"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/suite"
)

// After a change of a program: go test ./examples -update, then look at the
// difference. Programs are embedded when the test is built, so the next run without
// the flag is the one that counts.
var update = flag.Bool("update", false, "rewrite the expectations and README.md from what the runtime does")

const dir = "programs"

// TestPrograms runs the programs that the binary holds. Each ends as recorded, with
// the recorded receipt.
func TestPrograms(t *testing.T) {
	if *update {
		record(t)
		return
	}
	result, err := suite.Run(t.Context(), examples.Programs(), suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for _, e := range result.Examples {
		if e.Err != nil {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
		if want := readJSON(t, e.Name+"/expect.json"); !want.Get("receipt").IsText(string(e.Receipt)) {
			t.Errorf("%s: expect.json records no receipt", e.Name)
		}
		outcomes[e.Outcome]++
	}
	if outcomes["complete"] < 14 || outcomes["failed"] == 0 || outcomes["suspended"] == 0 {
		t.Errorf("outcomes %v, want at least 14 complete, some failed and some suspended", outcomes)
	}
	t.Logf("%d programs: %v", len(result.Examples), outcomes)
}

// record writes what each program does into its expect.json.
func record(t *testing.T) {
	t.Helper()
	write := func(name, text string) {
		if err := os.WriteFile(path.Join(dir, name, "expect.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names(t) {
		write(name, `{"outcome":"complete"}`)
	}
	result, err := suite.Run(t.Context(), os.DirFS(dir), suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Examples {
		if !e.Verified {
			t.Errorf("%s: %v", e.Name, e.Err)
			continue
		}
		write(e.Name, fmt.Sprintf("{\n  \"outcome\": \"%s\",\n  \"receipt\": \"%s\"\n}\n", e.Outcome, e.Receipt))
	}
}

// TestCoverage reads from the programs and their modules what they show. Every kind
// of cell and every further feature is there.
func TestCoverage(t *testing.T) {
	all := map[string]bool{}
	for _, name := range names(t) {
		for _, feature := range programFeatures(t, name) {
			all[feature] = true
		}
	}
	want := slices.Clone(further)
	for _, kind := range kinds {
		want = append(want, string(kind))
	}
	for _, feature := range want {
		if !all[feature] {
			t.Errorf("no program shows %q", feature)
		}
	}
	t.Logf("%d features", len(want))
}

// TestModules holds every program to its folder's name, and every module to a use.
func TestModules(t *testing.T) {
	modules := 0
	for _, name := range names(t) {
		m := readManifest(t, name+"/program.algal.json")
		if m.Key != "organism:"+name {
			t.Errorf("%s: key is %s", name, m.Key)
		}
		for _, file := range moduleFiles(t, name) {
			modules++
			digest := string(readManifest(t, file).Digest())
			if !slices.ContainsFunc(m.Cells, func(c *organism.Cell) bool { return c.Manifest == digest }) {
				t.Errorf("%s (%s) is not embedded", file, digest)
			}
		}
	}
	if modules == 0 {
		t.Error("no modules")
	}
}

// TestReadme holds the list of programs to the programs.
func TestReadme(t *testing.T) {
	want := readme(t)
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("README.md is not current, run go test ./examples -update (-want +got):\n%s", diff)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Examples

Small programs to read and to copy. ` + "`algal suite`" + ` runs them all; they are embedded in the binary. Each folder of ` + "`programs`" + ` holds one:

| file | what it is |
| --- | --- |
| ` + "`program.algal.json`" + ` | the program |
| ` + "`args.json`" + ` | its arguments |
| ` + "`responses.json`" + ` | what models and people answer, so that it runs without any |
| ` + "`tools.json`" + ` | the tools of the host, with a file of answers or a command each |
| ` + "`modules/`" + ` | programs that it embeds |
| ` + "`expect.json`" + ` | how it ends, and the digest of its receipt |

To run one by hand, from its folder and with the flags of the files it has:

` + "```sh" + `
algal run program.algal.json --args args.json --responses responses.json --tools tools.json --modules modules
` + "```" + `

[The guide](../docs/programs.md) builds a program up from nothing. This page is made from the programs: ` + "`go test ./examples -update`" + `.
`)
	for _, name := range names(t) {
		normal := readManifest(t, name+"/program.algal.json").Normal()
		fmt.Fprintf(&b, "\n## [%s](programs/%s/program.algal.json)\n\n", normal.Get("name").Text(), name)
		fmt.Fprintf(&b, "%s\n\n", normal.Get("note").Text())
		fmt.Fprintf(&b, "Ends %s. Shows: %s.\n", readJSON(t, name+"/expect.json").Get("outcome").Text(), strings.Join(programFeatures(t, name), ", "))
	}
	return b.String()
}

// programFeatures returns what a program and its modules show.
func programFeatures(t *testing.T, name string) []string {
	t.Helper()
	all := features(readManifest(t, name+"/program.algal.json"))
	for _, file := range moduleFiles(t, name) {
		all = append(all, features(readManifest(t, file))...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// names returns the folders of the programs.
func names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func moduleFiles(t *testing.T, name string) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), name+"/modules/*.algal.json")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readManifest(t *testing.T, name string) *organism.Manifest {
	t.Helper()
	m, err := organism.ParseManifest(readJSON(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// readJSON reads a file of the programs, absent when there is none.
func readJSON(t *testing.T, name string) canon.Value {
	t.Helper()
	text, err := os.ReadFile(path.Join(dir, name))
	if os.IsNotExist(err) {
		return canon.Value{}
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := canon.Parse(string(text), canon.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}
